package lang

// What is wrong with a script module when it is loaded.
var (
	ScriptNotFound     = Text{"%s: there is no such file in the bundle.", "%s: 번들에 이 파일이 없습니다."}
	ScriptOutside      = Text{"%s is outside of the bundle folder; a module may only use files inside of it.", "%s은(는) 번들 폴더 밖에 있습니다. 모듈은 폴더 안의 파일만 사용할 수 있습니다."}
	ScriptAbsolute     = Text{"%s is absolute; write the path from the file that imports it, such as ./util.", "%s은(는) 절대 경로입니다. ./util처럼 가져오는 파일을 기준으로 쓰세요."}
	ScriptNoModule     = Text{"Cannot import %q: it is not available to scripts. Nearest: %s.", "%q을(를) 가져올 수 없습니다. 스크립트에서 쓸 수 없는 모듈입니다. 가장 가까운 것: %s."}
	ScriptTypesOnly    = Text{"Cannot import a value from %q: it has types only. Write `import type`.", "%q에서 값을 가져올 수 없습니다. 타입만 있으므로 `import type`을 쓰세요."}
	ScriptNoExport     = Text{"%s has no %q. Nearest: %s.", "%s에 %q이(가) 없습니다. 가장 가까운 것: %s."}
	ScriptTooLarge     = Text{"%s is larger than %d bytes.", "%s이(가) %d바이트보다 큽니다."}
	ScriptTooMany      = Text{"The module has more than %d files or %d bytes.", "모듈의 파일이 %d개 또는 %d바이트를 넘습니다."}
	ScriptTooDeep      = Text{"%s is nested more than %d deep.", "%s의 중첩이 %d단계를 넘습니다."}
	ScriptKind         = Text{"%s: files of this kind cannot be imported; TypeScript, JavaScript and JSON can.", "%s: 이런 파일은 가져올 수 없습니다. TypeScript, JavaScript, JSON만 가능합니다."}
	ScriptNoHandlers   = Text{"%s exports no handlers: write `export const handlers = { … }`, or a default export with handlers in it.", "%s이(가) handlers를 내보내지 않습니다. `export const handlers = { … }`를 쓰거나 기본 내보내기에 handlers를 넣으세요."}
	ScriptNoHandler    = Text{"%s has no handler %q; it has %s.", "%s에 핸들러 %q이(가) 없습니다. 있는 것: %s."}
	ScriptNone         = Text{"none", "없음"}
	ScriptLoadTimeout  = Text{"%s did not finish loading within %s.", "%s이(가) %s 안에 로드를 마치지 못했습니다."}
	ScriptLoadMemory   = Text{"%s needs more than %d bytes of memory to load.", "%s을(를) 로드하는 데 %d바이트보다 많은 메모리가 필요합니다."}
	ScriptLoadBusy     = Text{"%s cannot start work while the module loads; do it inside a handler.", "%s: 모듈을 로드하는 동안에는 시작할 수 없습니다. 핸들러 안에서 하세요."}
	ScriptLoadProblems = Text{"%s (and %d more problems)", "%s (그 밖에 문제 %d개)"}
)

// What goes wrong while a handler runs.
var (
	ScriptTimeout      = Text{"The script did not finish within %s and was stopped.", "스크립트가 %s 안에 끝나지 않아 중지되었습니다."}
	ScriptCancelled    = Text{"The call was cancelled and its script stopped.", "호출이 취소되어 스크립트가 중지되었습니다."}
	ScriptMemory       = Text{"The script needs more than %d bytes of memory and was stopped.", "스크립트가 %d바이트보다 많은 메모리를 써서 중지되었습니다."}
	ScriptOutput       = Text{"The output of the script has %d bytes, at most %d are allowed.", "스크립트의 출력이 %d바이트입니다. 최대 %d바이트까지 가능합니다."}
	ScriptNeverSettles = Text{"The handler waits for something that cannot happen: its promise is not settled and nothing is under way.", "핸들러가 일어날 수 없는 일을 기다립니다. promise가 끝나지 않았는데 진행 중인 작업이 없습니다."}
	ScriptPanic        = Text{"The script engine failed: %v.", "스크립트 엔진에 오류가 났습니다: %v."}
	ScriptBusy         = Text{"All %d VMs of %s are busy.", "%[2]s의 VM %[1]d개가 모두 사용 중입니다."}
	ScriptClosed       = Text{"%s was unloaded.", "%s이(가) 언로드되었습니다."}
	ScriptUnfit        = Text{"The output cannot be written as JSON: %s is a %s.", "출력을 JSON으로 쓸 수 없습니다: %s이(가) %s입니다."}
	ScriptCycle        = Text{"The output cannot be written as JSON: %s contains itself.", "출력을 JSON으로 쓸 수 없습니다: %s이(가) 자기 자신을 포함합니다."}
	ScriptInFlight     = Text{"The call has %d operations under way, which is the limit; await some of them first.", "호출이 진행 중인 작업 %d개로 한도에 이르렀습니다. 먼저 일부를 await하세요."}
	ScriptTimers       = Text{"The call has %d timers, which is the limit.", "호출의 타이머가 %d개로 한도에 이르렀습니다."}
	ScriptMoreLines    = Text{"the script printed more than %d lines; the rest is dropped", "스크립트가 %d줄보다 많이 출력해 나머지는 버립니다"}
	ScriptUnknown      = Text{"%s is not available to scripts. Nearest: %s.", "%s은(는) 스크립트에서 쓸 수 없습니다. 가장 가까운 것: %s."}
	ScriptUnsupported  = Text{"%s is not supported for scripts; docs/script-api.md lists what is.", "%s은(는) 스크립트에서 지원하지 않습니다. 지원 목록은 docs/script-api.md에 있습니다."}
	ScriptMuchOutput   = Text{"%s is larger than %d bytes.", "%s이(가) %d바이트보다 큽니다."}
	ScriptEnv          = Text{"The environment variable %q cannot be set.", "환경 변수 %q을(를) 설정할 수 없습니다."}
	ScriptNoProgram    = Text{"There is no program %q.", "프로그램 %q이(가) 없습니다."}
	ScriptNoCommand    = Text{"The command is empty.", "명령이 비어 있습니다."}
	ScriptRedirects    = Text{"More than %d redirects.", "리디렉션이 %d회를 넘습니다."}
	ScriptRemoveRoot   = Text{"The working directory itself cannot be removed.", "작업 디렉터리 자체는 삭제할 수 없습니다."}
	ScriptNoAgents     = Text{"There are no other agents here.", "여기에는 다른 에이전트가 없습니다."}
	// ScriptAgentsParams has the operation and the error.
	ScriptAgentsParams    = Text{"%s: the arguments cannot be read: %v", "%s: 인수를 읽을 수 없습니다: %v"}
	ScriptAgentsOperation = Text{"agents have no operation %q; use request, send, spawn, list or catalog", "에이전트에는 %q 연산이 없습니다. request, send, spawn, list, catalog를 쓰세요"}
	ScriptOwnFault        = Text{"The tool's own code failed at %s; other arguments may avoid it, otherwise its author must fix it.", "도구 자체의 코드가 %s에서 실패했습니다. 다른 인자로 피할 수 있는지 보고, 아니면 작성자가 고쳐야 합니다."}
	ScriptNoGlobal        = Text{"%[1]s is not available to scripts (%[2]s). Nearest: %[3]s.", "%[1]s은(는) 스크립트에서 쓸 수 없습니다(%[2]s). 가장 가까운 것: %[3]s."}
)
