package lang

// Texts of the question at a terminal, and of gongu approvals.
var (
	AskOne        = Text{"A call waits for your answer: %s", "답을 기다리는 호출이 있습니다: %s"}
	AskSeveral    = Text{"A call of %s makes %d calls that wait for your answer:", "%s 호출이 하려는 호출 %d개가 답을 기다립니다:"}
	AskEnded      = Text{"A call that a person was asked about: %s", "사람에게 물었던 호출: %s"}
	AskInner      = Text{"%d. %s", "%d. %s"}
	AskDone       = Text{"%d. %s (approved before)", "%d. %s (이미 승인됨)"}
	AskWho        = Text{"called by", "호출자"}
	AskWhoProgram = Text{"this program", "이 프로그램"}
	AskAgent      = Text{"agent", "에이전트"}
	AskRule       = Text{"asked by rule", "묻는 규칙"}
	AskMessage    = Text{"the rule says", "규칙의 설명"}
	AskUntil      = Text{"approval", "승인"}
	AskUntilValue = Text{"%s, open for %s", "%s, %s 동안 유효"}
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
	AskRuleAdmin    = Text{"a rule of the administrator asks, and it comes before yours", "관리자의 규칙이 묻고 있으며 그 규칙이 먼저 적용됩니다"}
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

// Help and texts of gongu approvals.
var (
	CLIApprovalsShort = Text{"Answer the questions about calls that wait for a person", "사람의 답을 기다리는 호출을 보고 답합니다"}
	CLIApprovalsLong  = Text{
		"A rule of the policy can ask a person about a call. The call then waits, or was denied\nand may be repeated once it is approved. Answers are typed at a terminal; standard\ninput and flags do not count.",
		"정책의 규칙은 호출에 대해 사람에게 물을 수 있습니다. 그 호출은 기다리거나, 거부된 뒤 승인되면\n한 번 다시 호출할 수 있습니다. 답은 터미널에서 입력해야 하며 표준 입력과 플래그는 인정하지\n않습니다.",
	}
	CLIApprovalsListShort  = Text{"List the questions that are open", "열려 있는 질문을 나열합니다"}
	CLIApprovalsShowShort  = Text{"Show a question with everything that it is bound to", "질문 하나를 묶여 있는 모든 내용과 함께 보여 줍니다"}
	CLIApprovalsYesShort   = Text{"Show a question and answer it", "질문 하나를 보고 답합니다"}
	CLIApprovalsNoShort    = Text{"Show a question and decline it", "질문 하나를 보고 거절합니다"}
	CLIApprovalsWatchShort = Text{"Show questions as they come, and answer them", "들어오는 질문을 차례로 보고 답합니다"}
	CLIApprovalsWatchLong  = Text{
		"Show each question as it comes and ask for its answer, one after the other. While it\nruns at a terminal, you count as present, so calls wait for you. Without a terminal\nit prints a line for each question and no one counts as present.",
		"들어오는 질문을 하나씩 보여 주고 답을 묻습니다. 터미널에서 실행하는 동안 사람이 있는 것으로\n보므로 호출이 답을 기다립니다. 터미널이 없으면 질문마다 한 줄을 출력할 뿐이며 사람이 있는\n것으로 보지 않습니다.",
	}
	CLIFlagApprovalsAll    = Text{"also those that are decided or over", "결정되었거나 끝난 것도 함께"}
	CLIFlagApprovalsReason = Text{"why, for the caller to read", "호출자가 읽을 이유"}

	CLIApprovalsNeedID     = Text{"%s needs the id of one approval", "%s에는 승인 ID 하나가 필요합니다"}
	CLIApprovalsNone       = Text{"no question is open", "열려 있는 질문이 없습니다"}
	CLIApprovalsNoneAll    = Text{"there are no approvals", "승인 기록이 없습니다"}
	CLIApprovalsUnknown    = Text{"there is no approval %s", "승인 %s이(가) 없습니다"}
	CLIApprovalsUnknownTip = Text{"See the list: %s", "목록 보기: %s"}
	CLIApprovalsNext       = Text{"Answer one: %s", "답하기: %s"}
	CLIApprovalsMore       = Text{"There are more; the newest %d are shown.", "더 있습니다. 최근 %d개만 보여 줍니다."}
	CLIApprovalsApproved   = Text{"approved %s: %s", "%s을(를) 승인했습니다: %s"}
	CLIApprovalsPermit     = Text{"The call had been denied. The same call passes once until %s.", "그 호출은 거부되었습니다. 같은 호출이 %s까지 한 번 허용됩니다."}
	CLIApprovalsDenied     = Text{"declined %s: %s", "%s을(를) 거절했습니다: %s"}
	CLIApprovalsRemembered = Text{"The answer counts for the same call in this instance until %s.", "같은 인스턴스의 같은 호출에 %s까지 이 답을 씁니다."}
	CLIApprovalsRuled      = Text{"Added the rule to %s. Remove it with: %s", "%s에 규칙을 추가했습니다. 지우려면: %s"}
	CLIApprovalsForgot     = Text{"the call is approved, but the answer was not remembered: %s", "호출은 승인했지만 답을 기억하지 못했습니다: %s"}
	CLIApprovalsOver       = Text{"%s is no longer open: %s", "%s은(는) 더 이상 열려 있지 않습니다: %s"}
	CLIApprovalsOverTip    = Text{"See what happened: %s", "내용 보기: %s"}
	CLIApprovalsRefused    = Text{"the answer to %s does not count: %s", "%s에 대한 답은 인정되지 않습니다: %s"}
	CLIApprovalsRefusedTip = Text{"The question stays open: %s", "질문은 열려 있습니다: %s"}
	CLIApprovalsBackground = Text{"the command runs in the background of its terminal", "명령이 터미널의 백그라운드에서 실행되고 있습니다"}
	CLIApprovalsForeground = Text{"Bring it to the foreground with fg, or run it again.", "fg로 포그라운드로 가져오거나 다시 실행하세요."}
	CLIApprovalsDeny       = Text{"Decline %s?", "%s을(를) 거절할까요?"}
	CLIApprovalsWaiting    = Text{"Questions appear here. End with Ctrl-C.", "질문이 여기에 나타납니다. Ctrl-C로 끝냅니다."}
	CLIApprovalsWatching   = Text{"No terminal: questions are printed and cannot be answered here.", "터미널이 없어 질문을 출력만 하며 여기서 답할 수 없습니다."}

	CLIColumnTool = Text{"TOOL", "도구"}
	CLIColumnLeft = Text{"LEFT", "남은 시간"}
)
