package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// write unpacks an archive into a new folder.
func write(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	a := txtar.Parse([]byte(archive))
	if len(a.Files) == 0 {
		t.Fatal("the archive has no files")
	}
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// good loads a bundle that must load.
func good(t testing.TB, archive string, opts *Options) *Bundle {
	t.Helper()
	b, ds := Load(write(t, archive), opts)
	if b == nil {
		t.Fatalf("refused:\n%s", text(ds))
	}
	return b
}

// bad loads a bundle that must be refused.
func bad(t testing.TB, archive string, opts *Options) Diagnostics {
	t.Helper()
	b, ds := Load(write(t, archive), opts)
	if b != nil || !ds.HasErrors() {
		t.Fatalf("accepted:\n%s", text(ds))
	}
	return ds
}

// want finds an error with this code whose path ends as given and whose
// message or suggestion contains the words.
func want(t testing.TB, ds Diagnostics, code, path string, words ...string) Diagnostic {
	t.Helper()
	for _, d := range ds {
		if d.Code != code || !strings.HasSuffix(d.Path, path) {
			continue
		}
		if d.Severity == SeverityError && (d.Line < 1 || d.Column < 1 || d.File == "" || d.Suggestion == "" || d.HelpURL == "") {
			t.Errorf("incomplete: %+v", d)
		}
		for _, word := range words {
			if !strings.Contains(d.Message+" | "+d.Suggestion, word) {
				t.Errorf("%v / %s does not say %q", d, d.Suggestion, word)
			}
		}
		return d
	}
	t.Fatalf("no %s at %s in:\n%s", code, path, text(ds))
	return Diagnostic{}
}

// wantOnly is want, and nothing else is an error.
func wantOnly(t testing.TB, ds Diagnostics, code, path string, words ...string) Diagnostic {
	t.Helper()
	if n := len(ds.Only(SeverityError)); n != 1 {
		t.Errorf("%d errors, want 1:\n%s", n, text(ds))
	}
	return want(t, ds, code, path, words...)
}

// text shows diagnostics in full.
func text(ds Diagnostics) string {
	var b strings.Builder
	for _, d := range ds {
		b.WriteString(string(d.Severity) + " " + d.Error() + "\n    " + d.Path + "\n    " + d.Suggestion + "\n")
	}
	return b.String()
}

// toolDoc is a Tool that loads; its entry is tool.ts.
const toolDoc = `apiVersion: gongu/v1
kind: Tool
metadata: {name: bash}
spec:
  entry: ./tool.ts
  exports:
    - name: exec
`

// rest is what makes a bundle around an Agent called a complete.
const rest = `---
apiVersion: gongu/v1
kind: Model
metadata: {name: m}
spec: {provider: openai, model: gpt-5}
---
apiVersion: gongu/v1
kind: Swarm
metadata: {name: s}
spec: {entryAgent: Agent/a, agents: [Agent/a]}
-- tool.ts --
export const handlers = {};
`

// agentBundle is a bundle with Tool/bash as document 0 and an agent, document
// 1, with the given fields of spec.
func agentBundle(spec string) string {
	return "-- goondan.yaml --\n" + toolDoc + `---
apiVersion: goondan.ai/v1
kind: Agent
metadata: {name: a}
spec:
  modelConfig: {modelRef: Model/m}
` + spec + "\n" + rest
}
