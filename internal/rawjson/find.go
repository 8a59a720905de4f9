package rawjson

import "strconv"

// MemberFinder finds a short value of a member of the outermost object in JSON
// that it gets in pieces, without keeping the pieces. The value is a number or
// another literal; texts are not found.
type MemberFinder struct {
	// Name is that of the member.
	Name string

	depth            int
	inText, escaped  bool
	text             []byte // the last text at depth 1, while it is short
	key              string // the name whose value is being read
	value            []byte
	expectName, done bool
}

// Write takes the next piece.
func (f *MemberFinder) Write(raw []byte) {
	for _, b := range raw {
		if f.done {
			return
		}
		f.step(b)
	}
}

func (f *MemberFinder) step(b byte) {
	if f.inText {
		f.inside(b)
		return
	}
	switch b {
	case '"':
		f.inText, f.text = true, f.text[:0]
	case '{', '[':
		f.depth++
		f.expectName = f.depth == 1
	case '}', ']':
		if f.depth == 1 {
			f.ends()
		}
		f.depth--
	case ':':
		if f.depth == 1 && f.expectName {
			f.key, f.expectName, f.value = string(f.text), false, f.value[:0]
		}
	case ',':
		if f.depth == 1 {
			f.ends()
			f.key, f.expectName = "", true
		}
	default:
		if f.depth == 1 && f.key == f.Name && len(f.value) < 20 && b > ' ' {
			f.value = append(f.value, b)
		}
	}
}

func (f *MemberFinder) inside(b byte) {
	switch {
	case f.escaped:
		f.escaped = false
	case b == '\\':
		f.escaped = true
	case b == '"':
		f.inText = false
	case f.depth == 1 && len(f.text) < 16:
		f.text = append(f.text, b)
	}
}

func (f *MemberFinder) ends() {
	if f.key == f.Name && len(f.value) > 0 {
		f.done = true
	}
}

// Int returns the number that was found, or 0.
func (f *MemberFinder) Int() int64 {
	if !f.done {
		return 0
	}
	n, err := strconv.ParseInt(string(f.value), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
