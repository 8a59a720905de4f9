package lang

// Errors of requests of MCP clients. Programs read them, and people in their logs.
var (
	ServeCancelled     = Text{"the request was cancelled", "요청이 취소되었습니다"}
	ServeStepFailed    = Text{"the tools cannot be used now: %v", "지금은 도구를 사용할 수 없습니다: %v"}
	ServeBadCursor     = Text{"the cursor is not one of this list; begin again without one", "이 목록의 커서가 아닙니다. 커서 없이 처음부터 다시 요청하세요"}
	ServeNoMethod      = Text{"method not found: %s", "메서드가 없습니다: %s"}
	ServeBusy          = Text{"too many requests are running; try again when one has ended", "실행 중인 요청이 너무 많습니다. 하나가 끝난 뒤에 다시 시도하세요"}
	ServeDraining      = Text{"the server is shutting down; connect again in a moment", "서버가 종료되는 중입니다. 잠시 뒤에 다시 연결하세요"}
	ServeTooLarge      = Text{"the message is larger than %d bytes", "메시지가 %d바이트보다 큽니다"}
	ServeNoName        = Text{"params.name is missing: say which one is meant", "params.name이 없습니다. 무엇을 뜻하는지 적으세요"}
	ServeMetaMissing   = Text{"params._meta lacks %s", "params._meta에 %s이(가) 없습니다"}
	ServeVersion       = Text{"unsupported protocol version %q", "지원하지 않는 프로토콜 버전 %q"}
	ServeHeader        = Text{"the header %s does not match the body", "%s 헤더가 본문과 다릅니다"}
	ServeNeedsAbility  = Text{"%s needs a client that declares the capability %s", "%s을(를) 사용하려면 클라이언트가 %s 기능을 선언해야 합니다"}
	ServeBadState      = Text{"requestState is not one of this server, or it was changed", "이 서버의 requestState가 아니거나 바뀌었습니다"}
	ServeStateGone     = Text{"the call that this answers is no longer there; make the call again", "이 응답을 기다리던 호출이 더 이상 없습니다. 다시 호출하세요"}
	ServeBadAnswer     = Text{"inputResponses.%s is not an answer to %s", "inputResponses.%s은(는) %s에 대한 응답이 아닙니다"}
	ServeStoreFailed   = Text{"the store of records is not available, so the call cannot wait or go on; try again later", "기록 저장소를 사용할 수 없어 호출이 기다리거나 계속될 수 없습니다. 잠시 후 다시 시도하세요"}
	ServeHostEnded     = Text{"It is not known whether tool '%s' took effect: the server that ran it ended before the result was stored.", "툴 '%s'이(가) 실행되었는지 알 수 없습니다. 결과가 저장되기 전에 실행하던 서버가 종료되었습니다."}
	ServeNoTask        = Text{"there is no task %q", "%q 작업이 없습니다"}
	ServeNoSession     = Text{"there is no such session; send initialize first", "그런 세션이 없습니다. 먼저 initialize를 보내세요"}
	ServeSessions      = Text{"too many sessions are open; end one with DELETE", "열린 세션이 너무 많습니다. DELETE로 하나를 끝내세요"}
	ServeSubscriptions = Text{"at most %d resources can be followed at a time; end a subscription that is no longer needed first", "한 번에 최대 %d개의 리소스만 구독할 수 있습니다. 더 이상 필요 없는 구독을 먼저 해제하세요"}
	ServeStreams       = Text{"too many streams are open; close one", "열린 스트림이 너무 많습니다. 하나를 닫으세요"}
	ServeNotInitialize = Text{"a session begins with initialize", "세션은 initialize로 시작합니다"}
	ServeNoAgent       = Text{"there is no agent %q here", "여기에는 %q 에이전트가 없습니다"}
	ServeForbidden     = Text{"this token may not use %s", "이 토큰으로는 %s을(를) 사용할 수 없습니다"}
	ServeNobody        = Text{"nobody said who is calling", "누가 호출하는지 알 수 없습니다"}
	ServeNoPrompt      = Text{"there is no prompt %q", "%q 프롬프트가 없습니다"}
	ServeNoResource    = Text{"resource not found", "리소스를 찾을 수 없습니다"}
	ServeNoCompletion  = Text{"params.ref names neither a prompt nor a resource of this server", "params.ref가 이 서버의 프롬프트나 리소스를 가리키지 않습니다"}
	ServeUpstream      = Text{"%s: %v", "%s: %v"}
	ServeBadLevel      = Text{"unknown log level %q: use debug, info, notice, warning, error, critical, alert or emergency", "알 수 없는 로그 수준 %q: debug, info, notice, warning, error, critical, alert, emergency 중에서 고르세요"}
	ServeNoFilter      = Text{"params.notifications must say what to listen to, such as {\"toolsListChanged\":true}", "params.notifications에 무엇을 들을지 적으세요. 예: {\"toolsListChanged\":true}"}
	// ServeAsks precedes a question, so that a person knows which server asks.
	ServeAsks = Text{"%s asks: %s", "%s의 질문: %s"}
)
