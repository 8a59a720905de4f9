package lang

// FileRead, FileEdit and FilePatch belong together: what is read is edited, and
// the sha of the one is the expected_sha of the other.
var (
	FileRead = ToolText{
		Title: Text{"Read a file", "파일 읽기"},
		Description: Text{
			"Read a text file, whole or some of its lines.\nReturns {path, size, truncated, sha, content}. When truncated is true there is more in the file than content shows: read on with offset and limit. sha is the SHA-256 of the whole file; send it as expected_sha with an edit. With offset, limit or line_numbers the output also has firstLine, lastLine and lines, the number of lines. Bytes that are not UTF-8 are replaced, and invalidUtf8 is true.",
			"텍스트 파일 전체 또는 일부 줄을 읽습니다.\n{path, size, truncated, sha, content}를 반환합니다. truncated가 true이면 파일에 content보다 많은 내용이 있으므로 offset과 limit으로 이어서 읽으세요. sha는 파일 전체의 SHA-256이며 편집할 때 expected_sha로 보냅니다. offset, limit, line_numbers를 쓰면 firstLine, lastLine과 전체 줄 수 lines도 반환합니다. UTF-8이 아닌 바이트는 대체 문자로 바뀌고 invalidUtf8이 true가 됩니다.",
		},
		Params: map[string]Text{
			"path":         filePath,
			"maxBytes":     {"Return at most this many bytes.", "최대 이 바이트 수만큼 반환합니다."},
			"offset":       {"The first line to read, counted from 1.", "읽기 시작할 줄. 1부터 셉니다."},
			"limit":        {"How many lines to read. Left out, all that follow.", "읽을 줄 수. 생략하면 끝까지 읽습니다."},
			"line_numbers": {"Put its number and a tab before each line. They are not part of the file: leave them out of an edit.", "각 줄 앞에 줄 번호와 탭을 붙입니다. 파일의 내용이 아니므로 편집할 때는 빼세요."},
		},
	}
	FileEdit = ToolText{
		Title: Text{"Edit a file", "파일 편집"},
		Description: Text{
			"Replace a piece of text in a file.\nold_string must name one place: copy it from the file with a few lines around it. Differences in blanks, line ends, indentation, comments or a slip of one letter are overlooked when only one place is meant; the file keeps its own indentation, line ends and every line that the edit does not change. Anything else is refused and the file stays as it is; the error's output then has candidates with the file's own text to send next. An empty old_string makes a new file with new_string. Give either old_string and new_string, or edits for several changes that are made all or none, each on what the ones before it left. Returns {path, edited, tier, line, lastLine, diff, sha, size}; tier says what was overlooked.",
			"파일의 텍스트 일부를 바꿉니다.\nold_string은 한 곳만 가리켜야 합니다. 앞뒤 몇 줄과 함께 파일에서 복사하세요. 뜻하는 곳이 하나뿐이면 공백, 줄 끝, 들여쓰기, 주석, 한 글자 오타의 차이는 문제 삼지 않습니다. 파일의 들여쓰기와 줄 끝, 편집이 바꾸지 않는 줄은 그대로 유지됩니다. 그 밖의 경우는 거부하고 파일을 바꾸지 않으며, 오류의 출력에 다음에 보낼 파일 원문이 담긴 candidates가 있습니다. old_string이 비어 있으면 new_string으로 새 파일을 만듭니다. old_string과 new_string을 주거나, 여러 변경을 모두 적용하거나 하나도 적용하지 않도록 edits로 주세요. edits의 각 변경은 앞의 변경이 적용된 내용에 적용됩니다. {path, edited, tier, line, lastLine, diff, sha, size}를 반환하며 tier는 무시한 차이의 종류입니다.",
		},
		Params: map[string]Text{
			"path":         filePath,
			"old_string":   {"The text to replace, copied from the file without line numbers. Empty makes a new file.", "바꿀 텍스트. 줄 번호 없이 파일에서 그대로 복사합니다. 비우면 새 파일을 만듭니다."},
			"new_string":   {"The text in its place, written out in full: no \"... existing code ...\".", "대신 넣을 텍스트. \"... existing code ...\" 같은 생략 없이 모두 씁니다."},
			"replace_all":  {"Replace every place instead of the only one.", "한 곳이 아니라 나오는 곳을 모두 바꿉니다."},
			"near_line":    {"When old_string fits several places, take the one nearest to this line.", "old_string이 여러 곳에 맞으면 이 행에 가장 가까운 곳을 고릅니다."},
			"expected_sha": {"The sha that the file had when it was read; the edit is refused when it has changed since.", "파일을 읽었을 때의 sha. 그 뒤에 파일이 바뀌었으면 편집을 거부합니다."},
			"edits":        {"Several changes of this file, made all or none, in order.", "이 파일의 여러 변경. 순서대로 모두 적용하거나 하나도 적용하지 않습니다."},
		},
	}
	FilePatch = ToolText{
		Title: Text{"Apply a patch", "패치 적용"},
		Description: Text{
			"Apply a patch to one or more files, all or nothing.\nTakes a unified diff (as diff -u and git diff write it; new, deleted and renamed files included) or a patch between *** Begin Patch and *** End Patch with *** Update File, *** Add File, *** Delete File and *** Move to. The lines of a hunk are found by their text; line numbers only decide between equal places, so give three lines around each change. Returns {files}: for each file its path, action (created, updated, deleted or renamed), tier, lines, diff and new sha. When one hunk does not fit, no file is changed and the error says which.",
			"하나 이상의 파일에 패치를 적용합니다. 모두 적용하거나 하나도 적용하지 않습니다.\nunified diff(diff -u, git diff 형식. 파일 생성, 삭제, 이름 변경 포함) 또는 *** Begin Patch와 *** End Patch 사이에 *** Update File, *** Add File, *** Delete File, *** Move to를 쓰는 패치를 받습니다. 각 조각의 위치는 텍스트로 찾고 줄 번호는 같은 곳이 여럿일 때만 쓰므로 변경마다 앞뒤 세 줄을 넣으세요. {files}를 반환합니다. 파일마다 path, action(created, updated, deleted, renamed), tier, 줄 범위, diff, 새 sha가 있습니다. 맞지 않는 조각이 하나라도 있으면 어떤 파일도 바꾸지 않고 어느 것인지 알려 줍니다.",
		},
		Params: map[string]Text{
			"patch":        {"The patch. Paths begin at the working directory; the a/ and b/ of git are taken off.", "패치. 경로는 작업 디렉터리 기준이며 git의 a/와 b/는 뗍니다."},
			"expected_sha": {"By path, the sha that a file had when it was read; the patch is refused when it has changed since.", "경로별로 파일을 읽었을 때의 sha. 그 뒤에 파일이 바뀌었으면 패치를 거부합니다."},
		},
	}
)

