package lang

// What is wrong with a child process that runs scripts.
var (
	ChildNoProgram  = Text{"%s cannot run: it says runtime: %s, and there is no %s on the PATH.", "%s을(를) 실행할 수 없습니다. runtime: %s인데 PATH에 %s이(가) 없습니다."}
	ChildInstall    = Text{"Install %s (%s) and make sure the host finds it on its PATH, or leave spec.runtime out so that the module runs inside gongu.", "%s을(를) 설치하고(%s) 호스트의 PATH에 있는지 확인하거나, spec.runtime을 지워 gongu 안에서 실행하세요."}
	ChildNone       = Text{"%s cannot run in a separate process: this program does not say how to start one.", "%s을(를) 별도 프로세스에서 실행할 수 없습니다. 이 프로그램에 프로세스를 시작하는 방법이 지정되지 않았습니다."}
	ChildNoneHint   = Text{"Set Options.Child to a program that calls script.ChildMain, as gongu itself does, or leave spec.runtime out.", "gongu처럼 script.ChildMain을 호출하는 프로그램을 Options.Child에 지정하거나 spec.runtime을 지우세요."}
	ChildNoPipes    = Text{"%s cannot run: runtime: %s needs pipes that this system cannot hand to a program.", "%s을(를) 실행할 수 없습니다. runtime: %s에 필요한 파이프를 이 시스템에서는 프로그램에 넘길 수 없습니다."}
	ChildNoStart    = Text{"The process for %s could not be started: %v.", "%s의 프로세스를 시작하지 못했습니다: %v."}
	ChildDied       = Text{"The process that ran %s ended before the call did (%s). What the call has done until then is not known.", "%s을(를) 실행하던 프로세스가 호출보다 먼저 끝났습니다(%s). 그때까지 한 일은 알 수 없습니다."}
	ChildGarbage    = Text{"The process that ran %s wrote something that is not part of its protocol and was ended (%s). What the call has done until then is not known.", "%s을(를) 실행하던 프로세스가 규약에 없는 내용을 써서 종료되었습니다(%s). 그때까지 한 일은 알 수 없습니다."}
	ChildKilled     = Text{"The process that ran %s had to be ended because another call in it did not stop. What this call has done until then is not known.", "%s을(를) 실행하던 프로세스에서 다른 호출이 멈추지 않아 프로세스를 종료했습니다. 이 호출이 그때까지 한 일은 알 수 없습니다."}
	ChildMemory     = Text{"The process that ran %s took more than %d bytes of memory and was ended. The next call gets a new one.", "%s을(를) 실행하던 프로세스가 %d바이트보다 많은 메모리를 써서 종료되었습니다. 다음 호출은 새 프로세스에서 실행됩니다."}
	ChildFailing    = Text{"%s is not started again for another %s: its process failed %d times in a row. The last time: %s", "%s의 프로세스가 연속 %[3]d번 실패해 %[2]s 동안 다시 시작하지 않습니다. 마지막 오류: %[4]s"}
	ChildLoadFailed = Text{"%s could not be loaded by %s: %s", "%[2]s이(가) %[1]s을(를) 로드하지 못했습니다: %[3]s"}
	ChildSlow       = Text{"The process for %s was not ready within %s.", "%s의 프로세스가 %s 안에 준비되지 않았습니다."}
	ChildMany       = Text{"%s runs in %d working directories at a time, which is the limit; try again when one of them is free.", "%s이(가) 동시에 작업 디렉터리 %d개에서 실행 중이며 이것이 한도입니다. 하나가 비면 다시 시도하세요."}
	ScriptLost      = Text{"Scripts are unavailable: %d of them ran past their limit, cannot be stopped and still run. Give the host a way to start processes (Options.Child, as the gongu command does), or restart it.", "스크립트를 쓸 수 없습니다. 스크립트 %d개가 제한을 넘겼고 중지할 수 없어 아직 실행 중입니다. 호스트에 프로세스를 시작하는 방법(Options.Child)을 지정하거나 다시 시작하세요."}
)

