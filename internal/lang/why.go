package lang

// What gongu why finds at each stage, and what to do about a no. A model reads the
// same sentences when its call is refused.
var (
	WhyPlain = Text{"%s", "%s"}

	WhyExists         = Text{"%s is a tool of %s.", "%s은(는) %s의 도구입니다."}
	WhyExistsProposed = Text{"%s is a tool of %s (%s).", "%s은(는) %s(%s)의 도구입니다."}
	WhyExistsByName   = Text{"By its name, %s is a tool of %s.", "이름으로 보아 %s은(는) %s의 도구입니다."}
	WhyUnknown        = Text{"There is no tool %q.", "%q 도구가 없습니다."}
	WhyUnknownNear    = Text{"There is no tool %q. Did you mean: %s?", "%q 도구가 없습니다. 혹시 다음 도구인가요: %s?"}

	WhySource      = Text{"%s can be used.", "%s을(를) 사용할 수 있습니다."}
	WhySourceWaits = Text{"%s is used once a person has consented to it.", "사람이 동의하면 %s을(를) 사용합니다."}

	WhyNoConsent       = Text{"No person has consented to this bundle yet, so nothing of it runs.", "아직 아무도 이 번들에 동의하지 않아 아무것도 실행하지 않습니다."}
	WhyHeldChange      = Text{"It is part of a change (%s) that no person has consented to yet.", "아직 아무도 동의하지 않은 변경(%s)에 들어 있습니다."}
	WhyStarter         = Text{"The starter tools need no consent.", "시작 도구에는 동의가 필요하지 않습니다."}
	WhyProgramConsents = Text{"The program that opened the bundle decides what runs.", "번들을 연 프로그램이 무엇을 실행할지 결정합니다."}
	WhyConsented       = Text{"A person has consented to the bundle (%s).", "사람이 번들에 동의했습니다(%s)."}
	WhyConsentedBefore = Text{"What a person has consented to runs. The bundle has changed since; to accept the change: %s", "사람이 동의한 것을 실행합니다. 그 뒤에 번들이 바뀌었습니다. 변경을 받아들이려면: %s"}
	WhyNeedsNone       = Text{"The bundle cannot act, so it needs no consent.", "번들이 할 수 있는 동작이 없어 동의가 필요하지 않습니다."}

	WhyPinned    = Text{"Its definition is the accepted one.", "정의가 승인된 그대로입니다."}
	WhyNotPinned = Text{"Its definition is not from a server, so it needs no pin.", "서버에서 온 정의가 아니므로 고정할 필요가 없습니다."}

	WhyEnabled  = Text{"No setting switches it off.", "꺼 둔 설정이 없습니다."}
	WhyExcluded = Text{"include or exclude of %s (%s) leaves it out. Change that there, then consent to the change.", "%s(%s)의 include 또는 exclude 설정이 제외합니다. 그곳에서 설정을 바꾸고 변경에 동의하세요."}

	WhyNoCode = Text{"Code that a model writes is switched off. --code switches it on, also for gongu serve.", "모델이 작성한 코드를 실행하는 기능이 꺼져 있습니다. --code로 켤 수 있으며 gongu serve에서도 같습니다."}

	WhyWhole       = Text{"It is a call without an agent, so every tool of the bundle is in the catalog.", "에이전트가 없는 호출이므로 번들의 모든 도구가 카탈로그에 있습니다."}
	WhyInCatalog   = Text{"It is in the catalog of %s.", "%s의 카탈로그에 있습니다."}
	WhyNotDeclared = Text{"spec.tools of %s does not have %s. Add it in %s, then consent to the change.", "%s의 spec.tools에 %s이(가) 없습니다. %s에 추가하고 변경에 동의하세요."}
	WhyNoExplore   = Text{"%s has no discovery tools (explore: false in %s). Change that there, then consent to the change.", "%s에는 탐색 도구가 없습니다(%s의 explore: false). 그곳에서 바꾸고 변경에 동의하세요."}
	WhyReserved    = Text{"%s was approved for Agent/%s alone.", "%s은(는) Agent/%s에만 승인되었습니다."}
	WhyRemoved     = Text{"Step middleware of %s removes it from the catalog. Its extensions are: %s. Change them, then consent to the change.", "%s의 step 미들웨어가 카탈로그에서 제외합니다. 확장: %s. 확장을 바꾸고 변경에 동의하세요."}

	WhyNoOffer     = Text{"Offers are for the clients of gongu serve; this caller sees every tool.", "제공 설정은 gongu serve의 클라이언트를 위한 것이며, 이 호출자는 모든 도구를 봅니다."}
	WhyOffered     = Text{"It is offered.", "제공됩니다."}
	WhySourceOffer = Text{"offer of %s (%s) leaves it out. Change that there, then consent to the change.", "%s(%s)의 offer 설정이 제외합니다. 그곳에서 바꾸고 변경에 동의하세요."}
	WhyBundleOffer = Text{"This server does not offer it: spec.serve.offer of the bundle's Package leaves it out. The flag --offer replaces that.", "이 서버는 제공하지 않습니다. 번들 Package의 spec.serve.offer가 제외합니다. --offer 플래그가 이 설정을 대신합니다."}
	WhyServerOffer = Text{"This server does not offer it: its --offer leaves it out.", "이 서버는 제공하지 않습니다. 서버의 --offer가 제외합니다."}
	WhyClientOffer = Text{"This server does not offer it to %s: the offer in the client's entry leaves it out.", "이 서버는 %s에 제공하지 않습니다. 클라이언트 항목의 offer가 제외합니다."}

	WhyProgram    = Text{"The program itself may use every tool.", "프로그램 자신은 모든 도구를 사용할 수 있습니다."}
	WhyAllGranted = Text{"%s may use every tool.", "%s은(는) 모든 도구를 사용할 수 있습니다."}
	WhyGranted    = Text{"%s is granted it.", "%s에 허용되어 있습니다."}
	WhyNotGranted = Text{"%s is not granted it.", "%s에 허용되어 있지 않습니다."}
	WhyOtherAgent = Text{"%s may not use Agent/%s.", "%s은(는) Agent/%s을(를) 사용할 수 없습니다."}
	WhyAgentsOnly = Text{"%s may only use these agents: %s. Name one of them.", "%s은(는) 다음 에이전트만 사용할 수 있습니다: %s. 그중 하나를 지정하세요."}

	WhyRuleAllows  = Text{"Rule %s allows it.", "규칙 %s이(가) 허용합니다."}
	WhyRuleAsks    = Text{"Rule %s asks a person first.", "규칙 %s에 따라 먼저 사람에게 묻습니다."}
	WhyRuleDenies  = Text{"Rule %s denies it.", "규칙 %s이(가) 거부합니다."}
	WhyDepends     = Text{"Other arguments can change that, because some rules have conditions: give the arguments as JSON.", "조건이 있는 규칙이 있어 인자에 따라 달라질 수 있습니다. 인자를 JSON으로 지정해 보세요."}
	WhyAdminRule   = Text{"Only the administrator of this machine can change it.", "이 컴퓨터의 관리자만 바꿀 수 있습니다."}
	WhyUserDefault = Text{"Change the default of %s in your policy file, which this command names.", "다음 명령이 보여 주는 정책 파일에서 %s의 default를 바꾸세요."}
	WhyBundleRule  = Text{"Change the rule in the bundle, then consent to the change.", "번들에서 규칙을 바꾸고 변경에 동의하세요."}
	WhyModePlan    = Text{"The mode plan allows only tools that are read-only. Start gongu without --permission plan.", "plan 모드에서는 읽기 전용 도구만 허용합니다. --permission plan 없이 시작하세요."}

	WhyDenied = Text{"Tool '%s' is denied by policy. %s", "정책이 툴 '%s' 실행을 거부했습니다. %s"}
	WhyTell   = Text{"Do not repeat the call.", "같은 호출을 반복하지 마세요."}
	WhyChange = Text{"To change it, the user can run: %s", "바꾸려면 사용자가 다음 명령을 실행합니다: %s"}

	WhyShownCLI = Text{"It is called with: %s", "다음 명령으로 호출합니다: %s"}
	WhyDirect   = Text{"tools/list has it as %s.", "tools/list에 %s(으)로 나옵니다."}
	WhySearch   = Text{"tools/list does not have it (mode %s). %s finds it, and %s calls it, as %s.", "tools/list에 나오지 않습니다(%s 모드). %s로 찾고 %s로 호출하며 이름은 %s입니다."}
)

