package lang

// What the host says about consent.
var (
	HostHeld          = Text{"the bundle has a change without a consent; the change is not used", "번들에 아직 동의하지 않은 변경이 있어 사용하지 않습니다"}
	HostHeldBroken    = Text{"the bundle has errors; what was consented to last is used", "번들에 오류가 있어 마지막으로 동의한 것을 사용합니다"}
	HostTrustWritable = Text{"--trust folder is refused, because this process may write %s: mount the bundle read-only, run gongu as another user, or use --trust sha256:DIGEST", "이 프로세스가 %s에 쓸 수 있어 --trust folder를 거부합니다. 번들을 읽기 전용으로 마운트하거나, 다른 사용자로 gongu를 실행하거나, --trust sha256:DIGEST를 쓰세요"}
	HostTrustOther    = Text{"--trust names %s, but the bundle has the digest %s: look at it with gongu trust --show, and name that digest to accept it", "--trust는 %s을(를) 가리키지만 번들의 다이제스트는 %s입니다. gongu trust --show로 살펴보고, 받아들이려면 그 다이제스트를 쓰세요"}
	HostRecordsInside = Text{"the consents in %s do not count, because they came along with the bundle, in %s: choose another with GONGU_CONFIG_DIR", "%s의 동의는 번들과 함께 온 폴더 %s 안에 있어 인정하지 않습니다. GONGU_CONFIG_DIR로 다른 폴더를 고르세요"}
	HostNoCopy        = Text{"the bundle has changed, and the copy of what was consented to cannot be used; look at the bundle and run: %s", "번들이 바뀌었고, 동의한 것의 사본을 쓸 수 없습니다. 번들을 살펴보고 다음을 실행하세요: %s"}
)

// Programs that are refused.
var (
	HostProgramInside   = Text{"the program %s is not started, because it lies in %s, where tools and other programs write: install it elsewhere, or name it by a path from the bundle so that consent covers it", "프로그램 %s은(는) 도구와 다른 프로그램이 쓸 수 있는 %s 안에 있어 시작하지 않습니다. 다른 곳에 설치하거나, 동의에 포함되도록 번들 기준 경로로 지정하세요"}
	HostProgramWritable = Text{"the program %s is not started, because other users may write %s: correct its owner or its permissions", "다른 사용자가 %[2]s에 쓸 수 있어 프로그램 %[1]s을(를) 시작하지 않습니다. 소유자나 권한을 고치세요"}
)

