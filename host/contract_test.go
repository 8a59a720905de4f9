package host_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
)

// The bundle's own tool wins over one of the same name in a package.
func TestPackagesWithTheSameTool(t *testing.T) {
	const manifest = `apiVersion: gongu/v1
kind: Package
metadata: { name: mine }
spec: { version: 1.0.0, dependencies: [{ name: base, version: 1.0.0 }] }
---
`
	dir := folder(t, manifest+base)
	other := strings.Replace(base[:strings.Index(base, "---")], `"Keeps a text."`, `"Of the package."`, 1)
	write(t, filepath.Join(dir, "packages", "base", "1.0.0"), "gongu.yaml", strings.Replace(manifest, "dependencies: [{ name: base, version: 1.0.0 }]", "", 1)+other)
	h := open(t, dir, nil)
	if tool, _ := h.Registry().Get("file-system__write"); tool.Description != "Keeps a text." {
		t.Errorf("description = %q", tool.Description)
	}
}

// item is a catalog item as seed 001 §13 prints it.
type item struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Parameters  gongu.Schema `json:"parameters"`
	Source      gongu.Source `json:"source"`
}

// B9: the three items of seed 001 §13.2, one from a bundle and two registered
// the way extensions and MCP servers do.
func TestB9_CatalogItems(t *testing.T) {
	dir := folder(t, `apiVersion: goondan.ai/v1
kind: Tool
metadata: { name: bash }
spec:
  entry: builtin:bash
  exports:
    - name: exec
      description: "셸 명령 실행"
      parameters:
        type: object
        properties:
          command: { type: string }
        required: [command]
`)
	h := open(t, dir, nil)
	nothing := func(ctx ctxT, call gongu.Call) gongu.Result { return gongu.OK(nil) }
	if err := h.Registry().Add(
		gongu.Tool{Name: "weather__get", Description: "특정 도시의 현재 날씨 정보를 조회합니다", Invoke: nothing,
			Source: gongu.Source{Type: "extension", Name: "weather-ext"}},
		gongu.Tool{Name: "github__create_issue", Description: "GitHub 이슈를 생성합니다", Invoke: nothing,
			Parameters: `{"type":"object","properties":{"repo":{"type":"string"},"title":{"type":"string"}},"required":["repo","title"]}`,
			Source:     gongu.Source{Type: "mcp", Name: "mcp-github", MCP: &gongu.MCPSource{ExtensionName: "mcp-github"}}},
	); err != nil {
		t.Fatal(err)
	}
	var lines []string
	catalog, err := firstCatalog(h, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range catalog.Visible() {
		raw, err := json.Marshal(item{tool.Name, tool.Description, tool.Parameters.OrAnyObject(), tool.Source})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(raw))
	}
	want := []string{
		`{"name":"bash__exec","description":"셸 명령 실행","parameters":{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]},"source":{"type":"config","name":"bash"}}`,
		`{"name":"weather__get","description":"특정 도시의 현재 날씨 정보를 조회합니다","parameters":{"type":"object","properties":{}},"source":{"type":"extension","name":"weather-ext"}}`,
		`{"name":"github__create_issue","description":"GitHub 이슈를 생성합니다","parameters":{"type":"object","properties":{"repo":{"type":"string"},"title":{"type":"string"}},"required":["repo","title"]},"source":{"type":"mcp","name":"mcp-github","mcp":{"extensionName":"mcp-github"}}}`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// B8: every built-in says what it does to the world.
func TestB8_Annotations(t *testing.T) {
	dir := folder(t, `apiVersion: gongu/v1
kind: Tool
metadata: { name: bash }
spec: { entry: "builtin:bash", exports: [{ name: exec }, { name: script }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: file-system }
spec: { entry: "builtin:file-system", exports: [{ name: read }, { name: write }, { name: list }, { name: mkdir }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: http-fetch }
spec: { entry: "builtin:http-fetch", exports: [{ name: get }, { name: post }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: rest }
spec: { entry: "builtin:self-restart", exports: [{ name: request }] }
---
apiVersion: gongu/v1
kind: Tool
metadata: { name: quiet }
spec: { entry: "builtin:wait", exports: [{ name: seconds, annotations: { readOnlyHint: false } }] }
`)
	h := open(t, dir, nil)
	for name, want := range map[string][3]bool{ // read-only, destructive, open world
		"bash__exec": {false, true, true}, "bash__script": {false, true, true},
		"file-system__read": {true, false, false}, "file-system__list": {true, false, false},
		"file-system__write": {false, true, false}, "file-system__mkdir": {false, true, false},
		"http-fetch__get": {true, false, true}, "http-fetch__post": {false, true, true},
		"rest__request": {false, true, false},
	} {
		tool, ok := h.Registry().Get(name)
		a := tool.Annotations
		if got := [3]bool{a.IsReadOnly(), a.IsDestructive(), a.IsOpenWorld()}; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if tool, _ := h.Registry().Get("quiet__seconds"); tool.Annotations.IsReadOnly() {
		t.Error("the resource's own annotation does not count")
	}
}
