package lang

// Domains of the tools that reach outside the process.
var (
	DomainBash        = Text{"Run shell commands and scripts.", "셸 명령과 스크립트를 실행합니다."}
	DomainFileSystem  = Text{"Read, write and list files.", "파일을 읽고 쓰고 목록을 봅니다."}
	DomainHTTPFetch   = Text{"Send HTTP requests.", "HTTP 요청을 보냅니다."}
	DomainSelfRestart = Text{"Ask for a restart of the runtime.", "런타임 재시작을 요청합니다."}
)

// BashExec and BashScript run programs.
var (
	BashExec = ToolText{
		Title: Text{"Run a command", "명령 실행"},
		Description: Text{
			"Run a shell command and return its output and exit code.\nThe command runs with /bin/sh in the working directory and cannot read input. A failing command is a normal answer: look at exitCode. At the timeout the command and everything it started are killed and timedOut is true; background processes end with the call. Returns {command, cwd, durationMs, stdout, stderr, exitCode, signal, timedOut}.",
			"셸 명령을 실행하고 출력과 종료 코드를 반환합니다.\n명령은 작업 디렉터리에서 /bin/sh로 실행되며 입력은 받을 수 없습니다. 명령이 실패해도 정상 응답이므로 exitCode를 확인하세요. 제한 시간이 되면 명령과 그 명령이 시작한 모든 것을 종료하고 timedOut이 true가 됩니다. 백그라운드 프로세스는 호출과 함께 끝납니다. {command, cwd, durationMs, stdout, stderr, exitCode, signal, timedOut}을 반환합니다.",
		},
		Params: map[string]Text{
			"command":   {"The command line for the shell.", "셸에서 실행할 명령줄."},
			"cwd":       {"Directory to run in, within the working directory. Left out, the working directory itself.", "실행할 디렉터리. 작업 디렉터리 안이어야 하며, 생략하면 작업 디렉터리입니다."},
			"timeoutMs": runTimeout,
			"env":       runEnv,
		},
	}
	BashScript = ToolText{
		Title: Text{"Run a script", "스크립트 실행"},
		Description: Text{
			"Run a script file with arguments and return its output and exit code.\nThe script runs in the working directory, with the limits of bash__exec. Returns {path, shell, args, durationMs, stdout, stderr, exitCode, signal, timedOut}.",
			"스크립트 파일을 인자와 함께 실행하고 출력과 종료 코드를 반환합니다.\n스크립트는 작업 디렉터리에서 실행되며 제한은 bash__exec와 같습니다. {path, shell, args, durationMs, stdout, stderr, exitCode, signal, timedOut}을 반환합니다.",
		},
		Params: map[string]Text{
			"path":      {"The script file.", "스크립트 파일."},
			"args":      {"Arguments for the script, in order.", "스크립트에 넘길 인자를 순서대로."},
			"shell":     {"The program that runs the script.", "스크립트를 실행할 프로그램."},
			"timeoutMs": runTimeout,
			"env":       runEnv,
		},
	}

	runTimeout = Text{"Time limit in milliseconds; 0 or less means none.", "제한 시간(밀리초). 0 이하이면 제한이 없습니다."}
	runEnv     = Text{"Environment variables to set, by name.", "설정할 환경 변수. 이름과 값의 쌍입니다."}
)

