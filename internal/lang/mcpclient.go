package lang

// What a model reads when the MCP server behind a tool did not serve.
var (
	McpTimeout        = Text{"The MCP server %s did not answer: %v.", "MCP 서버 %s이(가) 응답하지 않았습니다: %v."}
	McpCancelled      = Text{"The call was cancelled, and the MCP server %s was told so.", "호출이 취소되었고 MCP 서버 %s에 알렸습니다."}
	McpTooLarge       = Text{"The answer of the MCP server %s was dropped: %v. Ask for less, such as a page or a range.", "MCP 서버 %s의 응답을 버렸습니다: %v. 한 페이지나 범위처럼 더 적게 요청하세요."}
	McpRemote         = Text{"The MCP server %s refused the call: %s (error %d).", "MCP 서버 %s이(가) 호출을 거부했습니다: %s (오류 %d)."}
	McpProtocol       = Text{"The MCP server %s answered with something that is not MCP: %v.", "MCP 서버 %s이(가) MCP가 아닌 것으로 응답했습니다: %v."}
	McpBusy           = Text{"The MCP server %s has too many calls waiting; the call was not sent. Make fewer calls at a time, or try again in a moment.", "MCP 서버 %s에 대기 중인 호출이 너무 많아 보내지 않았습니다. 한 번에 더 적게 호출하거나 잠시 후 다시 시도하세요."}
	McpResting        = Text{"The MCP server %s failed several times and is not called for now (%v); the call was not sent.", "MCP 서버 %s이(가) 여러 번 실패하여 당분간 호출하지 않습니다(%v). 호출을 보내지 않았습니다."}
	McpAuth           = Text{"The MCP server %s requires an authorization by a person: %v.", "MCP 서버 %s에는 사람의 승인이 필요합니다: %v."}
	McpOutcomeUnknown = Text{"The connection to the MCP server %s ended after the call was sent: %v. It may have been carried out.", "호출을 보낸 뒤 MCP 서버 %s과의 연결이 끊겼습니다: %v. 이미 실행되었을 수 있습니다."}
	McpUnavailable    = Text{"The MCP server %s cannot be reached: %v.", "MCP 서버 %s에 연결할 수 없습니다: %v."}
	McpNoDetail       = Text{"The tool %s of the MCP server %s failed and did not say why.", "MCP 서버 %[2]s의 도구 %[1]s이(가) 이유 없이 실패했습니다."}
)

// What a person reads about the definitions of a server.
var (
	McpEntryNoObject  = Text{"entry %d is not a tool and is left out", "%d번째 항목은 도구가 아니어서 제외합니다"}
	McpEntryNoName    = Text{"entry %d has no name and is left out", "%d번째 항목은 이름이 없어 제외합니다"}
	McpEntryTwice     = Text{"%q is listed again and the second one is left out", "%q이(가) 다시 나와 두 번째 것을 제외합니다"}
	McpEntrySchema    = Text{"%q is left out: its schema is refused: %v", "%q을(를) 제외합니다. 스키마를 쓸 수 없습니다: %v"}
	McpEntryHeader    = Text{"%q is left out: %v", "%q을(를) 제외합니다: %v"}
	McpEntryName      = Text{"%q is left out: %v; give it another name with rename, or the server a prefix", "%q을(를) 제외합니다: %v. rename으로 다른 이름을 주거나 서버에 prefix를 지정하세요"}
	McpEntryTaken     = Text{"%q is left out: the server %s has a tool of this name; give one of the servers a prefix", "%q을(를) 제외합니다. 서버 %s에 같은 이름의 도구가 있습니다. 한 서버에 prefix를 지정하세요"}
	McpEntryRefused   = Text{"%q is left out: %v", "%q을(를) 제외합니다: %v"}
	McpEntryRepaired  = Text{"%q: %s", "%q: %s"}
	McpEntryOutput    = Text{"%q: its output schema is ignored: %v", "%q: 출력 스키마를 무시합니다: %v"}
	McpEntryForm      = Text{"%q: its icons and other members are not passed on: %v", "%q: 아이콘과 그 밖의 항목을 전달하지 않습니다: %v"}
	McpEntryNoSchema  = Text{"%q has no input schema; any object is accepted", "%q에 입력 스키마가 없어 모든 객체를 받습니다"}
	McpTooManyTools   = Text{"the server lists more than %d tools; the rest is left out", "서버의 도구가 %d개를 넘어 나머지를 제외합니다"}
	McpCursorRepeats  = Text{"the server gives the same page again and again; %d tools were read", "서버가 같은 페이지를 반복합니다. 도구 %d개를 읽었습니다"}
	McpTooManyPages   = Text{"the list has more than %d pages; the rest is left out", "목록이 %d페이지를 넘어 나머지를 제외합니다"}
	McpUnknownOption  = Text{"%s: no tool has this name", "%s: 이런 이름의 도구가 없습니다"}
	McpTellsOfNothing = Text{"none of the %d tools of the server is included", "서버의 도구 %d개 중 포함된 것이 없습니다"}
)

// What is read when a file of another program is taken over.
var (
	McpFileSkipped     = Text{"server %q is left out: %v", "서버 %q을(를) 제외합니다: %v"}
	McpFileDisabled    = Text{"server %q is switched off there and is left out", "서버 %q은(는) 꺼져 있어 제외합니다"}
	McpFileUnknown     = Text{"server %q: %q is not known here and is ignored", "서버 %q: %q은(는) 여기서 알 수 없어 무시합니다"}
	McpFileInput       = Text{"server %q: %s asks a person at the start; write ${env:NAME} or ${file:PATH} instead", "서버 %q: %s은(는) 시작할 때 사람에게 묻습니다. ${env:NAME}이나 ${file:PATH}로 바꾸세요"}
	McpFileRenamed     = Text{"server %q is called %q here, because its name cannot begin the name of a tool", "서버 %q의 이름은 도구 이름의 앞부분이 될 수 없어 여기서는 %q입니다"}
	McpFileDeprecated  = Text{"server %q: %q is the old name of %q", "서버 %q: %q은(는) %q의 옛 이름입니다"}
	McpFileSecondOfTwo = Text{"server %q is there twice; the first one is kept", "서버 %q이(가) 두 번 있어 첫 번째 것을 씁니다"}
)

// What the page says that the browser shows after the authorization.
var (
	McpAuthDone   = Text{"gongu is authorized. You can close this window.", "gongu 인증이 끝났습니다. 이 창을 닫아도 됩니다."}
	McpAuthFailed = Text{"The authorization failed: %s. You can close this window and try again.", "인증에 실패했습니다: %s. 이 창을 닫고 다시 시도하세요."}
)
