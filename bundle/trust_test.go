package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// B11: the hash follows everything that is run, and nothing else.
func TestB11_TrustDigest(t *testing.T) {
	archive := sources + "---\n" + toolDoc + `-- tool.ts --
import "./lib/helper.ts";
-- lib/helper.ts --
export const x = 1;
-- servers/run --
no extension, but named
-- tools.py --
print()
-- node_modules/dep/index.js --
x
-- README.md --
hello
-- tool-requests.json --
{}
-- .gongu/state.json --
{}
`
	archive = strings.Replace(archive, "command: npx", "command: ./run", 1)
	digest := func(dir string) string {
		t.Helper()
		b, ds := Load(dir, nil)
		if b == nil {
			t.Fatal(text(ds))
		}
		d, err := b.TrustDigest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	dir := write(t, archive)
	first := digest(dir)
	if first != digest(dir) || first != digest(write(t, archive)) || !strings.HasPrefix(first, "sha256:") {
		t.Fatal("the hash is not stable")
	}
	change := func(name, old, new string) string {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(raw), old, new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := os.WriteFile(file, raw, 0o644); err != nil {
				t.Fatal(err)
			}
		}()
		return digest(dir)
	}
	for _, c := range [][3]string{
		{"tool.ts", "import", "IMPORT"}, {"lib/helper.ts", "1", "2"}, {"servers/run", "no", "yes"}, {"tools.py", "()", "(1)"},
		{"node_modules/dep/index.js", "x", "y"}, {"gongu.yaml", "GITHUB_TOKEN", "OTHER"}, {"gongu.yaml", "tools.py --list", "tools.py --all"},
		{"gongu.yaml", "https://example.com/mcp", "https://example.org/mcp"}, {"gongu.yaml", "entry: ./tool.ts", "runtime: bun\n  entry: ./tool.ts"},
	} {
		if change(c[0], c[1], c[2]) == first {
			t.Errorf("%s: %q to %q does not change the hash", c[0], c[1], c[2])
		}
	}
	for _, c := range [][3]string{
		{"README.md", "hello", "bye"}, {"tool-requests.json", "{}", "{\"a\":1}"}, {".gongu/state.json", "{}", "[]"},
		{"gongu.yaml", "Draws a chair.", "Draws."}, {"gongu.yaml", "default: deny", "default: ask"}, {"gongu.yaml", "kind:", "# note\nkind:"},
	} {
		if change(c[0], c[1], c[2]) != first {
			t.Errorf("%s: %q to %q changes the hash", c[0], c[1], c[2])
		}
	}
	for name, content := range map[string]string{"new.mjs": "x", "lib/new": "#!/bin/sh"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
		if digest(dir) == first {
			t.Errorf("%s does not change the hash", name)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../x", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if digest(dir) == first {
		t.Error("a link does not change the hash")
	}
}

func TestTrustOfPackages(t *testing.T) {
	archive := packaged("1.0.0", "")
	digest := func(archive string) string {
		d, err := good(t, archive, nil).TrustDigest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if digest(archive) == digest(strings.Replace(archive, "1.0.0/tool.ts --\n", "1.0.0/tool.ts --\nx\n", 1)) {
		t.Error("the code of a package does not count")
	}
}

func TestExecutable(t *testing.T) {
	plain := "-- gongu.yaml --\n" + strings.Replace(toolDoc, "./tool.ts", "builtin:bash", 1) + rest
	plain = strings.Replace(plain, "kind: Swarm\nmetadata: {name: s}\nspec: {entryAgent: Agent/a, agents: [Agent/a]}", "kind: Model\nmetadata: {name: n}\nspec: {provider: openai, model: gpt-5}", 1)
	if good(t, plain, nil).Executable() {
		t.Error("a bundle of built-in tools and a model runs nothing")
	}
	for _, doc := range []string{
		strings.Replace(toolDoc, "name: bash", "name: x", 1),
		"apiVersion: gongu/v1\nkind: Extension\nmetadata: {name: e}\nspec: {entry: ./tool.ts}\n",
		"apiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: e}\nspec: {url: https://x.example}\n",
		"apiVersion: gongu/v1\nkind: ToolCommand\nmetadata: {name: e}\nspec: {discover: a, call: b}\n",
	} {
		if !good(t, strings.Replace(plain, "-- tool.ts --", "---\n"+doc+"-- tool.ts --", 1), nil).Executable() {
			t.Errorf("not executable:\n%s", doc)
		}
	}
	budget := digestBudget{files: 1, bytes: 10}
	if budget.take(5) != nil || budget.take(1) == nil {
		t.Error("the budget of files does not end")
	}
	budget = digestBudget{files: 5, bytes: 10}
	if budget.take(11) == nil {
		t.Error("the budget of bytes does not end")
	}
}
