package lang

// What is wrong with a file or a document of a bundle.
var (
	BundleNotFound         = Text{"the bundle cannot be opened: %s", "번들을 열 수 없습니다: %s"}
	BundleNoFiles          = Text{"the folder has no resource files", "폴더에 리소스 파일이 없습니다"}
	BundleUnreadable       = Text{"cannot be read: %s", "읽을 수 없습니다: %s"}
	BundleFileTooLarge     = Text{"%s is larger than %d bytes", "%s이(가) %d바이트보다 큽니다"}
	BundleTooLarge         = Text{"the files of the bundle have more than %d bytes together", "번들의 파일을 모두 합치면 %d바이트를 넘습니다"}
	BundleTooManyDocuments = Text{"the file has more than %d documents", "파일에 문서가 %d개보다 많습니다"}
	BundleTooManyFiles     = Text{"the folder has too many files to be a bundle", "번들로 보기에는 폴더에 파일이 너무 많습니다"}
	BundleSyntax           = Text{"not valid YAML: %s", "올바른 YAML이 아닙니다: %s"}
	BundleTooDeep          = Text{"nested deeper than %d levels", "%d단계보다 깊게 중첩되었습니다"}
	BundleTooHeavy         = Text{"with its aliases written out the document has more than %d bytes", "별칭을 모두 풀면 문서가 %d바이트를 넘습니다"}
	BundleAliasCycle       = Text{"alias *%s is inside of the value that it names", "별칭 *%s이(가) 자신이 가리키는 값 안에 있습니다"}
	BundleKeyKind          = Text{"a field name cannot be an %s", "필드 이름으로 %s을(를) 쓸 수 없습니다"}
	BundleMergeKey         = Text{"merge keys (<<) are not part of YAML 1.2", "병합 키(<<)는 YAML 1.2에 없습니다"}
	BundleDuplicateKey     = Text{"field %q is given twice", "%q 필드가 두 번 있습니다"}
	BundleNotJSON          = Text{"JSON has no %s", "JSON에는 %s이(가) 없습니다"}
	BundleTag              = Text{"tag %s does not match the value or is not supported", "%s 태그는 값과 맞지 않거나 지원하지 않습니다"}
	BundleMore             = Text{"%d more problems are not listed", "문제 %d개는 표시하지 않았습니다"}
)

