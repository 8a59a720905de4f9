package lang

// gongu serve.
var (
	CLIServeShort = Text{"Serve the tools to MCP clients", "도구를 MCP 클라이언트에 제공합니다"}
	CLIServeLong  = Text{
		"Serve the tools of a bundle to MCP clients of every protocol revision: over HTTP\nwith a token, or with --stdio to the program that started gongu.\n\nAll tools are offered, unless --offer or the bundle says otherwise; the policy\ndecides about each call. /mcp has all tools, /mcp/AGENT those of an agent.\nThe same address has an HTTP API at /api/v1, /metrics, /healthz, /readyz and a\nstatus page at /.",
		"번들의 도구를 모든 프로토콜 버전의 MCP 클라이언트에 제공합니다. HTTP에서는\n토큰을 사용하고, --stdio에서는 gongu를 시작한 프로그램에 제공합니다.\n\n--offer나 번들의 설정이 없으면 모든 도구를 제공하며, 각 호출은 정책이 결정합니다.\n/mcp에는 모든 도구가, /mcp/AGENT에는 그 에이전트의 도구가 있습니다. 같은\n주소의 /api/v1에 HTTP API가, /metrics, /healthz, /readyz와 상태 페이지 /가 있습니다.",
	}
	CLIFlagHTTP         = Text{"listen on `ADDR` (default 127.0.0.1:7410; port 0 is any free one)", "`ADDR`에서 수신합니다 (기본값 127.0.0.1:7410, 포트 0은 빈 포트)"}
	CLIFlagStdio        = Text{"serve standard input and output; a server that already runs for the bundle is used", "표준 입출력으로 제공합니다. 번들의 서버가 이미 실행 중이면 그 서버를 사용합니다"}
	CLIFlagMode         = Text{"show clients `M`: auto (default), direct, search or code", "클라이언트에 보여 줄 것 `M`: auto (기본값), direct, search, code"}
	CLIFlagNoAuth       = Text{"accept requests from every program on this machine without a token", "이 컴퓨터의 모든 프로그램이 토큰 없이 요청할 수 있게 합니다"}
	CLIFlagHost         = Text{"also accept requests for the host `NAME` (repeatable)", "호스트 이름이 `NAME`인 요청도 받습니다 (여러 번 지정 가능)"}
	CLIFlagOrigin       = Text{"also accept requests of web pages from `URL`, such as https://console.example.com (repeatable)", "`URL`의 웹 페이지가 보내는 요청도 받습니다. 예: https://console.example.com (여러 번 지정 가능)"}
	CLIFlagIssuer       = Text{"also accept tokens issued by `URL` (OIDC)", "`URL`이 발급한 토큰도 받습니다 (OIDC)"}
	CLIFlagAudience     = Text{"the audience `A` that tokens of the issuer must have", "발급자의 토큰이 가져야 하는 대상(audience) `A`"}
	CLIFlagIssuerManage = Text{"tokens of the issuer with the scope gongu:manage:approvals or gongu:manage:all may decide", "발급자의 토큰이 gongu:manage:approvals나 gongu:manage:all 스코프로 결정할 수 있게 합니다"}
	CLIFlagLegacySSE    = Text{"also serve the HTTP+SSE transport of 2024, for old clients, at /sse and /sse/AGENT", "오래된 클라이언트를 위해 2024년의 HTTP+SSE 전송도 /sse와 /sse/AGENT에서 제공합니다"}
	CLIFlagSampling     = Text{"let tools use the model of the client; a token limited to some tools needs its own --sampling", "도구가 클라이언트의 모델을 사용하게 합니다. 일부 도구로 제한된 토큰은 자체 --sampling이 필요합니다"}
	CLIFlagGrace        = Text{"give running calls the time `D` to finish at the end (default 30s)", "종료할 때 실행 중인 호출을 `D` 동안 기다립니다 (기본값 30s)"}

	CLIFlagNeedsFlag = Text{"--%s needs --%s", "--%s에는 --%s이(가) 필요합니다"}

	CLIServeAt         = Text{"Serving MCP at %s", "MCP 제공 주소: %s"}
	CLIServeSSE        = Text{"Serving HTTP+SSE at %s", "HTTP+SSE 제공 주소: %s"}
	CLIServeBrowser    = Text{"In a browser (works once, for 5 minutes; later: gongu token login): %s", "브라우저 (5분 안에 한 번, 이후에는 gongu token login): %s"}
	CLIServeToken      = Text{"Token (shown once): %s", "토큰 (한 번만 표시): %s"}
	CLIServeTokenIn    = Text{"The first token is in %s", "첫 토큰은 %s에 있습니다"}
	CLIServeNoToken    = Text{"There is no token yet, and no terminal to show one on. Make one with: %s", "아직 토큰이 없고, 토큰을 보여 줄 터미널도 없습니다. 토큰 만들기: %s"}
	CLITokenFile       = Text{"cannot use %s as the token file: %v", "%s을(를) 토큰 파일로 쓸 수 없습니다: %v"}
	CLITokenFileHint   = Text{"Name a file that does not exist yet, or one that only you may read (chmod 600).", "아직 없는 파일이나, 본인만 읽을 수 있는 파일(chmod 600)을 지정하세요."}
	CLIFlagTokenFile   = Text{"write the first token to `FILE`, which only you may read; without it the token is shown on a terminal only", "첫 토큰을 본인만 읽을 수 있는 `FILE`에 씁니다. 지정하지 않으면 터미널에만 표시합니다"}
	CLIServeConnect    = Text{"To connect a client: %s", "클라이언트 연결: %s"}
	CLIServeTaken      = Text{"cannot listen on %s: process %[2]d already serves %[3]s there", "%s에서 수신할 수 없습니다. 프로세스 %[2]d이(가) 그 주소에서 %[3]s을(를) 제공하고 있습니다"}
	CLIServeTakenHint  = Text{"Use that server, stop it, or choose another address, such as: gongu serve --http 127.0.0.1:0", "그 서버를 사용하거나 종료하거나 다른 주소를 고르세요. 예: gongu serve --http 127.0.0.1:0"}
	CLIServeListen     = Text{"cannot listen on %s: %v", "%s에서 수신할 수 없습니다: %v"}
	CLIServeListenHint = Text{"Choose another address, such as any free port: gongu serve --http 127.0.0.1:0", "다른 주소를 고르세요. 예를 들어 빈 포트를 쓰려면: gongu serve --http 127.0.0.1:0"}
	CLIAuthorizePage   = Text{"A server requires your authorization. Open this page: %s", "서버에 사용자의 승인이 필요합니다. 다음 페이지를 여세요: %s"}
	CLIAuthorizeNobody = Text{"the server requires an authorization, and gongu is not running in a terminal; run this once in a terminal: gongu sources --load", "서버에 승인이 필요하지만 gongu가 터미널에서 실행되고 있지 않습니다. 터미널에서 다음을 한 번 실행하세요: gongu sources --load"}
	CLIAttachLost      = Text{"the connected server does not answer: %v", "연결된 서버가 응답하지 않습니다: %v"}
)
