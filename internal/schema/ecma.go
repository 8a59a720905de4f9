package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ecmaSpace is what \s means in ECMA 262, as the inside of a character class.
const ecmaSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

// translator rewrites an ECMA 262 expression for RE2, one construct at a time.
type translator struct {
	in        string
	out       strings.Builder
	inClass   bool
	supported bool
}

// translatePattern returns the RE2 form. When a construct has no RE2 form,
// supported is false and a harmless replacement takes its place, so that
// parsing the result still tells a right expression from a wrong one.
func translatePattern(text string) (re2 string, supported bool) {
	if !strings.ContainsAny(text, `\[(.`) {
		return text, true
	}
	t := &translator{in: text, supported: true}
	for t.in != "" {
		t.step()
	}
	return t.out.String(), t.supported
}

// step consumes one construct.
func (t *translator) step() {
	switch c := t.in[0]; {
	case c == '\\':
		t.escape()
	case t.inClass:
		t.inClass = c != ']'
		if c == '[' {
			t.out.WriteByte('\\') // a plain character in ECMA, maybe [:alpha:] in RE2
		}
		t.copy(1)
	case c == '[':
		t.class()
	case c == '(':
		t.group()
	case c == '.':
		t.replace(1, `[^\n\r\x{2028}\x{2029}]`)
	default:
		_, size := utf8.DecodeRuneInString(t.in)
		t.copy(size)
	}
}

func (t *translator) copy(n int) {
	t.out.WriteString(t.in[:n])
	t.in = t.in[n:]
}

func (t *translator) replace(n int, with string) {
	t.out.WriteString(with)
	t.in = t.in[n:]
}

// class opens a character class; the empty ones mean never and always.
func (t *translator) class() {
	switch {
	case strings.HasPrefix(t.in, "[^]"):
		t.replace(3, `[\x00-\x{10FFFF}]`)
	case strings.HasPrefix(t.in, "[]"):
		t.replace(2, `[^\x00-\x{10FFFF}]`)
	case strings.HasPrefix(t.in, "[^"):
		t.inClass = true
		t.copy(2)
	default:
		t.inClass = true
		t.copy(1)
	}
}

// group opens a group; look around has no RE2 form.
func (t *translator) group() {
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(t.in, look) {
			t.supported = false
			t.replace(len(look), "(?:")
			return
		}
	}
	t.copy(1)
}

// escape consumes a backslash and what belongs to it.
func (t *translator) escape() {
	if len(t.in) < 2 {
		t.copy(1) // a trailing backslash: RE2 reports it
		return
	}
	switch c := t.in[1]; {
	case c == 'u':
		t.codePoint()
	case c == 'c' && len(t.in) > 2 && isLetter(t.in[2]):
		t.replace(3, fmt.Sprintf(`\x%02x`, t.in[2]%32))
	case c == '0':
		t.replace(2, `\x00`)
	case c >= '1' && c <= '9':
		t.backReference(2)
	case c == 'k' && strings.HasPrefix(t.in, `\k<`) && strings.Contains(t.in, ">"):
		t.backReference(strings.IndexByte(t.in, '>') + 1)
	case c == 's' && t.inClass:
		t.replace(2, ecmaSpace)
	case c == 's':
		t.replace(2, "["+ecmaSpace+"]")
	case c == 'S' && !t.inClass:
		t.replace(2, "[^"+ecmaSpace+"]")
	case c == 'b' && t.inClass:
		t.replace(2, `\x08`)
	case c == 'p' || c == 'P':
		t.property()
	case c >= utf8.RuneSelf:
		t.replace(1, "") // an escaped letter of another script is that letter
	default:
		t.copy(2)
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// backReference leaves an empty group; inside a class \1 is an octal escape,
// which is rarely meant.
func (t *translator) backReference(n int) {
	t.supported = false
	if t.inClass {
		t.replace(n, "x")
		return
	}
	t.replace(n, "(?:)")
}

// codePoint rewrites \uXXXX, a pair of them, and \u{X}.
func (t *translator) codePoint() {
	if strings.HasPrefix(t.in, `\u{`) {
		if end := strings.IndexByte(t.in, '}'); end > 0 {
			t.replace(end+1, `\x{`+t.in[3:end]+"}")
			return
		}
	}
	first, ok := hex4(t.in)
	if !ok {
		t.copy(2) // RE2 knows no \u and reports it
		return
	}
	if !utf16.IsSurrogate(first) {
		t.replace(6, fmt.Sprintf(`\x{%x}`, first))
		return
	}
	second, ok := hex4(t.in[6:])
	if pair := utf16.DecodeRune(first, second); ok && pair != utf8.RuneError {
		t.replace(12, fmt.Sprintf(`\x{%x}`, pair))
		return
	}
	t.supported = false // half a character cannot occur in strict JSON
	t.replace(6, "x")
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(n), err == nil
}

// property rewrites the long names of Unicode properties; one that RE2 does
// not know is dropped rather than refused.
func (t *translator) property() {
	end := strings.IndexByte(t.in, '}')
	if end < 0 || !strings.HasPrefix(t.in[2:], "{") {
		t.copy(2)
		return
	}
	name := t.in[3:end]
	for _, prefix := range []string{"Script=", "sc=", "Script_Extensions=", "scx=", "General_Category=", "gc="} {
		name = strings.TrimPrefix(name, prefix)
	}
	if short, ok := generalCategories[name]; ok {
		name = short
	}
	re2 := t.in[:3] + name + "}"
	if !knownProperty(re2) {
		t.supported = false
		re2 = "x"
	}
	t.replace(end+1, re2)
}
