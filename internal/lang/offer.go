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

	CLIFlagPermission       = Text{"ask as `MODE` says: plan (read-only tools alone), default (as the rules say), edits (file changes in the workdir need no asking) or bypass (no asking at all); rules that deny always hold", "`MODE`에 따라 묻습니다: plan (읽기 전용 도구만), default (규칙대로), edits (작업 폴더의 파일 변경은 묻지 않음), bypass (전혀 묻지 않음). 거부 규칙은 항상 적용됩니다"}
	CLIPermissionEdits      = Text{"Warning: --permission edits: calls that change files inside the working directory run without asking anybody.", "경고: --permission edits: 작업 폴더 안의 파일을 바꾸는 호출은 묻지 않고 실행됩니다."}
	CLIPermissionBypass     = Text{"Warning: --permission bypass: every call that no rule denies runs without asking anybody.", "경고: --permission bypass: 규칙이 거부하지 않는 모든 호출이 묻지 않고 실행됩니다."}
	CLIPermissionDescendant = Text{"--permission %s cannot be used by a program that gongu started", "gongu가 시작한 프로그램은 --permission %s을(를) 쓸 수 없습니다"}
	CLIPermissionStdio      = Text{"--permission %s is not used for this client; its mode is %s. The settings of a client may come from a repository, so you choose the mode with: gongu connect CLIENT --permission %s", "이 클라이언트에는 --permission %s을(를) 쓰지 않으며 모드는 %s입니다. 클라이언트 설정은 저장소에서 올 수 있으므로 다음으로 모드를 정하세요: gongu connect CLIENT --permission %s"}
	CLIFlagClient           = Text{"the `ID` that gongu connect wrote into the settings of a client on stdio", "gongu connect가 stdio 클라이언트의 설정에 쓴 `ID`"}
	CLIClientUnknown        = Text{"The --client of this client is not known for this bundle, so calls that change something are asked about. Connect it with: %s", "이 클라이언트의 --client는 이 번들에 기록되어 있지 않아서, 무언가를 바꾸는 호출은 먼저 묻습니다. 다음으로 연결하세요: %s"}
	CLIAttached             = Text{"Connected to the server that already runs for this bundle at %s (process %d). It was started with its own flags; of the flags given here only --agent, --client and --permission count.", "이 번들로 이미 실행 중인 %s의 서버에 연결했습니다 (프로세스 %d). 그 서버를 시작할 때의 옵션이 적용되며, 여기에 준 옵션 중에는 --agent, --client, --permission만 적용됩니다."}

	CLIFlagConnectAsk        = Text{"`WHO` asks the user before a call that changes something: client (default) or gongu", "무언가를 바꾸는 호출 전에 사용자에게 물을 주체 `WHO`: client (기본값), gongu"}
	CLIFlagConnectPermission = Text{"the permission `MODE` of this client: plan, default, edits or bypass", "이 클라이언트의 권한 모드 `MODE`: plan, default, edits, bypass"}
	CLIConnectTokenHint      = Text{"A client over HTTP has what its token allows. Make one with, for example: gongu token new --ask '*' --attended", "HTTP 클라이언트는 토큰이 허용하는 것만 쓸 수 있습니다. 예를 들어 다음으로 만드세요: gongu token new --ask '*' --attended"}
	CLIConnectMode           = Text{"With the mode %s calls of this client run that gongu would ask about. Do you want that?", "모드 %s에서는 gongu가 물었을 호출도 이 클라이언트에서 실행됩니다. 그렇게 할까요?"}
	ConnectClientAsks        = Text{"%s asks you before a call that changes something; gongu does not ask again. To be asked by gongu: %s", "무언가를 바꾸는 호출 전에 %s이(가) 묻고, gongu는 다시 묻지 않습니다. gongu가 묻게 하려면: %s"}
	ConnectGonguAsks         = Text{"gongu asks you before a call that changes something: in the client if it can show questions, else with: %s", "무언가를 바꾸는 호출 전에 gongu가 묻습니다. 클라이언트가 질문을 보여 줄 수 있으면 거기서, 아니면 다음에서 답하세요: %s"}
	ConnectMode              = Text{"Permission mode: %s", "권한 모드: %s"}
)
