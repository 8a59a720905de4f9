package lang

// Texts of the question at a terminal, and of gongu approvals.
var (
	AskOne        = Text{"A call waits for your answer: %s", "답을 기다리는 호출이 있습니다: %s"}
	AskSeveral    = Text{"A call of %s makes %d calls that wait for your answer:", "%s 호출이 하려는 호출 %d개가 답을 기다립니다:"}
	AskInner      = Text{"%d. %s", "%d. %s"}
	AskDone       = Text{"%d. %s (approved before)", "%d. %s (이미 승인됨)"}
	AskWho        = Text{"called by", "호출자"}
	AskWhoProgram = Text{"this program", "이 프로그램"}
	AskAgent      = Text{"agent", "에이전트"}
	AskRule       = Text{"asked by rule", "묻는 규칙"}
	AskMessage    = Text{"the rule says", "규칙의 설명"}
	AskUntil      = Text{"approval", "승인"}
	AskUntilValue = Text{"%s, open for %s", "%s, %s 동안 유효"}
	AskQuestion   = Text{"Allow it? [%s] ", "허용할까요? [%s] "}
	AskHelp       = Text{"  y  allow it once\n  n  decline; a reason may follow, such as: n use the staging server\n", "  y  한 번 허용\n  n  거절. 이유를 덧붙일 수 있습니다. 예: n 스테이징 서버를 쓰세요\n"}
	AskHelpEdit   = Text{"  e  edit the arguments, then look at the call again\n", "  e  인수를 고치고 호출을 다시 확인\n"}
	AskHelpKeep   = Text{"  r  allow it, and remember that for later calls\n", "  r  허용하고 다음 호출에도 기억\n"}
	AskHelpLater  = Text{"  s  skip it; the question stays open\n", "  s  건너뛰기. 질문은 남아 있습니다\n"}
	AskHelpAll    = Text{"  a  show all of it\n", "  a  전체 보기\n"}
	AskOver       = Text{"The question is over: it was answered elsewhere, or its call has ended.", "질문이 끝났습니다. 다른 곳에서 답했거나 호출이 끝났습니다."}
	AskOverBy     = Text{"The question is over: %s.", "질문이 끝났습니다: %s."}
	AskChanged    = Text{"The question has changed since it was shown. As it is now:", "보여 드린 뒤에 질문이 바뀌었습니다. 현재 내용:"}
	AskOverTime   = Text{"The question is over: there was no answer in time.", "질문이 끝났습니다. 제때 답하지 않았습니다."}

	AskEditLine     = Text{"There is no editor (VISUAL, EDITOR), so each argument is asked for. Enter keeps a value, and a text needs no quotes.", "편집기(VISUAL, EDITOR)가 없어 인수를 하나씩 묻습니다. Enter는 값을 그대로 두고, 텍스트에는 따옴표가 필요 없습니다."}
	AskEditValue    = Text{"  %s (now %s): ", "  %s (현재 %s): "}
	AskEditBad      = Text{"The new arguments cannot be used, so the old ones stay: %s", "새 인수를 쓸 수 없어 이전 인수를 그대로 둡니다: %s"}
	AskEditSame     = Text{"The arguments are unchanged.", "인수를 바꾸지 않았습니다."}
	AskEditFailed   = Text{"The editor failed, so the arguments stay: %s", "편집기가 실패하여 인수를 그대로 둡니다: %s"}
	AskEdited       = Text{"The call with your arguments:", "고친 인수로 된 호출:"}
	AskRememberWhat = Text{"Remember the yes for\n  o  this call only\n  i  calls with exactly these arguments in the same instance, for a week\n", "허용을 어디까지 기억할까요?\n  o  이 호출만\n  i  같은 인스턴스에서 인수가 똑같은 호출, 1주일 동안\n"}
	AskRememberRule = Text{"  p  calls like this one, by a rule in your policy, which you see first\n", "  p  이와 비슷한 호출. 정책에 추가할 규칙을 먼저 보여 드립니다\n"}
	AskRememberKeys = Text{"Enter goes back. [%s] ", "Enter는 돌아가기. [%s] "}
	AskNoRemember   = Text{"This answer cannot be remembered: %s", "이 답은 기억할 수 없습니다: %s"}
	AskNoRule       = Text{"There is no rule for this call: %s", "이 호출에 맞는 규칙을 만들 수 없습니다: %s"}
	AskRuleShown    = Text{"This rule would be added to %s:", "%s에 다음 규칙을 추가합니다:"}
	AskRuleRelative = Text{"The path is relative, so the rule holds in every folder in which this caller works.", "상대 경로이므로 이 호출자가 작업하는 모든 폴더에 적용됩니다."}
	AskRuleConfirm  = Text{"Allow the call and add the rule? [y/N] ", "호출을 허용하고 규칙을 추가할까요? [y/N] "}
	AskRuleDynamic  = Text{"the text of the command does not decide what it runs", "명령 글만으로는 무엇이 실행될지 정해지지 않습니다"}
	AskRuleSeveral  = Text{"it is about several calls", "호출이 여러 개입니다"}
	AskRuleNone     = Text{"its arguments cannot be written as a condition", "인수를 조건으로 쓸 수 없습니다"}
	AskRuleLong     = Text{"the condition would be too long", "조건이 너무 깁니다"}

	AskStateApproved = Text{"approved by %s", "%s이(가) 승인함"}
	AskStateRejected = Text{"declined by %s", "%s이(가) 거절함"}
	AskStateUsed     = Text{"approved by %s, and the call ran", "%s이(가) 승인했고 호출이 실행됨"}
	AskStateExpired  = Text{"its time is over", "유효 시간이 지남"}
	AskStateGone     = Text{"its call has ended", "호출이 끝남"}
	AskStatePending  = Text{"waits for an answer", "답을 기다림"}
	AskByKind        = Text{"%s (%s)", "%s(%s)"}
)
