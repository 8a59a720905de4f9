package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// The functions of this file move through JSON that is already known to be
// valid. They check nothing: the schema went through jsontext before, and the
// arguments through the caller's strict decoder. That is why they can be fast.

// skipSpace returns the index of the next byte that is not white space.
func skipSpace(b []byte, i int) int { return rawjson.Space(b, i) }

// stringEnd returns the index after the closing quote of the string that
// starts at i, and whether a backslash stands in it.
func stringEnd(b []byte, i int) (end int, escaped bool) { return rawjson.StringEnd(b, i) }

// numberEnd returns the index after the number that starts at i.
func numberEnd(b []byte, i int) int {
	for i < len(b) {
		switch c := b[i]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			i++
		default:
			return i
		}
	}
	return i
}

// skipValue returns the index after the value that starts at i. It counts
// brackets instead of recursing, so that depth costs no stack.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i, _ = stringEnd(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ' ', '\t', '\n', '\r', ',', ':':
			i++
			continue
		default:
			i = scalarEnd(b, i)
		}
		if depth <= 0 {
			return i
		}
	}
	return i
}

// scalarEnd returns the index after a number, true, false or null.
func scalarEnd(b []byte, i int) int {
	start := i
	for i < len(b) {
		switch b[i] {
		case ',', ']', '}', ' ', '\t', '\n', '\r', ':':
			return max(i, start+1)
		}
		i++
	}
	return i
}

// memberNext steps to the next member or element: i stands after the opening
// bracket or after a value. It returns the index where the member starts, and
// false together with the index after the closing bracket at the end.
func memberNext(b []byte, i int) (int, bool) {
	i = skipSpace(b, i)
	if i >= len(b) {
		return i, false
	}
	switch b[i] {
	case ',':
		return skipSpace(b, i+1), true
	case '}', ']':
		return i + 1, false
	}
	return i, true
}

// keyEnd reads the member name that starts at i and returns the index of its
// end, of its value, and whether the name has escapes.
func keyEnd(b []byte, i int) (end, value int, escaped bool) {
	end, escaped = stringEnd(b, i)
	value = skipSpace(b, end)
	if value < len(b) && b[value] == ':' {
		value++
	}
	return end, skipSpace(b, value), escaped
}

// unquote returns the text of a JSON string literal, quotes included in lit.
func unquote(lit []byte) []byte {
	// A lone surrogate becomes U+FFFD, which is what the full validator's
	// decoder does as well; the error says no more than that.
	text, err := jsontext.AppendUnquote(nil, lit)
	if err != nil && len(text) == 0 && len(lit) >= 2 {
		return lit[1 : len(lit)-1]
	}
	return text
}