// Errors of code mode.
var (
	CodeTooLarge    = Text{"The code has %d bytes, at most %d are allowed.", "코드가 %d바이트입니다. 최대 %d바이트까지 가능합니다."}
	CodeTooDeep     = Text{"The code is nested more than %d deep.", "코드의 중첩이 %d단계를 넘습니다."}
	CodeEmpty       = Text{"The code is empty.", "코드가 비어 있습니다."}
	CodeEmptyHint   = Text{"Write the body of an async function, such as: return await tools.name({ … })", "async 함수의 본문을 쓰세요. 예: return await tools.name({ … })"}
	CodeSmaller     = Text{"Write less code in one run, and keep data out of it: tools can be called for it.", "한 번에 쓰는 코드를 줄이고, 데이터는 코드에 넣지 말고 도구를 호출해 가져오세요."}
	CodeNoImport    = Text{"Code cannot import or export: there is nothing beside tools, console and timers. Call tools.<name>(args), and write return for the result.", "코드에서는 import와 export를 쓸 수 없습니다. tools, console, 타이머만 있습니다. tools.<name>(args)를 호출하고 결과는 return으로 돌려주세요."}
	CodeSyntax      = Text{"Line %d of the code: %s", "코드 %d행: %s"}
	CodeLine        = Text{"Line %d of the code failed; correct it and run the code again.", "코드 %d행에서 실패했습니다. 고쳐서 다시 실행하세요."}
	CodeNoTool      = Text{"There is no tool %q here.", "여기에 도구 %q이(가) 없습니다."}
	CodeNear        = Text{"Did you mean %s?", "%s을(를) 뜻했나요?"}
	CodeGlobal      = Text{"%s is not available in code; use %s.", "%s은(는) 코드에서 쓸 수 없습니다. %s을(를) 사용하세요."}
	CodeNoGlobal    = Text{"%s is not available in code: there is nothing beside tools, console and timers.", "%s은(는) 코드에서 쓸 수 없습니다. tools, console, 타이머만 있습니다."}
	CodeUnfit       = Text{"The arguments cannot be written as JSON: %s is a %s.", "인자를 JSON으로 쓸 수 없습니다: %s이(가) %s입니다."}
	CodeArguments   = Text{"A tool takes one object of arguments, or none.", "도구는 인자 객체 하나를 받거나 인자 없이 호출합니다."}
	CodeManyCalls   = Text{"The code called tools more than %d times and was stopped.", "코드가 도구를 %d번보다 많이 호출해 중지되었습니다."}
	CodeFewerCalls  = Text{"Do the work with fewer calls, or in several runs.", "호출을 줄이거나 여러 번에 나누어 실행하세요."}
	CodeInFlight    = Text{"%d tool calls are under way, which is the limit; await some of them first.", "진행 중인 도구 호출이 %d개로 한도입니다. 먼저 일부를 await하세요."}
	CodeDied        = Text{"The process that ran the code ended by itself (%s). The calls that the list shows were made.", "코드를 실행하던 프로세스가 스스로 끝났습니다(%s). 목록에 있는 호출은 실행되었습니다."}
	CodeGarbage     = Text{"The process that ran the code broke its protocol and was ended (%s).", "코드를 실행하던 프로세스가 규약을 어겨 종료되었습니다(%s)."}
	CodeMemory      = Text{"The code needs more than %d bytes of memory and was stopped.", "코드가 %d바이트보다 많은 메모리를 써서 중지되었습니다."}
	CodeTimeout     = Text{"The code did not finish within %s and was stopped.", "코드가 %s 안에 끝나지 않아 중지되었습니다."}
	CodeCancelled   = Text{"The run was cancelled and the code stopped.", "실행이 취소되어 코드가 중지되었습니다."}
	CodeOutput      = Text{"The result of the code has %d bytes, at most %d are allowed.", "코드의 결과가 %d바이트입니다. 최대 %d바이트까지 가능합니다."}
	CodeReturnLess  = Text{"Return a part or a summary of it.", "일부나 요약만 돌려주세요."}
	CodeUnavailable = Text{"Code cannot be run: this program does not say how to start a process for it.", "코드를 실행할 수 없습니다. 이 프로그램에 프로세스를 시작하는 방법이 지정되지 않았습니다."}
	CodeClosed      = Text{"Code cannot be run: it was closed.", "코드를 실행할 수 없습니다. 이미 닫혔습니다."}
	CodeNoStart     = Text{"The process for the code could not be started: %v.", "코드용 프로세스를 시작하지 못했습니다: %v."}
	CodeBusy        = Text{"The code did not begin: as many programs run as this server allows (%d in all, %d for one caller), and none ended in time.", "코드를 시작하지 못했습니다. 이 서버가 허용하는 만큼의 프로그램이 이미 실행 중이며(전체 %d개, 호출자당 %d개) 제때 끝난 것이 없습니다."}
	CodeBusyHint    = Text{"Wait until your other run_code calls have ended, then call it again. Nothing of this code was run.", "다른 run_code 호출이 끝난 뒤 다시 호출하세요. 이 코드는 전혀 실행되지 않았습니다."}
	CodeMoreLog     = Text{"… more lines were printed and left out", "… 그 밖의 출력은 생략되었습니다"}
	CodeMoreTools   = Text{"// … and %d more tools; ask for their schemas by name.", "// … 그 밖에 도구 %d개가 있습니다. 이름으로 스키마를 조회하세요."}
)

// Texts of gongu doctor about runtimes.
var (
	CLIDoctorRuntimeUsed = Text{"%s, for %s", "%s, 사용하는 도구: %s"}
	CLIDoctorRuntimeNone = Text{"not found, and %s cannot run without it", "찾을 수 없어 %s을(를) 실행할 수 없습니다"}
	CLIDoctorRuntimeHint = Text{"Install %s (%s), or leave spec.runtime out of the tool.", "%s을(를) 설치하거나(%s) 도구의 spec.runtime을 지우세요."}
	CLIDoctorLosses      = Text{"%d did not stop at their limit; the last was %s of %s, %s", "%d개가 제한에서 멈추지 않았습니다. 마지막: %[3]s의 %[2]s, %[4]s"}
	CLIDoctorLossHint    = Text{"Write runtime: process into the tool, so that it can always be ended; then remove %s.", "도구에 runtime: process를 쓰면 항상 종료할 수 있습니다. 그다음 %s을(를) 지우세요."}
)
