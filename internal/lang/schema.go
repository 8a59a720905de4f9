package lang

// What is wrong with one argument. The English forms are a contract: models
// and other programs have learned to read them.
var (
	IssueMissing    = Text{"required property is missing", "필수 속성이 없습니다"}
	IssueUnexpected = Text{"unexpected property", "허용되지 않은 속성입니다"}
	IssueType       = Text{"expected %s but got %s", "%s 형식이어야 하는데 %s 형식입니다"}
	IssueEnum       = Text{"value must be one of [%s]", "다음 값 중 하나여야 합니다: [%s]"}

	IssueConst       = Text{"value must be %s", "값이 %s이어야 합니다"}
	IssueDependent   = Text{"required property is missing because %q is present", "%q 속성이 있으므로 필요한 속성이 없습니다"}
	IssueName        = Text{"property name is not allowed: %s", "속성 이름이 허용되지 않습니다: %s"}
	IssueForbidden   = Text{"no value is allowed here", "여기에는 값을 둘 수 없습니다"}
	IssueExtraItem   = Text{"unexpected item", "허용되지 않은 항목입니다"}
	IssueNot         = Text{"matches a form that is not allowed", "허용되지 않은 형태와 일치합니다"}
	IssueNoForm      = Text{"matches none of the %d allowed forms", "허용된 %d가지 형태 중 어느 것과도 맞지 않습니다"}
	IssueManyForms   = Text{"matches more than one of the allowed forms (numbers %d and %d), but must match exactly one", "허용된 형태 중 하나와만 맞아야 하는데 둘 이상(%d번과 %d번)과 맞습니다"}
	IssueMinLength   = Text{"must be at least %d characters long", "%d자 이상이어야 합니다"}
	IssueMaxLength   = Text{"must be at most %d characters long", "%d자 이하여야 합니다"}
	IssuePattern     = Text{"must match the pattern %s", "패턴 %s에 맞아야 합니다"}
	IssueMinimum     = Text{"must be at least %s", "%s 이상이어야 합니다"}
	IssueMaximum     = Text{"must be at most %s", "%s 이하여야 합니다"}
	IssueAbove       = Text{"must be greater than %s", "%s보다 커야 합니다"}
	IssueBelow       = Text{"must be less than %s", "%s보다 작아야 합니다"}
	IssueMultiple    = Text{"must be a multiple of %s", "%s의 배수여야 합니다"}
	IssueMinItems    = Text{"must have at least %d items", "항목이 %d개 이상이어야 합니다"}
	IssueMaxItems    = Text{"must have at most %d items", "항목이 %d개 이하여야 합니다"}
	IssueUnique      = Text{"items must be different, but [%d] and [%d] are equal", "항목이 서로 달라야 하는데 [%d]와 [%d]이 같습니다"}
	IssueContains    = Text{"must contain a matching item", "조건에 맞는 항목이 있어야 합니다"}
	IssueMinContains = Text{"must contain at least %d matching items", "조건에 맞는 항목이 %d개 이상 있어야 합니다"}
	IssueMaxContains = Text{"must contain at most %d matching items", "조건에 맞는 항목이 %d개 이하여야 합니다"}
	IssueMinProps    = Text{"must have at least %d properties", "속성이 %d개 이상이어야 합니다"}
	IssueMaxProps    = Text{"must have at most %d properties", "속성이 %d개 이하여야 합니다"}
	IssueInvalid     = Text{"does not match the schema", "스키마와 맞지 않습니다"}
)
