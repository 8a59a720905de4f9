package bundle

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// document is one YAML document of a file.
type document struct {
	file  string // relative to the bundle, as shown in messages
	index int    // from 0; negative for a file as a whole
	pkg   *pkg
}

// at is a value of a document together with the way to it. The way is a chain
// and becomes text only for a message: texts made in advance would
// grow with depth times the length of keys.
type at struct {
	doc  *document
	up   *at
	name string // the step from up: a field,
	item int    // or, from 0, an item of a list
	node *yaml.Node
}

func atFile(file string) at { return at{doc: &document{file: file, index: -1}} }

// atLine returns a place without a value, such as where the parser gave up.
func atLine(file string, line int) at {
	a := atFile(file)
	a.node = &yaml.Node{Line: line, Column: 1}
	return a
}

func (d *document) at(root *yaml.Node) at { return at{doc: d, node: root} }

func (a at) position() Position {
	p := Position{File: a.doc.file, Line: 1, Column: 1, Path: a.path()}
	if a.node != nil && a.node.Line > 0 {
		p.Line, p.Column = a.node.Line, a.node.Column
	}
	return p
}

func (a at) path() string {
	if a.doc.index < 0 {
		return a.doc.file
	}
	var steps []*at
	for p := &a; p.up != nil; p = p.up {
		steps = append(steps, p)
	}
	path := a.doc.file + "#" + strconv.Itoa(a.doc.index)
	for _, step := range slices.Backward(steps) {
		if step.item >= 0 {
			path += "[" + strconv.Itoa(step.item) + "]"
		} else {
			path = jsonx.JoinKey(path, short(step.name))
		}
	}
	return path
}

// value returns the node itself, or the target of an alias.
func (a at) value() *yaml.Node { return deref(a.node) }

func deref(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (a at) key(name string, node *yaml.Node) at {
	return at{doc: a.doc, up: &a, name: name, item: -1, node: node}
}

func (a at) index(i int, node *yaml.Node) at {
	return at{doc: a.doc, up: &a, item: i, node: node}
}

// find walks down by field names and list indexes. What is missing keeps the
// place of its parent, because that is where it would have to be written.
func (a at) find(steps ...any) at {
	for _, step := range steps {
		n, next := a.value(), a.node
		switch step := step.(type) {
		case string:
			if child := field(n, step); child != nil {
				next = child
			}
			a = a.key(step, next)
		case int:
			if n != nil && n.Kind == yaml.SequenceNode && step < len(n.Content) {
				next = n.Content[step]
			}
			a = a.index(step, next)
		}
	}
	return a
}

// field returns the value of a mapping's field, or nil. A null counts as
// nothing: people leave "tools:" behind when they remove the last tool.
func field(n *yaml.Node, name string) *yaml.Node {
	n = deref(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if deref(n.Content[i]).Value == name && kindOf(n.Content[i+1]) != kindNull {
			return n.Content[i+1]
		}
	}
	return nil
}

// maxShown is how many characters of a bundle's own text a message repeats.
const maxShown = 80

// short cuts text that a message repeats.
func short(text string) string { return lang.Clip(strings.ToValidUTF8(text, ""), maxShown) }
