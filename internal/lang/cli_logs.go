package lang

// Texts of gongu logs.
var (
	CLILogsShort = Text{"Show the calls that were made, and what else happened", "호출 기록과 그 밖의 일을 보여 줍니다"}
	CLILogsLong  = Text{
		"Show the calls that were made, by a server or with gongu call, and what else\nhappened: tools that models asked for, decisions, sources, reloads. The records are\nread from the store, so it works while a server runs and when none does.\n\n--call shows one call with what is kept of its arguments and result, and the calls\nthat it made. Secrets are not recorded. A call appears about a tenth of a second\nafter it has ended.",
		"서버나 gongu call로 한 호출과 그 밖의 일(모델이 요청한 도구, 결정, 소스, 다시 읽기)을\n보여 줍니다. 저장소에서 읽으므로 서버가 실행 중이든 아니든 쓸 수 있습니다.\n\n--call은 호출 하나를 보관된 인수와 결과, 그 호출이 만든 호출과 함께 보여 줍니다.\n비밀 값은 기록하지 않습니다. 호출은 끝나고 약 0.1초 뒤에 나타납니다.",
	}
	CLIFlagFollow      = Text{"print what happens from now on, until Ctrl-C", "Ctrl-C를 누를 때까지 새로 일어나는 일을 출력합니다"}
	CLIFlagLogInstance = Text{"only calls of the instance `KEY`", "인스턴스 `KEY`의 호출만"}
	CLIFlagTrace       = Text{"only calls of the trace `ID`", "추적 `ID`의 호출만"}
	CLIFlagCall        = Text{"show the call `ID` with its arguments and result", "호출 `ID`를 인수와 결과와 함께 보여 줍니다"}
	CLIFlagLogTool     = Text{"only calls of the tool `NAME`", "도구 `NAME`의 호출만"}
	CLIFlagSince       = Text{"only what is not older than `D`, such as 30m or 24h, or since a time such as 2026-01-31T09:00:00Z", "`D`(예: 30m, 24h)보다 오래되지 않은 것, 또는 어떤 시각(예: 2026-01-31T09:00:00Z) 이후의 것만"}
	CLIFlagLines       = Text{"show the last `N` rows (default 100)", "마지막 `N`줄을 보여 줍니다 (기본값 100)"}
	CLISinceHint       = Text{"Use a duration such as 30m or 24h, or a time such as 2026-01-31T09:00:00Z.", "30m, 24h 같은 기간이나 2026-01-31T09:00:00Z 같은 시각을 쓰세요."}
	CLILogsNone        = Text{"nothing is recorded yet", "아직 기록이 없습니다"}
	CLINoCall          = Text{"there is no call %q in the records", "기록에 호출 %q이(가) 없습니다"}
	CLINoCallHint      = Text{"List the calls with: %s", "호출 나열: %s"}
	CLILogTime         = Text{"TIME", "시각"}
	CLILogTook         = Text{"TOOK", "걸린 시간"}
	CLILogWho          = Text{"WHO", "누가"}
	CLILogWhat         = Text{"WHAT", "내용"}
	CLILogCall         = Text{"CALL", "호출"}
	CLILogTrace        = Text{"TRACE", "추적"}
	CLILogRule         = Text{"RULE", "규칙"}
	CLILogArguments    = Text{"ARGUMENTS", "인수"}
	CLILogResult       = Text{"RESULT", "결과"}
)
