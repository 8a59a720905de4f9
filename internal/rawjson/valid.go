package rawjson

import (
	"errors"
	"unicode/utf8"
)

// What is wrong with a text.
var (
	ErrSyntax = errors.New("not valid JSON")
	ErrDepth  = errors.New("nested too deeply")
)

// Valid checks that raw is one JSON value, nested no deeper than this. Names
// that are given twice and broken runes pass: they are for the reader to judge.
func Valid(raw []byte, depth int) error {
	c := checker{raw: raw}
	i := c.value(Space(raw, 0), depth)
	if i < 0 || Space(raw, i) != len(raw) {
		return c.problem()
	}
	return nil
}

// Strict reports whether raw is surely one JSON value without a name that is
// given twice or a broken rune. False may also mean that it is too unusual to
// be told here.
func Strict(raw []byte, depth int) bool {
	c := checker{raw: raw, strict: true}
	i := c.value(Space(raw, 0), depth)
	return i >= 0 && Space(raw, i) == len(raw) && utf8.Valid(raw)
}

// checker walks a text once. Its functions return the index after what they
// read, or -1.
type checker struct {
	raw    []byte
	strict bool
	deep   bool
}

func (c *checker) problem() error {
	if c.deep {
		return ErrDepth
	}
	return ErrSyntax
}

func (c *checker) value(i, depth int) int {
	raw := c.raw
	if i < 0 || i >= len(raw) {
		return -1
	}
	switch raw[i] {
	case '"':
		end, _ := c.text(i)
		return end
	case '{':
		return c.object(i, depth)
	case '[':
		return c.array(i, depth)
	case 't':
		return c.literal(i, "true")
	case 'f':
		return c.literal(i, "false")
	case 'n':
		return c.literal(i, "null")
	}
	return c.number(i)
}

func (c *checker) literal(i int, word string) int {
	if len(c.raw)-i < len(word) || string(c.raw[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// compared is how many names of an object are held against each other. Objects
// with more are left to a reader that has a table for them.
const compared = 16

func (c *checker) object(i, depth int) int {
	if depth--; depth < 0 {
		c.deep = true
		return -1
	}
	var names [compared][]byte
	count := 0
	raw := c.raw
	if i = Space(raw, i+1); i < len(raw) && raw[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(raw) || raw[i] != '"' {
			return -1
		}
		end, escaped := c.text(i)
		if end < 0 {
			return -1
		}
		if c.strict {
			name := raw[i:end]
			if escaped || count == compared || given(names[:count], name) {
				return -1
			}
			names[count] = name
			count++
		}
		if i = Space(raw, end); i >= len(raw) || raw[i] != ':' {
			return -1
		}
		if i = c.value(Space(raw, i+1), depth); i < 0 {
			return -1
		}
		if i = Space(raw, i); i >= len(raw) {
			return -1
		}
		switch raw[i] {
		case '}':
			return i + 1
		case ',':
			i = Space(raw, i+1)
		default:
			return -1
		}
	}
}

func given(names [][]byte, name []byte) bool {
	for _, other := range names {
		if string(other) == string(name) {
			return true
		}
	}
	return false
}

func (c *checker) array(i, depth int) int {
	if depth--; depth < 0 {
		c.deep = true
		return -1
	}
	raw := c.raw
	if i = Space(raw, i+1); i < len(raw) && raw[i] == ']' {
		return i + 1
	}
	for {
		if i = c.value(i, depth); i < 0 {
			return -1
		}
		if i = Space(raw, i); i >= len(raw) {
			return -1
		}
		switch raw[i] {
		case ']':
			return i + 1
		case ',':
			i = Space(raw, i+1)
		default:
			return -1
		}
	}
}

// text reads a string.
func (c *checker) text(i int) (end int, escaped bool) {
	raw := c.raw
	for i++; ; {
		if i = plainEnd(raw, i); i >= len(raw) || raw[i] < ' ' {
			return -1, escaped
		}
		if raw[i] == '"' {
			return i + 1, escaped
		}
		escaped = true
		if i = c.escape(i); i < 0 {
			return -1, escaped
		}
	}
}

// escape reads what a backslash begins.
func (c *checker) escape(i int) int {
	raw := c.raw
	if i+1 >= len(raw) {
		return -1
	}
	switch raw[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if i+6 > len(raw) || !hex(raw[i+2]) || !hex(raw[i+3]) || !hex(raw[i+4]) || !hex(raw[i+5]) {
			return -1
		}
		// A lone surrogate is invalid only for a strict reader. Surrogates are
		// left to the slow path.
		if c.strict && raw[i+2]|0x20 == 'd' && raw[i+3] >= '8' {
			return -1
		}
		return i + 6
	}
	return -1
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func (c *checker) number(i int) int {
	raw := c.raw
	if raw[i] == '-' {
		i++
	}
	switch {
	case i < len(raw) && raw[i] == '0':
		i++
	case i < len(raw) && raw[i] >= '1' && raw[i] <= '9':
		i = digits(raw, i)
	default:
		return -1
	}
	if i < len(raw) && raw[i] == '.' {
		after := digits(raw, i+1)
		if after == i+1 {
			return -1
		}
		i = after
	}
	if i < len(raw) && raw[i]|0x20 == 'e' {
		i++
		if i < len(raw) && (raw[i] == '+' || raw[i] == '-') {
			i++
		}
		after := digits(raw, i)
		if after == i {
			return -1
		}
		i = after
	}
	return i
}

func digits(raw []byte, i int) int {
	for i < len(raw) && raw[i] >= '0' && raw[i] <= '9' {
		i++
	}
	return i
}
