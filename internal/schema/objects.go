package schema

import (
	"fmt"
	"strconv"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// names checks a list of different strings.
func (s *scan) names(i int) (int, *Problem) {
	if s.b[i] != '[' {
		return i, problem("must be an array of property names, not " + kindName(s.b[i]))
	}
	var few [16]string
	seen := few[:0]
	var many map[string]bool
	i, more := memberNext(s.b, i+1)
	for index := 0; more; index++ {
		if s.b[i] != '"' {
			return i, problem("must be a property name, not " + kindName(s.b[i])).below(strconv.Itoa(index))
		}
		end, escaped := rawjson.StringEnd(s.b, i)
		name := s.text(i, end, escaped)
		if known(name, seen, many) {
			return i, problem(fmt.Sprintf("names %q twice", name)).below(strconv.Itoa(index))
		}
		switch {
		case many != nil:
			many[name] = true
		case len(seen) < len(few):
			seen = append(seen, name)
		default:
			many = map[string]bool{name: true}
		}
		i, more = memberNext(s.b, end)
	}
	return i, nil
}

func known(name string, seen []string, many map[string]bool) bool {
	for _, other := range seen {
		if other == name {
			return true
		}
	}
	return many[name]
}

// markRequired takes the required list, which starts at i, into the node.
func (s *scan) markRequired(n *fastNode, i int) {
	declared := len(n.props)
	var index map[string]int
	if declared > manyNames {
		index = make(map[string]int, declared)
		for k := range n.props {
			index[n.props[k].name] = k
		}
	}
	i, more := memberNext(s.b, i+1)
	for more {
		end, escaped := rawjson.StringEnd(s.b, i)
		name := s.text(i, end, escaped)
		n.required++
		if k, ok := propertyIndex(n.props[:declared], index, name); ok {
			n.props[k].required = true
		} else {
			n.props = append(n.props, fastProperty{name: name, required: true})
		}
		i, more = memberNext(s.b, end)
	}
}

func propertyIndex(props []fastProperty, index map[string]int, name string) (int, bool) {
	if index != nil {
		k, ok := index[name]
		return k, ok
	}
	for k := range props {
		if props[k].name == name {
			return k, true
		}
	}
	return 0, false
}

// properties reads the declared properties.
func (s *scan) properties(t *builder, i int) (int, *Problem) {
	if s.b[i] != '{' {
		return i, problem("must be an object of schemas, not " + kindName(s.b[i]))
	}
	i, more := memberNext(s.b, i+1)
	if more && !s.slow {
		t.node.props = make([]fastProperty, 0, 6)
	}
	for more {
		keyStop, value, escaped := keyEnd(s.b, i)
		name := s.text(i, keyStop, escaped)
		node, end, err := s.schema(value, t.depth+1)
		if err != nil {
			return i, err.below(name)
		}
		if !s.slow {
			t.node.props = append(t.node.props, fastProperty{name: name, node: node, declared: true})
		}
		i, more = memberNext(s.b, end)
	}
	return i, nil
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
		end := rawjson.Skip(s.b, i)
		if next, more := memberNext(s.b, i+1); !more {
			return next, s.emptyItems()
		}
		_, err := s.schemaList(t, i)
		return end, err
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

// emptyItems: the meta-schemas that allow a list demand at least one schema.
func (s *scan) emptyItems() *Problem {
	if s.dialect == dialectCustom {
		return nil
	}
	return problem("must have at least one schema")
}
