package lang

// Texts of gongu policy.
var (
	CLIPolicyShort       = Text{"Show, test and remove rules about calls", "호출 규칙 보기, 검사, 삭제"}
	CLIPolicyLong        = Text{"Rules allow calls, ask a person about them or deny them. They come from the administrator, from you, from the bundle and from gongu itself, in this order; a deny of any of them wins.", "규칙은 호출을 허용하거나, 사람에게 묻거나, 거부합니다. 규칙의 순서는 관리자, 사용자, 번들, gongu 자체이며, 어디에 있든 거부가 우선합니다."}
	CLIPolicyListShort   = Text{"Show the rules of all tiers", "모든 단계의 규칙 보기"}
	CLIPolicyListLong    = Text{"Shows the rules in the order in which they count, with the files that they come from, and what holds when no rule matches.", "규칙을 적용되는 순서대로, 그 규칙이 있는 파일과 함께 보여 줍니다. 맞는 규칙이 없을 때의 결과도 보여 줍니다."}
	CLIPolicyTestShort   = Text{"Check rules against cases", "사례로 규칙 검사하기"}
	CLIPolicyTestLong    = Text{"Reads calls and what must happen to them from a file, and decides about each by the rules that the file has or names, or by those of a bundle. Nothing is called. The exit code is 1 if a case is not as expected.", "파일에서 호출과 기대하는 결과를 읽고, 그 파일에 있거나 파일이 가리키는 규칙 또는 번들의 규칙으로 판정합니다. 아무것도 호출하지 않습니다. 기대와 다른 사례가 있으면 종료 코드는 1입니다."}
	CLIPolicyRemoveShort = Text{"Remove a rule from your policy", "내 정책에서 규칙 삭제"}
	CLIPolicyRemoveLong  = Text{"Removes a rule from your policy file by its name, after you confirmed it at the terminal. Rules of the administrator and of bundles are changed in their files.", "터미널에서 확인한 뒤 내 정책 파일에서 이름으로 규칙을 삭제합니다. 관리자와 번들의 규칙은 해당 파일에서 바꿉니다."}
	CLIPolicyNoFile      = Text{"(no file)", "(파일 없음)"}
	CLIPolicyNoRules     = Text{"(no rules)", "(규칙 없음)"}
	CLIPolicyUnused      = Text{"(not used: to agree to it, run %s)", "(적용 안 됨. 동의하려면 %s 실행)"}
	CLIPolicyBuiltIn     = Text{"built-in: what holds when no rule matches", "내장: 맞는 규칙이 없을 때"}
	CLIPolicyCaller      = Text{"CALLER", "호출자"}
	CLIPolicyReads       = Text{"READ-ONLY TOOLS", "읽기 전용 도구"}
	CLIPolicyOther       = Text{"OTHER TOOLS", "그 밖의 도구"}
	CLIPolicyModes       = Text{"modes (--permission): plan runs only read-only tools, default follows the rules, edits does not ask about file changes inside the workdir, bypass does not ask at all. Denials hold in each.", "모드(--permission): plan은 읽기 전용 도구만 실행하고, default는 규칙을 따르며, edits는 작업 폴더 안의 파일 변경을 묻지 않고, bypass는 아무것도 묻지 않습니다. 거부는 어느 모드에서나 적용됩니다."}
	CLIPolicyCase        = Text{"%s: expected %s, got %s by %s", "%s: 기대한 결과는 %s, 실제 결과는 %s (규칙 %s)"}
	CLIPolicyCases       = Text{"cases: %d, failed: %d", "사례: %d, 실패: %d"}
	CLIPolicyMatched     = Text{"matches", "해당함"}
	CLIPolicyNoMatch     = Text{"does not match", "해당하지 않음"}
	CLIPolicyCondition   = Text{"the condition fails, which counts as ask: %s", "조건 실행에 실패하여 ask로 봅니다: %s"}
	CLIPolicyNoTool      = Text{"%s: there is no tool %q", "%s: %q 도구가 없습니다"}
	CLIPolicyNoToolHint  = Text{"A tool of a server is described in the case: tool: {name: %s, source: McpServer/NAME, hints: {readOnly: true}}.", "서버의 도구는 사례에 직접 적으세요: tool: {name: %s, source: McpServer/이름, hints: {readOnly: true}}"}
	CLIPolicyNoRule      = Text{"%s has no rule %q", "%s에 %q 규칙이 없습니다"}
	CLIPolicyNoRuleHint  = Text{"To see the rules, run: gongu policy list", "규칙을 보려면 실행하세요: gongu policy list"}
	CLIPolicyOneRule     = Text{"%s takes the name of one rule", "%s에는 규칙 이름 하나가 필요합니다"}
	CLIPolicySeveral     = Text{"several policies have a rule %q", "%q 규칙이 여러 정책에 있습니다"}
	CLIPolicySeveralHint = Text{"Name the policy too, as POLICY/%s.", "정책 이름도 POLICY/%s처럼 쓰세요."}
	CLIPolicyRemoveAsk   = Text{"Remove this rule?", "이 규칙을 삭제할까요?"}
	CLIPolicyRemoved     = Text{"Removed %s from %s. Running servers follow at once.", "%[2]s에서 %[1]s 규칙을 삭제했습니다. 실행 중인 서버에도 곧 적용됩니다."}
	CLIPolicyRefused     = Text{"the policy file %s cannot be used, so nothing is started: a rule that denies must not be lost", "정책 파일 %s을(를) 쓸 수 없어 아무것도 시작하지 않습니다. 거부 규칙이 사라지면 안 됩니다"}
	CLIPolicyRefusedHint = Text{"Correct the file and try again.", "파일을 고치고 다시 실행하세요."}
	CLIStatusPolicy      = Text{"Policy", "정책"}
	CLIStatusPolicyBad   = Text{"%s cannot be used; running servers keep the last good rules: %s", "%s을(를) 쓸 수 없습니다. 실행 중인 서버는 마지막으로 올바른 규칙을 계속 적용합니다: %s"}
)
