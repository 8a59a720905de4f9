package httpapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gongu-ai/gongu/httpapi"
)

// spec is an OpenAPI document that can check answers.
type spec struct {
	root     map[string]any
	compiler *jsonschema.Compiler
}

func readSpec(t testing.TB, raw []byte) *spec {
	t.Helper()
	root, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("openapi.json: %v in %s", err, raw)
	}
	s := &spec{root: root.(map[string]any), compiler: jsonschema.NewCompiler()}
	s.compiler.AssertFormat()
	if err := s.compiler.AddResource("mem:///openapi.json", root); err != nil {
		t.Fatal(err)
	}
	return s
}

// at walks down the document; nil when there is nothing.
func at(v any, keys ...string) any {
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// find matches a path with the templates of the document.
func (s *spec) find(path string) string {
	path, _, _ = strings.Cut(path, "?")
	words := strings.Split(path, "/")
	paths, _ := s.root["paths"].(map[string]any)
	if _, ok := paths[path]; ok {
		return path
	}
	for template := range paths {
		parts := strings.Split(template, "/")
		matches := len(parts) == len(words)
		for i := 0; matches && i < len(parts); i++ {
			matches = parts[i] == words[i] || strings.HasPrefix(parts[i], "{")
		}
		if matches {
			return template
		}
	}
	return ""
}

// check holds an answer against the document: an operation that is there, a
// status that it has, a body of the schema.
func (s *spec) check(t testing.TB, method, path string, got reply) {
	t.Helper()
	template := s.find(path)
	operation := at(s.root, "paths", template, strings.ToLower(method))
	if operation == nil {
		if got.status == http.StatusNotFound || got.status == http.StatusMethodNotAllowed {
			s.validate(t, map[string]any{"$ref": "#/components/schemas/Problem"}, got.body)
			return
		}
		t.Fatalf("%s %s is not in the document", method, path)
	}
	response := at(operation, "responses", strconv.Itoa(got.status))
	if response == nil {
		t.Fatalf("%s %s: the document has no answer %d", method, template, got.status)
	}
	kind, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
	if at(response, "content") == nil {
		if len(got.body) > 0 {
			t.Fatalf("%s %s: a body where the document has none", method, template)
		}
		return
	}
	schema := at(response, "content", kind, "schema")
	if schema == nil {
		t.Fatalf("%s %s: the document has no answer of type %q", method, template, kind)
	}
	s.validate(t, schema, got.body)
	if has := at(response, "headers", "ETag") != nil; has != (got.header.Get("ETag") != "") {
		t.Errorf("%s %s: ETag %q, and the document says %v", method, template, got.header.Get("ETag"), has)
	}
}

func (s *spec) validate(t testing.TB, schema any, body []byte) {
	t.Helper()
	ref, ok := at(schema, "$ref").(string)
	if !ok {
		t.Fatalf("%v is no reference to a component", schema)
	}
	compiled, err := s.compiler.Compile("mem:///openapi.json" + ref)
	if err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if err := compiled.Validate(value); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
}

// The document has the form of OpenAPI 3.1, as far as it uses it: the schema in
// testdata refuses what it does not know.
func TestOpenAPIIsValid(t *testing.T) {
	raw, err := os.ReadFile("testdata/openapi.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	form, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("mem:///form.json", form); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("mem:///form.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "ko"} {
		s := start(t, newBackend(t, nil))
		got := s.raw(http.MethodGet, httpapi.Prefix+"/openapi.json", http.Header{"Accept-Language": {language}}, nil)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(got.body))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(doc); err != nil {
			t.Errorf("%s: %v", language, err)
		}
		checkLinks(t, readSpec(t, got.body))
	}
}

// checkLinks holds what a schema cannot say: ids are unique, references lead
// somewhere, the parameters of a path are those that it names.
func checkLinks(t *testing.T, s *spec) {
	t.Helper()
	ids := map[string]bool{}
	used := map[string]bool{}
	for path, item := range s.root["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			id, _ := at(operation, "operationId").(string)
			if ids[id] {
				t.Errorf("%s %s: the id %s is there twice", method, path, id)
			}
			ids[id] = true
			named := map[string]bool{}
			params, _ := at(operation, "parameters").([]any)
			for _, p := range params {
				if at(p, "in") == "path" {
					named[at(p, "name").(string)] = true
				}
			}
			for _, word := range strings.Split(path, "/") {
				if name, ok := strings.CutPrefix(word, "{"); ok {
					if name = strings.TrimSuffix(name, "}"); !named[name] {
						t.Errorf("%s %s: no parameter %s", method, path, name)
					}
					delete(named, name)
				}
			}
			if len(named) > 0 {
				t.Errorf("%s %s has no place for %v", method, path, named)
			}
		}
	}
	references(s.root, func(ref string) {
		name, ok := strings.CutPrefix(ref, "#/components/schemas/")
		if !ok || at(s.root, "components", "schemas", name) == nil {
			t.Errorf("%s leads nowhere", ref)
		}
		used[name] = true
	})
	for name := range at(s.root, "components", "schemas").(map[string]any) {
		if !used[name] {
			t.Errorf("nothing uses the schema %s", name)
		}
		if _, err := s.compiler.Compile("mem:///openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s is no schema: %v", name, err)
		}
	}
}

func references(v any, found func(string)) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			found(ref)
		}
		for _, inner := range v {
			references(inner, found)
		}
	case []any:
		for _, inner := range v {
			references(inner, found)
		}
	}
}

// The schema of the form can fail.
func TestOpenAPIFormRefuses(t *testing.T) {
	raw, err := os.ReadFile("testdata/openapi.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	form, _ := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:///form.json", form); err != nil {
		t.Fatal(err)
	}
	compiled := compiler.MustCompile("mem:///form.json")
	s := start(t, newBackend(t, nil))
	original := s.get("/openapi.json", nil).body
	for name, spoil := range map[string]func(doc map[string]any){
		"no info":            func(doc map[string]any) { delete(doc, "info") },
		"version 3.0":        func(doc map[string]any) { doc["openapi"] = "3.0.3" },
		"unknown member":     func(doc map[string]any) { doc["pathz"] = map[string]any{} },
		"path without slash": func(doc map[string]any) { doc["paths"].(map[string]any)["tools"] = map[string]any{} },
		"no responses": func(doc map[string]any) {
			delete(at(doc, "paths", "/tools", "get").(map[string]any), "responses")
		},
		"optional path parameter": func(doc map[string]any) {
			params := at(doc, "paths", "/tools/{name}", "get", "parameters").([]any)
			params[0].(map[string]any)["required"] = false
		},
		"broken schema": func(doc map[string]any) {
			at(doc, "components", "schemas", "Tool").(map[string]any)["type"] = "thing"
		},
	} {
		var doc map[string]any
		if err := json.Unmarshal(original, &doc); err != nil {
			t.Fatal(err)
		}
		spoil(doc)
		if compiled.Validate(doc) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
