package schema

import (
	"fmt"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// names checks a list of different strings.
func (s *scan) names(i int) (int, *Problem) {
	if s.b[i] != '[' {
		return i, problem("must be an array of property names, not " + kindName(s.b[i]))
	}
	seen := map[string]bool{}
	return s.elements(i, func(value int) (int, *Problem) {
		if s.b[value] != '"' {
			return value, problem("must be a property name, not " + kindName(s.b[value]))
		}
		end, escaped := rawjson.StringEnd(s.b, value)
		name := s.text(value, end, escaped)
		if seen[name] {
			return value, problem(fmt.Sprintf("names %q twice", name))
		}
		seen[name] = true
		return end, nil
	})
}

// markRequired takes the required list, which starts at i and was checked, into
// the node.
func (s *scan) markRequired(n *fastNode, i int) {
	i, more := memberNext(s.b, i+1)
	for more {
		end, escaped := rawjson.StringEnd(s.b, i)
		name := s.text(i, end, escaped)
		n.required++
		if p := find(n, name); p != nil {
			p.required = true
		} else {
			n.add(fastProperty{name: name, required: true})
		}
		i, more = memberNext(s.b, end)
	}
}

// properties reads the declared properties.
func (s *scan) properties(t *builder, i int) (int, *Problem) {
	if s.b[i] != '{' {
		return i, problem("must be an object of schemas, not " + kindName(s.b[i]))
	}
	if !s.isEmpty(i) && !s.slow {
		t.node.props = make([]fastProperty, 0, 6)
	}
	return s.members(i, func(name string, value int) (int, *Problem) {
		node, end, err := s.schema(value, t.depth+1)
		if err == nil && !s.slow {
			t.node.add(fastProperty{name: name, node: node, declared: true})
		}
		return end, err
	})
}

// additional reads additionalProperties.
func (s *scan) additional(t *builder, i int) (int, *Problem) {
	node, end, err := s.schema(i, t.depth+1)
	if err != nil {
		return i, err
	}
	switch {
	case node == nil:
	case node.never:
		t.node.closed = true
	case node != plainNode(0): // true asks for nothing
		t.node.extra = node
	}
	return end, nil
}

// items reads the schema of the elements; a list of schemas is the old way to
// write prefixItems.
func (s *scan) items(t *builder, i int) (int, *Problem) {
	if s.b[i] == '[' {
		s.slow = true
		if s.dialect == dialect2020 {
			return i, problem("must be one schema for all items; for a tuple use prefixItems")
		}
		if s.isEmpty(i) && s.dialect == dialectCustom {
			// The other meta-schemas demand at least one schema.
			return rawjson.Skip(s.b, i), nil
		}
		return s.schemaList(t, i)
	}
	node, end, err := s.schema(i, t.depth+1)
	if err != nil {
		return i, err
	}
	if node != plainNode(0) {
		t.node.items = node
	}
	return end, nil
}
