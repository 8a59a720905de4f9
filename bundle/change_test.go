package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// K3, K6: a change is described by resource and file, and marked when it decides
// what is started or allowed.
func TestK6_Changes(t *testing.T) {
	before := write(t, coveredBundle)
	for _, c := range []struct{ file, old, new, want string }{
		{"gongu.yaml", "description: x", "description: y", "gongu.yaml changed Tool/t: exports"},
		{"gongu.yaml", "command: ./server/run", "command: ./server/lib/a.py", "gongu.yaml changed McpServer/s: command LAUNCH"},
		{"gongu.yaml", "env: {OPTIONS:", "env: {A: b, OPTIONS:", "gongu.yaml changed McpServer/s: env LAUNCH"},
		{"gongu.yaml", "command: ./server/run,", "command: ./server/run, describe: {a: b},", "gongu.yaml changed McpServer/s: describe"},
		{"gongu.yaml", "prompt:", "workdir: project, prompt:", "gongu.yaml changed Agent/a: workdir LAUNCH"},
		{"gongu.yaml", "entry: ./lib/tool.ts", "entry: ./lib/tool.ts, runtime: node", "gongu.yaml changed Tool/t: runtime LAUNCH"},
		{"gongu.yaml", "prompt:", "editable: true, prompt:", "gongu.yaml changed Agent/a: editable LAUNCH"},
		{"gongu.yaml", "kind: Extension\nmetadata: {name: e}", "kind: Extension\nmetadata: {name: f}", "gongu.yaml removed Extension/e; gongu.yaml added Extension/f"},
		{"sub/macros.yaml", "tool: t__run", "tool: other", "sub/macros.yaml changed Macro/twice: steps"},
		{"lib/deep/helper.ts", "data;", "[data];", "lib/deep/helper.ts changed Tool/t"},
		{"prompts/a.md", "You", "Thou", "prompts/a.md changed"},
		{"programs/inc/part.sh", "echo", "rm", "programs/inc/part.sh changed ToolCommand/c LAUNCH"},
		{"sub/tools.yaml", "", "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: b}\nspec: {entry: 'builtin:bash', exports: [{name: exec}]}\n", "sub/tools.yaml added Tool/b LAUNCH"},
		{"sub/agents.yaml", "", "apiVersion: gongu/v1\nkind: Agent\nmetadata: {name: b}\nspec: {modelConfig: {modelRef: Model/m}, prompt: {system: x}, editable: true}\n", "sub/agents.yaml added Agent/b LAUNCH"},
		{"sub/tools.yaml", "", "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: b}\nspec: {entry: ./lib/tool.ts, exports: [{name: run}]}\n", "sub/tools.yaml added Tool/b"},
	} {
		after := write(t, coveredBundle)
		old := ""
		if c.old != "" {
			old = read(t, after, c.file)
		}
		put(t, after, c.file, strings.Replace(old, c.old, c.new, 1))
		was, is := loaded(t, before), loaded(t, after)
		var got []string
		for _, change := range Compare(was, is, coverOf(t, before), coverOf(t, after)) {
			text := strings.TrimSpace(fmt.Sprint(change.Label, " ", change.Kind, " ", change.Summary))
			if change.Launch {
				text += " LAUNCH"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, "; "); !strings.HasPrefix(text, c.want) || strings.Contains(text, "LAUNCH") != strings.Contains(c.want, "LAUNCH") {
			t.Errorf("%s: %s, want %s", c.new, text, c.want)
		}
	}
}

func loaded(t *testing.T, dir string) *Bundle {
	t.Helper()
	b, ds := Load(dir, nil)
	if b == nil {
		t.Fatal(text(ds))
	}
	return b
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// K6: another program for a separate process is a launch, also one that is
// covered already.
func TestK6_OtherEntryOfAProcess(t *testing.T) {
	const bundle = "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: t}\nspec: {entry: ./lib/a.mjs, runtime: node, exports: [{name: run, description: x}]}\n"
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		put(t, dir, "gongu.yaml", strings.Replace(bundle, "a.mjs", []string{"a.mjs", "b.mjs"}[i], 1))
		put(t, dir, "lib/a.mjs", "1")
		put(t, dir, "lib/b.mjs", "2")
	}
	changes := Compare(loaded(t, dirs[0]), loaded(t, dirs[1]), coverOf(t, dirs[0]), coverOf(t, dirs[1]))
	if len(changes) != 1 || !changes[0].Launch {
		t.Errorf("%+v", changes)
	}
}
