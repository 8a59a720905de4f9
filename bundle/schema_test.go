package bundle

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/gongu-ai/gongu/internal/schema"
)

var update = flag.Bool("update", false, "rewrite the generated files: schema/*.json and the golden diagnostics")

const schemaDir = "../schema"

// The folder schema holds what the Go types say, and nothing else.
func TestSchemasAreFresh(t *testing.T) {
	files, err := schemaFiles()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		path := filepath.Join(schemaDir, name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
			t.Errorf("%s is stale (%v): run go test ./bundle -run TestSchemasAreFresh -update", path, err)
		}
	}
	found, err := filepath.Glob(filepath.Join(schemaDir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(files) || len(files) != len(kinds())+1 {
		t.Errorf("%d files in %s, want %d", len(found), schemaDir, len(kinds())+1)
	}
}

// combined compiles gongu.json with the schemas that it refers to.
func combined(t testing.TB) *schema.Checker {
	t.Helper()
	files, err := schemaFiles()
	if err != nil {
		t.Fatal(err)
	}
	resources := map[string][]byte{}
	for name, raw := range files {
		if name != "gongu.json" {
			resources[schemaBase+name] = raw
		}
	}
	c, err := schema.Compile(files["gongu.json"], &schema.Options{Resources: resources})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// eachDocument calls f with the resources of an archive as JSON.
func eachDocument(t testing.TB, archive string, f func(name string, doc []byte)) {
	t.Helper()
	for _, file := range txtar.Parse([]byte(archive)).Files {
		if !isResourceFile(file.Name) {
			continue
		}
		var r reporter
		docs, ok := parse(&r, file.Name, file.Data, &pkg{})
		if !ok {
			t.Fatal(r.list)
		}
		for _, doc := range docs {
			if doc.node.Kind == yaml.MappingNode {
				f(doc.path(), appendJSON(nil, doc.node))
			}
		}
	}
}

// An editor with the schemas accepts what the loader accepts.
func TestSchemasAcceptGoodResources(t *testing.T) {
	check := combined(t)
	archives := []string{
		sources, strings.Replace(agentBundle("  tools: [Tool/bash, {kind: Tool, name: bash}, {ref: {kind: Tool, name: bash}}]\n  extensions: [{ref: Extension/e, config: {a: 1}}]"), "-- tool.ts --", connected+"-- tool.ts --", 1),
		packaged("1.0.0", "1.0.0"),
	}
	for _, name := range []string{"seed001-4.1", "seed001-14.1", "seed001-14.2"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name, "goondan.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, "-- goondan.yaml --\n"+string(raw))
	}
	count := 0
	for _, archive := range archives {
		eachDocument(t, archive, func(name string, doc []byte) {
			count++
			if failure := check.Check(doc); failure != nil {
				t.Errorf("%s: %v\n%s", name, failure.Issues, doc)
			}
		})
	}
	if count < 15 {
		t.Errorf("only %d documents were checked", count)
	}
}

func TestSchemasRefuseBadResources(t *testing.T) {
	check := combined(t)
	for _, c := range []struct{ archive, old, new string }{
		{sources, "maxConcurrent: 4", "maxConcurent: 4"}, {sources, "maxConcurrent: 4", "maxConcurrent: 0"}, {sources, "mode: worker", "mode: x"},
		{policyDoc, "effect: ask", "effect: maybe"}, {sources, "kind: Macro", "kind: Makro"}, {sources, "connect: 10s", "connect: 10"},
		{sources, "command: npx", "command: npx\n  url: https://x.example"}, {sources, "apiVersion: gongu/v1", "apiVersion: gongu/v2"},
		{agentBundle("  tools: [Tool/bash]"), "Tool/bash", "garbage"}, {agentBundle(""), "modelRef: Model/m", "modelRef: Tool/m"},
		{agentBundle("  prompt: {system: a}"), "system: a", "system: a, systemRef: b"}, {agentBundle(""), "agents: [Agent/a]", "agents: []"},
		{"-- gongu.yaml --\n" + toolDoc, "  entry: ./tool.ts\n", ""}, {"-- gongu.yaml --\n" + toolDoc, "{name: bash}", "{}"},
	} {
		refused := false
		archive := strings.Replace(c.archive, c.old, c.new, 1)
		eachDocument(t, archive, func(_ string, doc []byte) { refused = refused || check.Check(doc) != nil })
		if !refused || archive == c.archive {
			t.Errorf("%q instead of %q is accepted", c.new, c.old)
		}
	}
}

// Editors show titles and descriptions, so every field has one.
func TestSchemasAreDocumented(t *testing.T) {
	files, err := schemaFiles()
	if err != nil {
		t.Fatal(err)
	}
	var walk func(name, path string, s any, described bool)
	walk = func(name, path string, s any, described bool) {
		m, ok := s.(map[string]any)
		if !ok {
			return
		}
		if described && m["description"] == nil {
			t.Errorf("%s: %s has no description", name, path)
		}
		props, _ := m["properties"].(map[string]any)
		for key, value := range props {
			// The parts of a reference speak for themselves.
			walk(name, path+"."+key, value, !strings.Contains("kind name package apiVersion ref", key))
		}
		walk(name, path+"[]", m["items"], false)
		walk(name, path+"{}", m["additionalProperties"], false)
	}
	for name, raw := range files {
		var s map[string]any
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		if s["title"] == "" || s["description"] == "" || s["$schema"] != schemaDialect || s["$id"] != schemaBase+name {
			t.Errorf("%s: head is incomplete", name)
		}
		walk(name, "", s, true)
	}
}
