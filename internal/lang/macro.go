package lang

// What is wrong with a macro's definition. The places are paths into it, such
// as steps[0].params.x.
var (
	MacroJSON        = Text{"the definition of a macro is not valid JSON: %s", "매크로 정의가 올바른 JSON이 아닙니다: %s"}
	MacroTooLarge    = Text{"the definition has %d bytes, at most %d are allowed", "정의가 %d바이트입니다. 최대 %d바이트까지 가능합니다"}
	MacroType        = Text{"must be %s, not %s", "%s이어야 하는데 %s입니다"}
	MacroUnknown     = Text{"there is no field %q", "%q 필드는 없습니다"}
	MacroRequired    = Text{"is required", "필수입니다"}
	MacroEmpty       = Text{"must not be empty", "비어 있으면 안 됩니다"}
	MacroName        = Text{"%q is not a valid name of a tool", "%q은(는) 도구 이름이 될 수 없습니다"}
	MacroDomain      = Text{"%q is not a valid name of a domain", "%q은(는) 도메인 이름이 될 수 없습니다"}
	MacroKind        = Text{"implementation %q is not known", "implementation %q은(는) 알 수 없습니다"}
	MacroParameters  = Text{"is not a usable JSON Schema: %s", "사용할 수 있는 JSON Schema가 아닙니다: %s"}
	MacroNoObject    = Text{"must have \"type\": \"object\" at the root", "루트에 \"type\": \"object\"가 있어야 합니다"}
	MacroSteps       = Text{"a macro has 1 to %d steps, this one has %d", "매크로의 단계는 1~%d개인데 %d개입니다"}
	MacroStepID      = Text{"%q cannot be the id of a step", "%q은(는) 단계의 id가 될 수 없습니다"}
	MacroSameID      = Text{"the id %q is used by two steps", "id %q을(를) 두 단계가 사용합니다"}
	MacroComputed    = Text{"the name of a tool must be written out, %q is computed", "도구 이름은 그대로 적어야 합니다. %q은(는) 계산된 이름입니다"}
	MacroOnError     = Text{"%q is not a way to handle an error", "%q은(는) 오류 처리 방법이 아닙니다"}
	MacroKey         = Text{"the field name %q holds an expression; only values may", "필드 이름 %q에 표현식이 있습니다. 값에만 쓸 수 있습니다"}
	MacroUnclosed    = Text{"%q has a ${ that is not closed", "%q에 닫히지 않은 ${가 있습니다"}
	MacroNoExpr      = Text{"the expression is empty", "표현식이 비어 있습니다"}
	MacroLongExpr    = Text{"the expression has %d bytes, at most %d are allowed", "표현식이 %d바이트입니다. 최대 %d바이트까지 가능합니다"}
	MacroManyExprs   = Text{"the macro has more than %d expressions", "매크로의 표현식이 %d개를 넘습니다"}
	MacroAllExprs    = Text{"the expressions have more than %d bytes together", "표현식이 모두 합쳐 %d바이트를 넘습니다"}
	MacroExpr        = Text{"%s\n%s", "%s\n%s"}
	MacroUndeclared  = Text{"there is no variable %q", "변수 %q이(가) 없습니다"}
	MacroNoParam     = Text{"the macro has no parameter %q", "매크로에 %q 매개변수가 없습니다"}
	MacroNoStep      = Text{"there is no step %q before this one", "이 단계 앞에 %q 단계가 없습니다"}
	MacroNoItem      = Text{"%s exists only in a step with forEach", "%s은(는) forEach가 있는 단계에만 있습니다"}
	MacroNoError     = Text{"error exists only in the output of onError", "error는 onError의 output에만 있습니다"}
	MacroNotBool     = Text{"when must give true or false, this gives %s", "when은 true나 false를 내야 하는데 %s을(를) 냅니다"}
	MacroNotList     = Text{"forEach must give a list, this gives %s", "forEach는 목록을 내야 하는데 %s을(를) 냅니다"}
	MacroNoTool      = Text{"there is no tool %q that may be called", "호출할 수 있는 %q 도구가 없습니다"}
	MacroSelf        = Text{"macro %q calls itself", "매크로 %q이(가) 자신을 호출합니다"}
	MacroArgs        = Text{"these arguments do not match the parameters of %s: %s", "이 인자는 %s의 매개변수와 맞지 않습니다: %s"}
	MacroMissingArg  = Text{"%s needs %q", "%s에는 %q이(가) 필요합니다"}
	MacroUnknownArg  = Text{"%s takes no %q", "%s에는 %q이(가) 없습니다"}
	MacroMoreProblem = Text{"(and %d more problems)", "(그 밖에 문제 %d개)"}
)

