package lang

// Texts of gongu cad.
var (
	CLICADShort = Text{"Draw with the CAD tools", "CAD 도구로 그립니다"}
	CLICADLong  = Text{
		"Draw with the CAD tools, without a bundle. Each instance has a separate scene,\nwhich is kept below the state root and shared with bundles that use the tools.",
		"번들 없이 CAD 도구로 그립니다. 인스턴스마다 별도의 씬이 있고, 씬은 상태 폴더에\n저장되어 이 도구를 쓰는 번들과 공유됩니다.",
	}
	CLICADExecShort = Text{"Call a CAD tool or a discovery tool", "CAD 도구나 탐색 도구를 호출합니다"}
	CLICADExecLong  = Text{
		"Call a CAD tool or a discovery tool, and print {success, data} or\n{success, error, suggestions}. The arguments are a JSON object; \"-\" reads it\nfrom standard input, and the default is {}.\n\nThe exit status is 0 when the tool succeeded, 1 when it reported an error\nand 2 when the command line is wrong.",
		"CAD 도구나 탐색 도구를 호출하고 {success, data} 또는\n{success, error, suggestions}를 출력합니다. 인자는 JSON 객체입니다.\n\"-\"는 표준 입력에서 읽고, 생략하면 {}입니다.\n\n종료 코드는 도구가 성공하면 0, 오류를 보고하면 1,\n명령줄이 잘못되면 2입니다.",
	}
	CLICADRenderShort = Text{"Write the scene as a picture", "씬을 그림 파일로 저장합니다"}
	CLICADRenderLong  = Text{
		"Write the scene to FILE.svg or FILE.png. The picture shows everything there is.\nAn existing file is replaced.",
		"씬을 FILE.svg 또는 FILE.png로 저장합니다. 그림에는 모든 것이 보입니다.\n파일이 이미 있으면 바꿉니다.",
	}

	CLIFlagCADInstance = Text{"the scene of instance `K` (default: default)", "인스턴스 `K`의 씬 (기본값: default)"}
	CLIFlagCADRequests = Text{"keep tool requests in `FILE` (default: tool-requests.json in the bundle or the current folder)", "도구 요청을 `FILE`에 저장합니다 (기본값: 번들이나 현재 폴더의 tool-requests.json)"}
	CLIFlagCADWidth    = Text{"width of the picture, `N` pixels (default for PNG: 1024)", "그림의 너비 `N`픽셀 (PNG 기본값: 1024)"}

	CLICADNeedsName = Text{"exec needs the name of a tool", "exec에는 도구 이름이 필요합니다"}
	CLICADTooMany   = Text{"exec takes a name and one JSON object, but %d arguments were given", "exec은 이름과 JSON 객체 하나를 받는데 인자가 %d개 주어졌습니다"}
	CLICADOneFile   = Text{"render takes one file, but %d arguments were given", "render는 파일 하나를 받는데 인자가 %d개 주어졌습니다"}
	CLICADFileKind  = Text{"%q is neither a .svg nor a .png file", "%q은(는) .svg 파일도 .png 파일도 아닙니다"}
	CLICADHintKind  = Text{"Give the file a name such as room.svg or room.png.", "room.svg나 room.png 같은 파일 이름을 쓰세요."}
	CLICADWrite     = Text{"the picture cannot be written to %s: %v", "그림을 %s에 저장할 수 없습니다: %v"}
	CLICADRendered  = Text{"wrote %s (entities: %d)", "%s을(를) 저장했습니다 (엔티티 %d개)"}
	CLICADSize      = Text{"wrote %s, %dx%d pixels (entities: %d)", "%s을(를) %dx%d픽셀로 저장했습니다 (엔티티 %d개)"}
	CLICADHintWidth = Text{"Use a number from 1 to %d.", "1에서 %d 사이의 숫자를 쓰세요."}
	CLICADHintWrite = Text{"Name a file in a folder that exists and may be written to.", "쓸 수 있는 기존 폴더 안의 파일을 지정하세요."}
)
