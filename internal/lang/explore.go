package lang

// DomainRegistry is the domain of the tools that are about tools.
var DomainRegistry = Text{"Exploring and requesting tools", "도구 탐색 및 요청"}

// The tools that are about tools. Every model reads these declarations with
// every request, so each word of them is paid for again and again.
var (
	ExploreListDomains = ToolText{
		Title:       Text{"List domains", "도메인 목록"},
		Description: Text{"List all tool domains and how many tools each has.", "모든 도메인과 각 도메인의 도구 개수를 반환합니다."},
	}
	ExploreListTools = ToolText{
		Title:       Text{"List tools", "도구 목록"},
		Description: Text{"List the tools of a domain, or all tools, with descriptions.", "해당 도메인의 도구 목록과 설명을 반환합니다. 도메인 생략 시 전체 도구 목록을 반환합니다."},
		Params: map[string]Text{
			"domain": {"A name from list_domains", "도메인 이름. list_domains로 확인합니다"},
			"limit":  exploreLimit,
			"cursor": exploreCursor,
		},
	}
	ExploreGetSchema = ToolText{
		Title:       Text{"Get a tool's schema", "도구 스키마 조회"},
		Description: Text{"Get a tool's whole JSON Schema and examples. Read it before the first call.", "해당 도구의 전체 JSON Schema와 예시를 반환합니다. 처음 호출하기 전에 확인하세요."},
		Params:      map[string]Text{"name": exploreToolName},
	}
	ExploreSearch = ToolText{
		Title:       Text{"Search tools", "도구 검색"},
		Description: Text{"Find tools by what they do. Returns at most 8, best first.", "하려는 일로 도구를 찾습니다. 가장 알맞은 것부터 최대 8개를 반환합니다."},
		Params: map[string]Text{
			"query": {"The task in the user's words; if they are not English, add English keywords", "하려는 일을 사용자의 말로 쓰고, 같은 뜻의 영어 키워드를 함께 적으세요"},
		},
	}
	ExploreCall = ToolText{
		Title:       Text{"Call a tool", "도구 호출"},
		Description: Text{"Call any tool you found by its name.", "찾은 도구를 이름으로 호출합니다."},
		Params: map[string]Text{
			"name":      exploreToolName,
			"arguments": {"As its schema says", "그 도구의 스키마에 맞는 인자"},
		},
	}
	ExploreRequest = ToolText{
		Title:       Text{"Request a tool", "도구 요청"},
		Description: Text{"Ask the developers for a tool that is missing. It is queued for review.", "필요한 도구가 없을 때 개발자에게 요청합니다. 요청은 큐에 저장되어 검토를 기다립니다."},
		Params: map[string]Text{
			"name":             {"snake_case", "도구 이름(snake_case)"},
			"description":      exploreWhatItDoes,
			"rationale":        {"Why it is needed", "필요한 이유"},
			"suggested_params": {"Parameter names", "제안하는 파라미터 이름"},
		},
	}
	ExploreRequests = ToolText{
		Title:       Text{"List tool requests", "도구 요청 목록"},
		Description: Text{"List tool requests and their status, oldest first.", "도구 요청과 그 상태를 오래된 것부터 반환합니다."},
		Params: map[string]Text{
			"status": {"Only these", "이 상태의 요청만"},
			"limit":  exploreLimit,
			"cursor": exploreCursor,
		},
	}
	ExploreRegister = ToolText{
		Title:       Text{"Propose a tool", "도구 등록"},
		Description: Text{"Propose a new tool made of existing ones (a macro). It is checked now and usable after review.", "기존 도구를 조합한 새 도구(매크로)를 제안합니다. 바로 검사하고, 검토가 끝나면 쓸 수 있습니다."},
		Params: map[string]Text{
			"name":           {"snake_case", "도구 이름(snake_case)"},
			"description":    exploreWhatItDoes,
			"implementation": {"Always macro", "항상 macro. 매크로 = 기존 도구 조합"},
			"parameters":     {"JSON Schema of its arguments", "인자의 JSON Schema"},
			"steps":          {"Calls in order. Values may be ${params.x} or ${steps.ID.output}; a step may also have id, when, forEach and onError", "순서대로 실행할 호출. 값에 ${params.x}, ${steps.ID.output}을 쓸 수 있고, 단계에는 id, when, forEach, onError도 둘 수 있습니다"},
		},
	}
	ExploreCode = ToolText{
		Title:       Text{"Run code", "코드 실행"},
		Description: Text{"Run TypeScript that calls tools: await tools.NAME(arguments). Return a value.", "도구를 호출하는 TypeScript를 실행합니다: await tools.NAME(arguments). 값을 return 하세요."},
		Params: map[string]Text{
			"code":    {"Body of an async function", "async 함수의 본문"},
			"typings": {"Tools to get TypeScript declarations of; leave code empty to only read them", "TypeScript 선언을 볼 도구 이름. 선언만 보려면 code를 비우세요"},
		},
	}

	exploreToolName   = Text{"Tool name", "도구 이름"}
	exploreWhatItDoes = Text{"What it does", "도구가 하는 일"}
	exploreLimit      = Text{"Page size", "한 번에 볼 개수"}
	exploreCursor     = Text{"next_cursor of the page before", "앞 응답의 next_cursor"}
)

