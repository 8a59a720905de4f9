package schema

import "regexp/syntax"

// generalCategories are the short names of Unicode general categories, the only
// ones RE2 is sure to know.
var generalCategories = map[string]string{
	"Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll",
	"Mark": "M", "Combining_Mark": "M",
	"Number": "N", "Decimal_Number": "Nd", "digit": "Nd",
	"Punctuation": "P", "punct": "P", "Symbol": "S",
	"Separator": "Z", "Space_Separator": "Zs",
	"Other": "C", "Control": "Cc", "cntrl": "Cc",
}

// knownProperty asks RE2 itself.
func knownProperty(escape string) bool {
	_, err := syntax.Parse(escape, syntax.Perl)
	return err == nil
}
