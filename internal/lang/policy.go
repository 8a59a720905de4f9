package lang

// What is wrong with a Policy, and what to do about it.
var (
	PolicyRate              = Text{"%q is not a rate", "%q은(는) 빈도가 아닙니다"}
	PolicyHintRate          = Text{"Write a number of calls and a time, such as 10/1m; at most %d calls.", "호출 횟수와 시간을 10/1m처럼 쓰세요. 최대 %d회까지 가능합니다."}
	PolicyTwoConditions     = Text{"match is a condition, so when cannot be given too", "match가 조건이므로 when을 함께 쓸 수 없습니다"}
	PolicyHintTwoConditions = Text{"Join both with && in one of them, or write match as globs: match: {tools: [bash__*]}.", "두 조건을 &&로 묶어 한 곳에 쓰거나, match를 match: {tools: [bash__*]}처럼 패턴으로 쓰세요."}
	PolicyDefaultName       = Text{"a rule cannot be called %q: that is the name of the policy's default", "규칙 이름으로 %q을(를) 쓸 수 없습니다. 정책의 기본값을 가리키는 이름입니다"}
	PolicyHintDefaultName   = Text{"Choose another name, or write spec.default.", "다른 이름을 고르거나 spec.default를 쓰세요."}
	PolicyHintApprovers     = Text{"Write effect: ask, or remove approvers: only questions are answered.", "effect: ask로 쓰거나 approvers를 지우세요. 질문에만 답할 수 있습니다."}
	PolicyDenyLimits        = Text{"limits have no effect in a rule that denies", "거부하는 규칙에서는 limits가 효과가 없습니다"}
	PolicyHintDenyLimits    = Text{"Remove limits, or write effect: allow or ask.", "limits를 지우거나 effect를 allow 또는 ask로 쓰세요."}
	PolicyNotifyBundle      = Text{"a bundle cannot set notify", "번들에서는 notify를 설정할 수 없습니다"}
	PolicyHintNotifyBundle  = Text{"Move it to policy.yaml in your gongu configuration folder; 'gongu policy list' shows where that is.", "gongu 설정 폴더의 policy.yaml로 옮기세요. 'gongu policy list'가 위치를 보여 줍니다."}
	PolicyProblem           = Text{"%s: %v", "%s: %v"}
	PolicyHintRule          = Text{"Correct the rule; docs/policy.md describes the fields.", "규칙을 고치세요. 필드는 docs/policy.md에 있습니다."}
	PolicyHintWhen          = Text{"Write a condition in CEL that is true or false, such as tool.readOnly or args.path.startsWith(\"/tmp/\").", "tool.readOnly나 args.path.startsWith(\"/tmp/\")처럼 참이나 거짓이 되는 CEL 조건을 쓰세요."}
	PolicyFileInside        = Text{"the policy file %s does not count, because it came along with the bundle, in %s: choose another folder with GONGU_CONFIG_DIR", "정책 파일 %s은(는) 번들과 함께 온 폴더 %s 안에 있어 인정하지 않습니다. GONGU_CONFIG_DIR로 다른 폴더를 고르세요"}
	PolicyFileOpen          = Text{"the policy file %s does not count, because other users can write or replace %s: take their permission away with chmod go-w", "정책 파일 %s은(는) 다른 사용자가 %s을(를) 쓰거나 바꿀 수 있어 인정하지 않습니다. chmod go-w로 쓰기 권한을 없애세요"}
	PolicyFileBroken        = Text{"the policy file cannot be used; the last good rules stay in use", "정책 파일을 쓸 수 없습니다. 마지막으로 올바른 규칙을 계속 적용합니다"}
	PolicyNoMatch           = Text{"match.%s: nothing is called %q, so the rule never matches by it", "match.%s: %q에 해당하는 이름이 없어 이 규칙은 여기에 해당하지 않습니다"}
	PolicyHintNoMatch       = Text{"Correct the name, or remove it; 'gongu tools' lists what there is.", "이름을 고치거나 지우세요. 'gongu tools'가 있는 것을 보여 줍니다."}
	PolicyTestTwice         = Text{"the file has two documents with cases", "사례가 있는 문서가 두 개입니다"}
	PolicyHintTestTwice     = Text{"Put all cases into one document.", "모든 사례를 한 문서에 쓰세요."}
	PolicyTestNone          = Text{"the file has no cases", "파일에 사례가 없습니다"}
	PolicyHintTestNone      = Text{"Add a document such as cases: [{tool: bash__exec, args: {command: ls}, expect: ask}].", "cases: [{tool: bash__exec, args: {command: ls}, expect: ask}] 같은 문서를 추가하세요."}
	PolicyFileHeader        = Text{"Your rules for gongu, in every bundle. 'gongu policy list' shows all rules.", "모든 번들에 적용되는 나의 gongu 규칙입니다. 'gongu policy list'로 모든 규칙을 볼 수 있습니다."}
	PolicyFileKind          = Text{"a policy file has only documents of kind Policy", "정책 파일에는 kind가 Policy인 문서만 쓸 수 있습니다"}
	PolicyHintFileKind      = Text{"Write kind: Policy, or move the document to a bundle.", "kind: Policy로 쓰거나 문서를 번들로 옮기세요."}
)
