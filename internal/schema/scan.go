package schema

import (
	"strconv"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// schema reads the schema that starts at i and returns its end. The node is nil
// once the document has proved to need the full validator.
func (s *scan) schema(i, depth int) (*fastNode, int, *Problem) {
	if s.nodes++; s.nodes > maxSubschemas {
		return nil, i, problem("has more than " + strconv.Itoa(maxSubschemas) + " subschemas: split the tool, or describe rare parts in words")
	}
	if depth > maxDepth {
		return nil, i, problem("nests more than " + strconv.Itoa(maxDepth) + " subschemas: flatten it")
	}
	switch s.b[i] {
	case '{':
		return s.object(i, depth)
	case 't':
		return plainNode(0), i + len("true"), nil
	case 'f':
		return &fastNode{never: true}, i + len("false"), nil
	}
	return nil, i, problem("must be a schema, which is an object or true or false, not " + kindName(s.b[i]))
}

// builder collects what one schema object says.
type builder struct {
	node     fastNode
	depth    int
	required int // index of the required list, 0 when there is none
	enums    int // enum and const may not both be taken
}

func (s *scan) object(i, depth int) (*fastNode, int, *Problem) {
	t := builder{depth: depth}
	i, err := s.members(i, func(key string, value int) (int, *Problem) { return s.keyword(&t, key, value) })
	if err != nil || s.slow {
		return nil, i, err
	}
	if t.required == 0 && t.node.isPlain() {
		return plainNode(t.node.types), i, nil
	}
	if t.required != 0 {
		s.markRequired(&t.node, t.required)
	}
	node := t.node
	return &node, i, nil
}

// members reads each member of the object that starts at i: read returns the
// end of the value.
func (s *scan) members(i int, read func(name string, value int) (int, *Problem)) (int, *Problem) {
	i, more := memberNext(s.b, i+1)
	for more {
		keyStop, value, escaped := keyEnd(s.b, i)
		name := s.text(i, keyStop, escaped)
		end, err := read(name, value)
		if err != nil {
			return i, err.below(name)
		}
		i, more = memberNext(s.b, end)
	}
	return i, nil
}

// elements reads each element of the array that starts at i: read returns the
// end of the element.
func (s *scan) elements(i int, read func(value int) (int, *Problem)) (int, *Problem) {
	i, more := memberNext(s.b, i+1)
	for index := 0; more; index++ {
		end, err := read(i)
		if err != nil {
			return i, err.below(strconv.Itoa(index))
		}
		i, more = memberNext(s.b, end)
	}
	return i, nil
}

// isEmpty reports whether the array or object that starts at i has nothing in
// it.
func (s *scan) isEmpty(i int) bool {
	_, more := memberNext(s.b, i+1)
	return !more
}

// keyword reads the value of one keyword, which starts at i.
func (s *scan) keyword(t *builder, key string, i int) (int, *Problem) {
	switch keywordForm(key) {
	case formIgnored:
		return rawjson.Skip(s.b, i), nil
	case formText:
		return s.expect(i, '"', "a string")
	case formFlag:
		return s.flag(key, i)
	case formList:
		return s.expect(i, '[', "an array")
	case formCount:
		return s.count(t, key, i)
	case formNumber:
		return s.number(t, key, i)
	case formType:
		return s.types(t, i)
	case formEnum:
		return s.enum(t, i)
	case formConst:
		return s.constant(t, i)
	case formPattern:
		return s.pattern(t, i)
	case formRequired:
		t.required = i
		return s.names(i)
	case formProperties:
		return s.properties(t, i)
	case formAdditional:
		return s.additional(t, i)
	case formItems:
		return s.items(t, i)
	case formDialect:
		return s.nestedDialect(t, i)
	case formReference:
		s.slow, s.refs = true, true
		return s.expect(i, '"', "a string")
	case formIdentity:
		s.slow = true
		return s.expect(i, '"', "a string")
	}
	return s.slowKeyword(t, key, i)
}

// slowKeyword reads the keywords that the fast path leaves alone.
func (s *scan) slowKeyword(t *builder, key string, i int) (int, *Problem) {
	s.slow = true
	switch keywordForm(key) {
	case formSchema:
		return s.subschema(t, i)
	case formSchemaList:
		return s.schemaList(t, i)
	case formSchemaMap:
		return s.schemaMap(t, i, false)
	case formPatternMap:
		return s.schemaMap(t, i, true)
	case formDependencies:
		return s.dependencies(t, i, true)
	case formDependentNames:
		return s.dependencies(t, i, false)
	}
	return rawjson.Skip(s.b, i), nil // $vocabulary: the compiler looks at it
}

// expect demands that the value starts with a byte.
func (s *scan) expect(i int, first byte, what string) (int, *Problem) {
	if s.b[i] != first {
		return i, problem("must be " + what + ", not " + kindName(s.b[i]))
	}
	return rawjson.Skip(s.b, i), nil
}

// flag reads a boolean keyword.
func (s *scan) flag(key string, i int) (int, *Problem) {
	if s.b[i] != 't' && s.b[i] != 'f' {
		return i, problem("must be true or false, not " + kindName(s.b[i]))
	}
	if (key == "uniqueItems" && s.b[i] == 't') || key == "$recursiveAnchor" {
		s.slow = true
	}
	return rawjson.Skip(s.b, i), nil
}

// nestedDialect reads $schema; the one at the root was read before.
func (s *scan) nestedDialect(t *builder, i int) (int, *Problem) {
	if s.b[i] != '"' {
		return i, problem("must be a string, not " + kindName(s.b[i]))
	}
	end, escaped := rawjson.StringEnd(s.b, i)
	d, ok := s.dialectOf(s.text(i, end, escaped))
	if !ok {
		return i, problem("must be 2020-12, 2019-09 or draft-07")
	}
	if t.depth > 1 || d != s.dialect || d == dialectCustom {
		s.slow = true
	}
	return end, nil
}

// subschema reads a schema that the fast path leaves alone.
func (s *scan) subschema(t *builder, i int) (int, *Problem) {
	_, end, err := s.schema(i, t.depth+1)
	return end, err
}

// schemaList reads allOf and its like.
func (s *scan) schemaList(t *builder, i int) (int, *Problem) {
	if s.b[i] != '[' {
		return i, problem("must be an array of schemas, not " + kindName(s.b[i]))
	}
	if s.isEmpty(i) {
		return i, problem("must have at least one schema")
	}
	return s.elements(i, func(value int) (int, *Problem) { return s.subschema(t, value) })
}

// schemaMap reads $defs and its like; the names of patternProperties are
// regular expressions.
func (s *scan) schemaMap(t *builder, i int, patterns bool) (int, *Problem) {
	if s.b[i] != '{' {
		return i, problem("must be an object of schemas, not " + kindName(s.b[i]))
	}
	return s.members(i, func(name string, value int) (int, *Problem) {
		if patterns {
			if _, err := s.regexp(name); err != nil {
				return value, err
			}
		}
		return s.subschema(t, value)
	})
}

// dependencies reads dependentRequired, whose values are names, and draft-07's
// dependencies, whose values may be schemas as well.
func (s *scan) dependencies(t *builder, i int, schemas bool) (int, *Problem) {
	if s.b[i] != '{' {
		return i, problem("must be an object, not " + kindName(s.b[i]))
	}
	return s.members(i, func(_ string, value int) (int, *Problem) {
		if schemas && s.b[value] != '[' {
			return s.subschema(t, value)
		}
		return s.names(value)
	})
}
