package lang

// Why the bytes of a call's arguments were refused before any schema was read.
var (
	ArgsTooLarge  = Text{"%d bytes are more than the %d allowed", "%d바이트는 허용된 %d바이트보다 큽니다"}
	ArgsTooDeep   = Text{"nested deeper than %d levels, too complex to check", "%d단계보다 깊게 중첩되어 검사할 수 없습니다"}
	ArgsNotUTF8   = Text{"not valid UTF-8", "올바른 UTF-8이 아닙니다"}
	ArgsTrailing  = Text{"more text follows the JSON value at byte %d", "JSON 값 뒤 %d바이트 위치에 다른 글자가 있습니다"}
	ArgsSyntax    = Text{"not valid JSON near byte %d", "%d바이트 근처가 올바른 JSON이 아닙니다"}
	ArgsDuplicate = Text{"the same property is given twice", "같은 속성이 두 번 있습니다"}

	ArgsTooComplex = Text{"too complex to check", "너무 복잡하여 검사할 수 없습니다"}
)
