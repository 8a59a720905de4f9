package audit

import (
	"encoding/json"
	"strings"

	"github.com/gongu-ai/gongu"
)

// hints are the members that a schema marks as secret, by name: a member of that
// name is redacted wherever it is, so that no form of reference or choice in the
// schema can hide one.
type hints struct {
	all   bool // the whole value is secret
	names map[string]bool
}

// maxHints is how many schemas are kept. Beyond it all are read again.
const maxHints = 4096

func (r *redactor) hintsOf(schema gongu.Schema) *hints {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.hints[schema]; known != nil {
		return known
	}
	if len(r.hints) >= maxHints || r.hints == nil {
		r.hints = map[gongu.Schema]*hints{}
	}
	made := readHints(schema)
	r.hints[schema] = made
	return made
}

func readHints(schema gongu.Schema) *hints {
	h := &hints{names: map[string]bool{}}
	var root any
	if schema == "" || json.Unmarshal([]byte(schema), &root) != nil {
		return h
	}
	s := schemaReader{hints: h, root: root}
	h.all = s.marked(root, 0)
	s.walk(root, 0)
	return h
}

// schemaReader looks for marks in a schema.
type schemaReader struct {
	hints *hints
	root  any
	steps int
}

// maxSchemaDepth and maxSchemaSteps bound the reading: references can form
// circles.
const (
	maxSchemaDepth = 64
	maxSchemaSteps = 100_000
)

// walk adds the names of marked properties, wherever they are.
func (s *schemaReader) walk(value any, depth int) {
	if depth > maxSchemaDepth {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		properties, _ := v["properties"].(map[string]any)
		for name, property := range properties {
			if s.marked(property, 0) {
				s.hints.names[name] = true
			}
		}
		for _, member := range v {
			s.walk(member, depth+1)
		}
	case []any:
		for _, element := range v {
			s.walk(element, depth+1)
		}
	}
}

// marked reports whether a schema, or one that it is made of, says that its value
// is secret.
func (s *schemaReader) marked(value any, depth int) bool {
	schema, ok := value.(map[string]any)
	if !ok {
		return false
	}
	if s.steps++; depth > maxSchemaDepth || s.steps > maxSchemaSteps {
		return true // too much to read: rather redact than reveal
	}
	if schema["writeOnly"] == true || schema["format"] == "password" {
		return true
	}
	for _, name := range []string{"x-sensitive", "x-secret", "x-password", "sensitive", "secret"} {
		if schema[name] == true {
			return true
		}
	}
	if ref, ok := schema["$ref"].(string); ok && s.marked(s.resolve(ref), depth+1) {
		return true
	}
	if s.marked(schema["items"], depth+1) {
		return true
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
		parts, _ := schema[name].([]any)
		for _, part := range parts {
			if s.marked(part, depth+1) {
				return true
			}
		}
	}
	return false
}

// resolve finds what a reference inside the schema points to.
func (s *schemaReader) resolve(ref string) any {
	pointer, local := strings.CutPrefix(ref, "#/")
	if !local {
		return nil
	}
	at := s.root
	for token := range strings.SplitSeq(pointer, "/") {
		object, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
	}
	return at
}
