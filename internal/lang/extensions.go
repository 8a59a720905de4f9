package lang

// What the base extensions say about their configuration.
var (
	BaseConfigHint = Text{"Correct the setting. The settings of this extension are: %s.", "설정을 고치세요. 이 Extension의 설정은 다음과 같습니다: %s."}
	BaseConfigName = Text{"must have the form resource__export, such as tool-search__search", "tool-search__search처럼 resource__export 형식이어야 합니다"}
)

// ToolSearch is the tool of the extension tool-search.
var ToolSearch = ToolText{
	Title: Text{"Search tools", "도구 검색"},
	Description: Text{
		"Find tools by a part of their name or description.\nReturns {query, results, selectedTools}. From the next step on only the tools found, and this one, are shown; a search that finds nothing shows all tools again.",
		"이름이나 설명의 일부로 도구를 찾습니다.\n{query, results, selectedTools}를 반환합니다. 다음 step부터는 찾은 도구와 이 도구만 표시되며, 아무것도 찾지 못한 검색은 모든 도구를 다시 표시합니다.",
	},
	Params: map[string]Text{
		"query": {"Text to look for; upper and lower case are the same.", "찾을 텍스트. 대소문자를 구분하지 않습니다."},
		"limit": {"How many tools to return at most.", "반환할 도구의 최대 개수."},
	},
}

// ToolSearchOnly is the description where a search changes nothing shown.
var ToolSearchOnly = Text{
	"Find tools by a part of their name or description.\nReturns {query, results, selectedTools}.",
	"이름이나 설명의 일부로 도구를 찾습니다.\n{query, results, selectedTools}를 반환합니다.",
}

// What the base extensions tell the model.
var (
	RequiredToolsMissing = Text{"Before you finish, one of these tools must be called successfully: %s.", "끝내기 전에 다음 도구 중 하나를 반드시 성공적으로 호출하세요: %s."}
	InterAgentFailed     = Text{"the agent request failed", "에이전트 요청이 실패했습니다"}
	SwarmCatalogNote     = Text{"When it is not clear which of the callableAgents to ask, read the current list with agents__catalog.", "callableAgents 중 누구에게 맡길지 모호하면 agents__catalog로 최신 목록을 다시 확인하세요."}
)