// FileWrite and the others of its family work on files; FileRead, FileEdit and
// FilePatch have their own files.
var (
	FileWrite = ToolText{
		Title: Text{"Write a file", "파일 쓰기"},
		Description: Text{
			"Write text to a file, replacing what it holds or adding to its end.\nMissing directories are made. Returns {path, size, written, append}; size is that of the whole file afterwards.",
			"파일에 텍스트를 씁니다. 기존 내용을 바꾸거나 끝에 덧붙입니다.\n없는 디렉터리는 만듭니다. {path, size, written, append}를 반환하며 size는 쓴 뒤 파일 전체의 크기입니다.",
		},
		Params: map[string]Text{
			"path":    filePath,
			"content": {"The text to write. Empty text makes an empty file.", "쓸 텍스트. 비우면 빈 파일이 됩니다."},
			"append":  {"Add to the end of the file instead of replacing it.", "파일을 바꾸지 않고 끝에 덧붙입니다."},
		},
	}
	FileList = ToolText{
		Title: Text{"List a directory", "디렉터리 목록"},
		Description: Text{
			"List the files and directories in a directory, sorted by path.\nReturns {path, recursive, count, entries}; an entry has name, path, type (file, dir, symlink or other) and, for files, size. Links are not followed. At most 10000 entries are listed; truncated is true when there are more.",
			"디렉터리에 있는 파일과 디렉터리를 경로 순서로 보여 줍니다.\n{path, recursive, count, entries}를 반환합니다. 항목에는 name, path, type(file, dir, symlink, other)이 있고 파일에는 size도 있습니다. 링크는 따라가지 않습니다. 최대 10000개까지 보여 주며 더 있으면 truncated가 true입니다.",
		},
		Params: map[string]Text{
			"path":         {"The directory, from the working directory or absolute.", "디렉터리. 작업 디렉터리 기준 경로 또는 절대 경로입니다."},
			"recursive":    {"Also list what is in the directories below.", "하위 디렉터리의 내용도 보여 줍니다."},
			"includeDirs":  {"List directories.", "디렉터리를 포함합니다."},
			"includeFiles": {"List everything that is not a directory.", "디렉터리가 아닌 것을 포함합니다."},
		},
	}
	FileMkdir = ToolText{
		Title: Text{"Make a directory", "디렉터리 만들기"},
		Description: Text{
			"Make a directory.\nReturns {path, created, recursive}; created is false when it was there already.",
			"디렉터리를 만듭니다.\n{path, created, recursive}를 반환합니다. 이미 있었으면 created가 false입니다.",
		},
		Params: map[string]Text{
			"path":      {"The directory to make, from the working directory or absolute.", "만들 디렉터리. 작업 디렉터리 기준 경로 또는 절대 경로입니다."},
			"recursive": {"Also make the directories above it.", "상위 디렉터리도 함께 만듭니다."},
		},
	}

	filePath = Text{"The file, from the working directory or absolute.", "파일. 작업 디렉터리 기준 경로 또는 절대 경로입니다."}
)

// HTTPGet and HTTPPost send requests.
var (
	HTTPGet = ToolText{
		Title: Text{"HTTP GET", "HTTP GET 요청"},
		Description: Text{
			"Fetch a URL with HTTP GET.\nRedirects are followed. An answer such as 404 or 500 is a normal result: look at status. Addresses inside private networks cannot be reached. Returns {url, method, status, statusText, headers, body, truncated, durationMs}.",
			"HTTP GET으로 URL을 가져옵니다.\n리디렉션을 따라갑니다. 404나 500 같은 응답도 정상 결과이므로 status를 확인하세요. 사설 네트워크 주소에는 접근할 수 없습니다. {url, method, status, statusText, headers, body, truncated, durationMs}를 반환합니다.",
		},
		Params: map[string]Text{"url": httpURL, "headers": httpHeaders, "timeoutMs": httpTimeout, "maxBytes": httpMaxBytes},
	}
	HTTPPost = ToolText{
		Title: Text{"HTTP POST", "HTTP POST 요청"},
		Description: Text{
			"Send data to a URL with HTTP POST.\nGive body for JSON, or bodyString for any other text. Redirects are followed. An answer such as 404 or 500 is a normal result: look at status. Addresses inside private networks cannot be reached. Returns {url, method, status, statusText, headers, body, truncated, durationMs}.",
			"HTTP POST로 URL에 데이터를 보냅니다.\nJSON은 body에, 다른 텍스트는 bodyString에 넣습니다. 리디렉션을 따라갑니다. 404나 500 같은 응답도 정상 결과이므로 status를 확인하세요. 사설 네트워크 주소에는 접근할 수 없습니다. {url, method, status, statusText, headers, body, truncated, durationMs}를 반환합니다.",
		},
		Params: map[string]Text{
			"url":        httpURL,
			"body":       {"A JSON object to send; sets the content type to JSON.", "보낼 JSON 객체. 콘텐츠 형식은 JSON이 됩니다."},
			"bodyString": {"Text to send as it is. Used when body is not given.", "그대로 보낼 텍스트. body가 없을 때 사용합니다."},
			"headers":    httpHeaders, "timeoutMs": httpTimeout, "maxBytes": httpMaxBytes,
		},
	}

	httpURL      = Text{"The address, with http:// or https://.", "http:// 또는 https://로 시작하는 주소."}
	httpHeaders  = Text{"Request headers, by name.", "요청 헤더. 이름과 값의 쌍입니다."}
	httpTimeout  = Text{"Time limit in milliseconds.", "제한 시간(밀리초)."}
	httpMaxBytes = Text{"Read at most this many bytes of the body.", "본문을 최대 이 바이트 수만큼 읽습니다."}
)

