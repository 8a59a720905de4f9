package lang

// Texts of what a call will do, for a person who is asked about it.
var (
	PreviewCommand   = Text{"Runs this with a shell:", "셸에서 다음을 실행합니다:"}
	PreviewScript    = Text{"The script is the file %s as it is now.", "스크립트는 현재 상태의 파일 %s입니다."}
	PreviewParts     = Text{"The commands in it:", "그 안의 명령:"}
	PreviewUndecided = Text{"known only when it runs", "실행할 때 정해짐"}
	PreviewDynamic   = Text{"Part of what this runs is decided only when it runs; the text does not show it.", "실행할 내용의 일부는 실행할 때 정해지며 이 글에는 보이지 않습니다."}
	PreviewOneFile   = Text{"Changes a file:", "파일 하나를 바꿉니다:"}
	PreviewFiles     = Text{"Changes %d files:", "파일 %d개를 바꿉니다:"}
	PreviewCreate    = Text{"new file", "새 파일"}
	PreviewMkdir     = Text{"new folder", "새 폴더"}
	PreviewDelete    = Text{"deleted", "삭제"}
	PreviewFrom      = Text{"renamed from %s", "%s에서 이름 변경"}
	PreviewRequest   = Text{"Sends an HTTP request to %s:", "%s에 HTTP 요청을 보냅니다:"}
	PreviewArgs      = Text{"Arguments:", "인수:"}
	PreviewNoArgs    = Text{"No arguments.", "인수가 없습니다."}
	PreviewProblem   = Text{"It would fail now: %s", "지금은 실패합니다: %s"}
	PreviewMoreLines = Text{"… %d more lines", "… %d줄 더 있음"}
	PreviewMoreArgs  = Text{"… %d more arguments", "… 인수 %d개 더 있음"}
	PreviewMoreChars = Text{"… (%d characters)", "… (%d자)"}
	PreviewAll       = Text{"To see all of it: %s", "전체 보기: %s"}

	// Notes about a diff that is not shown, or not whole.
	PreviewBinary    = Text{"binary content, %d bytes now, %d bytes afterwards", "바이너리 내용, 현재 %d바이트, 변경 후 %d바이트"}
	PreviewLarge     = Text{"too large to compare, %d bytes now, %d bytes afterwards", "비교하기에는 너무 큼, 현재 %d바이트, 변경 후 %d바이트"}
	PreviewCut       = Text{"the diff is cut after %d of %d bytes", "diff를 %d/%d바이트까지만 보여 줍니다"}
	PreviewNoChange  = Text{"the content stays the same", "내용이 그대로입니다"}
	PreviewTimedOut  = Text{"looking at the files took too long", "파일을 확인하는 데 시간이 너무 오래 걸렸습니다"}
	PreviewWithAdded = Text{"adds %d bytes at the end", "끝에 %d바이트를 덧붙입니다"}

	// The refusal of a call whose file is not the one that was approved.
	PreviewChanged = Text{"%s is not the file that was approved: it has changed, or another file is there now. Nothing was changed by this call.", "%s은(는) 승인된 파일이 아닙니다. 내용이 바뀌었거나 다른 파일이 그 자리에 있습니다. 이 호출은 아무것도 바꾸지 않았습니다."}
)
