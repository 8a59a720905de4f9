package lang

// Offers: which tools clients see.
var (
	BundleOffer     = Text{"%q is none of all, read-only and none", "%q은(는) all, read-only, none 중 하나가 아닙니다"}
	BundleHintOffer = Text{"Write one of the words, or a list of globs such as [%q].", "셋 중 하나를 쓰거나, [%q] 같은 glob 목록을 쓰세요."}

	CLIFlagOffer        = Text{"offer only tools that match `GLOB`, or the word read-only (repeatable; default: as the bundle says, else all)", "`GLOB`과 맞는 도구만 제공합니다. read-only라고 쓰면 읽기 전용 도구만 제공합니다 (여러 번 지정 가능, 기본값: 번들의 설정, 없으면 모두)"}
	CLIFlagAllow        = Text{"the old name of --offer `GLOB`", "--offer `GLOB`의 옛 이름"}
	CLIAllowIsOld       = Text{"--allow is the old name of --offer and will be removed. Tools are no longer limited to read-only ones: without --offer all are offered, and the policy decides about each call.", "--allow는 --offer의 옛 이름이며 없어질 예정입니다. 이제 읽기 전용으로 제한되지 않습니다. --offer가 없으면 모든 도구를 제공하고, 각 호출은 정책이 결정합니다."}
	CLIFlagConnectOffer = Text{"offer this client only tools that match `GLOB`, or the word read-only (repeatable; default: as the server says)", "이 클라이언트에 `GLOB`과 맞는 도구만 제공합니다. read-only라고 쓰면 읽기 전용 도구만 제공합니다 (여러 번 지정 가능, 기본값: 서버의 설정)"}
	CLIServeOffers      = Text{"Offered: %d of %d tools", "제공: 도구 %[2]d개 중 %[1]d개"}
	// The tools of these sources are not counted yet.
	CLIServeUnlisted = Text{"Offered: %d of %d tools; sources that are not listed yet: %d", "제공: 도구 %[2]d개 중 %[1]d개. 아직 목록을 받지 못한 소스: %[3]d개"}
	CLIToolsOffered  = Text{"Offered to clients of gongu serve: %d of %d tools", "gongu serve의 클라이언트에 제공: 도구 %[2]d개 중 %[1]d개"}
	CLIColumnOffered = Text{"OFFERED", "제공"}

	// The status page: how many of all tools are offered.
	PageOffered      = Text{"%s of %d", "%[2]d개 중 %[1]s개"}
	PageToolsOffered = Text{"tools offered", "제공하는 도구"}
)
