package lang

// Errors of the HTTP API.
var (
	APITitleInvalid   = Text{"The request is not valid", "요청이 올바르지 않습니다"}
	APITitleForbidden = Text{"Not allowed", "허용되지 않습니다"}
	APITitleNotFound  = Text{"Not found", "찾을 수 없습니다"}
	APITitleMethod    = Text{"Method not allowed", "허용되지 않는 메서드입니다"}
	APITitleConflict  = Text{"Conflict with the current state", "현재 상태와 맞지 않습니다"}
	APITitleTooLarge  = Text{"The request is too large", "요청이 너무 큽니다"}
	APITitleMediaType = Text{"The body is not JSON", "본문이 JSON이 아닙니다"}
	APITitleRefused   = Text{"The request failed", "처리하지 못했습니다"}
	APITitleBusy      = Text{"The server is busy", "서버가 바쁩니다"}
	APITitleInternal  = Text{"Internal server error", "서버 내부 오류"}

	APINoPath          = Text{"there is nothing at %q", "%q에는 아무것도 없습니다"}
	APINoPathHint      = Text{"GET %s describes the API.", "GET %s에서 API 설명을 볼 수 있습니다."}
	APIBadMethod       = Text{"method %q is not allowed here", "여기서는 %q 메서드를 쓸 수 없습니다"}
	APIBadMethodHint   = Text{"Use %s.", "%s을(를) 쓰세요."}
	APICrossOrigin     = Text{"requests of pages from another origin are not allowed", "다른 출처(origin)의 페이지가 보낸 요청은 허용되지 않습니다"}
	APICrossOriginHint = Text{"Open the console of this server, or call the API from a program.", "이 서버의 콘솔을 열거나 프로그램에서 API를 호출하세요."}
	APINotManager      = Text{"this token can read and call tools, but cannot approve requests or accept pins", "이 토큰으로는 조회와 도구 호출만 할 수 있고, 요청 승인이나 핀 수락은 할 수 없습니다"}
	APINotWhole        = Text{"this token gives access to a part of the server only", "이 토큰으로는 서버의 일부에만 접근할 수 있습니다"}
	APINoMetricsHint   = Text{"Use a token for all agents and tools, or make one that gets the logs of all sources, such as: gongu token new --name metrics --logs '*'", "모든 에이전트와 도구를 쓸 수 있는 토큰을 쓰거나, 모든 소스의 로그를 받는 토큰을 만드세요. 예: gongu token new --name metrics --logs '*'"}
	APINotWholeHint    = Text{"Use a token for all agents and tools, or the gongu command on the server's machine.", "모든 에이전트와 도구를 쓸 수 있는 토큰을 쓰거나 서버에서 gongu 명령을 쓰세요."}
	APINotManagerHint  = Text{"Use a token made with: gongu token new --manage all; or log in with the link of: gongu token login; or run gongu requests, gongu pins or gongu tools --refresh on the machine of the server.", "다음 명령으로 만든 토큰을 쓰거나: gongu token new --manage all; 다음 명령의 링크로 로그인하거나: gongu token login; 서버가 있는 컴퓨터에서 gongu requests, gongu pins, gongu tools --refresh를 실행하세요."}

	APIBadParam       = Text{"unknown parameter %q", "알 수 없는 매개변수: %q"}
	APIParamTwice     = Text{"the parameter %q is given twice", "%q 매개변수가 두 번 있습니다"}
	APIParamTwiceHint = Text{"Give it once.", "한 번만 쓰세요."}
	APIBadValue       = Text{"invalid value for %s: %q", "%s의 값이 올바르지 않습니다: %q"}
	APIValueHint      = Text{"Use at most %d bytes of UTF-8.", "UTF-8로 %d바이트까지 쓰세요."}
	APILimitHint      = Text{"Use a number from 1 to %d, or leave it out.", "1부터 %d까지의 수를 쓰거나 생략하세요."}
	APICursorHint     = Text{"Use nextCursor of the page before as it is, or leave it out to start over.", "이전 쪽의 nextCursor를 그대로 쓰거나, 생략해 처음부터 시작하세요."}
	APIDidYouMean     = Text{"Did you mean: %s?", "혹시 다음을 찾으셨나요: %s"}
	APIThereAre       = Text{"There are: %s.", "다음이 있습니다: %s."}
	APINothingThere   = Text{"There are none. Leave it out.", "아무것도 없습니다. 빼고 요청하세요."}

	APIMediaType     = Text{"the body is of type %q", "본문의 형식이 %q입니다"}
	APIMediaTypeHint = Text{"Send JSON with the header Content-Type: application/json.", "Content-Type: application/json 헤더와 함께 JSON을 보내세요."}
	APITooLarge      = Text{"the body is larger than %d bytes", "본문이 %d바이트보다 큽니다"}
	APITooLargeHint  = Text{"Send less. Large data belongs into a file that a tool can read.", "더 작게 보내세요. 큰 데이터는 도구가 읽을 수 있는 파일에 두세요."}
	APIUnreadable    = Text{"the body could not be read to its end", "본문을 끝까지 읽지 못했습니다"}
	APIBadBody       = Text{"the body is not valid JSON: %s", "본문이 올바른 JSON이 아닙니다: %s"}
	APINoObject      = Text{"the body is not a JSON object", "본문이 JSON 객체가 아닙니다"}
	APIBodyHint      = Text{"Send one JSON object in UTF-8 without repeated keys.", "중복된 키가 없는 UTF-8 JSON 객체 하나를 보내세요."}
	APIUnknownField  = Text{"the body has an unknown field %q", "본문에 알 수 없는 필드 %q이(가) 있습니다"}
	APIBadField      = Text{"invalid value for the field %q", "%q 필드의 값이 올바르지 않습니다"}
	APIFieldHint     = Text{"Its type is in %s.", "올바른 형식은 %s에 있습니다."}
	APIMissing       = Text{"the body has no %s", "본문에 %s이(가) 없습니다"}
	APIMissingName   = Text{"Give the name of a tool.", "도구 이름을 쓰세요."}
	APIMissingReason = Text{"Say why, and what to use instead. The requester can read it.", "이유와 대신 쓸 것을 쓰세요. 요청한 쪽이 읽습니다."}
	APIBadCallID     = Text{"Use at most %d printable bytes, or leave it out.", "인쇄할 수 있는 문자로 %d바이트까지 쓰거나 생략하세요."}

	APINotThisAgent     = Text{"this token may not use agent %q", "이 토큰으로는 에이전트 %q을(를) 쓸 수 없습니다"}
	APINotThisAgentHint = Text{"Name an agent that the token is for, or ask for another token.", "토큰이 허용하는 에이전트를 쓰거나 다른 토큰을 요청하세요."}
	APINoAgent          = Text{"there is no agent %q", "%q 에이전트가 없습니다"}
	APINoTool           = Text{"there is no tool %q to use here", "여기서 쓸 수 있는 %q 도구가 없습니다"}
	APIListHint         = Text{"Find one with GET %s followed by what it should do.", "GET %s 뒤에 할 일을 붙여 도구를 찾으세요."}
	APINoDomain         = Text{"no tool is in the domain %q", "%q 도메인에 도구가 없습니다"}
	APINoSource         = Text{"no tool comes from %q", "%q에서 온 도구가 없습니다"}
	APINoQuery          = Text{"the search query is empty", "검색어가 비어 있습니다"}
	APINoQueryHint      = Text{"Say in q what the tool should do, or its name.", "도구가 할 일이나 이름을 q에 쓰세요."}
	APINoQueue          = Text{"this server keeps no tool requests", "이 서버는 도구 요청을 보관하지 않습니다"}
	APINoQueueHint      = Text{"Serve a bundle, which has a file for them.", "도구 요청 파일이 있는 번들을 서비스하세요."}
	APINoPin            = Text{"no tool %q is pinned or listed", "고정되었거나 목록에 있는 %q 도구가 없습니다"}
	APIPinTwice         = Text{"several sources have a tool %q", "%q 도구가 여러 소스에 있습니다"}
	APIPinTwiceHint     = Text{"Say which: %s.", "다음 중 어느 것인지 쓰세요: %s."}
	APIPinsWhich        = Text{"the body does not name the tools to accept", "승인할 도구를 지정하지 않았습니다"}
	APIPinsWhichHint    = Text{"List the pins and give the member \"accept\" of those that you have looked at as names: SOURCE/NAME@sha256:DIGEST.", "핀을 나열해 확인한 도구의 \"accept\" 값을 names에 쓰세요: SOURCE/NAME@sha256:DIGEST."}
	APIMissingDigest    = Text{"Get the request, look at it and give its digest.", "요청을 조회해 확인하고 그 digest를 쓰세요."}
	APILookAgain        = Text{"Nothing was decided. Get the request and look at it again.", "아무것도 결정하지 않았습니다. 요청을 다시 조회해 확인하세요."}
	APIRequestDiffers   = Text{"Nothing was decided. It differs from what was shown:\n%s", "아무것도 결정하지 않았습니다. 표시된 것과 다음이 다릅니다:\n%s"}
	APIPinsNoDigest     = Text{"%q has no digest of what was shown", "%q에 확인한 내용의 다이제스트가 없습니다"}
	APIPinOther         = Text{"%q was shown as %s and is listed as %s now", "%q은(는) %s(으)로 표시되었지만 지금은 %s입니다"}
	APIPinOtherHint     = Text{"List the pins and look at it again.", "핀을 다시 나열해 확인하세요."}
	APIRefusedHint      = Text{"Correct the problem in the message and try again. The request is still queued.", "메시지에 나온 문제를 고친 뒤 다시 시도하세요. 요청은 아직 대기 중입니다."}
	APIBusy             = Text{"%d calls are running already", "이미 호출 %d개가 실행 중입니다"}
	APIBusyHint         = Text{"Try again when some have ended.", "일부가 끝난 뒤 다시 시도하세요."}
	APICancelled        = Text{"the request ended before there was an answer", "답이 나오기 전에 요청이 끝났습니다"}
	APICancelledHint    = Text{"Try again.", "다시 시도하세요."}
	APIInternal         = Text{"the server failed to handle the request", "서버가 요청을 처리하지 못했습니다"}
	APIInternalHint     = Text{"See the log of the server. Try again later, or tell its operator.", "서버 로그를 확인하세요. 나중에 다시 시도하거나 서버 운영자에게 알리세요."}
)

