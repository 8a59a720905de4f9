package lang

// Why a request is rejected.
var (
	AuthHostRefused     = Text{"host %q is not allowed", "허용되지 않은 호스트입니다: %q"}
	AuthHostHint        = Text{"Use the address that gongu serve printed, or restart the server with: gongu serve --host NAME", "gongu serve가 출력한 주소를 쓰거나 서버를 다음과 같이 다시 시작하세요: gongu serve --host NAME"}
	AuthOriginRefused   = Text{"origin %q is not allowed", "허용되지 않은 출처(origin)입니다: %q"}
	AuthOriginHint      = Text{"Restart the server with: gongu serve --origin URL; or use a client that is not a web page.", "서버를 다음과 같이 다시 시작하거나: gongu serve --origin URL; 웹 페이지가 아닌 클라이언트를 쓰세요."}
	AuthCrossOrigin     = Text{"a session is valid only for requests of the server's own pages", "세션은 이 서버의 페이지가 보내는 요청에만 유효합니다"}
	AuthNotLoopback     = Text{"a server without authentication accepts requests from loopback addresses only", "인증이 없는 서버는 루프백 주소의 요청만 받습니다"}
	AuthNotLoopbackHint = Text{"Start the server with authentication to reach it from elsewhere.", "다른 곳에서 접속하려면 인증을 켜고 서버를 시작하세요."}
	AuthNeedsToken      = Text{"a bearer token is required", "bearer 토큰이 필요합니다"}
	AuthBadToken        = Text{"the bearer token is not valid: it is unknown, revoked or expired", "bearer 토큰이 올바르지 않습니다. 알 수 없거나, 폐기되었거나, 만료되었습니다"}
	AuthTokenHint       = Text{"Send the header Authorization: Bearer TOKEN. The owner of the server makes a token with: gongu token new", "Authorization: Bearer TOKEN 헤더를 보내세요. 서버 관리자는 다음 명령으로 토큰을 만듭니다: gongu token new"}
	AuthAgentRefused    = Text{"%q is not allowed to use this agent", "%q에게는 이 에이전트를 쓸 권한이 없습니다"}
	AuthAgentHint       = Text{"Use the path /mcp/AGENT of an agent that the token is for, or ask for a token with this agent.", "토큰이 허용하는 에이전트의 /mcp/AGENT 경로를 쓰거나, 이 에이전트를 쓸 수 있는 토큰을 요청하세요."}
	AuthManageRefused   = Text{"%q is a management token and cannot be used for MCP", "%q은(는) 관리용 토큰이므로 MCP에 쓸 수 없습니다"}
	AuthManageHint      = Text{"Make a token without --manage for the client: gongu token new", "클라이언트에는 --manage 없이 만든 토큰을 쓰세요: gongu token new"}
	AuthFull            = Text{"the server is at its limit of concurrent requests", "서버가 동시에 처리할 수 있는 요청 수에 도달했습니다"}
	AuthFullEach        = Text{"you have %d open requests, which is the limit", "열려 있는 요청이 %d개로 한도에 도달했습니다"}
	AuthFullHint        = Text{"Try again in a moment, or close streams that are not needed.", "잠시 뒤 다시 시도하거나 필요 없는 스트림을 닫으세요."}
	AuthTooLarge        = Text{"the body has more than %d bytes", "본문이 %d바이트를 넘습니다"}
	AuthTooLargeHint    = Text{"Send less at a time.", "한 번에 더 적게 보내세요."}
	AuthUnavailable     = Text{"the server cannot check tokens right now", "서버가 지금은 토큰을 확인할 수 없습니다"}
	AuthUnavailableHint = Text{"Keep the token and try again in a moment. The log of the server says why.", "토큰을 그대로 두고 잠시 뒤 다시 시도하세요. 이유는 서버 로그에 있습니다."}
	AuthPanicked        = Text{"internal server error", "서버 내부 오류가 발생했습니다"}
	AuthPanickedHint    = Text{"The log of the server has the details under request %s.", "자세한 내용은 서버 로그의 요청 %s에 있습니다."}
	AuthNoResource      = Text{"there is no metadata for this resource", "이 리소스의 메타데이터가 없습니다"}
	AuthNoResourceHint  = Text{"GET /.well-known/oauth-protected-resource, followed by the path of the resource.", "/.well-known/oauth-protected-resource 뒤에 리소스의 경로를 붙여 GET 요청을 보내세요."}

	AuthLoginStore     = Text{"a login link cannot be kept in %s: %v", "로그인 링크를 %s에 저장할 수 없습니다: %v"}
	AuthLoginStoreHint = Text{"The folder must be writable and have room. Name another one with --state-root DIR.", "폴더에 쓸 수 있고 여유 공간이 있어야 합니다. --state-root DIR로 다른 폴더를 지정할 수 있습니다."}

	AuthLoginMethod   = Text{"a login link is opened with GET", "로그인 링크는 GET으로 엽니다"}
	AuthLoginPrefetch = Text{"a login link cannot be prefetched, because it works only once", "로그인 링크는 한 번만 쓸 수 있어 미리 불러올 수 없습니다"}
	AuthLoginFailed   = Text{"This login link does not work: it was used before, is older than five minutes, or was never made by this server.", "이 로그인 링크는 쓸 수 없습니다. 이미 사용했거나, 만든 지 5분이 지났거나, 이 서버가 만든 것이 아닙니다."}
	AuthLoginHint     = Text{"Get a new link where you got this one, and open it in a browser.", "이 링크를 받은 곳에서 새 링크를 받아 브라우저로 여세요."}
	AuthLoginDone     = Text{"You are logged in.", "로그인했습니다."}
	AuthLoginGoOn     = Text{"If the page does not change, follow the link.", "페이지가 바뀌지 않으면 링크를 누르세요."}
	AuthLogoutMethod  = Text{"logging out is a POST from the server's own page", "로그아웃은 이 서버의 페이지에서 보내는 POST 요청입니다"}
	AuthLogoutHint    = Text{"Use the button on the page.", "페이지의 버튼을 쓰세요."}
)

