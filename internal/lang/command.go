package lang

// Errors of tools of a command.
var (
	CommandFailed     = Text{"%s failed with exit code %d.", "%s이(가) 종료 코드 %d로 실패했습니다."}
	CommandSignal     = Text{"%s was ended by the signal %s.", "%s이(가) %s 신호로 종료되었습니다."}
	CommandTimeout    = Text{"%s did not end within %s and was stopped.", "%s이(가) %s 안에 끝나지 않아 중단했습니다."}
	CommandStart      = Text{"%s could not be started: %v.", "%s을(를) 시작할 수 없습니다: %v."}
	CommandStartHint  = Text{"The program that runs this tool is missing or may not be executed. Tell the user; gongu doctor shows the details.", "이 도구를 실행하는 프로그램이 없거나 실행할 수 없습니다. 사용자에게 알리세요. 자세한 내용은 gongu doctor에서 볼 수 있습니다."}
	CommandFailedHint = Text{"Read stderr in the output, correct the arguments and try again.", "출력의 stderr를 읽고 인자를 고친 뒤 다시 시도하세요."}
	CommandWorkerGone = Text{"The program behind %s ended during the call. It is not known whether the call had an effect.", "호출하는 동안 %s의 프로그램이 종료되었습니다. 호출이 실제로 반영되었는지 알 수 없습니다."}
	CommandWorkerLine = Text{"The program behind %s does not print JSON lines: %s.", "%s의 프로그램이 JSON Lines 형식으로 출력하지 않습니다: %s."}
)

// What is wrong with a list of tools, for the person who wrote the program.
var (
	CommandListEmpty     = Text{"the program printed nothing; print [] when there are no tools", "프로그램이 아무것도 출력하지 않았습니다. 도구가 없으면 []를 출력하세요"}
	CommandListBroken    = Text{"line %d: the JSON breaks off or is wrong: %v", "%d행: JSON이 중간에 끊겼거나 잘못되었습니다: %v"}
	CommandListNoise     = Text{"line %d is not JSON: %q", "%d행은 JSON이 아닙니다: %q"}
	CommandListLarge     = Text{"the program printed more than %d bytes", "프로그램이 %d바이트보다 많이 출력했습니다"}
	CommandEntryKind     = Text{"%s is not a declaration: it is %s", "%s은(는) 선언이 아닙니다: %s입니다"}
	CommandEntryNoName   = Text{"the declaration has no name", "선언에 이름이 없습니다"}
	CommandEntryName     = Text{"the name %s is not a string", "이름 %s이(가) 문자열이 아닙니다"}
	CommandEntryTwice    = Text{"%q is listed twice; the later one counts", "%q이(가) 두 번 나옵니다. 나중 것을 사용합니다"}
	CommandEntrySchema   = Text{"%s of %q is not a JSON Schema object; any object is accepted instead", "%[2]q의 %[1]s이(가) JSON Schema 객체가 아닙니다. 대신 모든 객체를 받습니다"}
	CommandEntryBad      = Text{"%q is left out: %v", "%q을(를) 제외합니다: %v"}
	CommandEntryRepaired = Text{"%q: the schema was repaired: %s", "%q: 스키마를 고쳤습니다: %s"}
	CommandTooMany       = Text{"there are more than %d tools; the rest is left out", "도구가 %d개보다 많습니다. 나머지는 제외합니다"}
)