// What is wrong with the head of a resource.
var (
	BundleNoKind          = Text{"the document has no kind and is ignored", "문서에 kind가 없어 무시합니다"}
	BundleUnknownKind     = Text{"unknown kind %q", "알 수 없는 kind: %q"}
	BundleNoAPIVersion    = Text{"apiVersion is missing", "apiVersion이 없습니다"}
	BundleAPIVersion      = Text{"apiVersion %q is not supported", "지원하지 않는 apiVersion: %q"}
	BundleNoName          = Text{"the %s has no metadata.name", "%s에 metadata.name이 없습니다"}
	BundleName            = Text{"name %q has a character that names cannot have", "이름 %q에 쓸 수 없는 문자가 있습니다"}
	BundleNameLength      = Text{"name %q has more than %d characters", "이름 %q이(가) %d자보다 깁니다"}
	BundleSeparator       = Text{"name %q must not contain \"__\"", "이름 %q에는 \"__\"를 쓸 수 없습니다"}
	BundleToolName        = Text{"not usable as a tool name: %v", "도구 이름으로 쓸 수 없습니다: %v"}
	BundleUppercase       = Text{"export name %q has upper-case letters", "export 이름 %q에 대문자가 있습니다"}
	BundleDuplicate       = Text{"%s is already defined at %s:%d", "%s은(는) 이미 %s:%d에 정의되어 있습니다"}
	BundleNoSwarm         = Text{"the bundle has no Swarm", "번들에 Swarm이 없습니다"}
	BundleNotRun          = Text{"%s is checked only: gongu does not run its ingress", "%s은(는) 검사만 합니다. gongu는 인그레스를 실행하지 않습니다"}
	BundleMilderHint      = Text{"%s makes the built-in tool look safer than %s is", "%s 때문에 내장 도구가 실제 %s보다 안전해 보입니다"}
	BundleNoTurns         = Text{"%s is checked only: gongu serves the tools of agents and runs no turns yet, so swarms, models and prompts have no effect", "%s은(는) 검사만 합니다. gongu는 에이전트의 도구를 제공하지만 아직 턴을 실행하지 않으므로 스웜, 모델, 프롬프트는 효과가 없습니다"}
	BundleNoSwarmPolicy   = Text{"the policy of %s has no effect: gongu runs no turns yet", "%s의 policy는 효과가 없습니다. gongu는 아직 턴을 실행하지 않습니다"}
	BundleNoTurnExtension = Text{"%s has no effect: builtin:%s works around turns, and gongu runs none yet", "%s은(는) 효과가 없습니다. builtin:%s은(는) 턴을 감싸는데, gongu는 아직 턴을 실행하지 않습니다"}
	BundleNoRequiredTools = Text{"requiredTools of %s has no effect: gongu runs no turns yet", "%s의 requiredTools는 효과가 없습니다. gongu는 아직 턴을 실행하지 않습니다"}
	BundleNoDescription   = Text{"export %q has no description", "export %q에 description이 없습니다"}
	BundleNoParameters    = Text{"export %q has no parameters", "export %q에 parameters가 없습니다"}
	BundleNoToolCalling   = Text{"%s says that it cannot call tools", "%s은(는) 도구를 호출할 수 없다고 선언했습니다"}
	BundleRequiredTool    = Text{"required tool %q is not among the tools of agent %q", "필수 도구 %q이(가) 에이전트 %q의 도구에 없습니다"}
	BundleEntryAgent      = Text{"entryAgent %s is not among agents", "entryAgent %s이(가) agents에 없습니다"}
	BundleMacroSelf       = Text{"macro %q calls itself", "매크로 %q이(가) 자신을 호출합니다"}
	BundleEvent           = Text{"%s has no event %q", "%s에 %q 이벤트가 없습니다"}
	BundleEnvMissing      = Text{"environment variable %s is not set", "환경 변수 %s이(가) 설정되지 않았습니다"}
	BundleShell           = Text{"%q looks like shell syntax, but no shell runs it", "%q은(는) 셸 문법처럼 보이지만 셸로 실행하지 않습니다"}
	BundleUnchecked       = Text{"part of the schema is not checked: %s", "스키마의 일부는 검사하지 않습니다: %s"}
	BundleBadSchema       = Text{"not a valid JSON Schema: %s", "올바른 JSON Schema가 아닙니다: %s"}
	BundleRootType        = Text{"parameters must have type: object at the root", "parameters의 루트는 type: object여야 합니다"}
	BundleNoBuiltin       = Text{"there is no built-in called %q", "%q이라는 내장 모듈이 없습니다"}
	BundleNoBuiltinExport = Text{"the built-in %q has no export %q", "내장 모듈 %q에 export %q이(가) 없습니다"}
)

// What is wrong with a field.
var (
	BundleRequired     = Text{"field %q is missing", "%q 필드가 없습니다"}
	BundleUnknownField = Text{"unknown field %q", "알 수 없는 필드: %q"}
	BundleType         = Text{"expected %s but found %s", "%s 형식이어야 하는데 %s입니다"}
	BundleEmpty        = Text{"must not be empty", "비어 있으면 안 됩니다"}
	BundleEnum         = Text{"%q is not one of the allowed values", "%q은(는) 허용된 값이 아닙니다"}
	BundleURL          = Text{"%q is not an http or https address", "%q은(는) http 또는 https 주소가 아닙니다"}
	BundleGlob         = Text{"%q is not a valid pattern", "%q은(는) 올바른 패턴이 아닙니다"}
	BundleMinItems     = Text{"at least %d item is needed", "항목이 %d개 이상 필요합니다"}
	BundleMinimum      = Text{"%d is less than %d", "%d은(는) %d보다 작습니다"}
	BundleRange        = Text{"number %s is too large", "숫자 %s이(가) 너무 큽니다"}
	BundleNotUnique    = Text{"%s %q is used twice", "%s %q이(가) 두 번 쓰였습니다"}
	BundleBoth         = Text{"%s and %s cannot be given together", "%s와(과) %s을(를) 함께 쓸 수 없습니다"}
	BundleNeither      = Text{"neither %s nor %s is given", "%s도 %s도 없습니다"}
	BundleNeeds        = Text{"%s works only with %s", "%s은(는) %s와(과) 함께 써야 합니다"}
	BundleDuration     = Text{"%q is not a duration", "%q은(는) 시간 길이가 아닙니다"}
	BundleDurationSign = Text{"duration %q must be longer than zero", "시간 길이 %q은(는) 0보다 길어야 합니다"}
	BundleBytes        = Text{"%q is not an amount of memory", "%q은(는) 메모리 크기가 아닙니다"}
	BundleSandboxNone  = Text{"%s starts no programs, so a sandbox has no effect", "%s은(는) 프로그램을 시작하지 않으므로 샌드박스가 아무 효과도 없습니다"}
	BundleQuoting      = Text{"a quote in %q is not closed", "%q의 따옴표가 닫히지 않았습니다"}
)

