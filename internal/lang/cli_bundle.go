package lang

// Help of the commands for bundles.
var (
	CLIValidateShort = Text{"Check a bundle", "번들을 검사합니다"}
	CLIValidateLong  = Text{
		"Check the bundle in a folder (the current one without DIR) and print every\nproblem with its place and a suggestion.\n\nThe exit status is 0 when the bundle is valid, 1 when it has errors and 2 when\nthe command line is wrong.",
		"폴더(DIR을 생략하면 현재 폴더)의 번들을 검사하고, 모든 문제를\n위치와 해결 방법과 함께 출력합니다.\n\n종료 코드는 번들이 올바르면 0, 오류가 있으면 1,\n명령줄이 잘못되면 2입니다.",
	}

	CLIInitShort = Text{"Write a first bundle", "첫 번들을 만듭니다"}
	CLIInitLong  = Text{
		"Write a small bundle to start from: two tools, a model, an agent and a swarm,\nwith comments that explain them. No existing file is changed.",
		"시작점이 될 작은 번들을 만듭니다. 도구 둘, 모델, 에이전트, 스웜이\n설명과 함께 들어 있습니다. 이미 있는 파일은 바꾸지 않습니다.",
	}

	CLIDoctorShort = Text{"Check this machine and the bundle for problems", "이 컴퓨터와 번들의 문제를 점검합니다"}
	CLIDoctorLong  = Text{
		"Check this machine and the bundle, and report what is found, what is missing\nand what to do about it. Nothing is changed.\n\nThe exit status is 1 only when there is a problem. Items reported as missing are\noptional.",
		"이 컴퓨터와 번들을 점검해 있는 것과 없는 것, 해결 방법을 알려 줍니다.\n아무것도 바꾸지 않습니다.\n\n종료 코드는 문제가 있을 때만 1입니다. 없음으로 표시된 항목은 선택 사항입니다.",
	}

	CLITrustShort = Text{"Show what a bundle can do, and consent to it", "번들이 할 수 있는 일을 보여 주고 동의를 받습니다"}
	CLITrustLong  = Text{
		"Show what the bundle in a folder can do, and ask whether it may. A bundle that\ncan run scripts, commands or servers, write files, send requests or call tools\nby itself is used only after your consent, also one that you name with -b.\n\nThe consent covers the bundle as it is now: gongu keeps a copy and runs that.\nA later change is held back until you accept it with the same command.\n\nWithout a person: gongu serve --trust sha256:DIGEST, with the digest that\n'gongu trust --show --json' prints, or --trust folder for a folder that gongu\ncannot write.",
		"폴더의 번들이 할 수 있는 일을 보여 주고 허용할지 묻습니다. 스크립트, 명령,\n서버를 실행하거나 파일을 쓰거나 요청을 보내거나 스스로 도구를 호출할 수 있는\n번들은 동의한 뒤에만 사용합니다. -b로 지정한 번들도 마찬가지입니다.\n\n동의는 지금의 번들에만 해당합니다. gongu는 사본을 만들어 그것을 실행하고,\n나중에 생긴 변경은 같은 명령으로 받아들일 때까지 사용하지 않습니다.\n\n사람이 없을 때: 'gongu trust --show --json'이 출력하는 다이제스트로\ngongu serve --trust sha256:DIGEST를 쓰거나, gongu가 쓸 수 없는 폴더이면\n--trust folder를 쓰세요.",
	}
)

// What the flags for bundles do.
var (
	CLIFlagBundle       = Text{"use the bundle in `DIR` (default: the current folder's, else the starter tools)", "`DIR`의 번들을 씁니다 (기본값은 현재 폴더의 번들, 없으면 기본 도구)"}
	CLIFlagStateRoot    = Text{"keep workspaces and long outputs in `DIR` (default: GONGU_STATE_ROOT, else a folder for the bundle in your state folder)", "작업 공간과 긴 출력을 `DIR`에 둡니다 (기본값은 GONGU_STATE_ROOT, 없으면 사용자 상태 폴더 안의 번들별 폴더)"}
	CLIFlagAgent        = Text{"only what agent `A` of the bundle may use", "번들의 에이전트 `A`가 쓸 수 있는 것만"}
	CLIFlagInstance     = Text{"use the workspace of instance `K`", "인스턴스 `K`의 작업 공간을 씁니다"}
	CLIFlagWorkdir      = Text{"where tools run: `DIR|project`, and project is the folder of the bundle (default: a workspace in the state root)", "도구를 실행할 곳: `DIR|project`. project는 번들의 폴더입니다 (기본값은 상태 폴더의 작업 공간)"}
	CLIFlagRoot         = Text{"let file tools reach `DIR`, too (repeatable)", "파일 도구가 `DIR`에도 접근할 수 있게 합니다 (여러 번 쓸 수 있음)"}
	CLIFlagAllowPrivate = Text{"private place that http-fetch may reach: `HOST|CIDR` (repeatable)", "http-fetch가 접근해도 되는 사설 주소: `HOST|CIDR` (여러 번 쓸 수 있음)"}
	CLIFlagCode         = Text{"also allow run_code: runs programs that a model writes, in a separate process", "모델이 쓴 프로그램을 별도 프로세스에서 실행하는 run_code도 허용합니다"}
	CLIFlagEnv          = Text{"let commands see the variable `NAME` (repeatable)", "명령이 환경 변수 `NAME`을 볼 수 있게 합니다 (여러 번 쓸 수 있음)"}

	CLIFlagStrict = Text{"treat bad practice as an error, too", "권장하지 않는 것도 오류로 처리합니다"}
	CLIFlagFix    = Text{"add a missing apiVersion to the files", "파일에 빠진 apiVersion을 넣습니다"}
	CLIFlagRevoke = Text{"revoke the consent to the bundle", "번들에 대한 동의를 취소합니다"}
	CLIFlagShow   = Text{"only show what the bundle can do", "번들이 할 수 있는 일을 보여 주기만 합니다"}

	CLIFlagTrustList = Text{"list all consents", "모든 동의를 나열합니다"}
	CLIFlagTrust     = Text{"consent without a person: `sha256:DIGEST|folder` (default: GONGU_TRUST; ignored with --stdio)", "사람 없이 동의합니다: `sha256:DIGEST|folder` (기본값은 GONGU_TRUST. --stdio에서는 무시)"}
)

