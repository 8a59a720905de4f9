package lang

// Texts of decisions, which only a person can make.
var (
	CLIYesNo                = Text{"[y/N]", "[y/N]"}
	CLIDecideNo             = Text{"not confirmed; nothing was changed", "확인하지 않아 아무것도 바꾸지 않았습니다"}
	CLIDecideNoTerminal     = Text{"a person must confirm this, and there is no terminal to ask at", "사람의 확인이 필요하지만 물어볼 터미널이 없습니다"}
	CLIDecideNoTerminalHint = Text{"Run the command in a terminal and answer y there (standard input and flags do not count), or decide through a running server: in its web page (gongu token login), or over its HTTP API with a token made by gongu token new --manage all.", "터미널에서 실행하고 그 자리에서 y로 답하세요(표준 입력과 플래그는 인정하지 않습니다). 실행 중인 서버의 웹 페이지(gongu token login)나, gongu token new --manage all로 만든 토큰으로 HTTP API에서 결정할 수도 있습니다."}
	CLIDecideDescendant     = Text{"a person must confirm this, and the command runs inside a program that gongu started", "사람의 확인이 필요하지만 gongu가 시작한 프로그램 안에서 실행되었습니다"}
	CLIDecideDescendantHint = Text{"A person can run it in a terminal, or decide in the web page of a running server.", "사람이 자신의 터미널에서 실행하거나, 실행 중인 서버의 웹 페이지에서 결정할 수 있습니다."}
	CLIDecidePins           = Text{"Accept these definitions?", "이 정의들을 승인할까요?"}
	CLIDecideApprove        = Text{"Approve %s?", "%s을(를) 승인할까요?"}
	CLIDecideReject         = Text{"Reject %s?", "%s을(를) 거절할까요?"}
	CLIDecideToken          = Text{"Make a token?", "토큰을 만들까요?"}
	CLIDecideTokenManage    = Text{"Make a token that approves requests and accepts definitions? It is for a person only.", "요청을 승인하고 정의를 수락하는 토큰을 만들까요? 사람만 써야 합니다."}
	CLIDecideLogin          = Text{"Make a link whose browser session approves requests and accepts definitions, as %s?", "%s(으)로 요청을 승인하고 정의를 수락하는 브라우저 세션의 링크를 만들까요?"}
)
