package lang

// Texts of the HTTP API about approvals.
var (
	APIListApprovals  = Text{"List the approvals of calls, those that wait first", "호출 승인을 대기 중인 것부터 나열합니다"}
	APIGetApproval    = Text{"Show an approval with what its calls will do", "승인 하나를 그 호출이 할 일과 함께 보여 줍니다"}
	APIDecideApproval = Text{"Approve or decline a call", "호출을 승인하거나 거절합니다"}
	APIAuditVerify    = Text{"Check all seals, rows and payloads of the audit", "감사 기록의 모든 봉인, 행, 내용을 확인합니다"}

	APIParamApprovalState = Text{"only approvals in this state", "이 상태의 승인만"}
	APIParamApproval      = Text{"the id of an approval", "승인 ID"}
	APIParamHead          = Text{"the digest of a seal that was stored elsewhere", "다른 곳에 보관한 봉인의 다이제스트"}

	APINoApprovals           = Text{"this server has no approvals", "이 서버에는 승인이 없습니다"}
	APINoApprovalsHint       = Text{"gongu serve has them. A program that serves the API itself sets Options.Approvals.", "gongu serve에는 있습니다. API를 직접 제공하는 프로그램은 Options.Approvals를 설정하세요."}
	APINoApproval            = Text{"there is no approval %q that you may see", "볼 수 있는 승인 %q이(가) 없습니다"}
	APINoApprovalHint        = Text{"List the approvals with GET /api/v1/approvals. Old ones are removed.", "GET /api/v1/approvals로 승인을 나열하세요. 오래된 승인은 지워집니다."}
	APIMissingApprove        = Text{"Send true to approve the call, or false to decline it.", "호출을 승인하려면 true, 거절하려면 false를 보내세요."}
	APIMissingVersion        = Text{"Send the version of the approval that you looked at: GET it first.", "확인한 승인의 version을 보내세요. 먼저 GET으로 조회하세요."}
	APIOtherConversation     = Text{"the approval %s belongs to agent %q, instance %q", "승인 %s은(는) 에이전트 %q, 인스턴스 %q의 것입니다"}
	APIOtherConversationHint = Text{"Nothing was decided. Send the agent and the instance of the approval, or leave them out.", "결정하지 않았습니다. 승인의 에이전트와 인스턴스를 보내거나 빼세요."}
	APIOwnCall               = Text{"a token cannot decide about its own call", "토큰은 자신의 호출을 결정할 수 없습니다"}
	APIOwnCallHint           = Text{"Decide in a browser (gongu token login --approvals), at a terminal (gongu approvals), or with another manager's token.", "브라우저(gongu token login --approvals)나 터미널(gongu approvals)에서, 또는 다른 관리자의 토큰으로 결정하세요."}
	APIMayNotDecideHint      = Text{"Ask one of those whom the rule names. Nothing was decided.", "규칙에 지정된 사람에게 요청하세요. 결정하지 않았습니다."}
	APIBadAnswerHint         = Text{"Correct the answer and send it again. The call still waits.", "답을 고쳐 다시 보내세요. 호출은 계속 기다립니다."}
	APIApprovalChanged       = Text{"the approval %s has changed since it was shown; its version is %d now", "승인 %s이(가) 표시된 뒤에 바뀌었습니다. 현재 버전은 %d입니다"}
	APIApprovalChangedHint   = Text{"Look at it again and decide about what it asks now. Nothing was decided.", "다시 확인하고 지금 묻는 내용을 결정하세요. 결정하지 않았습니다."}
	APIApprovalAlready       = Text{"the approval %s is %s already, by %s", "승인 %s은(는) 이미 %s 상태입니다. 결정한 사람: %s"}
	APIApprovalOver          = Text{"the approval %s is %s", "승인 %s은(는) %s 상태입니다"}
	APIApprovalAlreadyHint   = Text{"Your decision changed nothing. GET the approval to see what became of it.", "이 결정으로 바뀐 것은 없습니다. 결과는 GET으로 확인하세요."}
	APIApprovalsOnly         = Text{"this session is for approvals only", "이 세션은 승인에만 쓸 수 있습니다"}
	APIApprovalsOnlyHint     = Text{"Open /approvals, or log in with a link of: gongu token login", "/approvals를 열거나 다음 명령의 링크로 로그인하세요: gongu token login"}
	APIReplyLater            = Text{"The call waits for a person, and the request preferred respond-async: GET the Location for its state and result", "호출이 사람의 답을 기다리며 요청이 respond-async를 선호했습니다. Location을 GET하면 상태와 결과를 볼 수 있습니다"}
	APITooManyAsync          = Text{"too many calls wait for a person already", "사람의 답을 기다리는 호출이 이미 너무 많습니다"}
	APITooManyAsyncHint      = Text{"Call again when some of them are decided; see GET /api/v1/approvals.", "일부가 결정된 뒤 다시 호출하세요. GET /api/v1/approvals를 참고하세요."}
	APICallerGone            = Text{"the caller %q may not make calls any more: its token was revoked or has expired", "호출한 %q은(는) 더 이상 호출할 수 없습니다. 토큰이 폐기되었거나 만료되었습니다"}
	APIVerifies              = Text{"the audit is being checked already", "이미 감사 기록을 확인하고 있습니다"}
	APIVerifiesHint          = Text{"Try again when that check has ended.", "그 확인이 끝난 뒤 다시 시도하세요."}
	APIVerifyTime            = Text{"the audit could not be checked within %s", "%s 안에 감사 기록을 확인하지 못했습니다"}
	APIVerifyTimeHint        = Text{"Check it on the command line, which has no such limit: gongu audit verify", "시간 제한이 없는 명령줄에서 확인하세요: gongu audit verify"}
	APIBadHead               = Text{"Send the 64 hexadecimal digits of a digest that GET /api/v1/audit/head returned.", "GET /api/v1/audit/head가 돌려준 다이제스트의 16진수 64자를 보내세요."}

	PageApprovals        = Text{"Approvals", "승인"}
	PageApprovalsWaiting = Text{"Waiting for an answer", "답을 기다리는 승인"}
	PageApprovalsPast    = Text{"Decided or over", "결정되었거나 끝난 승인"}
	PageApprovalsNone    = Text{"Nothing waits for an answer.", "답을 기다리는 승인이 없습니다."}
	PageApprovalsMore    = Text{"More", "더 보기"}
	PageApprovalAsks     = Text{"May this call run?", "이 호출을 실행해도 될까요?"}
	PageApprovalWas      = Text{"This call", "호출"}
	PageApprovalDoes     = Text{"What it does", "하는 일"}
	PageApprovalOf       = Text{"Call %d of %d", "호출 %d / %d"}
	PageApprovalDone     = Text{"approved before", "앞서 승인됨"}
	PageApprovalCaller   = Text{"Caller", "호출한 쪽"}
	PageApprovalAgent    = Text{"Agent", "에이전트"}
	PageApprovalInstance = Text{"Instance", "인스턴스"}
	PageApprovalTurn     = Text{"Turn", "턴"}
	PageApprovalCall     = Text{"Call", "호출 ID"}
	PageApprovalTool     = Text{"Tool", "도구"}
	PageApprovalRule     = Text{"Rule", "규칙"}
	PageApprovalMessage  = Text{"Note of the rule", "규칙의 설명"}
	PageApprovalWho      = Text{"Who may answer", "답할 수 있는 사람"}
	PageApprovalDigest   = Text{"Definition", "도구 정의"}
	PageApprovalFile     = Text{"File", "파일"}
	PageApprovalNoFile   = Text{"does not exist yet", "아직 없음"}
	PageApprovalArgs     = Text{"Arguments", "인수"}
	PageApprovalBound    = Text{"The answer counts for exactly this. If anything of it changes, the call does not run.", "답은 정확히 이 내용에만 적용됩니다. 이 중 하나라도 바뀌면 호출은 실행되지 않습니다."}
	PageApprovalCreated  = Text{"Asked", "질문 시각"}
	PageApprovalExpires  = Text{"Answer until", "답변 기한"}
	PageApprovalUsable   = Text{"Can be used until", "사용 기한"}
	PageApprovalDecided  = Text{"Decided", "결정 시각"}
	PageApprovalBy       = Text{"By", "결정한 사람"}
	PageApprovalReason   = Text{"Reason", "이유"}
	PageApprovalOptional = Text{"Reason (the model reads it if you decline)", "이유 (거절하면 모델이 읽습니다)"}
	PageApprovalYes      = Text{"Approve", "승인"}
	PageApprovalNo       = Text{"Decline", "거절"}
	PageApprovalVersion  = Text{"Version", "버전"}
	PageApprovalDynamic  = Text{"The text of the command does not decide everything that it runs.", "명령의 글만으로는 실행될 내용이 모두 정해지지 않습니다."}
	PageApprovalEdited   = Text{"The person who approved changed the arguments.", "승인한 사람이 인수를 바꿨습니다."}
	PageApprovalLook     = Text{"This session cannot decide. Get a link with: gongu token login --approvals", "이 세션은 결정할 수 없습니다. 다음 명령으로 링크를 만드세요: gongu token login --approvals"}
	PageApprovalBack     = Text{"All approvals", "모든 승인"}

	PageStatePending   = Text{"waits for an answer", "답을 기다림"}
	PageStateApproved  = Text{"approved", "승인됨"}
	PageStateUsed      = Text{"approved and used", "승인되어 사용됨"}
	PageStateRejected  = Text{"declined", "거절됨"}
	PageStateCancelled = Text{"cancelled: the call no longer waits", "취소됨: 호출이 더는 기다리지 않음"}
	PageStateExpired   = Text{"expired", "만료됨"}
)
