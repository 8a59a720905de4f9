package lang

// Texts of gongu sources, gongu pins and gongu doctor about imported tools.
var (
	CLISourcesShort = Text{"Show the programs and servers that tools come from", "도구를 제공하는 프로그램과 서버를 보여 줍니다"}
	CLISourcesLong  = Text{
		"Show the programs and MCP servers of the bundle: the state of each, how many of\nits tools are available and quarantined, the age of its list, and errors. gongu\nstarts and connects nothing unless --load is given.",
		"번들의 프로그램과 MCP 서버를 보여 줍니다. 각각의 상태, 사용할 수 있는 도구와\n보류된 도구의 수, 목록의 나이, 오류를 알려 줍니다. --load를 주지 않으면\n아무것도 시작하거나 연결하지 않습니다.",
	}
	CLIFlagLoad    = Text{"list every source again, which starts or connects it", "모든 소스의 목록을 다시 읽습니다. 소스를 시작하거나 연결합니다"}
	CLIFlagRefresh = Text{"list the sources again before showing their tools; names of sources may follow", "도구를 보여 주기 전에 소스의 목록을 다시 읽습니다. 소스 이름을 이어서 쓸 수 있습니다"}
	CLIFlagName    = Text{"only tools called `NAME` (* and ? are wildcards; repeatable)", "이름이 `NAME`인 도구만 보여 줍니다 (*와 ? 사용 가능, 반복 가능)"}

	CLIColumnKind     = Text{"KIND", "종류"}
	CLIColumnState    = Text{"STATE", "상태"}
	CLIColumnHeld     = Text{"HELD", "보류"}
	CLIColumnListed   = Text{"LISTED", "목록"}
	CLIColumnLatency  = Text{"LATENCY", "지연"}
	CLIColumnReason   = Text{"REASON", "이유"}
	CLIColumnPinnedAs = Text{"TOOL", "도구"}

	CLISourcesNone      = Text{"the bundle has no sources: no McpServer and no ToolCommand", "번들에 소스가 없습니다. McpServer도 ToolCommand도 없습니다"}
	CLISourcesNoneHint  = Text{"Add one to gongu.yaml, or import the servers of another program: gongu mcp import FILE", "gongu.yaml에 추가하거나 다른 프로그램의 서버를 가져오세요: gongu mcp import FILE"}
	CLISourcesAgo       = Text{"%s ago", "%s 전"}
	CLISourcesLacks     = Text{"the list lacks the tools of %s: %s", "목록에 %s의 도구가 없습니다: %s"}
	CLISourcesLacksHint = Text{"gongu tries again at the next use. To see the state of all sources, run: %s", "다음에 사용할 때 다시 시도합니다. 모든 소스의 상태를 보려면 다음을 실행하세요: %s"}
	CLISourcesOld       = Text{"the tools of %s are from an earlier list: %s", "%s의 도구는 이전 목록에서 가져왔습니다: %s"}
	CLISourcesHeldOne   = Text{"1 tool of %s is held back", "%s의 도구 1개가 보류되었습니다"}
	CLISourcesHeldMany  = Text{"%d tools of %s are held back", "%[2]s의 도구 %[1]d개가 보류되었습니다"}
	CLISourcesHeldHint  = Text{"To see why, run: %s", "이유를 보려면 다음을 실행하세요: %s"}
	CLISourcesProblems  = Text{"Left out or repaired:", "제외하거나 고친 항목:"}
	CLIRefreshNeeded    = Text{"%q is not expected here; to name a source, add --refresh", "%q은(는) 여기에 쓸 수 없습니다. 소스 이름이면 --refresh를 추가하세요"}
	CLINoToolNamed      = Text{"there is no tool named %q", "%q이라는 도구가 없습니다"}

	CLIPinsShort = Text{"Show and accept the definitions of tools from elsewhere", "외부 도구의 정의를 보고 승인합니다"}
	CLIPinsLong  = Text{
		"Show and accept the definitions of tools that come from programs and MCP\nservers. gongu.lock in the bundle has the accepted definitions;\na tool whose definition differs is held back until it is accepted again.\nA pin covers the tool's definition, not the server's behaviour.",
		"프로그램과 MCP 서버에서 온 도구의 정의를 보고 승인합니다. 번들의 gongu.lock에는\n승인된 정의가 있습니다. 정의가 바뀐 도구는 다시 승인될 때까지 보류됩니다.\n핀은 도구의 정의를 보증하며, 서버의 동작은 보증하지 않습니다.",
	}
	CLIPinsListShort   = Text{"List the tools and their states", "도구와 그 상태를 보여 줍니다"}
	CLIPinsDiffShort   = Text{"Show why tools are held back", "도구가 보류된 이유를 보여 줍니다"}
	CLIPinsAcceptShort = Text{"Accept tools as they are listed now", "도구를 지금 나온 대로 승인합니다"}
	CLIFlagPinsAll     = Text{"accept everything that is held back", "보류된 것을 모두 승인합니다"}

	CLIPinsNone        = Text{"no tool is pinned or listed yet", "아직 고정되거나 나온 도구가 없습니다"}
	CLIPinsNoneHint    = Text{"To list the sources for the first time, run: %s", "소스의 목록을 처음 읽으려면 다음을 실행하세요: %s"}
	CLIPinsNoneHeld    = Text{"nothing is held back", "보류된 것이 없습니다"}
	CLIPinsUnknown     = Text{"no tool %q is pinned or listed", "고정되거나 나온 도구 중에 %q이(가) 없습니다"}
	CLIPinsUnknownHint = Text{"To list them all, run: %s", "모두 보려면 다음을 실행하세요: %s"}
	CLIPinsSeveral     = Text{"several sources have a tool named %q", "이름이 %q인 도구가 여러 소스에 있습니다"}
	CLIPinsSeveralHint = Text{"Use one of: %s", "다음 중 하나를 쓰세요: %s"}
	CLIPinsWhich       = Text{"accept needs the names of tools, or --all", "accept에는 도구 이름이나 --all이 필요합니다"}
	CLIPinsWhichHint   = Text{"To see what is held back, run: %s", "보류된 것을 보려면 다음을 실행하세요: %s"}
	CLIPinsSame        = Text{"  listed as it was accepted", "  승인된 대로 나왔습니다"}
	CLIPinsNewText     = Text{"  never accepted; its definition:", "  승인된 적이 없습니다. 정의는 다음과 같습니다:"}
	CLIPinsMovedText   = Text{"  its source is started differently than when it was accepted:", "  소스를 시작하는 방법이 승인된 때와 다릅니다:"}
	CLIPinsGoneText    = Text{"  accepted earlier, and no longer listed", "  이전에 승인되었고 지금은 목록에 없습니다"}
	CLIPinsNoText      = Text{"  the accepted definition is not cached here; only its fingerprint can be compared", "  승인된 정의가 여기에 저장되어 있지 않아 지문만 비교할 수 있습니다"}
	CLIPinsFinding     = Text{"  found in %s: %s (%s)", "  %s에서 발견: %s (%s)"}
	CLIPinsNext        = Text{"To accept them: %s", "승인하려면: %s"}
	CLIPinsAccepted    = Text{"accepted %s", "승인함: %s"}
	CLIPinsForgotten   = Text{"removed the pin of %s, which is no longer listed", "더 이상 목록에 없는 %s의 핀을 지웠습니다"}
	CLIPinsLaunch      = Text{"accepted how %s is started", "%s을(를) 시작하는 방법을 승인함"}
	CLIPinsLaunchHeld  = Text{"The tools of %s stay held back, because it is started differently than was accepted. To accept that too, run: %s", "%s을(를) 시작하는 방법이 승인된 것과 달라 도구는 계속 보류됩니다. 그것도 승인하려면 다음을 실행하세요: %s"}
	CLIPinsLaunchRow   = Text{"(how it is started)", "(시작 방법)"}
	CLIPinsElsewhere   = Text{"  in gongu.lock, but not accepted on this machine; its definition:", "  gongu.lock에 있지만 이 컴퓨터에서 승인되지 않았습니다. 정의는 다음과 같습니다:"}
	CLIPinsAlso        = Text{"  also accepted: %s, from which it differs:", "  다음 정의도 승인되어 있으며 차이는 이렇습니다: %s"}
	CLIPinsAlsoCount   = Text{"other accepted definitions: %d", "함께 승인된 다른 정의: %d개"}
	CLIPinsDigest      = Text{"  digest %s", "  다이제스트 %s"}
	CLIPinsOther       = Text{"%s is listed differently than it was shown; nothing was accepted", "%s의 정의가 표시된 것과 달라져 아무것도 승인하지 않았습니다"}
	CLIPinsCheckShort  = Text{"List the sources and fail when gongu.lock differs", "소스의 목록을 읽어 gongu.lock과 다르면 실패합니다"}
	CLIPinsCheckLong   = Text{"Start or reach every source, list its tools and compare them with gongu.lock,\nwhich is not changed. The exit status is 1 when something is new, changed or\ngone, or a source is started differently: for continuous integration.", "모든 소스를 시작하거나 연결해 도구 목록을 gongu.lock과 비교합니다. 파일은 바꾸지\n않습니다. 새롭거나 바뀌거나 없어진 것이 있거나 소스를 시작하는 방법이 다르면 종료\n상태가 1입니다. 지속적 통합에 쓰세요."}
	CLIPinsChecked     = Text{"gongu.lock matches what the sources list (tools: %d)", "gongu.lock이 소스의 목록과 일치합니다 (도구: %d개)"}
	CLIPinsDiffer      = Text{"gongu.lock differs from what the sources list (differences: %d)", "gongu.lock이 소스의 목록과 다릅니다 (차이: %d곳)"}
	CLIPinsSee         = Text{"%s has the new pins: review and commit it. To see the states, run: %s", "%s에 새 핀이 있습니다. 확인하고 커밋하세요. 상태를 보려면 다음을 실행하세요: %s"}
	CLIPinsChanges     = Text{"%d changes", "변경 %d곳"}
	CLIPinsOneChange   = Text{"1 change", "변경 1곳"}

	CLIDoctorSourceIdle = Text{"%s: not used yet", "%s: 아직 사용하지 않음"}
	CLIDoctorSource     = Text{"%s: %s, %d tools, listed %s", "%s: %s, 도구 %d개, 목록 %s"}
	CLIDoctorHeld       = Text{"%s: %d held back, %d can be used", "%s: %d개 보류, %d개 사용 가능"}
	CLIDoctorNoProgram  = Text{"%s: program %s was not found", "%s: 프로그램 %s을(를) 찾을 수 없습니다"}
	CLIDoctorProgramFix = Text{"Install it, or write its path into the resource.", "설치하거나 리소스에 경로로 적으세요."}
	CLIDoctorPins       = Text{"%v", "%v"}
)