// How gongu trust asks.
var (
	CLIUntrusted          = Text{"the bundle in %s has no consent yet", "%s의 번들에 아직 동의하지 않았습니다"}
	CLIHintTrust          = Text{"Look at the list above. To consent, run: %s", "위의 목록을 살펴보세요. 동의하려면 다음을 실행하세요: %s"}
	CLITrustFolder        = Text{"Bundle: %s", "번들: %s"}
	CLITrustCan           = Text{"This bundle can:", "이 번들은 다음을 할 수 있습니다:"}
	CLITrustChanges       = Text{"Changed since you consented:", "동의한 뒤에 바뀐 것:"}
	CLITrustDigest        = Text{"Digest: %s", "다이제스트: %s"}
	CLITrustAsk           = Text{"May it do this?", "허용할까요?"}
	CLITrustRules         = Text{"It also asks you to trust:", "다음도 신뢰하도록 요청합니다:"}
	CLITrustRulesAsk      = Text{"Trust this as well? The safe answer is no.", "이것도 신뢰할까요? 아니라고 답하면 안전합니다."}
	CLIBelieveRule        = Text{"%s: rule %s allows calls without asking you: %s", "%s: %s 규칙이 묻지 않고 호출을 허용합니다: %s"}
	CLIBelieveServer      = Text{"%s: the hints of the server about its tools, such as that they are read-only", "%s: 읽기 전용이라는 것처럼 서버가 자기 도구에 대해 주는 힌트"}
	CLITrusted            = Text{"Consented. gongu runs a copy of the bundle as it is now; later changes wait for this command.", "동의했습니다. gongu는 지금의 번들을 복사해 실행합니다. 나중의 변경은 이 명령으로 받아들일 때까지 쓰지 않습니다."}
	CLITrustIs            = Text{"You consented to exactly this, on %s.", "바로 이 내용에 동의했습니다 (%s)."}
	CLITrustIsNot         = Text{"You have not consented to this. To consent, run: %s", "아직 동의하지 않았습니다. 동의하려면 다음을 실행하세요: %s"}
	CLITrustNotNeeded     = Text{"The bundle only reads, so it needs no consent.", "번들이 읽기만 하므로 동의가 필요하지 않습니다."}
	CLITrustRevoked       = Text{"Consent revoked: %s", "동의를 취소했습니다: %s"}
	CLITrustNone          = Text{"There are no consents.", "동의가 없습니다."}
	CLITrustNobody        = Text{"there is no terminal to ask at; nothing was changed", "물어볼 터미널이 없어 아무것도 바꾸지 않았습니다"}
	CLITrustNobodyHint    = Text{"Run this at a terminal. A server without one takes: --trust %s", "터미널에서 실행하세요. 터미널이 없는 서버에는 다음을 쓰세요: --trust %s"}
	CLITrustChanged       = Text{"It was changed while you decided. Look at it again and repeat the command.", "결정하는 동안 바뀌었습니다. 다시 살펴보고 명령을 반복하세요."}
	CLITrustValue         = Text{"%s has an invalid value: %q", "%s의 값이 잘못되었습니다: %q"}
	CLITrustValueHint     = Text{"Use folder, or the digest that 'gongu trust --show --json' prints, such as sha256:1f….", "folder나 'gongu trust --show --json'이 출력하는 다이제스트(예: sha256:1f…)를 쓰세요."}
	CLITrustIgnored       = Text{"--trust and GONGU_TRUST are ignored with --stdio, because a client's settings file can set them", "클라이언트 설정 파일이 정할 수 있으므로 --stdio에서는 --trust와 GONGU_TRUST를 무시합니다"}
	CLIEnvironmentIgnored = Text{"--stdio ignores %s, because a client's settings file can set that and a repository can bring such a file along. If it is your choice, run this at a terminal with the same settings and restart the client: %s", "--stdio에서는 %s을(를) 무시합니다. 클라이언트 설정 파일이 정할 수 있고, 저장소가 그런 파일을 가져올 수 있기 때문입니다. 직접 고른 값이라면 같은 설정으로 터미널에서 다음을 실행한 뒤 클라이언트를 다시 시작하세요: %s"}
	CLIEnvironmentChooses = Text{"Your settings choose other folders for consents and state. Clients may use them, too, once you consent:", "설정이 동의와 상태를 둘 다른 폴더를 고릅니다. 동의하면 클라이언트도 그 폴더를 쓸 수 있습니다:"}
	CLIWroteHeld          = Text{"The change is written and not used yet. To look at it and accept it, run: %s", "변경을 저장했지만 아직 사용하지 않습니다. 살펴보고 받아들이려면 다음을 실행하세요: %s"}
	CLIResourcePackage    = Text{"%s (package %s)", "%s (패키지 %s)"}
	CLIChangeBy           = Text{"(change by %s)", "(%s의 변경)"}
	CLIChangeAdded        = Text{"added", "추가"}
	CLIChangeChanged      = Text{"changed", "변경"}
	CLIChangeRemoved      = Text{"removed", "삭제"}
)