// What is wrong with a reference, an entry or a package.
var (
	BundleRefType         = Text{"a reference cannot be written as %s", "참조를 %s(으)로 쓸 수 없습니다"}
	BundleRefForm         = Text{"reference %q does not have the form Kind/name", "참조 %q이(가) Kind/name 형식이 아닙니다"}
	BundleRefKind         = Text{"reference %q has an unknown kind", "참조 %q의 kind를 알 수 없습니다"}
	BundleRefField        = Text{"%s of a reference must be a text", "참조의 %s은(는) 문자열이어야 합니다"}
	BundleRefParts        = Text{"a reference needs kind and name", "참조에는 kind와 name이 필요합니다"}
	BundleRefWrongKind    = Text{"a %s is not allowed here, only: %s", "여기에 %s을(를) 쓸 수 없습니다. 쓸 수 있는 것: %s"}
	BundleRefNotFound     = Text{"%s does not exist", "%s을(를) 찾을 수 없습니다"}
	BundleAmbiguous       = Text{"%s exists in several packages: %s", "%s이(가) 여러 패키지에 있습니다: %s"}
	BundleSelector        = Text{"selectors are not supported", "selector는 지원하지 않습니다"}
	BundleSecretRef       = Text{"%q does not have the form Secret/name", "%q이(가) Secret/name 형식이 아닙니다"}
	BundleEntryMissing    = Text{"file %q does not exist", "파일 %q이(가) 없습니다"}
	BundleEntryFolder     = Text{"%q is a folder", "%q은(는) 폴더입니다"}
	BundleEntryAbsolute   = Text{"%q is an absolute path", "%q은(는) 절대 경로입니다"}
	BundleEntryOutside    = Text{"%q is outside of the bundle", "%q은(는) 번들 밖에 있습니다"}
	BundleEntryState      = Text{"%q lies in .gongu, where earlier versions kept state; nothing in it is read", "%q은(는) 이전 버전이 상태를 두던 .gongu 안에 있어 읽지 않습니다"}
	BundleHintEntryState  = Text{"Move the file to another folder of the bundle.", "파일을 번들의 다른 폴더로 옮기세요."}
	BundleEntryUnreadable = Text{"file %q cannot be used: %s", "파일 %q을(를) 쓸 수 없습니다: %s"}
	BundlePackageName     = Text{"%q is not a package name", "%q은(는) 패키지 이름이 아닙니다"}
	BundleVersion         = Text{"%q is not a version", "%q은(는) 버전이 아닙니다"}
	BundlePackageTwice    = Text{"the file has a second Package document", "파일에 Package 문서가 두 개 있습니다"}
	BundlePackagePosition = Text{"a Package must be the first document of its file", "Package는 파일의 첫 문서여야 합니다"}
	BundlePackageFolder   = Text{"a Package must be in a file at the top of the bundle", "Package는 번들 최상위의 파일에 있어야 합니다"}
	BundleNoLock          = Text{"the lock file has no version for %s@%s", "잠금 파일에 %s@%s의 버전이 없습니다"}
	BundleLockStale       = Text{"%s@%s does not match the locked version %s", "%s@%s이(가) 잠긴 버전 %s과(와) 맞지 않습니다"}
	BundleLockVersion     = Text{"lock file version %q is not supported", "잠금 파일 버전 %q을(를) 지원하지 않습니다"}
	BundleNotInstalled    = Text{"package %s@%s is not installed", "패키지 %s@%s이(가) 설치되어 있지 않습니다"}
	BundleNoManifest      = Text{"package %s@%s has no goondan.yaml", "패키지 %s@%s에 goondan.yaml이 없습니다"}
	BundleCycle           = Text{"cyclic package dependencies: %s", "패키지 의존성이 순환합니다: %s"}
	BundleConflict        = Text{"package %s is needed in versions %s and %s", "패키지 %s이(가) 버전 %s과(와) %s로 동시에 필요합니다"}
)

