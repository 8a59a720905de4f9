package lang

// Results of an edit. That old was not found is the seed's sentence, EditNotFound.
var (
	EditDone     = Text{"Edited lines %d-%d (match: %s).", "%d-%d행을 편집했습니다 (일치 방식: %s)."}
	EditDoneLine = Text{"Edited line %d (match: %s).", "%d행을 편집했습니다 (일치 방식: %s)."}

	EditNoChange       = Text{"Old and new are the same: there is nothing to change.", "이전 내용과 새 내용이 같아서 바꿀 것이 없습니다."}
	EditStale          = Text{"The file is not the one that was read: its content has changed. Read it again and repeat the edit.", "파일이 읽었을 때와 다릅니다. 내용이 바뀌었습니다. 파일을 다시 읽고 편집을 다시 요청하세요."}
	EditBinary         = Text{"The file is not text: it has NUL bytes. It was not changed.", "텍스트 파일이 아닙니다. NUL 바이트가 있습니다. 파일을 바꾸지 않았습니다."}
	EditEmptyOld       = Text{"Old is empty, but the file has content. Give the text to replace, with a few lines around it.", "이전 내용이 비어 있는데 파일에는 내용이 있습니다. 바꿀 텍스트를 앞뒤 몇 줄과 함께 지정하세요."}
	EditPlaceholder    = Text{"New would write the placeholder %q into the file instead of the code that it represents. Write that code out, or leave it out of both old and new.", "새 내용의 생략 표시 %q이(가) 원래 코드 대신 파일에 쓰이게 됩니다. 코드를 모두 쓰거나, 이전 내용과 새 내용에서 모두 빼세요."}
	EditAmbiguous      = Text{"Old matches %d places (lines %s), and an edit changes one. Add lines around it until it matches one place only, or ask for all of them.", "이전 내용이 %d곳(%s행)에 있어 한 곳을 고를 수 없습니다. 한 곳에만 맞도록 앞뒤 줄을 더하거나, 모두 바꾸도록 요청하세요."}
	EditRival          = Text{"Old does not match the file exactly, and several places are similar to it. Copy the text of the right place and try again.", "이전 내용이 파일과 정확히 일치하지 않고 비슷한 곳이 여럿 있습니다. 올바른 곳의 텍스트를 그대로 복사해 다시 시도하세요."}
	EditAlreadyApplied = Text{"The file already has the new text (line %s). Nothing was changed.", "파일에 이미 새 내용이 있습니다(%s행). 아무것도 바꾸지 않았습니다."}
	EditUnseen         = Text{"The edit would change what is around line %d, which old does not mention. Copy the lines of the file as they are and try again.", "이전 내용에 없는 %d행 주변이 바뀌게 됩니다. 파일의 줄을 그대로 복사해 다시 시도하세요."}
	EditMarkChanged    = Text{"The edit would replace the lines that old leaves out, from line %d on. Write them out in old.", "이전 내용에서 생략한 %d행부터의 줄이 바뀌게 됩니다. 이전 내용에 그 줄을 모두 쓰세요."}
	EditIndentation    = Text{"The file is indented differently, and it is not clear how to indent the new line %q. Copy the lines of the file as they are and try again.", "파일의 들여쓰기가 달라서 새 줄 %q을(를) 어떻게 들여쓸지 알 수 없습니다. 파일의 줄을 그대로 복사해 다시 시도하세요."}
	EditTwoWays        = Text{"The edit can be applied at line %d in two ways that differ in blanks or comments of the file. Copy the lines of the file as they are and try again.", "%d행의 편집을 두 가지로 적용할 수 있고 공백이나 주석이 서로 달라집니다. 파일의 줄을 그대로 복사해 다시 시도하세요."}
	EditReadAgain      = Text{"Nothing in the file is like it. Read the file again before the next edit.", "파일에 비슷한 곳이 없습니다. 파일을 다시 읽은 뒤 편집하세요."}
)

// What to send next after a refusal.
var (
	EditNextNotFound  = Text{"Nothing was changed. Compare with the candidates in the output: each has the file's own text as oldString. Send the right one as old_string, and new_string written from it.", "파일을 바꾸지 않았습니다. 출력의 candidates와 비교하세요. 각 후보의 oldString이 파일의 실제 텍스트입니다. 맞는 것을 old_string으로 보내고 new_string도 그에 맞춰 쓰세요."}
	EditNextAmbiguous = Text{"Nothing was changed. Send the oldString of the candidate that you mean: it occurs once. Or give near_line with the line of that place, or replace_all: true for every place.", "파일을 바꾸지 않았습니다. 뜻하는 후보의 oldString을 보내세요. 그 텍스트는 한 번만 나옵니다. 또는 near_line에 그 행 번호를 주거나, 모두 바꾸려면 replace_all: true를 주세요."}
	EditNextApplied   = Text{"Do not send this edit again: go on with the next step.", "이 편집을 다시 보내지 말고 다음 단계로 넘어가세요."}
	EditNextStale     = Text{"Nothing was changed. Read the file again, write the edit for what it says now, and send its new sha as expected_sha.", "파일을 바꾸지 않았습니다. 파일을 다시 읽고 현재 내용에 맞춰 편집한 뒤 새 sha를 expected_sha로 보내세요."}
	EditNextConflict  = Text{"Nothing was changed. Send old_string copied line by line from the file, every line that the edit touches included.", "파일을 바꾸지 않았습니다. 편집이 닿는 줄을 빠짐없이 파일에서 그대로 복사해 old_string으로 보내세요."}
	EditNextNoChange  = Text{"Send a new_string that differs from old_string, or leave the edit out.", "old_string과 다른 new_string을 보내거나 이 편집을 빼세요."}
	EditNextBinary    = Text{"Only text can be edited. Write the whole file, or use a program that knows its format.", "텍스트만 편집할 수 있습니다. 파일 전체를 쓰거나 해당 형식을 다루는 프로그램을 사용하세요."}
)

// How the places that may be meant are shown.
var (
	EditCandidate  = Text{"Candidate %d: lines %d-%d (→ is a tab, · a blank at the end, ⏎ a line end)", "후보 %d: %d-%d행 (→는 탭, ·는 줄 끝 공백, ⏎는 줄 끝)"}
	EditDifference = Text{"First difference (- what was sent, + what the file has):", "첫 번째 차이 (- 보낸 내용, + 파일의 내용):"}
	EditPaste      = Text{"Text to send as old:", "이전 내용으로 보낼 텍스트:"}
)
