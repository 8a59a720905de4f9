package lang

// What gongu sources, gongu pins and gongu doctor say about tools from
// elsewhere.
var (
	CLISourcesShort = Text{"Show the programs and servers that tools come from", "도구를 제공하는 프로그램과 서버를 보여 줍니다"}
	CLISourcesLong  = Text{
		"Show the programs and MCP servers of the bundle: how each stands, how many of\nits tools can be used and how many are held back, how old its list is and why\nsomething is missing. Nothing is started or connected, unless --load is given.",
		"번들의 프로그램과 MCP 서버를 보여 줍니다. 각각의 상태, 사용할 수 있는 도구와\n보류된 도구의 수, 목록의 나이, 빠진 것이 있다면 그 이유를 알려 줍니다.\n--load를 주지 않으면 아무것도 시작하거나 연결하지 않습니다.",
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

	CLISourcesNone      = Text{"there are no sources: nothing in the bundle is a McpServer or a ToolCommand", "소스가 없습니다. 번들에 McpServer나 ToolCommand가 없습니다"}
	CLISourcesNoneHint  = Text{"Add one to gongu.yaml, or bring in the servers of another program with gongu mcp import FILE.", "gongu.yaml에 추가하거나 gongu mcp import FILE로 다른 프로그램의 서버를 가져오세요."}
	CLISourcesAgo       = Text{"%s ago", "%s 전"}
	CLISourcesLacks     = Text{"the list lacks the tools of %s: %s", "목록에 %s의 도구가 없습니다: %s"}
	CLISourcesLacksHint = Text{"It is tried again at the next use; '%s' shows how all sources stand.", "다음에 사용할 때 다시 시도합니다. '%s'로 모든 소스의 상태를 볼 수 있습니다."}
	CLISourcesOld       = Text{"the tools of %s are from an earlier list: %s", "%s의 도구는 이전 목록에서 가져왔습니다: %s"}
	CLISourcesHeldOne   = Text{"1 tool of %s is held back", "%s의 도구 1개가 보류되었습니다"}
	CLISourcesHeldMany  = Text{"%d tools of %s are held back", "%[2]s의 도구 %[1]d개가 보류되었습니다"}
	CLISourcesHeldHint  = Text{"'%s' shows why.", "'%s'로 이유를 볼 수 있습니다."}
	CLISourcesProblems  = Text{"Left out or repaired:", "제외하거나 고친 항목:"}
	CLIRefreshNeeded    = Text{"%q is a source only with --refresh", "%q은(는) --refresh와 함께 쓸 때만 소스입니다"}
	CLINoToolNamed      = Text{"no tool is called %q", "%q이라는 도구가 없습니다"}

	CLIPinsShort = Text{"Show and accept the definitions of tools from elsewhere", "외부 도구의 정의를 보고 승인합니다"}
	CLIPinsLong  = Text{
		"Show and accept the definitions of tools that come from programs and MCP\nservers. gongu.lock in the bundle has a fingerprint of each that was accepted;\na tool that is listed differently is held back until it is accepted again.\nA pin covers what was read. It says nothing about what a server does.",
		"프로그램과 MCP 서버에서 온 도구의 정의를 보고 승인합니다. 번들의 gongu.lock에는\n승인된 정의의 지문이 있습니다. 다르게 나온 도구는 다시 승인될 때까지 보류됩니다.\n핀은 읽은 정의만 보증합니다. 서버가 실제로 하는 일은 보증하지 않습니다.",
	}
	CLIPinsListShort   = Text{"List the tools and how they stand", "도구와 그 상태를 보여 줍니다"}
	CLIPinsDiffShort   = Text{"Show why tools are held back", "도구가 보류된 이유를 보여 줍니다"}
	CLIPinsAcceptShort = Text{"Accept tools as they are listed now", "도구를 지금 나온 대로 승인합니다"}
	CLIFlagPinsAll     = Text{"accept everything that is held back", "보류된 것을 모두 승인합니다"}

	CLIPinsNone        = Text{"no tool is pinned or listed yet", "아직 고정되거나 나온 도구가 없습니다"}
	CLIPinsNoneHint    = Text{"'%s' lists the sources for the first time.", "'%s'로 소스의 목록을 처음 읽을 수 있습니다."}
	CLIPinsNoneHeld    = Text{"nothing is held back", "보류된 것이 없습니다"}
	CLIPinsUnknown     = Text{"no tool %q is pinned or listed", "고정되거나 나온 도구 중에 %q이(가) 없습니다"}
	CLIPinsUnknownHint = Text{"'%s' shows them all.", "'%s'로 모두 볼 수 있습니다."}
	CLIPinsSeveral     = Text{"%q is a tool of several sources", "%q은(는) 여러 소스의 도구입니다"}
	CLIPinsSeveralHint = Text{"Say which: %s", "하나를 고르세요: %s"}
	CLIPinsWhich       = Text{"accept needs the names of tools, or --all", "accept에는 도구 이름이나 --all이 필요합니다"}
	CLIPinsWhichHint   = Text{"'%s' shows what is held back.", "'%s'로 보류된 것을 볼 수 있습니다."}
	CLIPinsSame        = Text{"  listed as it was accepted", "  승인된 대로 나왔습니다"}
	CLIPinsNewText     = Text{"  never accepted; this is what it says:", "  승인된 적이 없습니다. 내용은 다음과 같습니다:"}
	CLIPinsMovedText   = Text{"  its source is started differently than when it was accepted:", "  소스를 시작하는 방법이 승인된 때와 다릅니다:"}
	CLIPinsGoneText    = Text{"  accepted once, and not listed now", "  한 번 승인되었고 지금은 나오지 않습니다"}
	CLIPinsNoText      = Text{"  the accepted text is not known here; only its fingerprint differs", "  승인된 텍스트가 여기에 없습니다. 지문만 다릅니다"}
	CLIPinsFinding     = Text{"  found in %s: %s (%s)", "  %s에서 발견: %s (%s)"}
	CLIPinsNext        = Text{"To let them through: %s", "허용하려면: %s"}
	CLIPinsAccepted    = Text{"accepted %s", "승인함: %s"}
	CLIPinsForgotten   = Text{"forgot %s, which is not listed any more", "더 이상 나오지 않는 %s을(를) 지웠습니다"}
	CLIPinsLaunch      = Text{"The way %s is started is accepted with it.", "%s을(를) 시작하는 방법도 함께 승인되었습니다."}
	CLIPinsSee         = Text{"%s has the new pins; look at the change and commit it. '%s' shows how the tools stand.", "%s에 새 핀이 있습니다. 변경을 확인하고 커밋하세요. '%s'로 도구의 상태를 볼 수 있습니다."}
	CLIPinsChanges     = Text{"%d changes", "변경 %d곳"}
	CLIPinsOneChange   = Text{"1 change", "변경 1곳"}

	CLIDoctorSourceIdle = Text{"%s: not used yet", "%s: 아직 사용하지 않음"}
	CLIDoctorSource     = Text{"%s: %s, %d tools, listed %s", "%s: %s, 도구 %d개, 목록 %s"}
	CLIDoctorHeld       = Text{"%s: %d held back, %d can be used", "%s: %d개 보류, %d개 사용 가능"}
	CLIDoctorNoProgram  = Text{"%s: %s is not on PATH", "%s: PATH에 %s이(가) 없습니다"}
	CLIDoctorProgramFix = Text{"Install it, or name it by its path in the resource.", "설치하거나 리소스에 경로로 적으세요."}
	CLIDoctorPins       = Text{"%v", "%v"}
)
