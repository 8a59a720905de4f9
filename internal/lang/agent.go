package lang

// What to do about an extension that could not be loaded.
var (
	ExtensionNameHint   = Text{"Give the extension a name.", "Extension에 이름을 지정하세요."}
	ExtensionExportHint = Text{"Export a function called register.", "register라는 함수를 export하세요."}
	ExtensionTwiceHint  = Text{"List each extension once.", "각 Extension은 한 번만 나열하세요."}
	ExtensionConfigHint = Text{"Make config an object.", "config를 객체로 작성하세요."}
	ExtensionStateHint  = Text{"Repair or remove the stored state.", "저장된 상태를 고치거나 지우세요."}
	ExtensionInitHint   = Text{"Correct what the message says and load again.", "메시지가 가리키는 문제를 고친 뒤 다시 로드하세요."}
)