// What the file tools refuse, beside what the engine of edits does.
var (
	ReadBeyond      = Text{"%s has %d lines; there is no line %d.", "%s의 줄 수는 %d이므로 %d행이 없습니다."}
	DiskFull        = Text{"There is no room on the disk for the new content of %s. Nothing was changed.", "%s의 새 내용을 쓸 디스크 공간이 없습니다. 아무것도 바꾸지 않았습니다."}
	FileTooLarge    = Text{"%s is too large to edit: the most is %d MiB.", "%s은(는) 편집하기에 너무 큽니다. 최대 %d MiB입니다."}
	EditExists      = Text{"old_string is empty, which makes a new file, but %s exists already. It was not changed.", "old_string이 비어 있으면 새 파일을 만드는데 %s이(가) 이미 있습니다. 파일을 바꾸지 않았습니다."}
	EditNextExists  = Text{"Give the text to replace as old_string, or write the whole file with the tool that writes files.", "바꿀 텍스트를 old_string으로 주거나, 파일을 쓰는 도구로 파일 전체를 쓰세요."}
	EditUnread      = Text{"%s has not been read yet, and a file must be read before it is changed.", "%s을(를) 아직 읽지 않았습니다. 파일을 바꾸기 전에 먼저 읽어야 합니다."}
	EditReadBefore  = Text{"%s has changed since it was read, so the change may be wrong for it.", "%s이(가) 읽은 뒤에 바뀌어서 이 변경이 맞지 않을 수 있습니다."}
	EditMoved       = Text{"%s was changed by another program during the edit. Nothing was changed by this call.", "%s이(가) 편집하는 동안 다른 곳에서 바뀌었습니다. 이 호출은 아무것도 바꾸지 않았습니다."}
	EditArguments   = Text{"Give either old_string and new_string, or edits.", "old_string과 new_string을 함께 주거나 edits를 주세요."}
	EditEmptyLater  = Text{"An empty old_string makes a new file, so only the first of several edits may have one.", "빈 old_string은 새 파일을 만들므로 여러 편집 중 첫 번째에만 쓸 수 있습니다."}
	EditIndexed     = Text{"Edit %d of %d was refused, so none was made. %s", "편집 %[2]d개 중 %[1]d번째가 거부되어 하나도 적용하지 않았습니다. %[3]s"}
	PatchRefused    = Text{"%s, hunk %d: %s No file was changed.", "%s의 %d번째 조각: %s 어떤 파일도 바꾸지 않았습니다."}
	PatchFile       = Text{"%s: %s No file was changed.", "%s: %s 어떤 파일도 바꾸지 않았습니다."}
	PatchExists     = Text{"The patch makes this file, but it exists already.", "패치가 이 파일을 만들려 하지만 이미 있습니다."}
	PatchRest       = Text{"The patch deletes this file, but the file has more than the patch removes.", "패치가 이 파일을 삭제하려 하지만 패치가 지우는 것보다 많은 내용이 있습니다."}
	PatchNoChange   = Text{"The patch changes nothing.", "패치가 바꾸는 것이 없습니다."}
	PatchUnknownSHA = Text{"expected_sha names a file that the patch does not touch: %s", "expected_sha에 패치가 다루지 않는 파일이 있습니다: %s"}
	PatchUndoFailed = Text{"Writing %s failed, and not everything could be put back: %s", "%s을(를) 쓰지 못했고 일부를 되돌리지 못했습니다: %s"}
	PatchNext       = Text{"Correct that part and send the whole patch again: nothing of it was applied.", "해당 부분을 고쳐 패치 전체를 다시 보내세요. 아무것도 적용되지 않았습니다."}
	PatchNextLike   = Text{"Correct that hunk and send the whole patch again: nothing of it was applied. The candidates in the output have the file's own text.", "해당 조각을 고쳐 패치 전체를 다시 보내세요. 아무것도 적용되지 않았습니다. 출력의 candidates에 파일의 원문이 있습니다."}
	PatchNextRead   = Text{"Nothing in the file is like that hunk. Read the file, correct the hunk and send the whole patch again: nothing of it was applied.", "파일에 그 조각과 비슷한 곳이 없습니다. 파일을 읽고 조각을 고쳐 패치 전체를 다시 보내세요. 아무것도 적용되지 않았습니다."}
)

