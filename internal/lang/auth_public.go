package lang

// The public address of a server, and pages for browsers without a session.
var (
	AuthBadPublicURL     = Text{"%q cannot be the public address", "%q은(는) 공개 주소로 쓸 수 없습니다"}
	AuthBadPublicURLHint = Text{"Give a scheme and a host without a path, such as https://gongu.example.com; http works on loopback only.", "https://gongu.example.com처럼 경로 없이 스킴과 호스트를 지정하세요. http는 루프백에서만 쓸 수 있습니다."}
	AuthNeedsLogin       = Text{"You are not logged in.", "로그인하지 않았습니다."}
	AuthNeedsLoginHint   = Text{"Get a login link on the machine of the server, open it in this browser, and then open this page again: gongu token login --approvals", "서버가 있는 컴퓨터에서 다음 명령으로 로그인 링크를 만들어 이 브라우저에서 연 다음, 이 페이지를 다시 여세요: gongu token login --approvals"}

	CLIFlagPublicURL        = Text{"people reach this server at `URL`, such as https://gongu.example.com; links to approvals name it, and its host is accepted", "사람들이 이 서버에 접속하는 주소 `URL`. 예: https://gongu.example.com. 승인 링크에 쓰이며 그 호스트의 요청도 받습니다"}
	CLIFlagLoginApprovals   = Text{"the session can only show and decide approvals of calls, for 12 hours", "세션이 12시간 동안 호출 승인을 보고 결정하는 일만 할 수 있게 합니다"}
	CLIDecideLoginApprovals = Text{"Make a link whose browser session decides approvals of calls, as %s?", "%s(으)로 호출 승인을 결정하는 브라우저 세션의 링크를 만들까요?"}
	CLILoginApproves        = Text{"The session of this link can decide approvals of calls as %s, for 12 hours, and nothing else.", "이 링크의 세션은 12시간 동안 %s(으)로 호출 승인을 결정할 수 있고, 다른 일은 할 수 없습니다."}
)
