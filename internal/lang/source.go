package lang

// Why a tool of a program or server cannot be used now.
var (
	SourceChanged      = Text{"%s is held back: its definition changed since it was accepted.", "%s은(는) 보류되었습니다: 승인된 뒤에 정의가 바뀌었습니다."}
	SourceNew          = Text{"%s is held back: it is new and has not been accepted yet.", "%s은(는) 보류되었습니다: 새 도구이며 아직 승인되지 않았습니다."}
	SourceFlagged      = Text{"%s is held back: its definition contains suspicious text.", "%s은(는) 보류되었습니다: 정의에 의심스러운 텍스트가 있습니다."}
	SourceMoved        = Text{"%s is held back: its server is started differently than when it was accepted.", "%s은(는) 보류되었습니다: 서버를 시작하는 방법이 승인된 때와 다릅니다."}
	SourceHeldHint     = Text{"Do not call it again. Tell the user: gongu pins diff %s shows what changed, and gongu pins accept %s accepts it.", "다시 호출하지 마세요. 사용자에게 알리세요: gongu pins diff %s로 바뀐 내용을 보고 gongu pins accept %s로 승인할 수 있습니다."}
	SourceUnreachable  = Text{"%s does not answer: %v.", "%s이(가) 응답하지 않습니다: %v."}
	SourceUnreachHint  = Text{"Go on without its tools, or try again later. gongu sources shows its state.", "이 도구 없이 계속하거나 나중에 다시 시도하세요. gongu sources에서 상태를 볼 수 있습니다."}
	SourceNameTaken    = Text{"%q is left out: %s already has a tool of this name", "%q을(를) 제외합니다: %s에 같은 이름의 도구가 이미 있습니다"}
	SourceBadEntry     = Text{"%q is left out: %v", "%q을(를) 제외합니다: %v"}
	SourceSomeHeld     = Text{"tools held back: %d; see gongu pins diff", "보류된 도구: %d개. gongu pins diff를 보세요"}
	SourceKept         = Text{"the last list failed, the one before is used: %v", "마지막 목록을 읽지 못해 이전 목록을 사용합니다: %v"}
	SourceListedTwice  = Text{"%q is listed twice; the first one counts", "%q이(가) 두 번 나옵니다. 처음 것을 사용합니다"}
	SourceParts        = Text{"Affected: %s.", "해당 부분: %s."}
	SourceNone         = Text{"there is no source %q; the bundle has no McpServer and no ToolCommand", "%q 소스가 없습니다. 이 번들에는 McpServer도 ToolCommand도 없습니다"}
	SourceNear         = Text{"there is no source %q; did you mean %s?", "%q 소스가 없습니다. 혹시 %s?"}
	SourceAll          = Text{"there is no source %q; there are: %s", "%q 소스가 없습니다. 있는 소스: %s"}
	SourceNotThere     = Text{"there is no source %q", "%q 소스가 없습니다"}
	SourceProblemCount = Text{"entries left out or repaired: %d", "제외하거나 고친 항목: %d개"}
)
