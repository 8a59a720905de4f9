package lang

// What is wrong with one argument. The English forms are a contract: models
// and other programs have learned to read them.
var (
	IssueMissing    = Text{"required property is missing", "필수 속성이 없습니다"}
	IssueUnexpected = Text{"unexpected property", "허용되지 않은 속성입니다"}
	IssueType       = Text{"expected %s but got %s", "%s 형식이어야 하는데 %s 형식입니다"}
	IssueEnum       = Text{"value must be one of [%s]", "다음 값 중 하나여야 합니다: [%s]"}
)
