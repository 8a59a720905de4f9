package lang

// Texts of gongu mcp import and gongu connect.
var (
	CLIMcpShort    = Text{"Import MCP servers", "MCP 서버를 가져옵니다"}
	CLIImportShort = Text{"Import the MCP servers of another program's settings", "다른 프로그램 설정의 MCP 서버를 가져옵니다"}
	CLIImportLong  = Text{
		"Copy the MCP servers of another program's settings file into the bundle: of\nClaude, Cursor or Gemini (mcpServers), VS Code (servers), opencode (mcp) or\ncodex (mcp_servers). Gemini's commands that list and run tools become a\nToolCommand.\n\nSecrets are not copied: they become ${env:NAME}, and the command lists the\nvariables to set. References of the servers, such as variables and files, are\nresolved only after you have accepted them at the terminal.\n\nA server that the bundle already has stays as it is; a different one with the\nsame name is rejected without --replace.",
		"다른 프로그램 파일의 MCP 서버를 번들에 씁니다. Claude, Cursor, Gemini의\nmcpServers, VS Code의 servers, opencode의 mcp, codex의 mcp_servers를\n읽습니다. 도구를 나열하고 실행하는 Gemini의 명령은 ToolCommand가 됩니다.\n\n파일의 비밀 값은 쓰지 않고 ${env:NAME}으로 바꾸며, 무엇을 설정할지\n알려 줍니다. 서버가 참조하는 변수와 파일의 값은 터미널에서 허락한 뒤에만\n채웁니다.\n\n이미 있는 서버는 그대로 두고, 이름이 같은 다른 서버는 --replace 없이는\n거부합니다.",
	}
	CLIImportNeedsFile   = Text{"import needs one file", "import에는 파일 하나가 필요합니다"}
	CLIFlagImportDry     = Text{"show what would be done, and change nothing", "할 일을 보여 주기만 하고 바꾸지 않습니다"}
	CLIFlagImportReplace = Text{"replace servers of the same name", "이름이 같은 서버를 바꿉니다"}

	CLIConnectShort = Text{"Put gongu between a client and its servers", "클라이언트와 서버 사이에 gongu를 둡니다"}
	CLIConnectLong  = Text{
		"Move the MCP servers of a client into a bundle, and configure gongu as the only\nserver of the client. The other settings of its file, their order and their\ncomments stay. gongu keeps a copy of the file, and --undo restores it.\n\nThe bundle is the one of -b DIR, of the current folder, or else your own in\ngongu's configuration folder. Secrets of the servers stay in the client's file,\nin the environment that it gives to gongu.\n\nTo count the tokens that its tools use in every turn, each server is started;\nthe command lists the servers first. --print and --no-count start none.\nReferences of the servers, such as variables, are resolved only after you have\naccepted them at the terminal.",
		"클라이언트의 MCP 서버를 번들로 옮기고 그 자리에 gongu를 넣습니다. 파일의\n다른 설정과 순서와 주석은 그대로입니다. 원래 내용은 보관하며 --undo로\n되돌립니다.\n\n번들은 -b DIR, 현재 폴더의 번들, 또는 gongu 설정 폴더에 있는 자신의\n번들입니다. 서버의 비밀 값은 클라이언트 파일에 남아 gongu에 환경 변수로\n전달됩니다.\n\n도구가 매 턴 차지하는 양을 세려고 서버를 시작하기 전에 알려 주며, --print는\n시작하지 않습니다. 서버가 참조하는 변수 등의 값은 터미널에서 허락한 뒤에만\n채웁니다.",
	}
	CLIConnectNeedsClient   = Text{"connect needs one client", "connect에는 클라이언트 하나가 필요합니다"}
	CLIConnectUnknownClient = Text{"unknown client %q", "알 수 없는 클라이언트: %q"}
	CLIFlagConnectPrint     = Text{"show what would be done; change and start nothing", "할 일을 보여 주기만 하고, 바꾸거나 시작하지 않습니다"}
	CLIFlagConnectUndo      = Text{"restore the client's file", "클라이언트 파일을 복원합니다"}
	CLIFlagConnectForce     = Text{"restore the file even if it was changed since", "그 뒤에 바뀐 파일도 복원합니다"}
	CLIFlagConnectHTTP      = Text{"point the client at a running gongu serve", "실행 중인 gongu serve에 연결합니다"}
	CLIFlagConnectNoCount   = Text{"do not start the servers to count", "세려고 서버를 시작하지 않습니다"}
	CLIFlagConnectScope     = Text{"settings of the `user|project|local`", "설정의 범위 `user|project|local`"}
	CLIFlagConnectConfig    = Text{"the client's `FILE`, if it is another one", "클라이언트의 `FILE`이 다를 때"}
	CLIFlagConnectURL       = Text{"where gongu serves, for --http", "--http일 때 gongu의 주소"}
	CLIFlagConnectName      = Text{"what the client calls gongu", "클라이언트에서 gongu의 이름"}
	CLIFlagConnectTimeout   = Text{"how long to wait for a server that is counted", "셀 때 서버를 기다리는 시간"}

	ConnectCannotRead     = Text{"cannot read %s: %v", "%s을(를) 읽을 수 없습니다: %v"}
	ConnectFileHint       = Text{"Give the settings file of a client, such as .mcp.json or ~/.gemini/settings.json.", ".mcp.json이나 ~/.gemini/settings.json 같은 클라이언트 설정 파일을 주세요."}
	ConnectCannotWrite    = Text{"cannot change %s: %v", "%s을(를) 바꿀 수 없습니다: %v"}
	ConnectNothingChanged = Text{"The client's file was not changed.", "클라이언트 파일을 바꾸지 않았습니다."}

	ConnectSameName      = Text{"its name in the bundle would be %q, which %q already has", "번들에서의 이름이 %[1]q이(가) 되는데 %[2]q이(가) 이미 그 이름을 씁니다"}
	ConnectOAuth         = Text{"the oauth settings of server %q are not imported; gongu asks the server for them", "서버 %q의 oauth 설정은 가져오지 않습니다. gongu가 서버에서 직접 확인합니다"}
	ConnectSecretCommand = Text{"the command contains a secret; move the command into a script that reads the secret from the environment", "명령에 비밀 값이 있습니다. 비밀 값을 환경 변수에서 읽는 스크립트로 명령을 옮기세요"}
	ConnectOtherKind     = Text{"the bundle already has a %s named %q", "번들에 이름이 %[2]q인 %[1]s이(가) 이미 있습니다"}
	ConnectOtherServer   = Text{"the bundle already has a different server named %q; use --replace, or rename one of them", "번들에 이름이 %q인 다른 서버가 이미 있습니다. --replace를 쓰거나 둘 중 하나의 이름을 바꾸세요"}

	ConnectImported     = Text{"Imported %s", "%s을(를) 가져왔습니다"}
	ConnectWouldImport  = Text{"Would import %s", "%s을(를) 가져오게 됩니다"}
	ConnectReplaced     = Text{"Replaced %s", "%s을(를) 바꿨습니다"}
	ConnectWouldReplace = Text{"Would replace %s", "%s을(를) 바꾸게 됩니다"}
	ConnectAlready      = Text{"Already there: %s", "이미 있음: %s"}
	ConnectRefused      = Text{"Refused %s: %s", "%s을(를) 거부했습니다: %s"}
	ConnectSkipped      = Text{"Skipped %s: %s", "%s을(를) 건너뛰었습니다: %s"}
	ConnectNote         = Text{"Note: %s", "참고: %s"}
	ConnectBackup       = Text{"Backup: %s", "백업: %s"}
	ConnectNothing      = Text{"There are no servers in %s.", "%s에 서버가 없습니다."}
	ConnectSecrets      = Text{"The file has secrets as plain text. They were not written to the bundle. Set\nthese variables where gongu runs:", "파일에 비밀 값이 그대로 적혀 있습니다. 번들에는 쓰지 않았습니다. gongu를\n실행하는 곳에서 다음 변수를 설정하세요:"}
	ConnectRefers       = Text{"The servers in %s refer to these variables and files of yours:", "%s의 서버가 다음 변수와 파일을 참조합니다:"}
	ConnectRefersAsk    = Text{"May the servers get their values?", "서버에 그 값을 넘겨도 됩니까?"}
	ConnectLiteral      = Text{"Not filled in, because no person has accepted it: %s. The bundle has each reference as text, written $${…}, and the servers get that text. To let them have the values, run this command at a terminal and answer y.", "사람이 허락하지 않아 값을 채우지 않았습니다: %s. 번들에는 참조를 $${…} 형태의 글자로 썼고, 서버는 그 글자를 받습니다. 값을 넘기려면 터미널에서 이 명령을 실행하고 y라고 답하세요."}
	ConnectWouldAsk     = Text{"The servers refer to: %s. You would be asked whether they may have the values.", "서버가 다음을 참조합니다: %s. 값을 넘겨도 되는지 묻게 됩니다."}
	ConnectStarting     = Text{"Starting these servers, to list and count their tools:", "도구를 나열하고 세기 위해 다음 서버를 시작합니다:"}
	ConnectNext         = Text{"To see their tools:", "도구를 보려면:"}

	ConnectColumnServer = Text{"SERVER", "서버"}
	ConnectUnknown      = Text{"unknown", "알 수 없음"}
	ConnectNoAnswer     = Text{"no answer within %s", "%s 안에 응답이 없습니다"}
	ConnectBehindDirect = Text{"Tokens of tools in every turn: %d now, about %d behind gongu once all of them are offered, because it shows the same tools.", "매 턴 도구의 토큰: 지금 %d개, gongu 뒤에서는 모두 제공할 때 약 %d개 (같은 도구를 보여 주기 때문입니다)."}
	ConnectBehindSearch = Text{"Tokens of tools in every turn: %d now, %d behind gongu, which lets the model search them.", "매 턴 도구의 토큰: 지금 %d개, gongu 뒤에서 %d개 (모델이 도구를 검색합니다)."}
	ConnectUnknownMore  = Text{"Servers that did not answer and are not counted: %d.", "응답하지 않아 세지 않은 서버: %d개."}

	ConnectFile        = Text{"Settings of %s: %s", "%s의 설정: %s"}
	ConnectBundle      = Text{"Bundle: %s", "번들: %s"}
	ConnectPoints      = Text{"%s now uses gongu:", "이제 %s이(가) gongu를 씁니다:"}
	ConnectWouldPoint  = Text{"Nothing was changed. %s would use gongu:", "아무것도 바꾸지 않았습니다. %s은(는) gongu를 이렇게 쓰게 됩니다:"}
	ConnectUnchanged   = Text{"%s uses gongu already:", "%s은(는) 이미 gongu를 씁니다:"}
	ConnectSecretsKept = Text{"Secrets kept in the client's file and passed to gongu: %d.", "클라이언트 파일에 남겨 gongu에 전달하는 비밀 값: %d개."}
	ConnectToken       = Text{"Start it with '%s', make a token with '%s', and set GONGU_TOKEN to it where the client runs.", "'%s'로 시작하고 '%s'로 토큰을 만들어, 클라이언트를 실행하는 곳에서 GONGU_TOKEN으로 설정하세요."}
	ConnectElsewhere   = Text{"Servers in %[2]s: %[1]d. To move them as well, use --scope %[3]s.", "%[2]s에 서버 %[1]d개가 더 있습니다. 옮기려면 --scope %[3]s를 쓰세요."}
	ConnectUndoWith    = Text{"To undo: %s", "되돌리려면: %s"}
	ConnectRestored    = Text{"Restored %s. Its servers stay in the bundle as well.", "%s을(를) 복원했습니다. 서버는 번들에도 남아 있습니다."}
	ConnectServersBack = Text{"Restored the servers in %s. Other changes since then were kept.", "%s의 서버를 복원했습니다. 그 뒤에 바뀐 다른 내용은 그대로 두었습니다."}
	ConnectRemoved     = Text{"Removed %s, which gongu connect had created.", "gongu connect가 만든 %s을(를) 지웠습니다."}
	ConnectNoUndo      = Text{"there is nothing to undo for %s", "%s에는 되돌릴 것이 없습니다"}
	ConnectNoUndoHint  = Text{"Give the --scope or --config that gongu connect was run with.", "gongu connect를 실행할 때의 --scope나 --config를 주세요."}
	ConnectEdited      = Text{"%s was changed since gongu connect", "gongu connect 뒤에 %s이(가) 바뀌었습니다"}
	ConnectEditedHint  = Text{"Remove gongu from the file by hand, or use --force to discard those changes.", "파일에서 gongu를 직접 지우거나, 그 변경을 버리려면 --force를 쓰세요."}
	ConnectNameTaken   = Text{"another server is already named %q in %s", "%[2]s에 이름이 %[1]q인 다른 서버가 이미 있습니다"}
	ConnectNameHint    = Text{"Choose another name for gongu with --name.", "--name으로 gongu의 다른 이름을 정하세요."}
)
