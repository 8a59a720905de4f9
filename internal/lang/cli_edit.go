package lang

// Help and usage errors of gongu edit.
var (
	CLIEditShort = Text{"Edit a file the way a model does", "모델이 하는 방식으로 파일을 편집합니다"}
	CLIEditLong  = Text{
		"Replace a part of a file. The old text need not be exact: differences in white\nspace, line ends, indentation, comments and single letters are accepted when\nonly one place matches. Otherwise the edit is rejected, with the most similar\nplaces.\n\nA text may be @FILE for the content of a file, - for standard input, and @@ for\na text that starts with @. The file is replaced in one step and keeps its mode.\n\nThe exit status is 0 when the file was edited, 1 when the edit was rejected and\n2 when the command line is wrong.",
		"파일의 일부를 바꿉니다. 이전 텍스트가 정확하지 않아도 됩니다. 맞는 곳이\n하나뿐이면 공백, 줄 끝, 들여쓰기, 주석, 한 글자의 차이는 허용합니다.\n그 밖에는 편집을 거부하고 가장 비슷한 곳을 보여 줍니다.\n\n텍스트 대신 @FILE(파일 내용), -(표준 입력)를 쓸 수 있고, @로 시작하는 텍스트는\n@@로 씁니다. 파일은 한 번에 바뀌며 권한은 그대로입니다.\n\n종료 코드는 파일을 편집하면 0, 편집을 거부하면 1,\n명령줄이 잘못되면 2입니다.",
	}

	CLIFlagEditOld    = Text{"the text to replace: `TEXT|@FILE|-`", "바꿀 텍스트: `TEXT|@FILE|-`"}
	CLIFlagEditNew    = Text{"the text in its place: `TEXT|@FILE|-`", "대신 넣을 텍스트: `TEXT|@FILE|-`"}
	CLIFlagEditAll    = Text{"replace every occurrence", "나오는 곳을 모두 바꿉니다"}
	CLIFlagEditNear   = Text{"of several places take the one nearest to line `N`", "여러 곳이면 `N`행에 가장 가까운 곳을 고릅니다"}
	CLIFlagEditSHA    = Text{"refuse when the SHA-256 of the file is not `H`", "파일의 SHA-256이 `H`가 아니면 거부합니다"}
	CLIFlagEditDryRun = Text{"show the diff, but do not write", "차이만 보여 주고 쓰지 않습니다"}
	CLIFlagEditJSONL  = Text{"answer requests {before,old,new} on standard input, one a line", "표준 입력의 요청 {before,old,new}에 한 줄씩 답합니다"}

	CLIEditOneFile   = Text{"edit takes one file, but %d were given", "edit은 파일 하나를 받는데 %d개가 주어졌습니다"}
	CLIEditNeedsText = Text{"edit needs --old and --new", "edit에는 --old와 --new가 필요합니다"}
	CLIEditOneStdin  = Text{"only one of --old and --new can be standard input", "--old와 --new 중 하나만 표준 입력일 수 있습니다"}
	CLIEditTooLarge  = Text{"%s has more than %d bytes", "%s이(가) %d바이트보다 큽니다"}
	CLIEditNotJSON   = Text{"the request is not a JSON object with before, old and new: %v", "요청이 before, old, new를 가진 JSON 객체가 아닙니다: %v"}
	CLIEditFailed    = Text{"%s cannot be edited: %v", "%s을(를) 편집할 수 없습니다: %v"}
)