// Texts of the OpenAPI document.
var (
	APIAbout = Text{
		"The tools of a gongu bundle over HTTP: find and call them, decide about tool requests and pins, and list sources again. A call that fails is answered with 200 and status \"error\"; all other errors are problem documents with a code, a message and a suggestion.",
		"gongu 번들의 도구를 HTTP로 제공합니다. 도구를 찾아 호출하고, 도구 요청과 고정된 정의를 검토하고, 소스를 관리합니다. 실패한 호출은 200과 status \"error\"로 답하고, 그 밖의 오류는 code, message, suggestion이 있는 problem 문서로 답합니다.",
	}
	APIListTools    = Text{"List the tools that may be called", "호출할 수 있는 도구를 나열합니다"}
	APIGetTool      = Text{"Show one tool with its schema", "도구 하나와 스키마를 보여 줍니다"}
	APIListDomains  = Text{"List the domains with the number of their tools", "도메인과 도구 수를 나열합니다"}
	APIListAgents   = Text{"List the agents whose tools may be used", "도구를 쓸 수 있는 에이전트를 나열합니다"}
	APISearch       = Text{"Find tools by what they do, best first", "하는 일로 도구를 찾아 잘 맞는 순서로 보여 줍니다"}
	APIDeclare      = Text{"Give the tools in the form that a model provider takes", "모델 제공자가 받는 형식으로 도구를 보여 줍니다"}
	APICall         = Text{"Call a tool, or with dryRun only check the call", "도구를 호출합니다. dryRun이면 검사만 합니다"}
	APIListRequests = Text{"List the tools that were asked for, the oldest first", "요청된 도구를 오래된 순서로 나열합니다"}
	APIGetRequest   = Text{"Show one tool request", "도구 요청 하나를 보여 줍니다"}
	APIApprove      = Text{"Approve a request, with a macro to install it as a tool", "요청을 승인합니다. 매크로를 주면 도구로 설치합니다"}
	APIReject       = Text{"Reject a request, and say why", "요청을 이유와 함께 거절합니다"}
	APIListPins     = Text{"List the imported tools and their states compared with the lock file", "외부 도구가 잠금 파일과 비교해 어떤 상태인지 나열합니다"}
	APIAccept       = Text{"Accept tools as they were listed last", "마지막으로 나열된 정의대로 도구를 승인합니다"}
	APIStatus       = Text{"Show what runs, which consent it has, what is held back and what waits for a decision", "실행 중인 것, 동의 상태, 보류된 변경, 결정을 기다리는 것을 보여 줍니다"}
	APIListSources  = Text{"List the programs and servers that tools come from, with their states", "도구를 제공하는 프로그램과 서버의 상태를 나열합니다"}
	APIRefresh      = Text{"List sources again, by name or all of them", "소스를 다시 나열합니다. 이름을 주지 않으면 모두입니다"}
	APIOpenAPI      = Text{"This document", "이 문서"}
	APIReplyOK      = Text{"The answer", "답"}
	APIReplySame    = Text{"Nothing has changed since the ETag that was sent", "보낸 ETag 이후로 바뀐 것이 없습니다"}
	APIReplyNoToken = Text{"A token is needed", "토큰이 필요합니다"}
	APISchemeBearer = Text{"A token of gongu token new, or of the team's issuer. A model may have it.", "gongu token new로 만든 토큰 또는 팀 발급자의 토큰. 모델이 가져도 됩니다."}
	APISchemeManage = Text{"A token of gongu token new --manage all, or the session of a person who opened the link of gongu token login. No model may have it: it could approve its own requests.", "gongu token new --manage all로 만든 토큰, 또는 gongu token login의 링크를 연 사람의 세션. 모델이 가지면 자신의 요청을 승인할 수 있으므로 주면 안 됩니다."}

	APIParamAgent   = Text{"Use the catalog of this agent; without it that of the whole bundle.", "이 에이전트의 카탈로그를 씁니다. 생략하면 번들 전체의 카탈로그를 씁니다."}
	APIParamLimit   = Text{"How many to list, from 1 to 1000 (default 200).", "나열할 수, 1부터 1000까지 (기본값 200)."}
	APIParamHits    = Text{"How many to find, from 1 to 50 (default 8).", "찾을 수, 1부터 50까지 (기본값 8)."}
	APIParamCursor  = Text{"nextCursor of the page before.", "이전 쪽의 nextCursor."}
	APIParamDomain  = Text{"Only tools of this domain.", "이 도메인의 도구만."}
	APIParamSource  = Text{"Only tools of this source, such as McpServer/github or github.", "McpServer/github 또는 github처럼 지정한 소스의 도구만."}
	APIParamName    = Text{"The name of the tool.", "도구의 이름."}
	APIParamID      = Text{"The id of the request, such as req_001.", "req_001과 같은 요청 ID."}
	APIParamQuery   = Text{"What the tool should do, in English or Korean, or its name.", "도구가 할 일(한국어 또는 영어)이나 이름."}
	APIParamDialect = Text{"The form of the declarations.", "선언의 형식."}
	APIParamStatus  = Text{"Only requests of this status.", "이 상태의 요청만."}
)

