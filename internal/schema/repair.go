package schema

import (
	"fmt"
	"slices"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

// RepairTypes rewrites the type names of other languages (str, int, float,
// bool, list, dict and their like) to those of JSON Schema, for importers of
// foreign tools. Everything else stays as it is, byte for byte. The notes say
// what was changed; raw that is not a schema comes back unchanged.
func RepairTypes(raw []byte) (out []byte, notes []string) {
	s := scan{b: raw, opts: &Options{}}
	if len(raw) > maxSchemaBytes || !validJSON(raw) || jsonx.TooDeep(raw, maxNesting) {
		return raw, nil
	}
	s.source = string(raw)
	r := repairer{scan: &s}
	r.schema(rawjson.Space(raw, 0), "")
	if len(r.notes) == 0 {
		return raw, nil
	}
	return append(r.out, raw[r.copied:]...), r.notes
}

// repairer walks a schema along its keywords and copies it with corrections.
type repairer struct {
	*scan
	out    []byte
	copied int // how much of the input is in out
	notes  []string
}

// schema repairs the schema that starts at i.
func (r *repairer) schema(i int, pointer string) {
	if r.b[i] != '{' {
		return
	}
	r.members(i, func(key string, value int) {
		below := pointer + "/" + escapePointer(key)
		switch keywordForm(key) {
		case formType:
			r.types(value, below)
		case formSchema, formAdditional, formItems, formSchemaList:
			r.schemas(value, below, r.b[value] == '[')
		case formProperties, formSchemaMap, formPatternMap, formDependencies:
			r.schemas(value, below, true)
		}
	})
}

// schemas repairs one schema, or all that a list or object holds.
func (r *repairer) schemas(i int, pointer string, many bool) {
	switch {
	case !many:
		r.schema(i, pointer)
	case r.b[i] == '{':
		r.members(i, func(key string, value int) { r.schema(value, pointer+"/"+escapePointer(key)) })
	case r.b[i] == '[':
		r.elements(i, func(index, value int) { r.schema(value, fmt.Sprintf("%s/%d", pointer, index)) })
	}
}

// types repairs a type name or a list of them.
func (r *repairer) types(i int, pointer string) {
	switch r.b[i] {
	case '"':
		r.name(i, pointer)
	case '[':
		r.elements(i, func(index, value int) {
			if r.b[value] == '"' {
				r.name(value, fmt.Sprintf("%s/%d", pointer, index))
			}
		})
	}
}

// name replaces one foreign type name.
func (r *repairer) name(i int, pointer string) {
	end, escaped := rawjson.StringEnd(r.b, i)
	name := r.text(i, end, escaped)
	meant, ok := foreignType(name)
	if !ok {
		return
	}
	r.out = append(r.out, r.b[r.copied:i]...)
	r.out = append(append(append(r.out, '"'), meant...), '"')
	r.copied = end
	r.notes = append(r.notes, fmt.Sprintf("%s: type %q was read as %q", pointer, name, meant))
}

// members calls f for each member of the object that starts at i.
func (r *repairer) members(i int, f func(key string, value int)) {
	i, more := memberNext(r.b, i+1)
	for more {
		end, value, escaped := keyEnd(r.b, i)
		f(r.text(i, end, escaped), value)
		i, more = memberNext(r.b, rawjson.Skip(r.b, value))
	}
}

// elements calls f for each element of the array that starts at i.
func (r *repairer) elements(i int, f func(index, value int)) {
	i, more := memberNext(r.b, i+1)
	for index := 0; more; index++ {
		f(index, i)
		i, more = memberNext(r.b, rawjson.Skip(r.b, i))
	}
}

// WithRootType adds "type": "object" to the root of a schema that has no type
// there: it describes arguments, which are always an object, and providers
// want to read so. What is given must be JSON.
func WithRootType(raw []byte) []byte {
	i := rawjson.Space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return raw
	}
	next, more := memberNext(raw, i+1)
	first := more
	for more {
		end, value, _ := keyEnd(raw, next)
		if string(unquote(raw[next:end])) == "type" {
			return raw
		}
		next, more = memberNext(raw, rawjson.Skip(raw, value))
	}
	member := `"type":"object"`
	if first {
		member += ","
	}
	return slices.Concat(raw[:i+1], []byte(member), raw[i+1:])
}
