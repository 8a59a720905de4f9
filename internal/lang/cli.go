package lang

// Help of the commands.
var (
	CLIShort = Text{"Tools for LLM agents: list them, call them", "LLM 에이전트의 도구를 보고 호출합니다"}
	CLILong  = Text{
		"gongu shows the tools that an agent can use and calls them the way a model does:\nthe same names, the same checks, the same errors.",
		"gongu는 에이전트가 쓸 수 있는 도구를 보여 주고, 모델과 똑같이 호출합니다.\n이름도, 검사도, 오류도 같습니다.",
	}

	CLIVersionShort = Text{"Print the version", "버전을 출력합니다"}
	CLIHelpShort    = Text{"Explain a command", "명령을 설명합니다"}

	CLIToolsShort = Text{"List the tools", "도구 목록을 보여 줍니다"}
	CLIToolsLong  = Text{
		"List the tools: the name to call, the domain and what the tool does.\n--json adds the schemas; --dialect prints the declarations for one provider,\nready to send.",
		"도구 목록을 보여 줍니다. 호출할 이름, 도메인, 하는 일이 나옵니다.\n--json은 스키마를 더하고, --dialect는 한 제공자에게 그대로 보낼 수 있는\n선언을 출력합니다.",
	}

	CLICallShort = Text{"Call a tool", "도구를 호출합니다"}
	CLICallLong  = Text{
		"Call a tool and print what it returns. The arguments are a JSON object;\n\"-\" reads it from standard input, and the default is {}.\n\nThe exit status is 0 when the tool succeeded, 1 when it reported an error\nand 2 when the command line is wrong.\n\nOn a terminal, control characters are escaped, such as \\x1b. In a pipe or a\nfile the output is exactly what the tool returned.",
		"도구를 호출하고 결과를 출력합니다. 인자는 JSON 객체입니다.\n\"-\"는 표준 입력에서 읽고, 생략하면 {}입니다.\n\n종료 코드는 도구가 성공하면 0, 오류를 보고하면 1,\n명령줄이 잘못되면 2입니다.\n\n터미널에서는 제어 문자를 \\x1b처럼 이스케이프합니다.\n파이프나 파일에는 도구가 돌려준 그대로 출력합니다.",
	}
)

// Headings of the help.
var (
	CLIUsage       = Text{"Usage:", "사용법:"}
	CLICommands    = Text{"Commands:", "명령:"}
	CLIExamples    = Text{"Examples:", "예:"}
	CLIFlags       = Text{"Flags:", "옵션:"}
	CLIGlobalFlags = Text{"Flags of every command:", "모든 명령의 옵션:"}
	CLIMoreHelp    = Text{"Run '%s COMMAND --help' to learn more about a command.", "'%s COMMAND --help'를 실행하면 각 명령을 더 자세히 볼 수 있습니다."}
)

// What each flag does. A word in back quotes names the flag's value.
var (
	CLIFlagHelp    = Text{"show this help", "이 도움말을 보여 줍니다"}
	CLIFlagVersion = Text{"print the version", "버전을 출력합니다"}
	CLIFlagLang    = Text{"language of all texts (default from GONGU_LANG, else en)", "모든 글의 언어 (기본값은 GONGU_LANG, 없으면 en)"}
	CLIFlagJSON    = Text{"print JSON", "JSON으로 출력합니다"}
	CLIFlagDomain  = Text{"only tools of domain `D` (* and ? are wildcards)", "도메인 `D`의 도구만 (*와 ?는 와일드카드)"}
	CLIFlagSource  = Text{"only tools of source `S`, such as Tool/wait or wait", "출처 `S`의 도구만. 예: Tool/wait 또는 wait"}
	CLIFlagCost    = Text{"estimated tokens by tool, domain and source", "도구, 도메인, 출처별 추정 토큰 수"}
	CLIFlagDialect = Text{"declarations for provider `D`: %s", "제공자 `D`에게 보낼 선언: %s"}
	CLIFlagDryRun  = Text{"make every check, but do not run the tool", "모든 검사를 하되 도구는 실행하지 않습니다"}
)

