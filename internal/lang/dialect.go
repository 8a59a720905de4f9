package lang

// Bounds of a parameter in words, for dialects that have no keyword for them.
var (
	WordsMinLength         = Text{"Minimum length: %s.", "최소 길이: %s."}
	WordsMaxLength         = Text{"Maximum length: %s.", "최대 길이: %s."}
	WordsPattern           = Text{"Matches the regular expression: %s", "다음 정규식과 일치: %s"}
	WordsFormat            = Text{"Format: %s.", "형식: %s."}
	WordsMinimum           = Text{"At least %s.", "%s 이상."}
	WordsMaximum           = Text{"At most %s.", "%s 이하."}
	WordsExclusiveMinimum  = Text{"Greater than %s.", "%s 초과."}
	WordsExclusiveMaximum  = Text{"Less than %s.", "%s 미만."}
	WordsMultipleOf        = Text{"A multiple of %s.", "%s의 배수."}
	WordsMinItems          = Text{"Minimum number of items: %s.", "최소 항목 수: %s."}
	WordsMaxItems          = Text{"Maximum number of items: %s.", "최대 항목 수: %s."}
	WordsUniqueItems       = Text{"No two items are equal.", "같은 항목이 두 번 나올 수 없습니다."}
	WordsMinProperties     = Text{"Minimum number of properties: %s.", "최소 속성 수: %s."}
	WordsMaxProperties     = Text{"Maximum number of properties: %s.", "최대 속성 수: %s."}
	WordsEnum              = Text{"One of: %s.", "다음 중 하나: %s."}
	WordsDefault           = Text{"Default: %s.", "기본값: %s."}
	WordsExamples          = Text{"Examples: %s.", "예: %s."}
	WordsNot               = Text{"Must not match the schema %s.", "다음 스키마와 일치하면 안 됩니다: %s."}
	WordsDependentRequired = Text{"Properties that must come with others: %s.", "함께 있어야 하는 속성: %s."}
	WordsTuple             = Text{"Items in this order: %s.", "항목 순서: %s."}
	WordsAlternatives      = Text{"Give one of these groups of properties: %s.", "다음 속성 묶음 중 하나를 주세요: %s."}
)

// What became of a part of a schema that a dialect does not carry.
var (
	LossDropped      = Text{"the dialect has no form for it", "이 형식에는 표현할 방법이 없습니다"}
	LossInWords      = Text{"said in words in the description of the parameter", "파라미터 설명에 말로 적었습니다"}
	LossOneOf        = Text{"declared as anyOf: more than one alternative may match", "anyOf로 선언했습니다. 둘 이상의 대안이 맞을 수 있습니다"}
	LossAlternatives = Text{"the alternatives are merged into one object", "대안들을 하나의 객체로 합쳤습니다"}
	LossConflict     = Text{"it cannot be combined with another rule for the same value", "같은 값에 대한 다른 규칙과 합칠 수 없습니다"}
	LossReference    = Text{"it refers to a schema outside of this one", "이 스키마 밖을 참조합니다"}
	LossRecursion    = Text{"the recursion is cut off here", "여기에서 재귀를 끊었습니다"}
	LossTooLarge     = Text{"the schema grows too large here; any value is declared", "여기에서 스키마가 너무 커져 모든 값을 허용하도록 선언했습니다"}
	LossAnyValue     = Text{"the dialect has no form for any value; the common types are listed", "임의의 값을 표현할 수 없어 흔한 형식을 나열했습니다"}
	LossBoolean      = Text{"a schema that no value matches cannot be expressed here", "아무 값도 맞지 않는 스키마는 표현할 수 없습니다"}
	LossNever        = Text{"the property can never be given, so it is left out", "절대 줄 수 없는 속성이어서 뺐습니다"}
	LossClosed       = Text{"only the listed properties can be given", "나열된 속성만 줄 수 있습니다"}
	LossAbsent       = Text{"the property cannot be left out, and null is passed on as null", "속성을 생략할 수 없으며 null은 그대로 전달됩니다"}
	LossPropertyName = Text{"the provider refuses the name of the property, so it is left out", "제공자가 속성 이름을 거부하므로 뺐습니다"}
	LossName         = Text{"the provider accepts names of the form %s", "제공자가 받는 이름의 형태는 %s 입니다"}
	LossNotStrict    = Text{"declared without strict mode: %s", "strict 모드 없이 선언했습니다: %s"}
)

// Why a schema cannot be declared in strict mode.
var (
	ReasonAnyValue   = Text{"a value of any type has no form", "임의 형식의 값을 표현할 수 없습니다"}
	ReasonOpenObject = Text{"an object with free property names has no form", "속성 이름이 자유로운 객체를 표현할 수 없습니다"}
	ReasonTooLarge   = Text{"the schema grows too large", "스키마가 너무 커집니다"}
	ReasonRecursion  = Text{"a recursive schema is narrowed where it is used", "재귀 스키마가 사용되는 곳에서 좁혀집니다"}
	ReasonProperties = Text{"%d properties are more than the %d allowed", "속성 %d개는 허용된 %d개보다 많습니다"}
	ReasonLevels     = Text{"%d levels of objects are more than the %d allowed", "객체 %d단계는 허용된 %d단계보다 깊습니다"}
	ReasonEnum       = Text{"%d enum values are more than the %d allowed", "enum 값 %d개는 허용된 %d개보다 많습니다"}
	ReasonText       = Text{"%d bytes of names and enum values are more than the %d allowed", "이름과 enum 값 %d바이트는 허용된 %d바이트보다 큽니다"}
	ReasonEnumText   = Text{"%d bytes of values in one enum are more than the %d allowed", "enum 하나의 값 %d바이트는 허용된 %d바이트보다 큽니다"}
)

// Lines that stand for content a dialect has no form for.
var (
	LineMedia    = Text{"[%s, %s, %d bytes]", "[%s, %s, %d바이트]"}
	LineResource = Text{"[resource %s, %s, %d bytes]", "[리소스 %s, %s, %d바이트]"}
	LineLink     = Text{"[link to resource %s: %s, %s]", "[리소스 링크 %s: %s, %s]"}
	LineUnknown  = Text{"[%s, %d bytes]", "[%s, %d바이트]"}
)
