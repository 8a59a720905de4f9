// Package rawjson looks at JSON that is passed on and not decoded. Messages of
// MCP carry arguments and results that only the two ends need to understand;
// a gateway between them checks the syntax once, finds the few members it
// needs, and copies the rest.
//
// Functions that check say so. All others expect a text that was checked, and
// do no harm with one that was not.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
)

// ErrKind means that a text is not the object or array that was expected.
var ErrKind = errors.New("another kind of JSON value was expected")

// Space returns the index of the first byte at or after i that is not white space.
func Space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// Skip finds the end of the value that begins at i. It always moves on.
func Skip(raw []byte, i int) int {
	if i >= len(raw) {
		return i
	}
	switch raw[i] {
	case '"':
		end, _ := StringEnd(raw, i)
		return end
	case '{', '[':
		return skipNested(raw, i)
	}
	start := i
	for i < len(raw) {
		switch raw[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r', ':':
			return max(i, start+1)
		}
		i++
	}
	return i
}

// skipNested counts brackets in place of calling itself, so that depth costs
// no stack.
func skipNested(raw []byte, i int) int {
	depth := 0
	for i < len(raw) {
		switch raw[i] {
		case '"':
			i, _ = StringEnd(raw, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(raw)
}

// Members calls fn for each member of an object, until it returns an error.
// The name is the literal with its quotes; see [Text]. Both lie in raw.
func Members(raw []byte, fn func(name, value json.RawMessage) error) error {
	i := Space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return ErrKind
	}
	i = Space(raw, i+1)
	for i < len(raw) && raw[i] != '}' {
		end := Skip(raw, i)
		name := raw[i:end:end]
		i = Space(raw, end)
		if i >= len(raw) || raw[i] != ':' {
			return ErrSyntax
		}
		i = Space(raw, i+1)
		end = Skip(raw, i)
		if err := fn(name, raw[i:end:end]); err != nil {
			return err
		}
		i = next(raw, end)
	}
	return nil
}

// Elements calls fn for each element of an array, until it returns an error.
func Elements(raw []byte, fn func(value json.RawMessage) error) error {
	i := Space(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return ErrKind
	}
	i = Space(raw, i+1)
	for i < len(raw) && raw[i] != ']' {
		end := Skip(raw, i)
		if err := fn(raw[i:end:end]); err != nil {
			return err
		}
		i = next(raw, end)
	}
	return nil
}

// next returns the index of the member or element after a value.
func next(raw []byte, i int) int {
	if i = Space(raw, i); i < len(raw) && raw[i] == ',' {
		return Space(raw, i+1)
	}
	return i
}

// CheckedMembers is [Members] for an object that was not checked: it does so
// on the way, in the same pass. When it returns an error, fn may have been
// called for what stood before.
func CheckedMembers(raw []byte, depth int, fn func(name, value json.RawMessage) error) error {
	c := checker{raw: raw}
	i := Space(raw, 0)
	switch {
	case i >= len(raw):
		return ErrSyntax
	case raw[i] != '{':
		if err := Valid(raw, depth); err != nil {
			return err
		}
		return ErrKind
	}
	if i = Space(raw, i+1); i < len(raw) && raw[i] == '}' {
		return c.ends(i + 1)
	}
	for {
		if i >= len(raw) || raw[i] != '"' {
			return ErrSyntax
		}
		end, _ := c.text(i)
		if end < 0 {
			return ErrSyntax
		}
		name := raw[i:end:end]
		if i = Space(raw, end); i >= len(raw) || raw[i] != ':' {
			return ErrSyntax
		}
		i = Space(raw, i+1)
		if end = c.value(i, depth-1); end < 0 {
			return c.problem()
		}
		if err := fn(name, raw[i:end:end]); err != nil {
			return err
		}
		if i = Space(raw, end); i >= len(raw) {
			return ErrSyntax
		}
		switch raw[i] {
		case '}':
			return c.ends(i + 1)
		case ',':
			i = Space(raw, i+1)
		default:
			return ErrSyntax
		}
	}
}

func (c *checker) ends(i int) error {
	if Space(c.raw, i) != len(c.raw) {
		return ErrSyntax
	}
	return nil
}

// Member returns the value of one name of an object, or nil. Of several it is the
// last, as readers of JSON agree.
func Member(raw []byte, name string) json.RawMessage {
	var found json.RawMessage
	_ = Members(raw, func(literal, value json.RawMessage) error { // not an object: nothing found
		if Is(literal, name) {
			found = value
		}
		return nil
	})
	return found
}

// Is reports whether a literal is the string with this text.
func Is(literal []byte, text string) bool {
	if len(literal) == len(text)+2 && literal[0] == '"' && string(literal[1:len(literal)-1]) == text {
		return true
	}
	return len(literal) > len(text)+2 && Text(literal) == text
}

// Name returns a name without its quotes, for a switch over names that have no
// escapes.
func Name(literal json.RawMessage) []byte {
	if len(literal) < 2 {
		return nil
	}
	if inner := literal[1 : len(literal)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	return []byte(Text(literal))
}