// How a flag or an argument for bundles was misunderstood.
var (
	CLIOneFolder        = Text{"%s takes one folder, but %d were given", "%s 명령은 폴더 하나를 받는데 %d개가 주어졌습니다"}
	CLINoFolder         = Text{"%q is not the name of a folder", "%q은(는) 폴더 이름이 아닙니다"}
	CLITwoFolders       = Text{"the folder %q and -b %q cannot be used together", "폴더 %q와(과) -b %q은(는) 함께 쓸 수 없습니다"}
	CLINoAgent          = Text{"the bundle has no agent %q", "번들에 %q 에이전트가 없습니다"}
	CLINoAgents         = Text{"there is no agent %q: the starter tools have no agents", "%q 에이전트가 없습니다. 기본 도구에는 에이전트가 없습니다"}
	CLIHintNameBundle   = Text{"Name a bundle with -b DIR, or write one with 'gongu init'.", "-b DIR로 번들을 지정하거나 'gongu init'으로 만드세요."}
	CLIHintAddAgent     = Text{"Add a resource with kind: Agent and this name.", "kind: Agent와 이 이름을 가진 리소스를 추가하세요."}
	CLIHintFolderExists = Text{"The folder must exist.", "폴더가 있어야 합니다."}
	CLIHintPrivateForm  = Text{"Use a host, host:port, an address or a network such as 10.0.0.0/8.", "호스트, 호스트:포트, 주소 또는 10.0.0.0/8 같은 네트워크를 쓰세요."}
	CLIHintEnvName      = Text{"Give the name alone, such as MY_TOKEN; the value comes from the environment.", "MY_TOKEN처럼 이름만 쓰세요. 값은 환경에서 가져옵니다."}
)

// How a bundle is shown to its author.
var (
	CLISeverityError   = Text{"error", "오류"}
	CLISeverityWarning = Text{"warning", "경고"}
	CLISeverityNote    = Text{"note", "참고"}
	CLIDiagnosticAt    = Text{"at: %s", "위치: %s"}
	CLIDiagnosticFix   = Text{"fix: %s", "해결: %s"}

	CLIOneError       = Text{"%d error", "오류 %d개"}
	CLIManyErrors     = Text{"%d errors", "오류 %d개"}
	CLIOneWarning     = Text{"%d warning", "경고 %d개"}
	CLIManyWarnings   = Text{"%d warnings", "경고 %d개"}
	CLIValid          = Text{"Valid: %s, %s; %s.", "올바릅니다: %s, %s, %s."}
	CLIInvalid        = Text{"Not valid: %s, %s.", "올바르지 않습니다: %s, %s."}
	CLINoResources    = Text{"no resources", "리소스 없음"}
	CLIFixed          = Text{"Fixed %s: added apiVersion.", "%s을(를) 고쳤습니다: apiVersion을 넣었습니다."}
	CLIHintWritable   = Text{"Check that you may write the file, or correct it by hand.", "파일에 쓸 수 있는지 확인하거나 직접 고치세요."}
	CLIBundleRefused  = Text{"the bundle in %s is not used, because it has %s", "%s의 번들에 %s가 있어 사용하지 않습니다"}
	CLIHintCorrect    = Text{"Correct the above and check with: %s", "위의 문제를 고친 뒤 다음 명령으로 확인하세요: %s"}
	CLINotChecked     = Text{"not checked: whether %s exports a handler for each of: %s", "검사하지 않음: %s 파일이 다음의 핸들러를 모두 내보내는지: %s"}
	CLINotCheckedExt  = Text{"not checked: whether %s exports register", "검사하지 않음: %s 파일이 register를 내보내는지"}
	CLIHintNotChecked = Text{"'gongu validate' runs no code of the bundle. To load the module and check it, run: gongu tools -b DIR", "'gongu validate'는 번들의 코드를 실행하지 않습니다. 모듈을 로드해 확인하려면 다음을 실행하세요: gongu tools -b DIR"}
)