// What to do about it.
var (
	MacroHintNear       = Text{"Did you mean: %s", "혹시 이것인가요: %s"}
	MacroHintOneOf      = Text{"Use one of: %s", "다음 중에서 고르세요: %s"}
	MacroHintName       = Text{"Use up to 64 letters, digits, \"_\" and \"-\", without \"__\", such as draw_my_chair.", "draw_my_chair처럼 영문자, 숫자, \"_\", \"-\"로 64자까지 쓰고 \"__\"는 쓰지 마세요."}
	MacroHintDomain     = Text{"Use up to 64 characters without spaces around them, such as furniture.", "furniture처럼 앞뒤 공백 없이 64자까지 쓰세요."}
	MacroHintSteps      = Text{"Add a step such as {\"tool\": \"draw_rect\", \"params\": {…}}; split a long macro into several.", "{\"tool\": \"draw_rect\", \"params\": {…}} 같은 단계를 넣으세요. 긴 매크로는 여러 개로 나누세요."}
	MacroHintStepID     = Text{"Use letters, digits and \"_\", beginning with a letter, such as %s; it is written as steps.%[1]s.output.", "%s처럼 영문자로 시작해 영문자, 숫자, \"_\"를 쓰세요. steps.%[1]s.output으로 참조합니다."}
	MacroHintSameID     = Text{"Give each step a different id.", "단계마다 다른 id를 쓰세요."}
	MacroHintComputed   = Text{"Write one step for each tool and choose with when.", "도구마다 단계를 하나씩 쓰고 when으로 고르세요."}
	MacroHintOnError    = Text{"Use \"fail\" (the default), \"continue\", or {\"output\": …} for the value to go on with.", "\"fail\"(기본값), \"continue\", 또는 대신 쓸 값을 담은 {\"output\": …}을 쓰세요."}
	MacroHintClose      = Text{"Close it with }, or write $${ for the two characters themselves.", "}로 닫거나, 글자 그대로 쓰려면 $${로 적으세요."}
	MacroHintNoExpr     = Text{"Write an expression between the braces, such as ${params.x}.", "${params.x}처럼 중괄호 안에 표현식을 쓰세요."}
	MacroHintShorter    = Text{"Split the work into several steps or macros.", "여러 단계나 매크로로 나누세요."}
	MacroHintVariables  = Text{"The variables are params, steps, and with forEach item and index.", "변수는 params, steps이고 forEach에서는 item과 index도 있습니다."}
	MacroHintParam      = Text{"Write params.%s.", "params.%s로 쓰세요."}
	MacroHintSteps2     = Text{"A step can use the steps before it that have an id: %s.", "단계는 앞에 있는 id가 있는 단계를 쓸 수 있습니다: %s."}
	MacroHintNoSteps    = Text{"No step before this one has an id; give it one.", "앞 단계에 id가 없습니다. id를 붙이세요."}
	MacroHintForEach    = Text{"Add forEach to the step, or use params.", "단계에 forEach를 넣거나 params를 쓰세요."}
	MacroHintErrorVar   = Text{"After a step with onError write steps.ID.error.", "onError가 있는 단계 뒤에서는 steps.ID.error를 쓰세요."}
	MacroHintBool       = Text{"Compare, such as params.n > 0.", "params.n > 0처럼 비교하세요."}
	MacroHintList       = Text{"Give a list, such as params.points or lists.range(4).", "params.points나 lists.range(4)처럼 목록을 쓰세요."}
	MacroHintOptional   = Text{"Where the field may be missing write has(…) or the ?. form, such as params.?color.orValue(\"black\").", "필드가 없을 수 있으면 has(…)나 params.?color.orValue(\"black\") 같은 ?. 형식을 쓰세요."}
	MacroHintText       = Text{"To put a number into a text write string(x), or splice: \"leg_${index}\".", "숫자를 글자에 넣으려면 string(x)이나 \"leg_${index}\"처럼 끼워 쓰세요."}
	MacroHintCEL        = Text{"Expressions are CEL; numbers, texts, lists and maps do not mix without a conversion.", "표현식은 CEL입니다. 숫자, 글자, 목록, 맵은 변환 없이 섞을 수 없습니다."}
	MacroHintSelf       = Text{"Call another tool; repeat with forEach.", "다른 도구를 호출하고, 반복은 forEach로 하세요."}
	MacroHintListTools  = Text{"List the tools that there are, and use one of them.", "있는 도구의 목록을 보고 그중에서 쓰세요."}
	MacroHintParameters = Text{"Write a JSON Schema such as {\"type\": \"object\", \"properties\": {…}}.", "{\"type\": \"object\", \"properties\": {…}} 같은 JSON Schema를 쓰세요."}
	MacroHintNone       = Text{"There is none to choose: declare it, or leave it out.", "고를 것이 없습니다. 선언하거나 빼세요."}
	MacroHintAdd        = Text{"Add %q.", "%q을(를) 추가하세요."}
	MacroHintFill       = Text{"Write something here.", "내용을 쓰세요."}
	MacroHintType       = Text{"Write a value of type %s here.", "여기에 %s 형식의 값을 쓰세요."}
	MacroHintJSON       = Text{"Write one JSON value, no key twice, nested less than 128 deep.", "JSON 값 하나를 쓰고, 같은 키를 두 번 쓰지 말고, 128단계보다 얕게 중첩하세요."}
	MacroHintKey        = Text{"Write the name out; only its value can be computed.", "이름은 그대로 적으세요. 값만 계산할 수 있습니다."}
	MacroHintSchema     = Text{"Look at the tool's schema, and change params.", "도구의 스키마를 보고 params를 고치세요."}
	MacroHintKind       = Text{"Write \"macro\" or leave it out.", "\"macro\"로 쓰거나 빼세요."}
)