// The HTTP API.
var (
	APIGetPolicy   = Text{"The rules about calls that are in force, the strongest tier first", "적용 중인 호출 규칙. 가장 강한 계층부터 나옵니다"}
	APIWhy         = Text{"Say whether the caller, or another principal, can call a tool, and why; nothing is called", "호출자나 다른 주체가 도구를 호출할 수 있는지와 그 이유. 아무것도 호출하지 않습니다"}
	APIWhyAs       = Text{"only a manager may ask about another principal", "다른 주체에 대해서는 관리자만 물을 수 있습니다"}
	APINoCaller    = Text{"there is no token, client or caller %q", "%q이라는 토큰, 클라이언트, 호출자가 없습니다"}
	APINoRules     = Text{"this server does not say what decides about calls", "이 서버는 호출을 무엇이 결정하는지 알려 주지 않습니다"}
	APINoRulesHint = Text{"Ask the owner of the program.", "프로그램 소유자에게 문의하세요."}
)

// The command gongu why.
var (
	CLIWhyShort = Text{"Say whether a tool can be called, and why", "도구를 호출할 수 있는지와 그 이유를 알려 줍니다"}
	CLIWhyLong  = Text{`Says whether a caller can see and call a tool, and why. It checks in the order in
which a call is checked: the tool exists, its source answers, a person consented,
its definition is accepted, no setting switches it off, it is in the catalog of the
agent, it is offered, the caller is granted it, and the rules of the policy allow
it. It stops at the first no and prints the command that changes it.

Nothing is called and nothing is written. Like a call, it may start the server that
the tool belongs to, if a person has consented to that.

--as is a token or a connected client by its name (token:NAME or client:NAME where
both have it), or one of terminal, script (gongu call without a terminal), stdio (a
client that gongu connect did not write), anonymous (--no-auth), session (the
console) and agent. Without it, it is the person at the terminal.

Exit status: 0 when the call is allowed or a person is asked, 1 when it is denied.`, `호출자가 도구를 보고 호출할 수 있는지와 그 이유를 알려 줍니다. 호출과 같은 순서로
확인합니다: 도구가 있는지, 소스가 응답하는지, 사람이 동의했는지, 정의가 승인되었는지,
꺼 둔 설정이 없는지, 에이전트의 카탈로그에 있는지, 제공되는지, 호출자에 허용되었는지,
정책 규칙이 허용하는지. 처음으로 막히는 곳에서 멈추고 그것을 바꾸는 명령을 보여 줍니다.

아무것도 호출하거나 쓰지 않습니다. 호출처럼, 사람이 동의했다면 도구의 서버를 시작할 수
있습니다.

--as는 토큰이나 연결된 클라이언트의 이름(둘 다 있으면 token:NAME 또는 client:NAME),
또는 terminal, script(터미널 없는 gongu call), stdio(gongu connect가 쓰지 않은
클라이언트), anonymous(--no-auth), session(콘솔), agent 중 하나입니다. 지정하지 않으면
터미널에 있는 사람입니다.

종료 상태: 허용되거나 사람에게 물으면 0, 거부되면 1.`}
	CLIFlagAs         = Text{"the caller: a token, a client, or one of terminal, script, stdio, anonymous, session, agent (`PRINCIPAL`)", "호출자: 토큰이나 클라이언트의 이름, 또는 terminal, script, stdio, anonymous, session, agent 중 하나 (`PRINCIPAL`)"}
	CLIWhyNeedsName   = Text{"why needs the name of a tool", "도구 이름이 필요합니다"}
	CLIWhyTooMany     = Text{"why takes a name and one JSON object, and got %d words", "이름과 JSON 객체 하나만 받는데 %d개를 받았습니다"}
	CLIWhyBadJSON     = Text{"the arguments are not JSON", "인자가 JSON이 아닙니다"}
	CLIWhyNoPrincipal = Text{"there is no token, client or caller %q", "%q이라는 토큰, 클라이언트, 호출자가 없습니다"}
	CLIWhyTwo         = Text{"a token and a client have the name %q", "이름이 %q인 토큰과 클라이언트가 모두 있습니다"}
	CLIWhyExpired     = Text{"the token %s has expired, so it can call nothing", "%s 토큰은 만료되어 아무것도 호출할 수 없습니다"}
	CLIWhyExpiredHint = Text{"Tokens and when they end: %s", "토큰과 만료 시각: %s"}

	CLIWhyAllowed = Text{"%s can be called (rule: %s)", "%s을(를) 호출할 수 있습니다 (규칙: %s)"}
	CLIWhyAsked   = Text{"%s can be called after a person said yes (rule: %s)", "사람이 승인하면 %s을(를) 호출할 수 있습니다 (규칙: %s)"}
	CLIWhyDenied  = Text{"%s cannot be called (%s)", "%s을(를) 호출할 수 없습니다 (%s)"}
	CLIWhyYes     = Text{"yes", "예"}
	CLIWhyNo      = Text{"no", "아니요"}
	CLIWhyChange  = Text{"To change it: %s", "바꾸려면: %s"}
	CLIWhyMatch   = Text{"%s: %s, matches", "%s: %s, 해당"}
	CLIWhyNoMatch = Text{"%s: %s, does not match", "%s: %s, 해당 없음"}
	CLIWhyFailed  = Text{"%s: %s, its condition cannot be decided, so it asks: %s", "%s: %s, 조건을 판단할 수 없어 사람에게 묻습니다: %s"}
)
