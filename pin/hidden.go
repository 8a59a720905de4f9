package pin

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible writes the code points that a reader cannot see, but a model reads,
// as [U+200B]. Text without them is returned as it is.
func Visible(text string) string {
	if _, rule := firstHidden(text); rule == "" {
		return text
	}
	var out strings.Builder
	var before rune
	for i, r := range text {
		if ruleOf(before, r, rest(text, i)) != "" {
			fmt.Fprintf(&out, "[U+%04X]", r)
		} else {
			out.WriteRune(r)
		}
		before = r
	}
	return out.String()
}

// firstHidden finds the first code point that does not belong where it is.
func firstHidden(text string) (at int, rule string) {
	var before rune
	for i, r := range text {
		if r >= 0x80 || r < 0x20 || r == 0x7f {
			if rule := ruleOf(before, r, rest(text, i)); rule != "" {
				return i, rule
			}
		}
		before = r
	}
	return 0, ""
}

// rest returns the text after a rune, which may be an invalid byte.
func rest(text string, i int) string {
	_, size := utf8.DecodeRuneInString(text[i:])
	return text[i+size:]
}

// ruleOf returns the rule that a code point breaks between its neighbours, or "".
// Joiners, marks and selectors that a script or an emoji needs break none.
func ruleOf(before, r rune, after string) string {
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case r == '\t', r == '\n', r == '\r':
		return ""
	case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0:
		return RuleInvisible
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return RuleBidi
	case r == 0x200e, r == 0x200f, r == 0x061c: // marks of direction
		if rightToLeft(before) || rightToLeft(next) {
			return ""
		}
		return RuleBidi
	case r == 0x200d: // joins emoji and letters of some scripts
		if joinable(before) && joinable(next) {
			return ""
		}
		return RuleInvisible
	case r == 0x200c:
		if shaped(before) && shaped(next) {
			return ""
		}
		return RuleInvisible
	case r >= 0xfe00 && r <= 0xfe0f: // the form of the symbol before it
		if symbol(before) || unicode.Is(unicode.Han, before) || before == '#' || before == '*' || unicode.IsDigit(before) {
			return ""
		}
		return RuleInvisible
	case r >= 0xe0100 && r <= 0xe01ef:
		if unicode.Is(unicode.Han, before) {
			return ""
		}
		return RuleInvisible
	case r >= 0xe0000 && r <= 0xe007f:
		// Flags of regions are spelled with tags after a black flag.
		if before == 0x1f3f4 || before >= 0xe0020 && before <= 0xe007f && flagGoesOn(after, r) {
			return ""
		}
		return RuleInvisible
	case unicode.Is(unicode.Cf, r), r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x2800, r == 0x034f:
		return RuleInvisible
	}
	return ""
}

// flagGoesOn: the tags of a flag are at most six, and a cancel tag ends them.
func flagGoesOn(after string, r rune) bool {
	if r == 0xe007f {
		return true
	}
	for i, next := range []rune(after) {
		if next == 0xe007f {
			return true
		}
		if i > 6 || next < 0xe0020 || next > 0xe007e {
			return false
		}
	}
	return false
}

func rightToLeft(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

func symbol(r rune) bool {
	return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) || unicode.Is(unicode.Sm, r) || r == 0xfe0f || r == 0x203c || r == 0x2049
}

// shaped are the scripts whose letters change form with their neighbours.
func shaped(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi,
		unicode.Kannada, unicode.Malayalam, unicode.Oriya, unicode.Sinhala, unicode.Tamil, unicode.Telugu, unicode.Mongolian, unicode.Khmer)
}

func joinable(r rune) bool { return symbol(r) || shaped(r) }
