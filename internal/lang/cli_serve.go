package lang

// gongu serve.
var (
	CLIServeShort = Text{"Serve the tools to MCP clients", "도구를 MCP 클라이언트에 제공합니다"}
	CLIServeLong  = Text{
		"Serves the tools of a bundle over MCP, to clients of every revision: over HTTP\nwith a token, or with --stdio to the program that started it.\n\nOnly tools that say they are read-only are offered, until --allow names others.\n/mcp has all tools, /mcp/AGENT those of an agent. The same address has an HTTP\nAPI at /api/v1, /metrics, /healthz, /readyz and a page for people at /.",
		"번들의 도구를 모든 버전의 MCP 클라이언트에 제공합니다. HTTP에서는 토큰을\n사용하고, --stdio에서는 자신을 시작한 프로그램에 제공합니다.\n\n--allow로 지정하기 전에는 읽기 전용이라고 밝힌 도구만 제공합니다. /mcp에는 모든\n도구가, /mcp/AGENT에는 그 에이전트의 도구가 있습니다. 같은 주소의 /api/v1에 HTTP\nAPI가, /metrics, /healthz, /readyz와 사람을 위한 페이지 /가 있습니다.",
	}
	CLIFlagHTTP      = Text{"listen on `ADDR` (default 127.0.0.1:7410; port 0 is any free one)", "`ADDR`에서 수신합니다 (기본값 127.0.0.1:7410, 포트 0은 빈 포트)"}
	CLIFlagStdio     = Text{"serve standard input and output; a server that already runs for the bundle is used", "표준 입출력으로 제공합니다. 번들의 서버가 이미 실행 중이면 그 서버를 사용합니다"}
	CLIFlagMode      = Text{"show clients `M`: auto (default), direct, search or code", "클라이언트에 보여 줄 것 `M`: auto (기본값), direct, search, code"}
	CLIFlagNoAuth    = Text{"let everyone on this machine in without a token", "이 컴퓨터의 누구나 토큰 없이 사용하게 합니다"}
	CLIFlagAllow     = Text{"offer tools that match `GLOB` although they are not read-only (repeatable)", "읽기 전용이 아니어도 `GLOB`과 맞는 도구를 제공합니다 (여러 번 지정 가능)"}
	CLIFlagHost      = Text{"clients also know the server by `NAME` (repeatable)", "클라이언트가 서버를 `NAME`(으)로도 부릅니다 (여러 번 지정 가능)"}
	CLIFlagOrigin    = Text{"web pages of `URL` may ask, such as https://console.example.com (repeatable)", "`URL`의 웹 페이지가 요청할 수 있습니다. 예: https://console.example.com (여러 번 지정 가능)"}
	CLIFlagIssuer    = Text{"also take the tokens that `URL` issues for a team (OIDC)", "`URL`이 팀에 발급한 토큰도 받습니다 (OIDC)"}
	CLIFlagAudience  = Text{"such tokens must name the audience `A`", "그 토큰은 대상(audience) `A`를 지정해야 합니다"}
	CLIFlagLegacySSE = Text{"also serve the HTTP+SSE transport of 2024, for old clients, at /sse and /sse/AGENT", "오래된 클라이언트를 위해 2024년의 HTTP+SSE 전송도 /sse와 /sse/AGENT에서 제공합니다"}
	CLIFlagSampling  = Text{"let tools use the model of the client; --allow '*' does, too", "도구가 클라이언트의 모델을 사용하게 합니다. --allow '*'도 이를 허용합니다"}
	CLIFlagGrace     = Text{"give running calls the time `D` to finish at the end (default 30s)", "종료할 때 실행 중인 호출을 `D` 동안 기다립니다 (기본값 30s)"}

	CLIFlagNeedsFlag = Text{"--%s needs --%s", "--%s에는 --%s이(가) 필요합니다"}

	CLIServeAt         = Text{"Serving MCP at %s", "MCP 제공 주소: %s"}
	CLIServeSSE        = Text{"Serving HTTP+SSE at %s", "HTTP+SSE 제공 주소: %s"}
	CLIServeBrowser    = Text{"In a browser (works once, for 5 minutes; later: gongu token login): %s", "브라우저 (5분 안에 한 번, 이후에는 gongu token login): %s"}
	CLIServeToken      = Text{"Token (shown once): %s", "토큰 (한 번만 표시): %s"}
	CLIServeConnect    = Text{"To connect a client: %s", "클라이언트 연결: %s"}
	CLIServeReadOnly   = Text{"Only read-only tools are offered; --allow '*' offers all.", "읽기 전용 도구만 제공합니다. 모두 제공하려면 --allow '*'를 사용하세요."}
	CLIServeTaken      = Text{"%s is taken: gongu serves %[3]s there (process %[2]d)", "%s은(는) 사용 중입니다: gongu가 %[3]s을(를) 제공하고 있습니다 (프로세스 %[2]d)"}
	CLIServeTakenHint  = Text{"Use that server, end it, or choose another address with --http.", "그 서버를 사용하거나 종료하거나, --http로 다른 주소를 고르세요."}
	CLIServeListen     = Text{"cannot listen on %s: %v", "%s에서 수신할 수 없습니다: %v"}
	CLIServeListenHint = Text{"Choose another address with --http, such as 127.0.0.1:0 for any free port.", "--http로 다른 주소를 고르세요. 예: 127.0.0.1:0은 빈 포트를 고릅니다."}
	CLIAuthorizePage   = Text{"A server wants your authorization. Open this page: %s", "서버가 승인을 요청합니다. 이 페이지를 여세요: %s"}
	CLIAuthorizeNobody = Text{"the server wants an authorization, and nobody is at the terminal to give it; run gongu sources --load in a terminal once", "서버가 승인을 요청하지만 터미널에 승인할 사람이 없습니다. 터미널에서 gongu sources --load를 한 번 실행하세요"}
	CLIAttached        = Text{"Attached to the server at %s (process %d): what it was started with holds.", "%s의 서버에 연결했습니다 (프로세스 %d). 그 서버를 시작할 때의 설정을 따릅니다."}
	CLIAttachLost      = Text{"the server that this client was attached to does not answer: %v", "연결된 서버가 응답하지 않습니다: %v"}
)