// Why a server cannot be started.
var (
	AuthBadAddress      = Text{"invalid listen address %q", "수신 주소가 올바르지 않습니다: %q"}
	AuthBadAddressHint  = Text{"Use a host and a port, such as 127.0.0.1:7410.", "127.0.0.1:7410처럼 호스트와 포트를 쓰세요."}
	AuthUnsafe          = Text{"%s is reachable from other machines, and --no-auth turns authentication off", "%s은(는) 다른 컴퓨터에서 접속할 수 있는데 --no-auth로 인증을 껐습니다"}
	AuthUnsafeHint      = Text{"Leave out --no-auth, or listen on 127.0.0.1:%s.", "--no-auth를 빼거나 127.0.0.1:%s에서 수신하세요."}
	AuthNoAuthNotice    = Text{"NO AUTHENTICATION: every program and every user of this machine can use all tools at %s. Leave out --no-auth for anything but tests.", "인증 없음: 이 컴퓨터의 모든 프로그램과 사용자가 %s에서 모든 도구를 쓸 수 있습니다. 시험이 아니라면 --no-auth를 빼세요."}
	AuthBothAuth        = Text{"--no-auth cannot be combined with tokens, JWTs or logins", "--no-auth는 토큰, JWT, 로그인과 함께 쓸 수 없습니다"}
	AuthBothAuthHint    = Text{"Leave out --no-auth, or the others.", "--no-auth를 빼거나 나머지를 빼세요."}
	AuthNoWay           = Text{"no authentication is configured: neither tokens nor an issuer", "인증이 설정되지 않았습니다. 토큰도 발급자도 없습니다"}
	AuthNoWayHint       = Text{"Give a file of tokens or an issuer, or --no-auth on loopback.", "토큰 파일이나 발급자를 지정하거나, 루프백에서 --no-auth를 쓰세요."}
	AuthBadHost         = Text{"%q is not the name of a host", "%q은(는) 호스트 이름이 아닙니다"}
	AuthBadHostHint     = Text{"Use a name or an address, with or without a port, such as gongu.example.com or [2001:db8::1]:7410. There are no wildcards.", "gongu.example.com이나 [2001:db8::1]:7410처럼 이름이나 주소를 쓰세요. 포트는 생략할 수 있고 와일드카드는 쓸 수 없습니다."}
	AuthBadOrigin       = Text{"%q is not the origin of a web page", "%q은(는) 웹 페이지의 출처가 아닙니다"}
	AuthBadOriginHint   = Text{"Use scheme, host and port alone, such as https://console.example.com. There are no wildcards.", "https://console.example.com처럼 스킴, 호스트, 포트만 쓰세요. 와일드카드는 쓸 수 없습니다."}
	AuthBadPublic       = Text{"%q cannot be a public path", "%q은(는) 공개 경로가 될 수 없습니다"}
	AuthBadPublicHint   = Text{"Use a path such as /healthz, or /assets/ for all below it.", "/healthz와 같은 경로나, 그 아래 전체를 뜻하는 /assets/ 꼴을 쓰세요."}
	AuthBadResource     = Text{"%q is not the address of a server", "%q은(는) 서버의 주소가 아닙니다"}
	AuthBadResourceHint = Text{"Use an address such as https://gongu.example.com.", "https://gongu.example.com과 같은 주소를 쓰세요."}
	AuthBadIssuer       = Text{"%q is not the address of an issuer or of its keys", "%q은(는) 발급자나 발급자 키의 주소가 아닙니다"}
	AuthBadIssuerHint   = Text{"Use an https address, such as https://login.example.com. http works on loopback only.", "https://login.example.com과 같은 https 주소를 쓰세요. http는 루프백에서만 쓸 수 있습니다."}
	AuthNoAudience      = Text{"an issuer needs the audience that its tokens are for", "발급자를 쓰려면 토큰의 대상(audience)이 필요합니다"}
	AuthNoAudienceHint  = Text{"Give the name that the issuer writes into aud for this server; without it a token for another service would do.", "발급자가 이 서버를 위해 aud에 쓰는 이름을 지정하세요. 없으면 다른 서비스의 토큰도 통과하게 됩니다."}
	AuthBadLeeway       = Text{"clock leeway %s is too large", "시계 허용 오차 %s이(가) 너무 큽니다"}
	AuthBadLeewayHint   = Text{"Use at most %s.", "%s 이하로 쓰세요."}
)

