package lang

// Texts that the seed documents print and that packages above use.
var (
	ApprovalPrompt = Text{"Allow %s to run?", "%s 실행을 승인하시겠습니까?"}
	// The two refusals of a call whose approval cannot be asked for.
	ApprovalNoManager = Text{"%s needs approval, and this program has no approval manager.", "%s은(는) 승인이 필요하지만 이 프로그램에는 승인 관리자가 없습니다."}
	ApprovalFailed    = Text{"%s needs approval, and asking failed: %s", "%s은(는) 승인이 필요하지만 묻지 못했습니다: %s"}
	EditNotFound      = Text{"The text to edit was not found: \"%s...\"", "편집 대상을 찾을 수 없습니다: \"%s...\""}
	ReadFailed        = Text{"The file could not be read: %s", "파일 읽기 실패: %s"}
	FileMissing       = Text{"The file does not exist: %s", "파일이 존재하지 않습니다: %s"}
	RequestQueued     = Text{"The tool request is registered. A developer will review it before it is added.", "도구 요청이 등록되었습니다. 개발자 검토 후 추가됩니다."}
	ToolNameNotFound  = Text{"Tool '%s' not found", "Tool '%s' not found"}
)
