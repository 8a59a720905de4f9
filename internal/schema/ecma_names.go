package schema

import "regexp/syntax"

// generalCategory returns the short name of a Unicode general category, which
// is the only one RE2 is sure to know.
func generalCategory(name string) (string, bool) {
	switch name {
	case "Letter":
		return "L", true
	case "Uppercase_Letter":
		return "Lu", true
	case "Lowercase_Letter":
		return "Ll", true
	case "Mark", "Combining_Mark":
		return "M", true
	case "Number":
		return "N", true
	case "Decimal_Number", "digit":
		return "Nd", true
	case "Punctuation", "punct":
		return "P", true
	case "Symbol":
		return "S", true
	case "Separator":
		return "Z", true
	case "Space_Separator":
		return "Zs", true
	case "Other":
		return "C", true
	case "Control", "cntrl":
		return "Cc", true
	}
	return "", false
}

// knownProperty asks RE2 itself.
func knownProperty(escape string) bool {
	_, err := syntax.Parse(escape, syntax.Perl)
	return err == nil
}