// Errors of tokens and their file.
var (
	AuthTokenExists      = Text{"token %q already exists", "토큰 %q이(가) 이미 있습니다"}
	AuthTokenExistsHint  = Text{"Use another name, or revoke it first with: gongu token revoke %s", "다른 이름을 쓰거나 먼저 다음 명령으로 폐기하세요: gongu token revoke %s"}
	AuthTokenUnknown     = Text{"there is no token %q", "토큰 %q이(가) 없습니다"}
	AuthTokenListHint    = Text{"See the tokens with: gongu token list", "다음 명령으로 토큰을 확인하세요: gongu token list"}
	AuthTokensFull       = Text{"there are already %d tokens, which is the limit", "토큰이 이미 한도인 %d개입니다"}
	AuthTokensFullHint   = Text{"Revoke those that are not needed with: gongu token revoke NAME", "필요 없는 토큰을 다음 명령으로 폐기하세요: gongu token revoke NAME"}
	AuthBadName          = Text{"%q cannot be the name of a token", "%q은(는) 토큰 이름으로 쓸 수 없습니다"}
	AuthBadNameHint      = Text{"Use letters, digits, \".\", \"_\" and \"-\", at most 64, with a letter or digit first, and not %q or %q.", "영문자, 숫자, \".\", \"_\", \"-\"만 64자까지, 영문자나 숫자로 시작해서 쓰세요. %q와(과) %q은(는) 쓸 수 없습니다."}
	AuthBadLifetime      = Text{"a token cannot last %s", "토큰의 유효 기간으로 %s을(를) 쓸 수 없습니다"}
	AuthBadLifetimeHint  = Text{"Use a time such as 720h, or leave it out for a token without an end.", "720h와 같은 기간을 쓰거나, 만료 없는 토큰이면 생략하세요."}
	AuthBadAgent         = Text{"%q cannot be the name of an agent", "%q은(는) 에이전트 이름으로 쓸 수 없습니다"}
	AuthBadAgentHint     = Text{"Use the name of an Agent of the bundle, or name none for all agents.", "번들에 있는 Agent의 이름을 쓰거나, 모든 에이전트를 허용하려면 생략하세요."}
	AuthBadGlob          = Text{"%q is not a glob of tools", "%q은(는) 도구 이름 패턴이 아닙니다"}
	AuthBadGlobHint      = Text{"Use the name of a tool with *, ? and [a-z], such as 'file-system__*', or '*' for all tools.", "'file-system__*'처럼 *, ?, [a-z]를 쓴 도구 이름을 쓰거나, 모든 도구를 허용하려면 '*'를 쓰세요."}
	AuthBadPrompt        = Text{"%q is not a glob of prompts", "%q은(는) 프롬프트 이름 패턴이 아닙니다"}
	AuthBadPromptHint    = Text{"Use the name of a prompt with *, ? and [a-z], such as 'github__*'.", "'github__*'처럼 *, ?, [a-z]를 쓴 프롬프트 이름을 쓰세요."}
	AuthBadSource        = Text{"%q does not name a source", "%q은(는) 소스를 가리키지 않습니다"}
	AuthBadLogsHint      = Text{"Use the name of a source, such as github, or '*' for all.", "github처럼 소스의 이름을 쓰거나, 모두 허용하려면 '*'를 쓰세요."}
	AuthBadResourcesHint = Text{"Use the name of a source, such as github, alone or with a glob of URIs: 'github:repo://docs/*'.", "github처럼 소스의 이름만 쓰거나 'github:repo://docs/*'처럼 URI 패턴을 덧붙이세요."}
	AuthBadManage        = Text{"a token cannot manage %q", "토큰은 %q을(를) 결정할 수 없습니다"}
	AuthBadManageHint    = Text{"Use approvals (tool requests) or all.", "approvals(도구 요청) 또는 all을 쓰세요."}
	AuthTooMany          = Text{"a token can have at most %d agents, and as many globs or sources of each kind", "토큰 하나에는 에이전트와 종류별 패턴 및 소스를 각각 최대 %d개까지 쓸 수 있습니다"}
	AuthTooManyHint      = Text{"Use globs that match more, or several tokens.", "더 넓은 패턴을 쓰거나 토큰을 여러 개로 나누세요."}

	AuthTooOpen        = Text{"%s is readable by other users (mode %s)", "%s을(를) 다른 사용자도 읽을 수 있습니다(모드 %s)"}
	AuthTooOpenHint    = Text{"Restrict it with: chmod 600 %s", "다음 명령으로 권한을 제한하세요: chmod 600 %s"}
	AuthIrregular      = Text{"%s is not a plain file", "%s은(는) 일반 파일이 아닙니다"}
	AuthFileTooBig     = Text{"%s has %d bytes, more than the %d that a file of tokens may have", "%s의 크기가 %d바이트로, 토큰 파일의 최대 크기 %d바이트를 넘습니다"}
	AuthOtherFileHint  = Text{"The file was not changed. Move it to another place, or use another state root: --state-root DIR", "파일을 바꾸지 않았습니다. 다른 곳으로 옮기거나 다른 상태 폴더를 쓰세요: --state-root DIR"}
	AuthFileBroken     = Text{"the tokens in %s are broken: %s", "%s의 토큰이 손상되었습니다: %s"}
	AuthFileBrokenHint = Text{"Correct the file by hand, or remove it and make new tokens. Until then all requests are rejected.", "파일을 직접 고치거나, 지우고 토큰을 새로 만드세요. 그때까지 모든 요청을 거부합니다."}
	AuthFileSyntax     = Text{"not JSON at byte %d", "%d바이트 위치가 JSON이 아닙니다"}
	AuthFileMember     = Text{"%q is unknown or has the wrong type", "%q을(를) 알 수 없거나 타입이 잘못되었습니다"}
	AuthFileBadHash    = Text{"token %d has no SHA-256 hash", "%d번째 토큰에 SHA-256 해시가 없습니다"}
	AuthFileBadName    = Text{"token %d has the name %q, which is not allowed or taken", "%d번째 토큰의 이름 %q은(는) 쓸 수 없거나 이미 쓰고 있습니다"}
	AuthFileBadList    = Text{"token %d has an invalid agent name, glob, source or kind of decisions", "%d번째 토큰의 에이전트, 패턴, 소스, 결정 범위 중에 올바르지 않은 것이 있습니다"}
	AuthFileNewer      = Text{"%s has format %d, but this version of gongu only supports formats up to %d", "%s의 형식은 %d인데 이 버전의 gongu는 형식 %d까지만 지원합니다"}
	AuthFileNewerHint  = Text{"The file was not changed. Use a newer gongu.", "파일을 바꾸지 않았습니다. 더 새로운 gongu를 쓰세요."}
	AuthBusy           = Text{"the tokens in %s are being changed by another process (%v)", "다른 프로세스가 %s의 토큰을 바꾸고 있습니다(%v)"}
	AuthBusyHint       = Text{"Nothing was changed. Try again in a moment.", "아무것도 바꾸지 않았습니다. 잠시 뒤 다시 시도하세요."}
	AuthUnreadable     = Text{"the tokens in %s cannot be read: %v", "%s의 토큰을 읽을 수 없습니다: %v"}
	AuthUnreadableHint = Text{"Check the file and who owns it, or use another state root.", "파일과 소유자를 확인하거나 다른 상태 폴더를 쓰세요."}
	AuthRows           = Text{"the tokens in %s cannot be reached: %v", "%s의 토큰에 접근할 수 없습니다: %v"}
	AuthRowsHint       = Text{"Try again when the store answers. gongu state check, with the same --store, says what is wrong with it.", "저장소가 응답할 때 다시 시도하세요. 같은 --store로 gongu state check를 실행하면 문제를 알 수 있습니다."}
	AuthUnwritable     = Text{"the tokens in %s cannot be written: %v", "%s에 토큰을 쓸 수 없습니다: %v"}
	AuthUnwritableHint = Text{"The folder must be writable and have room. Name another one with --state-root DIR.", "폴더에 쓸 수 있고 여유 공간이 있어야 합니다. --state-root DIR로 다른 폴더를 지정할 수 있습니다."}
)