// What is wrong with the text of a patch.
var (
	PatchMisread     = Text{"The patch is not understood at its line %d: %s", "패치의 %d번째 줄을 이해할 수 없습니다: %s"}
	PatchMisreadNext = Text{"Send a unified diff with --- and +++ lines and @@ hunks, or a patch from *** Begin Patch to *** End Patch. Each line of a hunk starts with a blank, + or -.", "---와 +++ 줄, @@ 조각이 있는 unified diff나 *** Begin Patch부터 *** End Patch까지의 패치를 보내세요. 조각의 각 줄은 공백, +, - 중 하나로 시작합니다."}
	PatchEmpty       = Text{"there is no file in it.", "파일이 없습니다."}
	PatchNoEnd       = Text{"*** End Patch is missing, so a part may have been cut off.", "*** End Patch가 없어 일부가 잘렸을 수 있습니다."}
	PatchBadLine     = Text{"%q starts with neither a blank, + nor -.", "%q이(가) 공백, +, -로 시작하지 않습니다."}
	PatchBadHunk     = Text{"%q does not begin a hunk.", "%q은(는) 조각의 시작이 아닙니다."}
	PatchNoFile      = Text{"a hunk comes before the file that it is for.", "조각이 대상 파일보다 먼저 나옵니다."}
	PatchNoPath      = Text{"the path is missing.", "경로가 없습니다."}
	PatchNoPlus      = Text{"+++ must follow ---.", "--- 다음에는 +++가 와야 합니다."}
	PatchBinary      = Text{"binary files cannot be patched.", "바이너리 파일은 패치할 수 없습니다."}
	PatchCopy        = Text{"copies are not supported: add the new file in full.", "복사는 지원하지 않습니다. 새 파일을 전체 내용으로 추가하세요."}
	PatchAdded       = Text{"a new file has only lines that start with +.", "새 파일에는 +로 시작하는 줄만 있어야 합니다."}
	PatchNoContext   = Text{"The hunk has no lines of the file, so its place is not known. Give at least one line that stays around the new ones.", "조각에 파일의 줄이 없어 위치를 알 수 없습니다. 새 줄 앞뒤의 그대로 남는 줄을 하나 이상 넣으세요."}
	PatchOverlap     = Text{"The hunk changes lines that another hunk changes, too.", "다른 조각이 바꾸는 줄을 이 조각도 바꿉니다."}
)
