package lang

// Texts of gongu status.
var (
	CLIStatusShort = Text{"Show what runs, what it may do and what waits for you", "실행 중인 것, 허용된 것, 결정을 기다리는 것을 보여 줍니다"}
	CLIStatusLong  = Text{
		"Show which bundle is used and which consent it has, what is held back and why, the\nservers that run for it and how many tools they offer, the programs and servers that\ntools come from, and the decisions that wait for a person.\n\nIt starts nothing, and connects only to servers of gongu that run already.",
		"사용하는 번들과 동의 상태, 보류된 변경과 그 이유, 번들을 위해 실행 중인 서버와\n제공하는 도구 수, 도구의 출처, 사람의 결정을 기다리는 항목을 보여 줍니다.\n\n아무것도 시작하지 않으며, 이미 실행 중인 gongu 서버에만 연결합니다.",
	}
	CLIStatusBundle    = Text{"Bundle", "번들"}
	CLIStatusConsent   = Text{"Consent", "동의"}
	CLIStatusRunning   = Text{"Running", "실행"}
	CLIStatusOffered   = Text{"Offered", "제공"}
	CLIStatusSources   = Text{"Sources", "소스"}
	CLIStatusPending   = Text{"Waiting", "대기"}
	CLIStatusState     = Text{"State", "상태"}
	CLIStatusStarter   = Text{"none; the starter tools are used", "없음. 기본 도구를 씁니다"}
	CLIStatusGiven     = Text{"%s, given on %s by %s", "%s, %s에 %s(으)로 동의함"}
	CLIStatusNotNeeded = Text{"not needed: the bundle only reads", "필요 없음: 번들이 읽기만 합니다"}
	CLIStatusNoConsent = Text{"none, so nothing runs; look at it and consent with: %s", "없음. 그래서 아무것도 실행되지 않습니다. 내용을 확인하고 다음으로 동의하세요: %s"}
	CLIStatusBroken    = Text{"the changed bundle has errors, so the previous state runs: %s", "바뀐 번들에 오류가 있어 이전 상태가 실행됩니다: %s"}
	CLIStatusServer    = Text{"%s, process %d, since %s", "%s, 프로세스 %d, %s부터"}
	CLIStatusNoServer  = Text{"no server; start one with: %s", "서버 없음. 다음으로 시작하세요: %s"}
	CLIStatusTools     = Text{"%d of %d tools", "도구 %[2]d개 중 %[1]d개"}
	CLIStatusTroubled  = Text{"%d, of which %d do not work", "%d개, 그중 %d개는 작동하지 않음"}
	CLIStatusNothing   = Text{"nothing", "없음"}
	CLIStatusChanges   = Text{"changes of the bundle: %d (%s)", "번들 변경 %d건 (%s)"}
	CLIStatusRequests  = Text{"requested tools: %d (%s)", "도구 요청 %d건 (%s)"}
	CLIStatusPins      = Text{"definitions held back: %d (%s)", "보류된 정의 %d개 (%s)"}
	CLIStatusApprovals = Text{"calls that need your answer: %d (%s)", "답을 기다리는 호출 %d건 (%s)"}
	CLIStatusHeld      = Text{"Held back until you accept it with %s:", "%s(으)로 수락할 때까지 보류된 변경:"}
)
