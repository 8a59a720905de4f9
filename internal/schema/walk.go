package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// The functions of this file, and those of rawjson, move through JSON that is
// already known to be valid. They check nothing: the schema went through
// jsontext before, and the arguments through the caller's strict decoder. That
// is why they can be fast.

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

// memberNext steps to the next member or element: i is the index after the
// opening bracket or after a value. It returns the index where the member starts, and
// false together with the index after the closing bracket at the end.
func memberNext(b []byte, i int) (int, bool) {
	i = rawjson.Space(b, i)
	if i >= len(b) {
		return i, false
	}
	switch b[i] {
	case ',':
		return rawjson.Space(b, i+1), true
	case '}', ']':
		return i + 1, false
	}
	return i, true
}

// keyEnd reads the member name that starts at i and returns the index of its
// end, of its value, and whether the name has escapes.
func keyEnd(b []byte, i int) (end, value int, escaped bool) {
	end, escaped = rawjson.StringEnd(b, i)
	value = rawjson.Space(b, end)
	if value < len(b) && b[value] == ':' {
		value++
	}
	return end, rawjson.Space(b, value), escaped
}

// unquote returns the text of a JSON string literal, quotes included in lit.
func unquote(lit []byte) []byte {
	// A lone surrogate becomes U+FFFD, which is what the full validator's
	// decoder does as well; the error has no further meaning.
	text, err := jsontext.AppendUnquote(nil, lit)
	if err != nil && len(text) == 0 && len(lit) >= 2 {
		return lit[1 : len(lit)-1]
	}
	return text
}