// Texts of gongu init.
var (
	CLIInitExists   = Text{"%s already exists; nothing was written", "%s이(가) 이미 있어 아무것도 쓰지 않았습니다"}
	CLIInitOtherDir = Text{"Choose another folder: gongu init DIR", "다른 폴더를 고르세요: gongu init DIR"}
	CLIInitWrote    = Text{"Wrote %s", "%s 파일을 만들었습니다"}
	CLIInitTry      = Text{"Try:", "해 보세요:"}
)

// Texts of gongu doctor.
var (
	CLIDoctorOK       = Text{"ok", "정상"}
	CLIDoctorMissing  = Text{"missing", "없음"}
	CLIDoctorProblem  = Text{"problem", "문제"}
	CLIDoctorAllGood  = Text{"No problems.", "문제가 없습니다."}
	CLIDoctorOne      = Text{"%d problem to solve.", "해결할 문제가 %d개 있습니다."}
	CLIDoctorMany     = Text{"%d problems to solve.", "해결할 문제가 %d개 있습니다."}
	CLIDoctorNotFound = Text{"not found (optional)", "찾을 수 없음 (선택 사항)"}

	CLIDoctorShellNone    = Text{"no %s; the bash tools cannot run", "%s이(가) 없어 bash 도구를 쓸 수 없습니다"}
	CLIDoctorShellHint    = Text{"Use Linux, macOS or WSL for the bash tools; all others work here.", "bash 도구는 Linux, macOS, WSL에서 쓰세요. 다른 도구는 여기서도 됩니다."}
	CLIDoctorShellFix     = Text{"Install a POSIX shell at %s, or leave out the bash tools.", "%s에 POSIX 셸을 설치하거나 bash 도구를 빼세요."}
	CLIDoctorGitHint      = Text{"Install git to keep the history of a bundle.", "번들의 이력을 남기려면 git을 설치하세요."}
	CLIDoctorNodeHint     = Text{"Install Node.js only for tools that say runtime: node.", "runtime: node를 쓰는 도구가 있을 때만 Node.js를 설치하세요."}
	CLIDoctorBunHint      = Text{"Install Bun only for tools that say runtime: bun.", "runtime: bun을 쓰는 도구가 있을 때만 Bun을 설치하세요."}
	CLIDoctorUnwritable   = Text{"cannot write to %s: %s", "%s에 쓸 수 없습니다: %s"}
	CLIDoctorOldState     = Text{"%s is not read any more: state lies outside of the bundle", "%s은(는) 더 이상 읽지 않습니다. 상태는 번들 밖에 있습니다"}
	CLIDoctorOldStateHint = Text{"Keep its workspaces with: %s", "작업 공간을 유지하려면: %s"}
	CLIDoctorStateHint    = Text{"Choose a folder you may write with --state-root DIR or GONGU_STATE_ROOT.", "--state-root DIR이나 GONGU_STATE_ROOT로 쓸 수 있는 폴더를 고르세요."}
	CLIDoctorConfigHint   = Text{"Set GONGU_CONFIG_DIR to a folder you may write; consents are kept there.", "GONGU_CONFIG_DIR을 쓸 수 있는 폴더로 설정하세요. 동의 기록을 그곳에 둡니다."}
	CLIDoctorNoConfig     = Text{"this user has no configuration folder: %s", "이 사용자에게 설정 폴더가 없습니다: %s"}
	CLIDoctorNoBundle     = Text{"none in %s; the starter tools are used", "%s에 없음. 기본 도구를 씁니다"}
	CLIDoctorInitHint     = Text{"Run 'gongu init' to write one.", "'gongu init'으로 만드세요."}
	CLIDoctorBroken       = Text{"%s has %s", "%s에 %s가 있습니다"}
	CLIDoctorCheckHint    = Text{"Run: %s", "다음을 실행하세요: %s"}
	CLIDoctorBundle       = Text{"%s: %s", "%s: %s"}
	CLIDoctorNoTrust      = Text{"not needed: the bundle only reads", "필요 없음: 번들이 읽기만 합니다"}
	CLIDoctorTrusted      = Text{"you have consented to the bundle as it is", "지금의 번들에 동의했습니다"}
	CLIDoctorUntrusted    = Text{"the bundle has no consent yet", "아직 번들에 동의하지 않았습니다"}
	CLIDoctorSpace        = Text{"%s, %d MiB free", "%s, %d MiB 남음"}
	CLIDoctorSpaceHint    = Text{"Free some space, or set TMPDIR to another disk.", "공간을 확보하거나 TMPDIR을 다른 디스크로 설정하세요."}
)