// What to do about a file or a document.
var (
	BundleHintInit          = Text{"Check the path, or run 'gongu init' to write a first gongu.yaml.", "경로를 확인하거나 'gongu init'으로 첫 gongu.yaml을 만드세요."}
	BundleHintReadable      = Text{"Check that the file exists and may be read.", "파일이 있고 읽을 수 있는지 확인하세요."}
	BundleSplitFile         = Text{"Split the file, for instance into tools.yaml and agents.yaml.", "파일을 tools.yaml과 agents.yaml 등으로 나누세요."}
	BundleHintShorten       = Text{"Shorten the file.", "파일을 줄이세요."}
	BundleHintSmallerFolder = Text{"Move the bundle to a separate folder.", "번들을 별도의 폴더에 두세요."}
	BundleHintSyntax        = Text{"Check the indentation and the quotes on this line and the one before.", "이 줄과 앞 줄의 들여쓰기와 따옴표를 확인하세요."}
	BundleHintTabs          = Text{"Indent with spaces, not with tabs.", "탭 대신 공백으로 들여쓰세요."}
	BundleHintColon         = Text{"Put the value in quotes if it contains a colon, and check the indentation.", "값에 콜론이 있으면 따옴표로 감싸고 들여쓰기를 확인하세요."}
	BundleHintAnchor        = Text{"Define the anchor with & before it is used, in the same document, or quote a text that starts with *.", "같은 문서에서 &로 앵커를 먼저 정의하거나, *로 시작하는 문자열은 따옴표로 감싸세요."}
	BundleHintAliases       = Text{"Write the value out instead of using aliases.", "별칭 대신 값을 직접 쓰세요."}
	BundleHintFlatten       = Text{"Use fewer levels.", "중첩 단계를 줄이세요."}
	BundleHintKey           = Text{"Use a plain text as the name of a field.", "필드 이름은 단순한 문자열로 쓰세요."}
	BundleHintMerge         = Text{"Write the fields out, or use an alias for a whole value.", "필드를 직접 쓰거나 값 전체에 별칭을 쓰세요."}
	BundleHintDuplicate     = Text{"Remove one of them.", "둘 중 하나를 지우세요."}
	BundleHintTag           = Text{"Remove the tag; quote the value to make it a text.", "태그를 지우고, 문자열이면 따옴표로 감싸세요."}
	BundleMoreHint          = Text{"Correct the ones above and check again.", "위의 문제를 고친 뒤 다시 검사하세요."}
)