// What a bundle can do. The first argument is the resource.
var (
	CLICanScript    = Text{"%s: run the script %s", "%s: 스크립트 %s 실행"}
	CLICanExtension = Text{"%s: see and change every call of its agents, with %s", "%s: 에이전트의 모든 호출을 보고 바꾸기 (%s)"}
	CLICanShell     = Text{"%s: run any shell command that the model writes%s", "%s: 모델이 쓴 모든 셸 명령 실행%s"}
	CLICanWrite     = Text{"%s: change files (%s)", "%s: 파일 변경 (%s)"}
	CLICanFetch     = Text{"%s: send requests to addresses that the model chooses%s", "%s: 모델이 고른 주소로 요청 보내기%s"}
	CLICanBuiltin   = Text{"%s: use the built-in tool %s", "%s: 기본 도구 %s 사용"}
	CLICanMacro     = Text{"%s: call these tools by itself: %s", "%s: 다음 도구를 스스로 호출: %s"}
	CLICanServer    = Text{"%s: start the server: %s", "%s: 서버 시작: %s"}
	CLICanConnect   = Text{"%s: connect to the server %s", "%s: 서버 %s에 연결"}
	CLICanDiscover  = Text{"%s: list tools with: %s", "%s: 도구 목록: %s"}
	CLICanCall      = Text{"%s: call tools with: %s", "%s: 도구 호출: %s"}

	CLILaunchEnv        = Text{"variable or header: %s", "변수 또는 헤더: %s"}
	CLILaunchFloating   = Text{"floating: what it runs can change without a change of the bundle, because no exact version or digest is given", "유동: 정확한 버전이나 다이제스트가 없어 번들이 그대로여도 실행하는 것이 바뀔 수 있습니다"}
	CLILaunchRemote     = Text{"floating: the server can change what its tools do at any time", "유동: 서버는 도구가 하는 일을 언제든 바꿀 수 있습니다"}
	CLILaunchInside     = Text{"the program lies in the bundle, and a copy of it runs", "프로그램이 번들 안에 있으며 그 사본을 실행합니다"}
	CLILaunchOutside    = Text{"the program is %s; your consent does not cover its content", "프로그램은 %s이며, 동의는 그 내용을 포함하지 않습니다"}
	CLILaunchMissing    = Text{"the program %s was not found", "프로그램 %s을(를) 찾을 수 없습니다"}
	CLILaunchFolder     = Text{"it starts in %s: files there can change what it does, and your consent does not cover them", "%s에서 시작합니다. 그곳의 파일이 동작을 바꿀 수 있으며 동의에 포함되지 않습니다"}
	CLILaunchReads      = Text{"it is told to use %s in the bundle: files there can change what it does, and your consent does not cover them", "번들의 %s을(를) 쓰도록 지정되어 있습니다. 그곳의 파일이 동작을 바꿀 수 있으며 동의에 포함되지 않습니다"}
	CLILaunchDocker     = Text{"it can reach %s, which makes it root of this machine", "%s에 접근할 수 있습니다. 이는 이 기기의 루트 권한과 같습니다"}
	CLILaunchUnconfined = Text{"it runs without a sandbox, with your rights", "샌드박스 없이 사용자 권한으로 실행합니다"}
)

// How a server waits for consent.
var (
	CLIServeWaiting     = Text{"This server has no tools yet, because the user has not consented to the bundle in %s. Tell the user to run this in a terminal: %s . The tools appear as soon as they have.", "사용자가 %s의 번들에 아직 동의하지 않아 이 서버에는 도구가 없습니다. 터미널에서 다음을 실행하도록 사용자에게 알려 주세요: %s . 동의하면 바로 도구가 나타납니다."}
	CLIFlagDev          = Text{"for the author of the bundle: use changes of texts, schemas, macros, prompts and modules at once; others are asked about at the terminal", "번들 작성자용: 텍스트, 스키마, 매크로, 프롬프트, 모듈의 변경을 바로 사용하고, 나머지는 터미널에서 묻습니다"}
	CLIDevNeeds         = Text{"--dev needs a terminal to ask at", "--dev에는 물어볼 터미널이 필요합니다"}
	CLIDevHeld          = Text{"These changes decide what is started or allowed, and are not used yet:", "다음 변경은 무엇을 시작하고 허용할지 정하므로 아직 사용하지 않습니다:"}
	CLIDevAccept        = Text{"To accept them, type y and Enter.", "받아들이려면 y를 입력하고 Enter를 누르세요."}
	CLIDevAccepted      = Text{"Accepted.", "받아들였습니다."}
	CLIDoctorChangeHeld = Text{"changes are held back until you accept them: %d", "받아들일 때까지 사용하지 않는 변경이 %d개 있습니다"}
)