// Texts of gongu token.
var (
	CLITokenShort = Text{"Make, list and revoke the tokens of a server", "서버의 토큰을 만들고, 보고, 폐기합니다"}
	CLITokenLong  = Text{
		"Manage the tokens for gongu serve over HTTP. A token is shown once, when it is\nmade; only its hash is stored, in tokens.json below the state root. A running\nserver applies changes at once.",
		"gongu serve를 HTTP로 쓸 때 필요한 토큰을 관리합니다. 토큰은 만들 때 한 번만 보여\n주고, 상태 폴더의 tokens.json에는 해시만 저장합니다. 실행 중인 서버에는 변경이\n바로 적용됩니다.",
	}
	CLITokenNewShort    = Text{"Make a token and print it once", "토큰을 만들어 한 번만 출력합니다"}
	CLITokenListShort   = Text{"List the tokens, without their secrets", "토큰을 비밀 값 없이 보여 줍니다"}
	CLITokenRevokeShort = Text{"Revoke a token", "토큰을 폐기합니다"}
	CLIFlagTokenName    = Text{"the token is called `N` (default: a random name)", "토큰 이름 `N` (기본값은 임의의 이름)"}
	CLITokenNewLong     = Text{
		"Make a token and print it once. Without --tools, --ask, --resources and\n--prompts it is for read-only tools; otherwise it has only what is named. A\ntoken that is limited to some tools cannot read resources, prompts and logs, and\nservers cannot use the client's model, unless a flag allows it. A resource that\na permitted result links can be read for 15 minutes.",
		"토큰을 만들어 한 번만 출력합니다. --tools, --ask, --resources, --prompts가 없으면\n읽기 전용 도구용이고, 있으면 지정한 것만 쓸 수 있습니다. 일부 도구로 제한된\n토큰은 플래그로 허용하지 않는 한 리소스, 프롬프트, 로그를 읽지 못하고, 서버가\n클라이언트의 모델을 쓰지 못합니다. 허용된 결과가 링크한 리소스는 15분 동안 읽을\n수 있습니다.",
	}
	CLIFlagTokenAgent     = Text{"only for the path of agent `A`; repeat for more (default: all paths)", "에이전트 `A`의 경로에서만. 여러 번 쓸 수 있습니다 (기본값은 모든 경로)"}
	CLIFlagTokenTools     = Text{"for tools that match `GLOB`; repeat for more (default: read-only tools)", "`GLOB`과 맞는 도구용. 여러 번 쓸 수 있습니다 (기본값은 읽기 전용 도구)"}
	CLIFlagTokenResources = Text{"reads the resources of `SOURCE[:URI-GLOB]`; repeat for more", "`SOURCE[:URI-GLOB]`의 리소스를 읽습니다. 여러 번 쓸 수 있습니다"}
	CLIFlagTokenPrompts   = Text{"uses the prompts that match `GLOB`; repeat for more", "`GLOB`과 맞는 프롬프트를 씁니다. 여러 번 쓸 수 있습니다"}
	CLIFlagTokenLogs      = Text{"gets the log messages of the tools of `SOURCE`; repeat for more", "`SOURCE`에 속한 도구의 로그 메시지를 받습니다. 여러 번 쓸 수 있습니다"}
	CLIFlagTokenSampling  = Text{"tools may use the model of the client", "도구가 클라이언트의 모델을 사용할 수 있습니다"}
	CLIFlagTokenAsk       = Text{"for tools that match `GLOB`, after a person agreed to the call; the client must be --attended", "`GLOB`과 맞는 도구용. 호출마다 사람이 동의해야 하며 클라이언트에 --attended가 필요합니다"}
	CLIFlagTokenAttended  = Text{"the client shows questions to a person, whose answers count", "클라이언트가 사람에게 질문을 보여 주며, 그 답을 인정합니다"}
	CLIFlagTokenExpires   = Text{"good for the time `D`, such as 720h (default: without end)", "유효 기간 `D`, 예: 720h (기본값은 만료 없음)"}
	CLIFlagTokenManage    = Text{"for a person who decides over HTTP: `approvals|all`. approvals are tool requests; all includes pins and sources. Never give it to a client or a model", "HTTP로 결정하는 사람용: `approvals|all`. approvals는 도구 요청, all은 핀과 소스까지 포함합니다. 클라이언트나 모델에는 주지 마세요"}
	CLITokenManages       = Text{"This token is for a person. It decides about tool requests or more: never give it to a client, a model or a file that they read.", "사람을 위한 토큰입니다. 도구 요청 등을 결정할 수 있으므로 클라이언트나 모델, 이들이 읽는 파일에 두지 마세요."}
	CLITokenReadOnly      = Text{"read-only", "읽기 전용"}
	CLIColumnManages      = Text{"MANAGES", "결정"}
	CLITokenLoginShort    = Text{"Print a link that logs a browser in, once", "브라우저에서 한 번 로그인할 수 있는 링크를 출력합니다"}
	CLITokenLoginLong     = Text{
		"Print a link to the status page of the server that runs for this bundle. It\nworks once, within five minutes. A link made in a terminal can approve requests\nand accept pins; any other link can only read and call tools.",
		"이 번들의 서버 상태 페이지로 가는 링크를 출력합니다. 링크는 5분 안에 한 번만\n쓸 수 있습니다. 터미널에서 만든 링크로는 요청을 승인하고 핀을 수락할 수 있고,\n그 밖의 링크로는 조회와 도구 호출만 할 수 있습니다.",
	}
	CLILoginOnce      = Text{"The link works once, until %s.", "링크는 %s까지 한 번만 쓸 수 있습니다."}
	CLILoginManages   = Text{"The session of this link can approve requests and accept pins, as %s.", "이 링크의 세션은 %s(으)로 요청을 승인하고 핀을 수락할 수 있습니다."}
	CLILoginLooks     = Text{"The link was not made in a terminal, so its session can only read and call tools.", "터미널에서 만든 링크가 아니므로 조회와 도구 호출만 할 수 있습니다."}
	CLILoginNoServer  = Text{"no server runs for this bundle", "이 번들의 서버가 실행되고 있지 않습니다"}
	CLILoginNoAuth    = Text{"the server at %s runs without authentication and needs no login", "%s의 서버는 인증 없이 실행되어 로그인이 필요 없습니다"}
	CLILoginOpen      = Text{"Open %s in a browser.", "브라우저에서 %s을(를) 여세요."}
	CLILoginStart     = Text{"Start one with: %s", "다음 명령으로 시작하세요: %s"}
	CLITokenMade      = Text{"Token %s. It is shown only once: store it with your other secrets.", "토큰 %s입니다. 한 번만 표시되므로 다른 비밀 값과 함께 보관하세요."}
	CLITokenUse       = Text{"Clients send it as the header Authorization: Bearer TOKEN, or take it from GONGU_TOKEN.", "클라이언트는 Authorization: Bearer TOKEN 헤더로 보내거나 GONGU_TOKEN에서 읽습니다."}
	CLITokenNone      = Text{"no tokens in %s", "%s에 토큰이 없습니다"}
	CLITokenNoneHint  = Text{"Make one with: gongu token new", "다음 명령으로 만드세요: gongu token new"}
	CLITokenRevoked   = Text{"%s is revoked.", "%s을(를) 폐기했습니다."}
	CLITokenNeedName  = Text{"revoke needs the name of one token", "revoke에는 토큰 이름 하나가 필요합니다"}
	CLITokenExpired   = Text{"%s (expired)", "%s (만료됨)"}
	CLITokenAll       = Text{"all", "전체"}
	CLITokenNothing   = Text{"none", "없음"}
	CLIColumnAgents   = Text{"AGENTS", "에이전트"}
	CLIColumnAllowed  = Text{"TOOLS", "도구"}
	CLIColumnAlso     = Text{"ALSO", "추가"}
	CLIColumnMade     = Text{"CREATED", "만든 시각"}
	CLIColumnExpires  = Text{"EXPIRES", "만료"}
	CLIColumnLastUsed = Text{"LAST USED", "마지막 사용"}
)