// What to do about a resource.
var (
	BundleHintNear          = Text{"Did you mean: %s?", "혹시 다음 중 하나인가요: %s?"}
	BundleHintOneOf         = Text{"Use one of: %s", "다음 중 하나를 쓰세요: %s"}
	BundleHintKind          = Text{"Add a kind (%s), or rename the file.", "kind(%s)를 추가하거나 파일 이름을 바꾸세요."}
	BundleHintAPIVersion    = Text{"Write apiVersion: %s", "apiVersion: %s(이)라고 쓰세요"}
	BundleHintName          = Text{"Use a short name of letters, digits, \"-\", \"_\" and \".\" that starts with a letter or digit, such as my-agent.", "글자나 숫자로 시작하고 글자, 숫자, \"-\", \"_\", \".\"로 된 짧은 이름을 쓰세요. 예: my-agent"}
	BundleHintToolName      = Text{"Use letters a-z, digits, \"-\" and single \"_\"; resource__export has at most 64 characters.", "영문자, 숫자, \"-\", 단일 \"_\"만 쓰고 resource__export 전체를 64자 이하로 하세요."}
	BundleHintSeparator     = Text{"Use a single underscore or a hyphen, such as %q.", "밑줄 하나나 하이픈을 쓰세요. 예: %q"}
	BundleHintUppercase     = Text{"Write %q.", "%q(으)로 쓰세요."}
	BundleHintRename        = Text{"Rename one of the two, or remove it.", "둘 중 하나의 이름을 바꾸거나 지우세요."}
	BundleHintSpec          = Text{"Add the spec of the %s.", "%s의 spec을 추가하세요."}
	BundleHintSwarm         = Text{"Add a Swarm with entryAgent and agents, if the agents are to run together in goondan. A bundle of tools needs none.", "에이전트를 goondan에서 함께 실행하려면 entryAgent와 agents를 가진 Swarm을 추가하세요. 도구만 있는 번들에는 필요하지 않습니다."}
	BundleHintNotRun        = Text{"Keep it for goondan, or serve the agent's tools with 'gongu serve'.", "goondan용으로 두거나, 'gongu serve'로 에이전트의 도구를 제공하세요."}
	BundleHintMilder        = Text{"Remove the hint. The hints of a built-in tool can be made stricter, never milder.", "이 힌트를 지우세요. 내장 도구의 힌트는 더 엄격하게만 바꿀 수 있습니다."}
	BundleHintNoEffect      = Text{"Keep it for goondan; do not rely on it here.", "goondan용으로 두되, 여기서는 의존하지 마세요."}
	BundleHintDescription   = Text{"Say in one sentence what it does and when to use it; the model chooses by it.", "무엇을 하고 언제 쓰는지 한 문장으로 쓰세요. 모델은 이것을 보고 고릅니다."}
	BundleHintParameters    = Text{"Describe the arguments; for none write parameters: {type: object, properties: {}}.", "인자를 설명하세요. 인자가 없으면 parameters: {type: object, properties: {}}로 쓰세요."}
	BundleHintToolCalling   = Text{"Choose another model, or correct capabilities.toolCalling.", "다른 모델을 고르거나 capabilities.toolCalling을 고치세요."}
	BundleHintEntryAgent    = Text{"Add %s to agents, or use one of: %s", "agents에 %s을(를) 추가하거나 다음 중 하나를 쓰세요: %s"}
	BundleHintMacroSelf     = Text{"Call another tool.", "다른 도구를 호출하세요."}
	BundleHintEnv           = Text{"Set %s before gongu starts.", "gongu를 시작하기 전에 %s을(를) 설정하세요."}
	BundleHintShell         = Text{"If a shell is wanted, write [\"sh\", \"-c\", %q].", "셸이 필요하면 [\"sh\", \"-c\", %q]로 쓰세요."}
	BundleHintUnchecked     = Text{"The tool must check this itself.", "도구가 직접 검사해야 합니다."}
	BundleHintSchema        = Text{"See json-schema.org for what a schema may say.", "스키마에 쓸 수 있는 내용은 json-schema.org를 참고하세요."}
	BundleHintRootType      = Text{"Write type: object and put the arguments under properties.", "type: object로 쓰고 인자를 properties 아래에 두세요."}
	BundleHintEntryReadable = Text{"Let the user who runs gongu read the file.", "gongu를 실행하는 사용자가 파일을 읽을 수 있게 하세요."}
	BundleHintBuiltin       = Text{"Write the name of a built-in after builtin:, such as builtin:bash.", "builtin: 뒤에 내장 모듈의 이름을 쓰세요. 예: builtin:bash"}
)

// What to do about a field.
var (
	BundleHintRequired    = Text{"Add %s.", "%s을(를) 추가하세요."}
	BundleHintEmpty       = Text{"Give a value, or remove the field.", "값을 주거나 필드를 지우세요."}
	BundleHintGive        = Text{"Give a value.", "값을 주세요."}
	BundleHintType        = Text{"Write the value as %s.", "값을 %s(으)로 쓰세요."}
	BundleHintQuote       = Text{"Put it in quotes: %s", "따옴표로 감싸세요: %s"}
	BundleHintBoolean     = Text{"Write true or false.", "true 또는 false로 쓰세요."}
	BundleHintList        = Text{"Write a list: each item on its own line, after \"- \".", "목록으로 쓰세요. 항목마다 한 줄씩 \"- \" 뒤에 씁니다."}
	BundleHintObject      = Text{"Write fields below it, indented.", "그 아래에 들여쓴 필드로 쓰세요."}
	BundleHintMinItems    = Text{"Add an item.", "항목을 추가하세요."}
	BundleHintAtLeast     = Text{"Use at least %d, or remove the field for the default.", "%d 이상으로 쓰거나, 필드를 지워 기본값을 쓰세요."}
	BundleHintSmaller     = Text{"Use at most %d.", "%d 이하로 쓰세요."}
	BundleHintUnique      = Text{"Give each item a different %s.", "항목마다 서로 다른 %s을(를) 주세요."}
	BundleHintURL         = Text{"Write an address such as https://example.com/path.", "https://example.com/path 같은 주소를 쓰세요."}
	BundleHintGlob        = Text{"Use *, ? and [a-z]; write \\[ for a bracket.", "*, ?, [a-z]를 쓰세요. 대괄호는 \\[로 씁니다."}
	BundleHintOneField    = Text{"Keep %s or %s, not both.", "%s와(과) %s 중 하나만 두세요."}
	BundleHintNeeds       = Text{"Add %s, or remove the field.", "%s을(를) 추가하거나 필드를 지우세요."}
	BundleHintValueFrom   = Text{"Write value: TEXT, or valueFrom: {env: NAME}.", "value: 값 또는 valueFrom: {env: 이름}으로 쓰세요."}
	BundleHintServer      = Text{"Give command (with args, env, cwd) for a program, or url (with headers) for an address.", "프로그램이면 command(와 args, env, cwd), 주소면 url(과 headers)을 쓰세요."}
	BundleHintDuration    = Text{"Write a number with a unit, such as 30s, 500ms or 2m.", "30s, 500ms, 2m처럼 단위를 붙여 쓰세요."}
	BundleHintBytes       = Text{"Write a number with a unit, such as 512MiB or 2GiB.", "512MiB, 2GiB처럼 단위를 붙여 쓰세요."}
	BundleHintSandboxNone = Text{"Remove sandbox; it belongs to builtin:bash, modules, ToolCommand and McpServer with a command.", "sandbox를 지우세요. builtin:bash, 모듈, ToolCommand, command가 있는 McpServer에만 쓸 수 있습니다."}
	BundleHintArgv        = Text{"Write a list of words, such as [\"python3\", \"tools.py\"].", "[\"python3\", \"tools.py\"]처럼 단어 목록으로 쓰세요."}
)

