package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/sandbox"
)

const (
	schemaDialect = "https://json-schema.org/draft/2020-12/schema"
	// schemaBase is where the files of the folder schema are published.
	schemaBase = "https://gongu-ai.github.io/gongu/schema/"
)

// object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// schemaFiles returns the JSON Schemas of the kinds by file name, and gongu.json,
// which chooses among them by kind. They are what the folder schema holds.
func schemaFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, k := range kinds() {
		raw, err := writeSchema(kindSchema(k))
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", k.name, err)
		}
		files[schemaFile(k.name)] = raw
	}
	raw, err := writeSchema(combinedSchema())
	if err != nil {
		return nil, fmt.Errorf("combined schema: %w", err)
	}
	files["gongu.json"] = raw
	return files, nil
}

// schemaFile: plain package.json would be taken for a manifest of npm.
func schemaFile(kind string) string { return strings.ToLower(kind) + ".schema.json" }

func writeSchema(o object) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(o); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// kindSchema describes a whole document of a kind.
func kindSchema(k kindInfo) object {
	spec := structSchema(specType(k))
	return object{
		{"$schema", schemaDialect},
		{"$id", schemaBase + schemaFile(k.name)},
		{"title", k.name},
		{"description", k.doc},
		{"type", kindObject},
		{"properties", object{
			{"apiVersion", object{{"description", "Version of the resource format."}, {"enum", apiVersions()}}},
			{"kind", object{{"description", k.doc}, {"const", k.name}}},
			{"metadata", append(object{{"description", "Name and marks of the resource."}}, structSchema(reflect.TypeFor[metadata]())...)},
			{"spec", append(object{{"description", "What the " + k.name + " is."}}, spec...)},
		}},
		{"required", []string{"apiVersion", "kind", "metadata", "spec"}},
		{"additionalProperties", false},
	}
}

func specType(k kindInfo) reflect.Type {
	return reflect.ValueOf(k.make()).Elem().FieldByName("Spec").Type()
}

// combinedSchema is the one that editors are pointed to.
func combinedSchema() object {
	var names []string
	var branches []object
	for _, k := range kinds() {
		names = append(names, k.name)
		branches = append(branches, object{
			{"if", object{{"properties", object{{"kind", object{{"const", k.name}}}}}, {"required", []string{"kind"}}}},
			{"then", object{{"$ref", schemaFile(k.name)}}},
		})
	}
	return object{
		{"$schema", schemaDialect},
		{"$id", schemaBase + "gongu.json"},
		{"title", "gongu resource"},
		{"description", "A resource of a gongu or goondan bundle."},
		{"type", kindObject},
		{"properties", object{
			{"apiVersion", object{{"description", "Version of the resource format."}, {"enum", apiVersions()}}},
			{"kind", object{{"description", "What the resource is."}, {"enum", names}}},
		}},
		{"required", []string{"apiVersion", "kind", "metadata", "spec"}},
		{"allOf", branches},
	}
}

func structSchema(t reflect.Type) object {
	properties := object{}
	var required []string
	for _, f := range fieldsOf(t) {
		s := object{}
		if f.doc != "" {
			s = append(s, member{"description", f.doc})
		}
		properties = append(properties, member{f.name, append(s, typeSchema(t.Field(f.index).Type, f.rules)...)})
		if f.rules.required {
			required = append(required, f.name)
		}
	}
	s := object{{"type", kindObject}, {"properties", properties}}
	if len(required) > 0 {
		s = append(s, member{"required", required})
	}
	return append(append(s, choices(t)...), member{"additionalProperties", false})
}

// choices are the rules about fields together that a schema can say.
func choices(t reflect.Type) object {
	one := func(a, b string) object {
		return object{{"oneOf", []object{{{"required", []string{a}}}, {{"required", []string{b}}}}}}
	}
	both := func(a, b string) object {
		return object{{"not", object{{"required", []string{a, b}}}}}
	}
	switch t {
	case reflect.TypeFor[ValueSource]():
		return one("value", "valueFrom")
	case reflect.TypeFor[ValueFrom]():
		return one("env", "secretRef")
	case reflect.TypeFor[McpServerSpec]():
		return one("command", "url")
	case reflect.TypeFor[Prompt]():
		return both("system", "systemRef")
	case reflect.TypeFor[IngressRoute]():
		return both("instanceKey", "instanceKeyProperty")
	}
	return nil
}