// Texts of the status page.
var (
	PageTitle       = Text{"status", "상태"}
	PageRunning     = Text{"running", "실행 중"}
	PageDraining    = Text{"shutting down", "종료하는 중"}
	PageRefresh     = Text{"Refresh every 10 s", "10초마다 새로 고침"}
	PageManages     = Text{"may decide", "결정 가능"}
	PageStopRefresh = Text{"Stop refreshing", "새로 고침 멈춤"}
	PageTools       = Text{"Tools", "도구"}
	PageSources     = Text{"Sources", "소스"}
	PageTroubled    = Text{"%d need attention", "%d개 확인 필요"}
	PageOpen        = Text{"Open tool requests", "열린 도구 요청"}
	PageChange      = Text{"A change of the bundle is held back: no person has consented to it", "번들의 변경이 보류되었습니다. 아직 동의한 사람이 없습니다"}
	PageWaiting     = Text{"The bundle has no consent yet, so it has no tools", "번들에 아직 동의하지 않아 도구가 없습니다"}
	PageAccept      = Text{"To look at it and accept it, run at a terminal", "살펴보고 받아들이려면 터미널에서 실행하세요"}
	PageHeld        = Text{"Tools held back", "보류된 도구"}
	PageAsked       = Text{"Calls that wait for a person", "사람의 답을 기다리는 호출"}
	PageConnect     = Text{"Connect", "연결"}
	PageAutomatic   = Text{"Set up a client", "클라이언트 설정"}
	PageOther       = Text{"Other clients", "다른 클라이언트"}
	PageSourcesHead = Text{"Sources", "소스"}
	PageSource      = Text{"Source", "소스"}
	PageState       = Text{"State", "상태"}
	PageHeldColumn  = Text{"Held", "보류"}
	PageNote        = Text{"Note", "참고"}
	PageNoSources   = Text{"All tools are built in or part of the bundle: no program or server is asked for any.", "모든 도구가 내장되어 있거나 번들에 들어 있습니다. 도구를 제공하는 프로그램이나 서버는 없습니다."}
	PageDomains     = Text{"Tools by domain", "도메인별 도구"}
	PageNoTools     = Text{"No tool is offered. The flag --offer, the bundle, your token and the policy decide.", "제공하는 도구가 없습니다. --offer, 번들, 토큰, 정책이 정합니다."}
	PageMoreTools   = Text{"and %d more", "외 %d개"}
	PageMoreDomains = Text{"and %d more domains", "외 도메인 %d개"}
	PageMetrics     = Text{"Metrics", "지표"}
	PageReadiness   = Text{"Readiness", "준비 상태"}

	PageIdle        = Text{"not used yet", "아직 쓰지 않음"}
	PageConnecting  = Text{"connecting", "연결하는 중"}
	PageReady       = Text{"ready", "준비됨"}
	PageDegraded    = Text{"degraded", "일부만 동작"}
	PageFailed      = Text{"failed", "실패"}
	PageQuarantined = Text{"held back", "보류됨"}
)
