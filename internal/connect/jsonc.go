package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// jsonNode is a value of a settings file, by its place in the text. hujson
// parses the file; the places let an edit change a few bytes and keep the rest.
type jsonNode struct {
	start, end int // of the value, without white space and comments around it
	kind       hujson.Kind
	members    []jsonMember
	parsed     hujson.Value
}

// jsonMember is a name and a value of an object.
type jsonMember struct {
	name  string
	start int // of the name's quote
	value *jsonNode
	// comma is where the comma after the value is, or -1.
	comma int
}

// member finds a member by its name; nil if it is not there.
func (n *jsonNode) member(name string) *jsonMember {
	if n == nil {
		return nil
	}
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i]
		}
	}
	return nil
}

// at follows names down; nil when one of them is missing.
func (n *jsonNode) at(path ...string) *jsonNode {
	for _, name := range path {
		m := n.member(name)
		if m == nil {
			return nil
		}
		n = m.value
	}
	return n
}

// value is the node as Go values, numbers as they are written.
func (n *jsonNode) value() any {
	standard := n.parsed.Clone()
	standard.Minimize()
	dec := json.NewDecoder(bytes.NewReader(standard.Pack()))
	dec.UseNumber()
	var out any
	if err := dec.Decode(&out); err != nil {
		return nil // the parser accepts only what decodes
	}
	return out
}

// byteOrderMark may be at the beginning of a file.
const byteOrderMark = "\xef\xbb\xbf"

// parseJSONC reads a settings file: JSON with comments, and perhaps a comma
// before a closing bracket. A file without a value is nil. A name that an
// object has twice is refused, because programs differ in which one they use.
func parseJSONC(text []byte) (*jsonNode, error) {
	// Spaces in place of the mark keep the offsets, and the line end closes a
	// comment in the last line.
	input := bytes.Clone(text)
	if !bytes.HasSuffix(input, []byte("\n")) {
		input = append(input, '\n')
	}
	if bytes.HasPrefix(input, []byte(byteOrderMark)) {
		copy(input, "   ")
	}
	if hujson.Extra(input).IsValid() {
		return nil, nil
	}
	if err := checkDepth(input); err != nil {
		return nil, err
	}
	root, err := hujson.Parse(input)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return nodeOf(root, input)
}

// nodeOf places a parsed value and all below it.
func nodeOf(v hujson.Value, text []byte) (*jsonNode, error) {
	n := &jsonNode{start: v.StartOffset, end: v.EndOffset, kind: v.Value.Kind(), parsed: v}
	switch composite := v.Value.(type) {
	case *hujson.Array:
		for _, element := range composite.Elements {
			if _, err := nodeOf(element, text); err != nil {
				return nil, err
			}
		}
	case *hujson.Object:
		names := make(map[string]bool, len(composite.Members))
		for i, m := range composite.Members {
			var name string
			if err := json.Unmarshal(text[m.Name.StartOffset:m.Name.EndOffset], &name); err != nil {
				return nil, failAt(text, m.Name.StartOffset, "not a name")
			}
			if names[name] {
				return nil, failAt(text, m.Name.StartOffset, fmt.Sprintf("the name %q is there twice", name))
			}
			names[name] = true
			value, err := nodeOf(m.Value, text)
			if err != nil {
				return nil, err
			}
			comma := -1
			if i < len(composite.Members)-1 || m.Value.AfterExtra != nil {
				comma = m.Value.EndOffset + len(m.Value.AfterExtra)
			}
			n.members = append(n.members, jsonMember{name: name, start: m.Name.StartOffset, value: value, comma: comma})
		}
	}
	return n, nil
}

// maxJSONDepth is deeper than any settings.
const maxJSONDepth = 200

// checkDepth refuses a file that is nested so deeply that the recursive parser
// would use up the stack, which ends the process.
func checkDepth(text []byte) error {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case rest[0] == '{' || rest[0] == '[':
			if depth++; depth > maxJSONDepth {
				return failAt(text, i, "nested too deeply")
			}
		case rest[0] == '}' || rest[0] == ']':
			depth--
		case rest[0] == '"':
			end, _ := rawjson.StringEnd(text, i)
			i = end - 1
		case bytes.HasPrefix(rest, []byte("//")):
			i += max(0, bytes.IndexByte(rest, '\n'))
		case bytes.HasPrefix(rest, []byte("/*")):
			i += len("/*") + bytes.Index(rest[2:], []byte("*/")) + 1 // the last byte of the comment
		}
	}
	return nil
}

func failAt(text []byte, offset int, what string) error {
	return fmt.Errorf("line %d: %s", 1+bytes.Count(text[:offset], []byte("\n")), what)
}

var errNotObject = errors.New("the file is not a JSON object")