// What goes wrong while a macro runs.
var (
	MacroStepFailed  = Text{"Step %s (%s) failed: %s", "단계 %s(%s) 실패: %s"}
	MacroStepSuggest = Text{"About step %s: %s", "단계 %s에 대해: %s"}
	MacroEvalFailed  = Text{"%s of macro %s: %s\n%s", "매크로 %[2]s의 %[1]s: %[3]s\n%[4]s"}
	MacroNoField     = Text{"there is no field %q", "%q 필드가 없습니다"}
	MacroCost        = Text{"the expression needs too much work", "표현식에 드는 작업이 너무 많습니다"}
	MacroMemory      = Text{"the expression makes a value that is too large", "표현식이 만드는 값이 너무 큽니다"}
	MacroCallCost    = Text{"the expressions of this call need too much work together", "이 호출의 표현식에 드는 작업이 모두 합쳐 너무 많습니다"}
	MacroSize        = Text{"the value is larger than %d bytes", "값이 %d바이트보다 큽니다"}
	MacroHeld        = Text{"Step %s: the outputs that macro %s keeps are larger than %d bytes together.", "단계 %s: 매크로 %s이(가) 보관하는 출력이 모두 합쳐 %d바이트보다 큽니다."}
	MacroNotJSON     = Text{"%s cannot be written as JSON", "%s은(는) JSON으로 쓸 수 없습니다"}
	MacroItems       = Text{"forEach gives %d items, at most %d are allowed", "forEach 항목이 %d개입니다. 최대 %d개까지 가능합니다"}
	MacroRuns        = Text{"Step %s of macro %s: one call may run at most %d steps, those of macros inside included.", "매크로 %[2]s의 단계 %[1]s: 한 호출은 안쪽 매크로를 포함해 최대 %[3]d개의 단계를 실행할 수 있습니다."}
	MacroDepth       = Text{"Macros may call macros at most %d deep: %s.", "매크로는 최대 %d단계까지 매크로를 호출할 수 있습니다: %s."}
	MacroCycle       = Text{"Macros call each other in a circle: %s.", "매크로가 서로를 순환 호출합니다: %s."}
	MacroNoExecutor  = Text{"Macro %s was called outside of an executor, so there is nothing to run its steps with.", "매크로 %s이(가) 실행기 밖에서 호출되어 단계를 실행할 수 없습니다."}
	MacroStopped     = Text{"macro %s stopped before step %s", "매크로 %s이(가) 단계 %s 앞에서 중지되었습니다"}
	MacroFix         = Text{"Other arguments may avoid this; otherwise the macro itself must be changed.", "다른 인자로 피할 수 있는지 보고, 아니면 매크로를 고쳐야 합니다."}
	MacroFewer       = Text{"Call it with less to do, or call the tools of its steps yourself.", "할 일을 줄여 호출하거나, 단계의 도구를 직접 호출하세요."}
	MacroDone        = Text{"Before that, %d step runs had succeeded; output.completed names them.", "그 전에 단계 실행 %d개가 성공했습니다. output.completed에 이름이 있습니다."}
)