// What to do about a reference, an entry or a package.
var (
	BundleHintRef             = Text{"Write %[1]s/name, {kind: %[1]s, name: NAME} or {ref: %[1]s/name}.", "%[1]s/이름, {kind: %[1]s, name: 이름} 또는 {ref: %[1]s/이름}으로 쓰세요."}
	BundleHintRefText         = Text{"Write %s.", "%s(으)로 쓰세요."}
	BundleHintPackage         = Text{"Say which: %s", "어느 것인지 쓰세요: %s"}
	BundleHintInPackages      = Text{"It exists in: %s", "다음 패키지에 있습니다: %s"}
	BundleHintAddResource     = Text{"Add a resource with kind: %s and this name.", "kind: %s와(과) 이 이름을 가진 리소스를 추가하세요."}
	BundleHintSecretRef       = Text{"Write ref: Secret/name.", "ref: Secret/이름으로 쓰세요."}
	BundleHintFiles           = Text{"Leave files out: gongu finds what the module imports.", "files를 빼세요. 모듈이 가져오는 파일은 gongu가 찾습니다."}
	BundleHintEntryInside     = Text{"Use a path inside of the bundle, relative to its folder, such as ./tools/bash/index.ts.", "번들 폴더 기준의 상대 경로를 쓰세요. 예: ./tools/bash/index.ts"}
	BundleHintEntryFile       = Text{"Name the file in it, such as index.ts.", "그 안의 파일을 지정하세요. 예: index.ts"}
	BundleHintEntryWrite      = Text{"Write the file %s, or correct the path; it is relative to the folder of the bundle.", "%s 파일을 만들거나 경로를 고치세요. 경로는 번들 폴더 기준입니다."}
	BundleHintPackageName     = Text{"Write a name such as my-tools or @team/my-tools.", "my-tools 또는 @team/my-tools 같은 이름을 쓰세요."}
	BundleHintVersion         = Text{"Write a version such as \"1.0.0\".", "\"1.0.0\" 같은 버전을 쓰세요."}
	BundleHintPackageTwice    = Text{"Keep one Package document.", "Package 문서를 하나만 두세요."}
	BundleHintPackagePosition = Text{"Move it to the beginning of gongu.yaml or goondan.yaml at the top of the bundle.", "번들 최상위의 gongu.yaml 또는 goondan.yaml의 맨 앞으로 옮기세요."}
	BundleHintLock            = Text{"Write the version into goondan.lock.yaml with the tool that installs the packages, or give an exact version.", "패키지를 설치하는 도구로 goondan.lock.yaml을 갱신하거나 정확한 버전을 쓰세요."}
	BundleHintInstall         = Text{"Install it to %s in the bundle.", "번들의 %s에 설치하세요."}
	BundleHintManifest        = Text{"Add goondan.yaml or dist/goondan.yaml to the package.", "패키지에 goondan.yaml 또는 dist/goondan.yaml을 넣으세요."}
	BundleHintCycle           = Text{"Remove one of the dependencies.", "의존성 중 하나를 지우세요."}
	BundleHintConflict        = Text{"Make all packages agree on one version.", "모든 패키지가 같은 버전을 쓰게 하세요."}
)
