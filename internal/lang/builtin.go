package lang

// ToolText is what a tool says about itself. The first line of a description
// must be clear alone: lists show nothing else.
type ToolText struct {
	Title       Text
	Description Text
	// Params describes the arguments by name.
	Params map[string]Text
}

// Domains of the starter tools.
var (
	DomainJSONQuery     = Text{"Read values out of JSON text.", "JSON 텍스트에서 값을 읽습니다."}
	DomainTextTransform = Text{"Change, cut and put together plain text.", "일반 텍스트를 바꾸고 자르고 합칩니다."}
	DomainWait          = Text{"Let time pass.", "시간이 지나기를 기다립니다."}
)

// JSONQueryQuery and the others of its family work on JSON text.
var (
	JSONQueryQuery = ToolText{
		Title: Text{"Query JSON", "JSON 조회"},
		Description: Text{
			"Get the value at a path in JSON text.\nReturns {path, found, value}. When nothing is there, found is false and value is null. Numbers and key order come back exactly as they were.",
			"JSON 텍스트에서 경로에 있는 값을 가져옵니다.\n{path, found, value}를 반환합니다. 값이 없으면 found는 false이고 value는 null입니다. 숫자와 키 순서는 원문 그대로 유지됩니다.",
		},
		Params: map[string]Text{"data": jsonData, "path": jsonPath},
	}
	JSONQueryPick = ToolText{
		Title: Text{"Pick keys of a JSON object", "JSON 객체에서 키 고르기"},
		Description: Text{
			"Keep only some keys of a JSON object.\nReturns {keys, result}. Keys that the object does not have are left out of the result.",
			"JSON 객체에서 지정한 키만 남깁니다.\n{keys, result}를 반환합니다. 객체에 없는 키는 결과에서 빠집니다.",
		},
		Params: map[string]Text{
			"data": {"JSON text of an object.", "객체를 담은 JSON 텍스트."},
			"keys": {"Keys to keep, in the order the result should have. These are names, not paths.", "남길 키 목록. 결과도 이 순서를 따릅니다. 경로가 아니라 키 이름입니다."},
		},
	}
	JSONQueryCount = ToolText{
		Title: Text{"Count in JSON", "JSON 개수 세기"},
		Description: Text{
			"Count what is at a path in JSON text.\nReturns {path, count, type}: the elements of an array, the keys of an object or the characters of a string; a number or boolean counts 1; null, and a path where nothing is (type \"missing\"), count 0.",
			"JSON 텍스트에서 경로에 있는 값의 개수를 셉니다.\n{path, count, type}을 반환합니다. 배열은 원소 수, 객체는 키 수, 문자열은 글자 수를 셉니다. 숫자와 불리언은 1, null과 값이 없는 경로(type \"missing\")는 0입니다.",
		},
		Params: map[string]Text{"data": jsonData, "path": jsonPath},
	}
	JSONQueryFlatten = ToolText{
		Title: Text{"Flatten a JSON array", "JSON 배열 평탄화"},
		Description: Text{
			"Flatten nested arrays in JSON text.\nReturns {depth, count, result}. Arrays inside objects stay as they are.",
			"JSON 텍스트의 중첩 배열을 펼칩니다.\n{depth, count, result}를 반환합니다. 객체 안의 배열은 그대로 둡니다.",
		},
		Params: map[string]Text{
			"data":  {"JSON text of an array.", "배열을 담은 JSON 텍스트."},
			"depth": {"How many levels of nesting to remove.", "펼칠 중첩 단계 수."},
		},
	}

	jsonData = Text{"JSON text to read.", "읽을 JSON 텍스트."}
	jsonPath = Text{
		"Where to look: keys joined by dots, array positions from 0, as in users[0].name or .items.2. A key that contains a dot goes in brackets without quotes: a[b.c]. \".\" is the whole data.",
		"찾을 위치. users[0].name이나 .items.2처럼 키는 점으로 잇고 배열 위치는 0부터 셉니다. 점이 들어 있는 키는 따옴표 없이 대괄호에 씁니다: a[b.c]. \".\"은 데이터 전체입니다.",
	}
)

