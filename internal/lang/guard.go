package lang

// Texts of the policy guard: refusals for the model that made the call, and the
// question for the person who decides about it.
var (
	// GuardQuestion is the first line of a question; %s is the tool.
	GuardQuestion     = Text{"May the tool %s be called?", "%s 실행을 승인하시겠습니까?"}
	GuardQuestionMany = Text{"%s wants to make these calls. May it?", "%s이(가) 다음 호출을 하려고 합니다. 허용할까요?"}
	GuardQuestionBy   = Text{"Asked for by %s, agent %s.", "요청: %s, 에이전트 %s"}
	GuardCallOf       = Text{"%d. %s", "%d. %s"}
	GuardDone         = Text{"%d. %s (approved before)", "%d. %s (이미 승인됨)"}
	GuardField        = Text{"Call it?", "호출할까요?"}
	GuardURLMessage   = Text{"A person must decide whether the tool %s may be called. The page shows the call and has the buttons.", "툴 %s을(를) 호출해도 되는지 사람이 결정해야 합니다. 페이지에서 호출 내용을 보고 결정할 수 있습니다."}

	// ServeWaitsFor is the status of a task that waits; %s is the approval.
	ServeWaitsFor = Text{"A person must decide about this call. Its approval is %s.", "이 호출은 사람의 결정이 필요합니다. 승인 id는 %s입니다."}

	// ServeFinished lists the calls inside of a macro that ended before the server
	// did.
	ServeFinished = Text{"These calls inside it had ended: %s.", "그 안에서 끝난 호출: %s."}

	GuardDenied         = Text{"Policy denies this call of %s (rule %s).", "정책이 툴 %s의 이 호출을 거부했습니다(규칙 %s)."}
	GuardDeniedHint     = Text{"Do not repeat the call. The owner can see why with: %s", "같은 호출을 반복하지 마세요. 소유자는 다음 명령으로 이유를 볼 수 있습니다: %s"}
	GuardNobody         = Text{"A person must agree to this call of %s (rule %s), and there is no one to ask now. It was not run. Its approval is %s.", "툴 %s의 이 호출에는 사람의 동의가 필요한데(규칙 %s) 지금 물어볼 사람이 없습니다. 호출은 실행되지 않았습니다. 승인 번호는 %s입니다."}
	GuardNobodyHint     = Text{"Tell the user to run: %s. After that, make exactly the same call again; it will pass once, within an hour.", "사용자에게 다음 명령을 실행하라고 알리세요: %s. 그 뒤 똑같은 호출을 다시 하면 한 시간 안에 한 번 실행됩니다."}
	GuardLate           = Text{"No one decided about this call of %s in time. It was not run. Its approval is %s.", "툴 %s의 이 호출에 대해 시간 안에 결정한 사람이 없습니다. 호출은 실행되지 않았습니다. 승인 번호는 %s입니다."}
	GuardUnanswered     = Text{"No one decided about this call of %s in time (approval %s). It was not run.", "툴 %s의 이 호출에 대해 시간 안에 결정한 사람이 없습니다(승인 %s). 호출은 실행되지 않았습니다."}
	GuardUnansweredHint = Text{"Tell the user that the call waits for an answer, and make it again when they are there.", "사용자에게 호출이 답을 기다린다고 알리고, 사용자가 있을 때 다시 호출하세요."}
	GuardReason         = Text{"The user rejected the execution: %s", "사용자가 실행을 거부했습니다: %s"}
	GuardChangedCall    = Text{"The call of %s is not what was approved (%s has changed since approval %s). It was not run.", "툴 %s의 호출이 승인된 것과 다릅니다(승인 %[3]s 이후 %[2]s이(가) 바뀜). 호출은 실행되지 않았습니다."}
	GuardChangedHint    = Text{"Look at the current state, then make the call again; a person is asked again.", "현재 상태를 확인한 뒤 다시 호출하세요. 사람에게 다시 묻게 됩니다."}
	GuardTooMany        = Text{"A person must agree to this call of %s, and too many calls wait for an answer already.", "툴 %s의 이 호출에는 사람의 동의가 필요한데, 이미 너무 많은 호출이 답을 기다리고 있습니다."}
	GuardTooManyHint    = Text{"Tell the user to answer them first: %s", "사용자에게 먼저 그것들에 답하라고 알리세요: %s"}
	GuardStore          = Text{"A person must agree to this call of %s, and the question could not be recorded. It was not run.", "툴 %s의 이 호출에는 사람의 동의가 필요한데, 질문을 기록하지 못했습니다. 호출은 실행되지 않았습니다."}
	GuardStoreHint      = Text{"Try again later; the owner can see the cause with: %s", "잠시 후 다시 시도하세요. 소유자는 다음 명령으로 원인을 볼 수 있습니다: %s"}
	GuardAskedOften     = Text{"The rules about this call of %s changed again and again while it was asked about. It was not run.", "툴 %s의 이 호출에 대해 묻는 동안 규칙이 계속 바뀌었습니다. 호출은 실행되지 않았습니다."}
	GuardRate           = Text{"The limit of rule %s for calls of %s is reached.", "툴 %[2]s 호출이 규칙 %[1]s의 한도에 도달했습니다."}
	GuardRateHint       = Text{"Try again in %s.", "%s 뒤에 다시 시도하세요."}
	GuardBusyHint       = Text{"Try again when a running call has ended.", "실행 중인 호출이 끝난 뒤 다시 시도하세요."}
)
