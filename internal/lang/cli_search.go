package lang

// Texts of gongu search.
var (
	CLISearchShort = Text{"Find tools by what they do", "하는 일로 도구를 찾습니다"}
	CLISearchLong  = Text{
		"Find the tools that answer a query best, at most 8, best first. The query is\nplain English or Korean words, or a name. A Korean query finds an English tool\nonly by the tool's keywords.\n\nWith --jsonl, requests are read from standard input, one JSON object on a line,\nand answered one by one: {\"query\":\"…\",\"k\":10} and {\"suggest\":\"wrong name\"} are\nboth answered with {\"names\":[…]}.",
		"검색어에 가장 잘 맞는 도구를 최대 8개, 잘 맞는 순서로 보여 줍니다. 검색어는\n한국어나 영어 단어 또는 이름입니다. 한국어 검색어로 영어 도구를 찾으려면\n도구에 한국어 키워드가 있어야 합니다.\n\n--jsonl을 쓰면 표준 입력에서 한 줄에 JSON 객체 하나씩 요청을 읽어 차례로\n답합니다. {\"query\":\"…\",\"k\":10}과 {\"suggest\":\"틀린 이름\"} 모두\n{\"names\":[…]}로 답합니다.",
	}

	CLIFlagSearchAll   = Text{"also search the tools that can be called and are not declared, such as search_tools", "search_tools처럼 선언되지 않았지만 호출할 수 있는 도구도 검색합니다"}
	CLIFlagSearchTools = Text{"search the tools in `FILE`, one JSON object with name, description and parameters on a line", "`FILE`의 도구에서 찾습니다. 한 줄에 name, description, parameters가 있는 JSON 객체 하나"}
	CLIFlagSearchJSONL = Text{"answer requests on standard input, a line of JSON each", "표준 입력의 요청에 한 줄씩 JSON으로 답합니다"}

	CLISearchNeedsQuery   = Text{"search needs a query", "search에는 검색어가 필요합니다"}
	CLISearchTakesNoQuery = Text{"with --jsonl the queries come from standard input, but %q was given", "--jsonl을 쓰면 검색어를 표준 입력에서 읽는데 %q이(가) 주어졌습니다"}
	CLISearchNothing      = Text{"no tool matches %q", "%q에 맞는 도구가 없습니다"}
	CLISearchOtherWords   = Text{"Use other words, or run '%s' to see the tools there are.", "다른 말로 찾아 보거나, '%s'를 실행해 사용할 수 있는 도구를 보세요."}
	CLISearchOther        = Text{"Use other words.", "다른 말로 찾아 보세요."}
	CLISearchFile         = Text{"the tools in %s cannot be read: %v", "%s의 도구를 읽을 수 없습니다: %v"}
	CLISearchLine         = Text{"line %d of %s is not a tool: %v", "%[2]s의 %[1]d번째 줄은 도구가 아닙니다: %[3]v"}
	CLISearchNoName       = Text{"line %d of %s is a tool without a name", "%[2]s의 %[1]d번째 줄에 있는 도구에는 이름이 없습니다"}
	CLISearchFileHint     = Text{"A line looks like this: %s", "한 줄은 다음과 같습니다: %s"}
	CLISearchBadRequest   = Text{"a request is {\"query\":\"…\",\"k\":10} or {\"suggest\":\"…\"}", "요청은 {\"query\":\"…\",\"k\":10} 또는 {\"suggest\":\"…\"}입니다"}
)
