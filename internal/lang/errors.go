package lang

// Messages of the error codes. The English ones are what other programs match
// on; the Korean ones of the seed documents are kept to the letter.
var (
	MessageTool           = Text{"The tool failed.", "툴 실행에 실패했습니다."}
	MessageNotFound       = Text{"Tool '%s' is not registered.", "알 수 없는 툴: %s"}
	MessageNotInCatalog   = Text{"Tool '%s' is not available in the current Tool Catalog.", "Tool '%s' is not available in the current Tool Catalog."}
	MessageInvalidArgs    = Text{"Invalid arguments for tool '%s': %s", "툴 '%s'의 인자가 올바르지 않습니다: %s"}
	MessageTimeout        = Text{"Tool '%s' did not finish within %s.", "툴 '%s'이(가) %s 안에 끝나지 않았습니다."}
	MessageCancelled      = Text{"The call of tool '%s' was cancelled.", "툴 '%s' 호출이 취소되었습니다."}
	MessagePanic          = Text{"Tool '%s' crashed: %s", "툴 '%s'이(가) 비정상 종료했습니다: %s"}
	MessageOutputTooLarge = Text{"The output of tool '%s' is larger than %d bytes.", "툴 '%s'의 출력이 %d바이트보다 큽니다."}
	MessageDenied         = Text{"Tool '%s' is denied by policy.", "정책이 툴 '%s' 실행을 거부했습니다."}
	MessageRejected       = Text{"The user rejected the execution.", "사용자가 실행을 거부했습니다"}
	MessageQuarantined    = Text{"Tool '%s' is quarantined.", "툴 '%s'은(는) 격리되어 있습니다."}
	MessageChanged        = Text{"Tool '%s' has changed since the catalog of this step was built.", "툴 '%s'의 정의가 이번 스텝의 카탈로그를 만든 뒤에 바뀌었습니다."}
	MessageUnavailable    = Text{"Tool '%s' is not available right now.", "툴 '%s'을(를) 지금 사용할 수 없습니다."}
	MessageOutcomeUnknown = Text{"It is not known whether tool '%s' took effect.", "툴 '%s'이(가) 실행되었는지 알 수 없습니다."}
	MessageAudit          = Text{"Tool '%s' did not run, because the call could not be recorded in the audit.", "호출을 감사 기록에 남길 수 없어 툴 '%s'을(를) 실행하지 않았습니다."}
)

// What to do next, for each code.
var (
	SuggestTool           = Text{"Check the input parameters.", "입력 파라미터를 확인하세요."}
	SuggestNotFound       = Text{"The tool was removed after this step began. List the tools again and choose another.", "이번 스텝이 시작된 뒤에 툴이 제거되었습니다. 도구 목록을 다시 조회하여 다른 도구를 고르세요."}
	SuggestNotInCatalog   = Text{"Add the tool to spec.tools of the agent, or register it dynamically in step middleware.", "Agent 구성의 spec.tools에 해당 도구를 추가하거나, step 미들웨어에서 동적으로 등록하세요."}
	SuggestInvalidArgs    = Text{"Correct the arguments and call again: required=[%s], allowed=[%s].", "인자를 고쳐 다시 호출하세요: required=[%s], allowed=[%s]."}
	SuggestTimeout        = Text{"Ask for less in one call, or raise the tool's timeout.", "한 번에 더 적은 일을 요청하거나 툴의 제한 시간을 늘리세요."}
	SuggestCancelled      = Text{"Call again only if the work is still wanted.", "작업이 여전히 필요할 때만 다시 호출하세요."}
	SuggestPanic          = Text{"Try other arguments; if it crashes again, report it to the tool's owner.", "다른 인자로 시도하고, 다시 발생하면 툴 관리자에게 알리세요."}
	SuggestOutputTooLarge = Text{"Ask for a smaller part of the result.", "결과의 더 작은 부분을 요청하세요."}
	SuggestDenied         = Text{"Use another tool, or ask the owner to change the policy.", "다른 툴을 사용하거나 관리자에게 정책 변경을 요청하세요."}
	SuggestRejected       = Text{"Do not repeat the call. Ask the user what to do instead.", "같은 호출을 반복하지 말고 사용자에게 어떻게 할지 물어보세요."}
	SuggestQuarantined    = Text{"The owner must review the tool's definition before it can run.", "관리자가 툴 정의를 검토해야 실행할 수 있습니다."}
	SuggestChanged        = Text{"Read the tool's schema again in the next step, then call it.", "다음 스텝에서 툴 스키마를 다시 확인한 뒤 호출하세요."}
	SuggestUnavailable    = Text{"Try again later, or use another tool.", "잠시 후 다시 시도하거나 다른 툴을 사용하세요."}
	SuggestOutcomeUnknown = Text{"Check the state before calling again: the call may have taken effect.", "호출이 이미 반영되었을 수 있으니 다시 호출하기 전에 상태를 확인하세요."}
	SuggestAudit          = Text{"Nothing was changed. Try again later; the owner can see the cause with: gongu status", "바뀐 것은 없습니다. 잠시 후 다시 시도하세요. 관리자는 gongu status로 원인을 확인할 수 있습니다."}

	SuggestNear = Text{"Did you mean: %s?", "혹시 다음 도구인가요: %s?"}
)

