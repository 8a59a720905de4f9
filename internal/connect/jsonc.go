package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// jsonNode is a value in a settings file, by its place in the text. Comments
// and a comma before a closing bracket are allowed, as editors allow them.
type jsonNode struct {
	start, end int // of the value, without what is around it
	members    []jsonMember
	elements   []*jsonNode
	kind       byte // { [ or s for a scalar
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
func (n *jsonNode) value(text []byte) any {
	switch n.kind {
	case '{':
		out := make(map[string]any, len(n.members))
		for _, m := range n.members {
			out[m.name] = m.value.value(text)
		}
		return out
	case '[':
		out := make([]any, len(n.elements))
		for i, e := range n.elements {
			out[i] = e.value(text)
		}
		return out
	}
	var out any
	dec := json.NewDecoder(bytes.NewReader(text[n.start:n.end]))
	dec.UseNumber()
	if err := dec.Decode(&out); err != nil {
		return nil // the parser let through only what decodes
	}
	return out
}

// maxJSONDepth is deeper than any settings.
const maxJSONDepth = 200

// parseJSONC reads a settings file. An empty one is nil.
func parseJSONC(text []byte) (*jsonNode, error) {
	p := &jsonParser{text: text}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		p.pos = 3
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.pos == len(text) {
		return nil, nil
	}
	root, err := p.node(0)
	if err == nil {
		err = p.space()
	}
	if err == nil && p.pos < len(text) {
		err = p.fail("text after the end of the value")
	}
	if err != nil {
		return nil, err
	}
	return root, nil
}

type jsonParser struct {
	text []byte
	pos  int
}

func (p *jsonParser) fail(what string) error {
	line := 1 + bytes.Count(p.text[:min(p.pos, len(p.text))], []byte("\n"))
	return fmt.Errorf("line %d: %s", line, what)
}

func (p *jsonParser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// space passes over white space and comments.
func (p *jsonParser) space() error {
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			p.pos++
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.pos += end
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return p.fail("a comment that does not end")
			}
			p.pos += end + 4
		default:
			return nil
		}
	}
	return nil
}

func (p *jsonParser) node(depth int) (*jsonNode, error) {
	if depth > maxJSONDepth {
		return nil, p.fail("nested too deeply")
	}
	n := &jsonNode{start: p.pos, kind: p.peek()}
	var err error
	switch n.kind {
	case '{':
		err = p.list(n, '}', func() error { return p.objectMember(n, depth) })
	case '[':
		err = p.list(n, ']', func() error { return p.element(n, depth) })
	default:
		n.kind = 's'
		err = p.scalar()
	}
	n.end = p.pos
	return n, err
}

// list reads what stands between two brackets, with commas between, and
// perhaps one after the last.
func (p *jsonParser) list(n *jsonNode, closing byte, one func() error) error {
	p.pos++
	for {
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() == closing {
			p.pos++
			return nil
		}
		if err := one(); err != nil {
			return err
		}
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() == ',' {
			if n.kind == '{' {
				n.members[len(n.members)-1].comma = p.pos
			}
			p.pos++
			continue
		}
		if p.peek() != closing {
			return p.fail("a comma or a closing bracket is missing")
		}
	}
}

func (p *jsonParser) objectMember(n *jsonNode, depth int) error {
	m := jsonMember{start: p.pos, comma: -1}
	if p.peek() != '"' {
		return p.fail("a name in quotes is missing")
	}
	if err := p.scalar(); err != nil {
		return err
	}
	if err := json.Unmarshal(p.text[m.start:p.pos], &m.name); err != nil {
		return p.fail("not a name")
	}
	if n.member(m.name) != nil {
		return p.fail(fmt.Sprintf("%q is there twice", m.name))
	}
	if err := p.space(); err != nil {
		return err
	}
	if p.peek() != ':' {
		return p.fail("a colon is missing")
	}
	p.pos++
	if err := p.space(); err != nil {
		return err
	}
	value, err := p.node(depth + 1)
	m.value = value
	n.members = append(n.members, m)
	return err
}

func (p *jsonParser) element(n *jsonNode, depth int) error {
	value, err := p.node(depth + 1)
	n.elements = append(n.elements, value)
	return err
}

// scalar reads a text, a number, true, false or null.
func (p *jsonParser) scalar() error {
	start := p.pos
	if p.peek() == '"' {
		for p.pos++; p.pos < len(p.text) && p.text[p.pos] != '"' && p.text[p.pos] != '\n'; p.pos++ {
			if p.text[p.pos] == '\\' {
				p.pos++
			}
		}
		p.pos = min(p.pos+1, len(p.text))
	} else {
		for p.pos < len(p.text) && bytes.IndexByte([]byte(" \t\r\n,:]}[{\"/"), p.text[p.pos]) < 0 {
			p.pos++
		}
	}
	if !json.Valid(p.text[start:p.pos]) {
		p.pos = start
		return p.fail("not a value")
	}
	return nil
}

var errNotObject = errors.New("the file is not a JSON object")
