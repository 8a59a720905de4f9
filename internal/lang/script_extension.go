package lang

// What is wrong with an extension that is written in TypeScript.
var (
	ExtScriptNoRegister   = Text{"%s exports no register: write `export function register(api) { … }`, or make it the default export.", "%s이(가) register를 내보내지 않습니다. `export function register(api) { … }`를 쓰거나 기본 내보내기로 만드세요."}
	ExtScriptLevel        = Text{"api.pipeline.register: there is no pipeline %q; use turn, step or toolCall.", "api.pipeline.register: %q 파이프라인은 없습니다. turn, step, toolCall 중 하나를 쓰세요."}
	ExtScriptPriority     = Text{"api.pipeline.register: the priority must be a whole number.", "api.pipeline.register: priority는 정수여야 합니다."}
	ExtScriptFunction     = Text{"%s: a function is needed.", "%s: 함수가 필요합니다."}
	ExtScriptItem         = Text{"api.tools.register: the item cannot be read: %v.", "api.tools.register: item을 읽을 수 없습니다: %v."}
	ExtScriptItemSource   = Text{"api.tools.register: source.type %q is not known; leave source out, or use mcp for the tools of a server.", "api.tools.register: source.type %q을(를) 알 수 없습니다. source를 빼거나, 서버의 도구라면 mcp를 쓰세요."}
	ExtScriptStopped      = Text{"The extension %s was stopped: %s.", "Extension %s이(가) 중지되었습니다: %s."}
	ExtScriptStoppedHint  = Text{"It is loaded again with the next call. When this repeats, its author must fix it.", "다음 호출 때 다시 로드됩니다. 반복되면 작성자가 고쳐야 합니다."}
	ExtScriptFailed       = Text{"The extension %s is disabled and was not loaded again: %s.", "Extension %s이(가) 비활성화되어 다시 로드되지 않았습니다: %s."}
	ExtScriptFailedHint   = Text{"Its author must fix it; loading the bundle again tries once more.", "작성자가 고쳐야 합니다. 번들을 다시 로드하면 한 번 더 시도합니다."}
	ExtScriptStale        = Text{"%s was registered while the extension %s ran, which was stopped and loaded again since.", "%s은(는) Extension %s이(가) 실행되는 동안 등록되었는데, 그 뒤 Extension이 중지되고 다시 로드되었습니다."}
	ExtScriptSlice        = Text{"it computed for more than %s at a stretch, while all its other calls waited", "한 번에 %s 넘게 계산해 다른 모든 호출이 기다렸습니다"}
	ExtScriptMemory       = Text{"it needs more than %d bytes of memory", "%d바이트보다 많은 메모리가 필요합니다"}
	ExtScriptPanic        = Text{"the script engine failed: %v", "스크립트 엔진에 오류가 났습니다: %v"}
	ExtScriptDiffers      = Text{"it registered something else when it was loaded again", "다시 로드했을 때 등록한 내용이 달랐습니다"}
	ExtScriptLate         = Text{"it had registered middleware after it was loaded, which cannot be brought back", "로드된 뒤에 미들웨어를 등록했는데, 이를 되살릴 수 없습니다"}
	ExtScriptTooOften     = Text{"it was stopped %d times in a row", "연속으로 %d번 중지되었습니다"}
	ExtScriptLost         = Text{"%d of its VMs could not be stopped", "VM %d개를 중지할 수 없었습니다"}
	ExtScriptNoResult     = Text{"The %s middleware of extension %s returned nothing and did not call next().", "Extension %[2]s의 %[1]s 미들웨어가 아무것도 반환하지 않았고 next()도 호출하지 않았습니다."}
	ExtScriptAnswer       = Text{"The %s middleware of extension %s returned something else than a result: %v.", "Extension %[2]s의 %[1]s 미들웨어가 결과가 아닌 것을 반환했습니다: %[3]v."}
	ExtScriptAnswerStatus = Text{"status must be ok or error, and an error needs a message", "status는 ok 또는 error여야 하고, error에는 message가 필요합니다"}
	ExtScriptMetadata     = Text{"ctx.%s must be an object", "ctx.%s은(는) 객체여야 합니다"}
	ExtScriptCatalog      = Text{"ctx.toolCatalog must be a list of items with a name", "ctx.toolCatalog은 name이 있는 항목의 목록이어야 합니다"}
	ExtScriptNoField      = Text{"ctx.%s does not exist here", "여기에는 ctx.%s이(가) 없습니다"}
	ExtScriptEvent        = Text{"emitMessageEvent: %v", "emitMessageEvent: %v"}
)
