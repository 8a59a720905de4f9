package dialect

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// node is a JSON value that keeps the order of its members, because a model
// reads a schema in the order its author wrote it. Nodes are shared between
// trees and are changed only by the code that has just made them.
type node struct {
	kind    jsontext.Kind // '{', '[', '"', '0', 't', 'f' or 'n'
	raw     []byte        // a number as it was written
	text    string        // a string, decoded
	members []member
	items   []*node
}

// member is a name and its value, with the place of both in the parsed bytes.
type member struct {
	name       string
	value      *node
	start, end int
}

// parse reads strict JSON: no duplicate names, valid UTF-8, bounded depth. The
// last is what makes recursion over a tree safe.
func parse(raw []byte) (*node, error) {
	if problem := jsonx.Strict(raw); problem != nil {
		return nil, problem
	}
	return read(jsontext.NewDecoder(bytes.NewReader(raw)))
}

func read(dec *jsontext.Decoder) (*node, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{kind: token.Kind()}
	switch n.kind {
	case '"':
		n.text = token.String()
	case '0':
		n.raw = []byte(token.String())
	case '{':
		err = n.readMembers(dec)
	case '[':
		err = n.readItems(dec)
	}
	return n, err
}

func (n *node) readMembers(dec *jsontext.Decoder) error {
	for dec.PeekKind() != '}' {
		quoted, err := dec.ReadValue()
		if err != nil {
			return err
		}
		m := member{start: int(dec.InputOffset()) - len(quoted)}
		name, err := jsontext.AppendUnquote(nil, quoted)
		if err != nil {
			return err
		}
		m.name = string(name)
		if m.value, err = read(dec); err != nil {
			return err
		}
		m.end = int(dec.InputOffset())
		n.members = append(n.members, m)
	}
	_, err := dec.ReadToken()
	return err
}

func (n *node) readItems(dec *jsontext.Decoder) error {
	for dec.PeekKind() != ']' {
		item, err := read(dec)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := dec.ReadToken()
	return err
}

func newObject() *node              { return &node{kind: '{'} }
func newArray(items ...*node) *node { return &node{kind: '[', items: items} }
func newString(s string) *node      { return &node{kind: '"', text: s} }
func newNumber(n int) *node         { return &node{kind: '0', raw: strconv.AppendInt(nil, int64(n), 10)} }
func newNull() *node                { return &node{kind: 'n'} }

func newBool(b bool) *node {
	if b {
		return &node{kind: 't'}
	}
	return &node{kind: 'f'}
}

func (n *node) isObject() bool { return n != nil && n.kind == '{' }
func (n *node) isArray() bool  { return n != nil && n.kind == '[' }
func (n *node) isString() bool { return n != nil && n.kind == '"' }
func (n *node) isNumber() bool { return n != nil && n.kind == '0' }
func (n *node) isNull() bool   { return n != nil && n.kind == 'n' }
func (n *node) isTrue() bool   { return n != nil && n.kind == 't' }
func (n *node) isFalse() bool  { return n != nil && n.kind == 'f' }

// get returns a member's value, or nil.
func (n *node) get(name string) *node {
	if i := n.index(name); i >= 0 {
		return n.members[i].value
	}
	return nil
}

func (n *node) has(name string) bool { return n.index(name) >= 0 }

func (n *node) index(name string) int {
	if n == nil {
		return -1
	}
	return slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
}

// set replaces a member in its position, or adds it at the end.
func (n *node) set(name string, value *node) *node {
	if i := n.index(name); i >= 0 {
		n.members[i].value = value
		return n
	}
	n.members = append(n.members, member{name: name, value: value})
	return n
}

// without copies an object, leaving members out.
func (n *node) without(names ...string) *node {
	members := slices.DeleteFunc(slices.Clone(n.members), func(m member) bool { return slices.Contains(names, m.name) })
	return &node{kind: '{', members: members}
}

// strings lists the strings of an array.
func (n *node) strings() []string {
	if !n.isArray() {
		return nil
	}
	var out []string
	for _, item := range n.items {
		if item.isString() {
			out = append(out, item.text)
		}
	}
	return out
}

// typeName returns the type of the value in the words of JSON Schema; a whole
// number is an integer however it is written.
func (n *node) typeName() string {
	switch n.kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		if f, err := strconv.ParseFloat(string(n.raw), 64); err == nil && f == float64(int64(f)) {
			return "integer"
		}
		return "number"
	case 'n':
		return "null"
	}
	return "boolean"
}

// equal compares two values as JSON Schema does: members in any order, numbers
// by value.
func equal(a, b *node) bool {
	if a.kind != b.kind || len(a.members) != len(b.members) || len(a.items) != len(b.items) {
		return false
	}
	switch a.kind {
	case '"':
		return a.text == b.text
	case '0':
		return bytes.Equal(a.raw, b.raw) || compareNumbers(a, b) == 0
	}
	for i := range a.items {
		if !equal(a.items[i], b.items[i]) {
			return false
		}
	}
	for i, m := range a.members {
		other := b.members[i].value
		if b.members[i].name != m.name {
			other = b.get(m.name)
		}
		if other == nil || !equal(m.value, other) {
			return false
		}
	}
	return true
}

func compareNumbers(a, b *node) int {
	x, _ := strconv.ParseFloat(string(a.raw), 64)
	y, _ := strconv.ParseFloat(string(b.raw), 64)
	return cmp.Compare(x, y)
}

// append writes the value as compact JSON.
func (n *node) append(dst []byte) []byte {
	switch n.kind {
	case '{':
		dst = append(dst, '{')
		for i, m := range n.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, m.name)
			dst = append(dst, ':')
			dst = m.value.append(dst)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	case '"':
		return appendString(dst, n.text)
	case '0':
		return append(dst, n.raw...)
	}
	return append(dst, map[jsontext.Kind]string{'t': "true", 'f': "false", 'n': "null"}[n.kind]...)
}

func (n *node) String() string { return string(n.append(nil)) }

// appendString quotes a text. Text that is not UTF-8 has no JSON form; what is
// broken in it becomes the replacement character.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}

// How a name becomes part of a JSON pointer, and back.
var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")
)

func escapePointer(name string) string { return pointerEscape.Replace(name) }
