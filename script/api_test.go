package script

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsbuild"
)

// shimKeys asks the shim itself what it has.
func shimKeys(t *testing.T) (modules map[string][]string, globals, bun []string) {
	t.Helper()
	root := t.TempDir()
	source := `
		const names = ` + string(mustJSON(t, slices.Sorted(maps.Keys(jsbuild.ModuleNames())))) + `;
		const language = new Set(` + string(mustJSON(t, languageGlobals(t))) + `);
		export const handlers = { run: () => ({
			modules: Object.fromEntries(names.map((n) => [n, Object.keys(__gongu_import(n))])),
			globals: Object.getOwnPropertyNames(globalThis).filter((n) => !language.has(n) && !n.startsWith('__gongu')),
			bun: Object.keys(Bun),
		}) };`
	if err := os.WriteFile(filepath.Join(root, "index.js"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	e := NewEngine(nil)
	defer e.Close()
	m, err := e.Load(t.Context(), root, "index.js")
	if err != nil {
		t.Fatal(err)
	}
	invoke, err := m.Invoke("run")
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Modules      map[string][]string
		Globals, Bun []string
	}
	if err := json.Unmarshal(invoke(t.Context(), gongu.Call{}).Output, &out); err != nil {
		t.Fatal(err)
	}
	return out.Modules, out.Globals, out.Bun
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// languageGlobals are those of the engine without the shim.
func languageGlobals(t *testing.T) []string {
	t.Helper()
	vm, err := newQuickVM(defaultMemory, defaultStack, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer vm.close()
	out, err := vm.vm.Eval("Object.getOwnPropertyNames(globalThis).join(' ')", 0)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := out.(string)
	return strings.Fields(text)
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s has\n%q, the table says\n%q", what, got, want)
	}
}

// TestT2_TableIsTrue: the names that errors are made of are those of the shim.
func TestT2_TableIsTrue(t *testing.T) {
	modules, globals, bun := shimKeys(t)
	for name, want := range jsbuild.ModuleNames() {
		same(t, name, modules[name], want)
	}
	same(t, "globalThis", globals, jsbuild.GlobalNames())
	same(t, "Bun", bun, jsbuild.BunNames())
}

// TestT2_DocsAreComplete: docs/script-api.md lists each name in the section of
// its module, and no other.
func TestT2_DocsAreComplete(t *testing.T) {
	raw, err := os.ReadFile("../docs/script-api.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"Globals": jsbuild.GlobalNames(), "Bun": jsbuild.BunNames()}
	for name, names := range jsbuild.ModuleNames() {
		want["node:"+name] = names
	}
	first := regexp.MustCompile("(?m)^\\| `([A-Za-z]+)")
	found := map[string][]string{}
	for section := range strings.SplitSeq(string(raw), "\n### ") {
		title, body, _ := strings.Cut(section, "\n")
		title = strings.Trim(title, "`")
		if _, ok := want[title]; !ok {
			continue
		}
		for _, m := range first.FindAllStringSubmatch(body, -1) {
			found[title] = append(found[title], m[1])
		}
	}
	for title, names := range want {
		same(t, "the section "+title, found[title], names)
	}
}