// Usage errors and what to do about them.
var (
	CLIError          = Text{"gongu: %s", "gongu: %s"}
	CLISeeHelp        = Text{"Run '%s --help' to see how it is used.", "'%s --help'를 실행하면 사용법을 볼 수 있습니다."}
	CLIDidYouMean     = Text{"Did you mean: %s?", "혹시 다음을 찾으셨나요: %s?"}
	CLIUnknownCommand = Text{"unknown command %q", "알 수 없는 명령: %q"}
	CLIUnknownFlag    = Text{"unknown flag %s", "알 수 없는 옵션: %s"}
	CLIFlagNeedsValue = Text{"flag --%s needs a value", "--%s 옵션에는 값이 필요합니다"}
	CLIFlagBadValue   = Text{"invalid value for --%s: %q", "--%s 옵션의 값이 올바르지 않습니다: %q"}
	CLIFlagBadSyntax  = Text{"invalid flag syntax: %q", "옵션 형식이 올바르지 않습니다: %q"}
	CLIFlagsConflict  = Text{"--%s and --%s cannot be used together", "--%s 옵션과 --%s 옵션은 함께 쓸 수 없습니다"}
	CLIUseOneOf       = Text{"Use one of: %s", "다음 중 하나를 쓰세요: %s"}
	CLINoArguments    = Text{"%s takes no arguments, but %q was given", "%s 명령은 인자를 받지 않는데 %q이(가) 주어졌습니다"}
	CLICallNeedsName  = Text{"call needs the name of a tool", "call에는 도구 이름이 필요합니다"}
	CLICallTooMany    = Text{"call takes a name and one JSON object, but %d arguments were given", "call은 이름과 JSON 객체 하나를 받는데 인자가 %d개 주어졌습니다"}
	CLICallQuote      = Text{"Put the JSON in single quotes so that the shell keeps it in one piece.", "셸이 나누지 않도록 JSON을 작은따옴표로 감싸세요."}
	CLINoDomain       = Text{"no tool has the domain %q", "도메인이 %q인 도구가 없습니다"}
	CLINoSource       = Text{"no tool has the source %q", "출처가 %q인 도구가 없습니다"}
	CLIStdinTooLarge  = Text{"standard input has more than %d bytes", "표준 입력이 %d바이트보다 큽니다"}
	CLIStdinFailed    = Text{"cannot read standard input: %v", "표준 입력을 읽을 수 없습니다: %v"}
)

// What the commands print.
var (
	CLIColumnName        = Text{"NAME", "이름"}
	CLIColumnDomain      = Text{"DOMAIN", "도메인"}
	CLIColumnSource      = Text{"SOURCE", "출처"}
	CLIColumnDescription = Text{"DESCRIPTION", "설명"}
	CLIColumnTools       = Text{"TOOLS", "도구 수"}
	CLIColumnTokens      = Text{"TOKENS", "토큰"}
	CLITotal             = Text{"Total: %d tools, about %d tokens (one for every 4 bytes of JSON).", "합계: 도구 %d개, 약 %d토큰 (JSON 4바이트를 1토큰으로 추정)."}

	CLINotCarried = Text{"gongu: %s cannot express: %s", "gongu: %s 형식으로 표현할 수 없음: %s"}
	CLIMoreLosses = Text{"gongu: %d more are not shown", "gongu: %d개는 표시하지 않았습니다"}

	CLIVersion  = Text{"gongu %s (%s, %s/%s)", "gongu %s (%s, %s/%s)"}
	CLIRevision = Text{"revision %s", "리비전 %s"}
	CLIModified = Text{"revision %s, modified", "리비전 %s, 수정됨"}

	CLIWouldRun = Text{"Would run %s of %s with these arguments:", "%[2]s의 %[1]s을(를) 다음 인자로 실행합니다"}
	CLIPassed   = Text{"Checks passed: %s. Nothing was run.", "통과한 검사: %s. 실행하지는 않았습니다."}

	CLIResultError      = Text{"Error: %s", "오류: %s"}
	CLIResultCode       = Text{"Code: %s", "코드: %s"}
	CLIResultSuggestion = Text{"Suggestion: %s", "제안: %s"}
	CLIResultHelp       = Text{"Help: %s", "도움말: %s"}
	CLIResultDetails    = Text{"Details:", "자세히:"}
	CLIResultExample    = Text{"Example: %s %s %s", "예: %s %s %s"}
	CLIResultListTools  = Text{"Run '%s' to list the tools.", "'%s'를 실행하면 도구 목록을 볼 수 있습니다."}
)