// Causes inside other messages.
var (
	MoreIssues         = Text{"+%d more issues", "+%d more issues"}
	CauseExited        = Text{"the handler ended its goroutine", "핸들러가 고루틴을 종료했습니다"}
	CauseBadOutput     = Text{"Tool '%s' returned output that is not JSON.", "툴 '%s'이(가) JSON이 아닌 결과를 반환했습니다."}
	CauseNoDetail      = Text{"Tool '%s' reported an error without saying which.", "툴 '%s'이(가) 이유 없이 오류를 보고했습니다."}
	CauseBadSchema     = Text{"The parameters of tool '%s' cannot be checked: %s", "툴 '%s'의 파라미터 스키마를 검사할 수 없습니다: %s"}
	CauseBusy          = Text{"Tool '%s' runs one call at a time and is still busy with an earlier one.", "툴 '%s'은(는) 한 번에 하나씩 실행되며 아직 이전 호출을 처리하고 있습니다."}
	CauseNested        = Text{"Calls are nested deeper than %d levels.", "호출이 %d단계보다 깊게 중첩되었습니다."}
	CauseContextLost   = Text{"A middleware replaced the context of the call; it must pass on the one it was given.", "미들웨어가 호출의 컨텍스트를 바꾸었습니다. 받은 컨텍스트를 그대로 넘겨야 합니다."}
	CausePatches       = Text{"The arguments were changed %d times while being checked.", "검사하는 동안 인자가 %d번 바뀌었습니다."}
	CauseSuspended     = Text{"The call of tool '%s' waits for approval %s.", "툴 '%s' 호출이 승인 %s을(를) 기다립니다."}
	CauseNotYours      = Text{"The waiting call of tool '%s' belongs to another caller.", "대기 중인 툴 '%s' 호출은 다른 호출자의 것입니다."}
	CauseArgsFixed     = Text{"The arguments of tool '%s' would change after they were decided about.", "결정이 내려진 뒤에 툴 '%s'의 인자가 바뀌게 됩니다."}
	CauseCannotSuspend = Text{"Tool '%s' needs a decision, and its caller cannot wait for one.", "툴 '%s'에는 결정이 필요하지만 호출자가 기다릴 수 없습니다."}
	CauseGuardPanic    = Text{"The check '%s' crashed, so tool '%s' was not run: %s", "'%s' 검사가 비정상 종료하여 툴 '%s'을(를) 실행하지 않았습니다: %s"}
)