func typeSchema(t reflect.Type, r rules) object {
	switch t {
	case reflect.TypeFor[Ref]():
		return refSchema(r, nil)
	case reflect.TypeFor[ExtensionRef]():
		return refSchema(r, object{{"config", object{{"description", "Settings that override the extension's, key by key."}, {"type", kindObject}}}})
	case reflect.TypeFor[Duration]():
		return object{{"type", kindString}, {"pattern", `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}, {"examples", []string{"30s", "500ms", "2m"}}}
	case reflect.TypeFor[Age]():
		return object{{"anyOf", []object{
			{{"const", 0}},
			{{"type", kindString}, {"pattern", `^(0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`}, {"examples", []string{"60s", "0s"}}},
		}}}
	case reflect.TypeFor[Bytes]():
		return object{{"anyOf", []object{
			{{"type", kindInteger}, {"minimum", 1}},
			{{"type", kindString}, {"pattern", `^[1-9][0-9]* ?([KMG]iB)?$`}, {"examples", []string{"512MiB", "2GiB"}}},
		}}}
	case reflect.TypeFor[Sandbox]():
		return object{{"anyOf", []object{{{"enum", append([]string{sandboxOff}, sandbox.PresetNames()...)}}, structSchema(t)}}}
	case reflect.TypeFor[Command]():
		return object{{"anyOf", []object{
			{{"type", kindString}, {"minLength", 1}},
			{{"type", kindArray}, {"items", object{{"type", kindString}}}, {"minItems", 1}},
		}}}
	case reflect.TypeFor[PolicyMatch]():
		return object{{"anyOf", []object{{{"type", kindString}, {"minLength", 1}}, structSchema(t)}}}
	case reflect.TypeFor[PolicyRate]():
		return object{{"type", kindString}, {"pattern", `^[1-9][0-9]*/([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}, {"examples", []string{"10/1m", "100/1h"}}}
	case reflect.TypeFor[Offer]():
		return object{{"anyOf", []object{
			{{"enum", offerWords()}},
			{{"type", kindArray}, {"items", object{{"type", kindString}, {"minLength", 1}}}},
		}}}
	case reflect.TypeFor[MacroOnError]():
		return object{{"anyOf", []object{
			{{"enum", onErrorWords()}},
			{{"type", kindObject}, {"properties", object{{"output", object{}}}}, {"required", []string{"output"}}, {"additionalProperties", false}},
		}}}
	case reflect.TypeFor[gongu.Schema]():
		return object{{"type", kindObject}, {"$comment", "A JSON Schema."}}
	case reflect.TypeFor[json.RawMessage]():
		if r.object {
			return object{{"type", kindObject}}
		}
		return nil
	}
	return plainSchema(t, r)
}

func plainSchema(t reflect.Type, r rules) object {
	item := r
	item.min = nil
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem(), r)
	case reflect.Struct:
		return structSchema(t)
	case reflect.Slice:
		s := object{{"type", kindArray}, {"items", typeSchema(t.Elem(), item)}}
		if r.min != nil {
			s = append(s, member{"minItems", *r.min})
		}
		return s
	case reflect.Map:
		item.required = false
		return object{{"type", kindObject}, {"additionalProperties", typeSchema(t.Elem(), item)}}
	case reflect.Bool:
		return object{{"type", kindBoolean}}
	case reflect.Int:
		s := object{{"type", kindInteger}}
		if r.min != nil {
			s = append(s, member{"minimum", *r.min})
		}
		return s
	}
	s := object{{"type", kindString}}
	switch {
	case len(r.enum) > 0:
		s = append(s, member{"enum", r.enum})
	case r.url:
		s = append(s, member{"pattern", `^https?://|\$\{`})
	case r.required || r.nonempty:
		s = append(s, member{"minLength", 1})
	}
	return s
}

// refSchema describes the three forms of a reference.
func refSchema(r rules, extra object) object {
	kinds := firstSet(r.kinds, kindNames())
	text := object{{"type", kindString}, {"pattern", "^(" + strings.Join(kinds, "|") + ")/[^/]+$"}}
	named := object{
		{"type", kindObject},
		{"properties", append(object{
			{"kind", object{{"enum", kinds}}},
			{"name", object{{"type", kindString}, {"minLength", 1}}},
			{"package", object{{"description", "Package to look in."}, {"type", kindString}, {"minLength", 1}}},
			{"apiVersion", object{{"enum", apiVersions()}}},
		}, extra...)},
		{"required", []string{"kind", "name"}},
		{"additionalProperties", false},
	}
	bare := refObject(kinds)
	nested := object{
		{"type", kindObject},
		{"properties", append(object{{"ref", object{{"anyOf", []object{text, bare}}}}}, extra...)},
		{"required", []string{"ref"}},
		{"additionalProperties", false},
	}
	return object{{"anyOf", []object{text, named, nested}}}
}

func refObject(kinds []string) object {
	return object{
		{"type", kindObject},
		{"properties", object{
			{"kind", object{{"enum", kinds}}},
			{"name", object{{"type", kindString}, {"minLength", 1}}},
			{"package", object{{"type", kindString}, {"minLength", 1}}},
			{"apiVersion", object{{"enum", apiVersions()}}},
		}},
		{"required", []string{"kind", "name"}},
		{"additionalProperties", false},
	}
}