// What the tools about tools answer, beside the sentences of the seeds.
var (
	ExploreNothingFound  = Text{"No tool matches. Try other words or English keywords, look through list_domains and list_tools, or ask for the tool with request_tool.", "알맞은 도구가 없습니다. 다른 표현이나 영어 키워드로 찾거나, list_domains와 list_tools로 살펴보거나, request_tool로 도구를 요청하세요."}
	ExploreRequestedTool = Text{"This tool was requested before and is waiting for review. It was not queued again.", "이미 요청된 도구이며 검토를 기다리고 있습니다. 다시 등록하지 않았습니다."}
	ExploreCallable      = Text{"Tool '%s' already exists and you can call it now. Nothing was queued.", "도구 '%s'은(는) 이미 있으며 지금 호출할 수 있습니다. 요청을 등록하지 않았습니다."}
	ExploreProposed      = Text{"The macro was checked and is queued. It can be called once a developer has approved it.", "매크로를 검사하여 등록했습니다. 개발자가 승인하면 호출할 수 있습니다."}
)

// What goes wrong with them, and what to do next.
var (
	ExploreNoDomain        = Text{"Domain '%s' not found", "Domain '%s' not found"}
	ExploreUnknownParam    = Text{"unknown parameter '%s'", "알 수 없는 파라미터 '%s'"}
	ExploreBadParam        = Text{"'%s' has the wrong form: %s", "'%s'의 형식이 올바르지 않습니다: %s"}
	ExploreEmptyParam      = Text{"'%s' must not be empty", "'%s'이(가) 비어 있으면 안 됩니다"}
	ExploreForeignCursor   = Text{"'cursor' does not belong to this list", "'cursor'가 이 목록의 것이 아닙니다"}
	ExploreNoSelfCall      = Text{"%s cannot call %s. Call the tool you need by its own name.", "%s(으)로 %s을(를) 호출할 수 없습니다. 필요한 도구를 그 이름으로 직접 호출하세요."}
	ExploreTooDeep         = Text{"Tools call tools more than %d levels deep.", "도구가 도구를 호출하는 단계가 %d단계를 넘었습니다."}
	ExploreTooManyCalls    = Text{"The code made more than %d calls.", "코드의 도구 호출이 %d번을 넘었습니다."}
	ExploreNoRequests      = Text{"The request queue could not be used: %s", "요청 목록을 사용할 수 없습니다: %s"}
	ExploreNoCode          = Text{"Give code to run, or names in typings.", "실행할 code 또는 typings의 이름을 지정하세요."}
	ExploreSuggestNear     = Text{"Did you mean: %s?", "혹시 다음 중 하나인가요: %s?"}
	ExploreSuggestSearch   = Text{"Look for it with search_tools, or go through list_domains and list_tools.", "search_tools로 찾거나 list_domains와 list_tools로 살펴보세요."}
	ExploreSuggestDomains  = Text{"Call list_domains for the names of the domains.", "list_domains로 도메인 이름을 확인하세요."}
	ExploreSuggestAllowed  = Text{"Allowed parameters: %s.", "허용되는 파라미터: %s."}
	ExploreSuggestFirst    = Text{"Call again without cursor to begin with the first page.", "cursor 없이 다시 호출하여 첫 페이지부터 보세요."}
	ExploreSuggestSteps    = Text{"Correct the steps and call register_tool again; get_tool_schema shows what a tool takes.", "steps를 고쳐 register_tool을 다시 호출하세요. 도구의 인자는 get_tool_schema로 확인할 수 있습니다."}
	ExploreSuggestRequests = Text{"Go on without the tool and tell the user that the request was not stored.", "도구 없이 진행하고, 요청이 저장되지 않았음을 사용자에게 알리세요."}
)