// TextReplace and the others of its family work on plain text.
var (
	TextReplace = ToolText{
		Title: Text{"Replace text", "텍스트 바꾸기"},
		Description: Text{
			"Replace the first, or every, occurrence of a string.\nThe search is literal and case-sensitive; there are no patterns. Returns {original, result, replacements}.",
			"문자열이 처음 나오는 곳 또는 나오는 곳 모두를 바꿉니다.\n패턴이 아니라 적힌 그대로, 대소문자를 구분하여 찾습니다. {original, result, replacements}를 반환합니다.",
		},
		Params: map[string]Text{
			"text":        inputText,
			"search":      {"The string to look for.", "찾을 문자열."},
			"replacement": {"What to put in its place; empty removes it.", "대신 넣을 문자열. 비우면 찾은 문자열을 지웁니다."},
			"all":         {"Replace every occurrence, not only the first.", "처음 것만이 아니라 모두 바꿉니다."},
		},
	}
	TextSlice = ToolText{
		Title: Text{"Cut out text", "텍스트 잘라내기"},
		Description: Text{
			"Take the part of a text between two positions.\nPositions count characters from 0; negative ones count from the end, so start -3 takes the last three. Returns {original, result, start, end, length}.",
			"텍스트에서 두 위치 사이의 부분을 가져옵니다.\n위치는 0부터 글자 단위로 세며, 음수는 끝에서부터 셉니다. start가 -3이면 마지막 세 글자입니다. {original, result, start, end, length}를 반환합니다.",
		},
		Params: map[string]Text{
			"text":  inputText,
			"start": {"First position to take.", "가져올 첫 위치."},
			"end":   {"Position to stop before. Left out, the rest of the text is taken.", "이 위치 바로 앞까지 가져옵니다. 생략하면 끝까지 가져옵니다."},
		},
	}
	TextSplit = ToolText{
		Title: Text{"Split text", "텍스트 나누기"},
		Description: Text{
			"Split a text into parts at a delimiter.\nReturns {delimiter, count, parts}.",
			"텍스트를 구분자로 나눕니다.\n{delimiter, count, parts}를 반환합니다.",
		},
		Params: map[string]Text{
			"text":      inputText,
			"delimiter": {"Where to split: a literal string. Empty splits into single characters.", "나눌 기준이 되는 문자열. 비우면 글자 하나씩 나눕니다."},
			"maxParts":  {"Keep only this many parts from the start and drop the rest. Left out, all are kept.", "앞에서부터 이 개수만 남기고 나머지는 버립니다. 생략하면 모두 남깁니다."},
		},
	}
	TextJoin = ToolText{
		Title: Text{"Join text", "텍스트 합치기"},
		Description: Text{
			"Join parts into one text with a delimiter between them.\nReturns {delimiter, count, result}.",
			"여러 조각을 구분자로 이어 하나의 텍스트로 만듭니다.\n{delimiter, count, result}를 반환합니다.",
		},
		Params: map[string]Text{
			"parts":     {"The parts, in order. Numbers and booleans are written as they are.", "이어 붙일 조각을 순서대로. 숫자와 불리언은 적힌 그대로 씁니다."},
			"delimiter": {"What stands between two parts.", "조각 사이에 넣을 문자열."},
		},
	}
	TextTrim = ToolText{
		Title: Text{"Trim text", "공백 없애기"},
		Description: Text{
			"Remove white space from the start, the end or both ends of a text.\nReturns {original, result, mode, trimmedLength}; trimmedLength is the number of characters removed.",
			"텍스트의 앞, 뒤 또는 양쪽에 있는 공백을 없앱니다.\n{original, result, mode, trimmedLength}를 반환합니다. trimmedLength는 없앤 글자 수입니다.",
		},
		Params: map[string]Text{
			"text": inputText,
			"mode": {"Which end to trim.", "공백을 없앨 쪽."},
		},
	}
	TextCase = ToolText{
		Title: Text{"Change case", "대소문자 바꾸기"},
		Description: Text{
			"Turn a text into upper or lower case.\nReturns {original, result, to}.",
			"텍스트를 모두 대문자 또는 소문자로 바꿉니다.\n{original, result, to}를 반환합니다.",
		},
		Params: map[string]Text{
			"text": inputText,
			"to":   {"The case to turn the text into.", "바꿀 형태. upper는 대문자, lower는 소문자입니다."},
		},
	}

	inputText = Text{"The text to work on.", "처리할 텍스트."}
)

// WaitSeconds lets time pass.
var WaitSeconds = ToolText{
	Title: Text{"Wait", "기다리기"},
	Description: Text{
		"Wait for a number of seconds, at most 300.\nUse it to let something outside finish before you look again. Returns {waitedSeconds, waitedMs}.",
		"지정한 초만큼 기다립니다. 최대 300초입니다.\n외부 작업이 끝나기를 기다렸다가 다시 확인할 때 사용합니다. {waitedSeconds, waitedMs}를 반환합니다.",
	},
	Params: map[string]Text{
		"seconds": {"How long to wait, from 0 to 300. Fractions are fine: 1.5.", "기다릴 시간(초), 0부터 300까지. 1.5처럼 소수도 됩니다."},
	},
}

// What is wrong with an argument that its schema let pass. The English forms
// are a contract: other programs match on them.
var (
	MustBeNonEmpty = Text{"'%s' must be a non-empty string", "'%s'은(는) 비어 있지 않은 문자열이어야 합니다"}
	MustBeJSON     = Text{"'%s' must be valid JSON text: %s", "'%s'은(는) 올바른 JSON 텍스트여야 합니다: %s"}
	MustBeObject   = Text{"'%s' must be a JSON object", "'%s'은(는) JSON 객체여야 합니다"}
	MustBeArray    = Text{"'%s' must be a JSON array", "'%s'은(는) JSON 배열이어야 합니다"}
	MustBeAtLeast  = Text{"'%s' must be greater than or equal to %d", "'%s'은(는) %d 이상이어야 합니다"}
	MustBeAtMost   = Text{"'%s' must be less than or equal to %d", "'%s'은(는) %d 이하여야 합니다"}
	PathUnclosed   = Text{"'path' has a \"[\" without \"]\" at character %d", "'path'의 %d번째 글자 \"[\"에 짝이 되는 \"]\"가 없습니다"}
	PathEmptyStep  = Text{"'path' has an empty step at character %d; write keys as a.b[0]", "'path'의 %d번째 글자에 빈 단계가 있습니다. a.b[0]처럼 쓰세요"}
	PathQuoted     = Text{"'path' has quotes at character %d; write keys in brackets without them: a[b.c]", "'path'의 %d번째 글자에 따옴표가 있습니다. 대괄호 안의 키는 따옴표 없이 쓰세요: a[b.c]"}
	PathStray      = Text{"'path' has %q at character %d where \".\" or \"[\" was expected", "'path'의 문자 %q(%d번째 글자) 자리에는 \".\"이나 \"[\"가 와야 합니다"}
	PathStartsWith = Text{"'path' starts at the data itself, so leave out the \"$\": %s", "'path'는 데이터 자체에서 시작하므로 \"$\" 없이 쓰세요: %s"}
)