// SelfRestart asks the runtime to start again.
var SelfRestart = ToolText{
	Title: Text{"Request a restart", "재시작 요청"},
	Description: Text{
		"Ask the runtime to restart itself.\nUse it after a change that only a restart brings into effect. The runtime decides when. Returns {ok, restartRequested, restartReason}.",
		"런타임에 재시작을 요청합니다.\n재시작해야 적용되는 변경을 한 뒤에 사용합니다. 시점은 런타임이 정합니다. {ok, restartRequested, restartReason}을 반환합니다.",
	},
	Params: map[string]Text{
		"reason": {"Why a restart is needed, for the log.", "재시작이 필요한 이유. 기록에 남습니다."},
	},
}

// What keeps a system tool from doing its work.
var (
	PathProtected = Text{"tools cannot change %s: it decides what gongu runs. Tell the user what should be changed: a person edits the bundle's files, accepts definitions with gongu pins accept and decides about requests with gongu requests. An agent or tool with editable: true can change files of the bundle, and a person accepts the change.", "도구로는 %s을(를) 바꿀 수 없습니다. gongu가 실행하는 것을 정하는 파일입니다. 바꿀 내용을 사용자에게 알리세요. 사람이 번들의 파일을 편집하고, gongu pins accept로 정의를 승인하고, gongu requests로 요청을 결정합니다. editable: true인 에이전트나 도구는 번들의 파일을 바꿀 수 있으며, 그 변경은 사람이 승인합니다."}
	PathClosed    = Text{"gongu keeps its own state there, out of the reach of tools: %s. Use another path.", "gongu가 자신의 상태를 두는 곳이라 도구로는 쓸 수 없습니다: %s. 다른 경로를 사용하세요."}
	PathOutside   = Text{"The path is outside of the working directory %[2]s: %[1]s. To allow it, declare its directory as a root (option Roots, flag --root).", "작업 디렉터리 %[2]s 밖의 경로입니다: %[1]s. 허용하려면 해당 디렉터리를 루트로 선언하세요(Roots 옵션, --root 플래그)."}
	PathIsDir     = Text{"The path is a directory, not a file: %s", "파일이 아니라 디렉터리입니다: %s"}
	PathNotDir    = Text{"The path is not a directory: %s", "디렉터리가 아닙니다: %s"}
	PathIrregular = Text{"The path is neither a file nor a directory, but a pipe, socket or device: %s", "파일이나 디렉터리가 아니라 파이프, 소켓 또는 장치입니다: %s"}
	PathExists    = Text{"The path exists already: %s", "이미 존재하는 경로입니다: %s"}
	PathForbidden = Text{"The system does not permit access to: %s", "시스템이 접근을 허용하지 않습니다: %s"}
	DirMissing    = Text{"The directory does not exist: %s", "디렉터리가 존재하지 않습니다: %s"}

	ShellMissing = Text{"The shell does not exist: %s", "셸이 존재하지 않습니다: %s"}
	ShellNone    = Text{"This tool needs a POSIX shell, which this system does not have. Use it on Linux or macOS, or under WSL.", "이 툴에는 POSIX 셸이 필요한데 이 시스템에는 없습니다. Linux나 macOS 또는 WSL에서 사용하세요."}
	EnvName      = Text{"'env' has the name %q, which is not a valid name of an environment variable", "'env'의 이름 %q은(는) 환경 변수 이름으로 쓸 수 없습니다"}
	StreamCut    = Text{"\n... [%d bytes left out] ...\n", "\n... [%d바이트 생략] ...\n"}

	URLInvalid    = Text{"Invalid URL: %s", "Invalid URL: %s"}
	URLProtocol   = Text{"Unsupported protocol: %s (only http and https are allowed)", "Unsupported protocol: %s (http와 https만 사용할 수 있습니다)"}
	HTTPFailed    = Text{"The request to %s failed: %s", "%s 요청이 실패했습니다: %s"}
	HTTPTimeout   = Text{"The request to %s did not finish within %d ms.", "%s 요청이 %dms 안에 끝나지 않았습니다."}
	HTTPRefused   = Text{"The request was not sent: %s is at %s, which is not a public address. To allow it, list the host (option AllowPrivate, --allow-private HOST).", "요청을 보내지 않았습니다: %s의 주소 %s은(는) 공인 주소가 아닙니다. 허용하려면 호스트를 등록하세요(AllowPrivate 옵션, --allow-private HOST)."}
	HTTPRedirects = Text{"stopped after %d redirects", "리디렉션 %d번 뒤에 중단했습니다"}
)
