package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/lang"
)

func TestLoadOneFile(t *testing.T) {
	dir := write(t, "-- any-name.yaml --\n"+toolDoc+"-- tool.ts --\n-- gongu.yaml --\n: broken\n")
	b, ds := Load(filepath.Join(dir, "any-name.yaml"), nil)
	if b == nil {
		t.Fatal(text(ds))
	}
	if len(b.Files()) != 1 || b.Tools()[0].Module.File() != filepath.Join(b.Dir(), "tool.ts") {
		t.Errorf("%q, %+v", b.Files(), b.Tools()[0].Module)
	}
}

func TestLoadNothing(t *testing.T) {
	dir := write(t, "-- README.md --\n")
	for _, path := range []string{filepath.Join(dir, "none"), dir} {
		b, ds := Load(path, nil)
		if b != nil {
			t.Errorf("%s is a bundle", path)
		}
		wantOnly(t, ds, CodeEntryNotFound, "", "gongu init")
	}
	if Present(dir) || !Present(write(t, "-- goondan.yaml --\n")) {
		t.Error("Present")
	}
}

func TestDocumentsWithoutKind(t *testing.T) {
	b, ds := Load(write(t, "-- gongu.yaml --\nversion: 3\n---\n---\n- a\n---\n"+toolDoc+"---\n# only a comment\n-- tool.ts --\n"), &Options{})
	if b == nil || len(b.Tools()) != 1 {
		t.Fatal(text(ds))
	}
	want(t, ds, CodeNoKind, "gongu.yaml#0")
	want(t, ds, CodeNoKind, "gongu.yaml#2")
	if n := len(ds.Only(SeverityWarning)); n != 3 { // and no Swarm
		t.Errorf("%d warnings:\n%s", n, text(ds))
	}
}

// A file that cannot be read whole may have what is missing elsewhere; one
// broken line must not cause a page of errors.
func TestParseErrorsDoNotCascade(t *testing.T) {
	ds := bad(t, agentBundle("  tools: [Tool/none]")+"-- tools.yaml --\nkind: Tool\n  bad: indent\n", nil)
	d := wantOnly(t, ds, CodeParseError, "tools.yaml")
	if d.File != "tools.yaml" || d.Line != 2 {
		t.Errorf("%+v", d)
	}
	// Other errors are still found.
	ds = bad(t, agentBundle("  tool: x")+"-- tools.yaml --\na: [\n", nil)
	want(t, ds, CodeSchemaInvalid, "#1.spec.tool", "tools")
	want(t, ds, CodeParseError, "tools.yaml")
}

func TestYAMLThatIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ yaml, word string }{
		"tabs":          {"a:\n\t- b\n", "spaces"},
		"duplicate key": {"a: 1\nb: 2\na: 3\n", "twice"},
		"merge":         {"a: &x {b: 1}\nc: {<<: *x}\n", "<<"},
		"complex key":   {"? [a, b]\n: c\n", "field name"},
		"cycle":         {"a: &x [*x]\n", "*x"},
		"unknown alias": {"a: *x\n", "unknown anchor"},
		"nan":           {"a: .nan\n", ".nan"},
		"inf":           {"a: -.INF\n", "-.INF"},
		"custom tag":    {"a: !include other.yaml\n", "!include"},
		"wrong tag":     {"a: !!int x\n", "!!int"},
		"binary":        {"a: !!binary aGk=\n", "!!binary"},
		"control":       {"a: \x01\n", "YAML"},
		"not utf-8":     {"a: \xff\xfe\n", "YAML"},
		"deep":          {strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n", "nested"},
		"very deep":     {strings.Repeat("[", 20000) + "\n", "YAML"},
		"deep alias":    {"a: &a " + strings.Repeat("[", 60) + strings.Repeat("]", 60) + "\nb: " + strings.Repeat("[", 60) + "*a" + strings.Repeat("]", 60) + "\n", "nested"},
	} {
		ds := bad(t, "-- gongu.yaml --\n"+c.yaml, nil)
		d := want(t, ds, CodeParseError, "")
		if !strings.Contains(d.Message+d.Suggestion, c.word) {
			t.Errorf("%s: %v / %s", name, d, d.Suggestion)
		}
	}
	good(t, "-- gongu.yaml --\na: !!str 12\nb: !!float 1\nc: !!null ~\nd: !!map {}\ne: !!seq []\nf: !!bool true\ng: \"<<\"\n\"<<\": 1\n", nil)
}

// A bomb of aliases weighs gigabytes when it is written out.
func TestAliasBombs(t *testing.T) {
	var lists, texts strings.Builder
	lists.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		prev := "*a" + string(rune('a'+i-2))
		if i == 1 {
			prev = "*a0"
		}
		name := "a" + string(rune('a'+i-1))
		lists.WriteString(name + ": &" + name + " [" + strings.Repeat(prev+", ", 8) + prev + "]\n")
	}
	texts.WriteString("t: &t \"" + strings.Repeat("x", 500_000) + "\"\nl: [*t" + strings.Repeat(", *t", 100_000) + "]\n")
	for _, bomb := range []string{lists.String(), texts.String()} {
		indented := "apiVersion: gongu/v1\nkind: Extension\nmetadata: {name: e}\nspec:\n  entry: ./tool.ts\n  config:\n    " +
			strings.ReplaceAll(strings.TrimSpace(bomb), "\n", "\n    ") + "\n"
		wantOnly(t, bad(t, "-- gongu.yaml --\n"+indented+"-- tool.ts --\n", nil), CodeParseError, "gongu.yaml#0", "aliases")
	}
}

func TestManyProblems(t *testing.T) {
	var doc strings.Builder
	doc.WriteString(toolDoc + "  extra:\n")
	for i := range 50_000 {
		doc.WriteString("  exprots" + strconv.Itoa(i) + ": 1\n")
	}
	ds := bad(t, "-- gongu.yaml --\n"+doc.String()+"-- tool.ts --\n", nil)
	if len(ds) != maxDiagnostics+1 || ds[len(ds)-1].Code != CodeTooManyErrors {
		t.Errorf("%d diagnostics, the last %+v", len(ds), ds[len(ds)-1])
	}
	var r reporter
	for range maxDiagnostics {
		r.add(atFile("x"), SeverityWarning, CodeNoKind, lang.Message{}, lang.Message{})
	}
	r.error(atFile("x"), CodeParseError, lang.Message{}, lang.Message{})
	if !r.finish().HasErrors() {
		t.Error("an error got lost among warnings")
	}
}

func TestLinkedFiles(t *testing.T) {
	dir := write(t, "-- b/real/x.yaml --\n"+toolDoc+"-- b/tool.ts --\n-- outside.yaml --\n"+toolDoc)
	if err := os.Symlink("real/x.yaml", filepath.Join(dir, "b", "gongu.yaml")); err != nil {
		t.Fatal(err)
	}
	if b, ds := Load(filepath.Join(dir, "b"), nil); b == nil || len(b.Tools()) != 1 {
		t.Fatal(text(ds))
	}
	if err := os.Symlink("../outside.yaml", filepath.Join(dir, "b", "tools.yaml")); err != nil {
		t.Fatal(err)
	}
	b, ds := Load(filepath.Join(dir, "b"), nil)
	if b == nil || len(b.Tools()) != 1 {
		t.Fatal(text(ds))
	}
	want(t, ds, CodeSkippedFile, "tools.yaml")
}

func TestScopesOfReferences(t *testing.T) {
	second := strings.ReplaceAll(packaged("1.0.0", ""), "@goondan/base", "other")
	second = second[:strings.Index(second, "-- goondan.yaml --")]
	two := strings.Replace(packaged("1.0.0", ""), `  - {name: "@goondan/base", version: "1.0.0"}`, `  - {name: "@goondan/base", version: "1.0.0"}
  - {name: other, version: 1.0.0}`, 1)
	use := `---
apiVersion: gongu/v1
kind: Agent
metadata: {name: a}
spec: {modelConfig: {modelRef: Model/m}, tools: [TOOL]}
` + rest
	load := func(ref string) string { return second + two + strings.Replace(use, "TOOL", ref, 1) }
	wantOnly(t, bad(t, load("Tool/bash"), nil), CodeInvalidRef, "spec.tools[0]", "other", "package")
	wantOnly(t, bad(t, load("{kind: Tool, name: bash, package: none}"), nil), CodeRefNotFound, "spec.tools[0]", "other")
	b := good(t, load("{kind: Tool, name: bash, package: other}"), nil)
	a, _ := b.Agent("a")
	if got := b.AgentTools(a)[0].Head().Package; got != "other" {
		t.Errorf("package %q", got)
	}
	if _, err := b.Resolve(nil, Ref{Kind: "Tool", Name: "bash"}); !errors.Is(err, errAmbiguous) {
		t.Errorf("%v", err)
	}
}

func TestPackagesInACircle(t *testing.T) {
	manifest := func(name, needs string) string {
		return "apiVersion: gongu/v1\nkind: Package\nmetadata: {name: " + name + "}\nspec: {dependencies: [{name: " + needs + ", version: 1.0.0}]}\n"
	}
	ds := bad(t, "-- gongu.yaml --\n"+manifest("a", "b")+"-- packages/b/1.0.0/gongu.yaml --\n"+manifest("b", "c")+
		"-- packages/c/1.0.0/gongu.yaml --\n"+manifest("c", "b"), nil)
	wantOnly(t, ds, CodeSchemaInvalid, "c/gongu.yaml#0.spec.dependencies[0]", "a → b → c → b")
	ds = bad(t, "-- gongu.yaml --\n"+manifest("a", "../../x"), nil)
	wantOnly(t, ds, CodeInvalidName, "spec.dependencies[0].name")
}

func TestVersionRanges(t *testing.T) {
	for wanted, cases := range map[string]map[string]bool{
		"^1.2.3":  {"1.2.3": true, "1.9.0": true, "2.0.0": false, "1.2.2": false},
		"^0.2.3":  {"0.2.9": true, "0.3.0": false},
		"^0.0.3":  {"0.0.3": true, "0.0.4": false},
		"~1.2.3":  {"1.2.9": true, "1.3.0": false},
		">=1.0.0": {"1.0.0": true, "0.9.0": false}, ">1.0.0": {"1.0.0": false}, "<2.0.0": {"2.0.0": false, "1.0.0": true}, "<=2.0.0": {"2.0.0": true},
		"*": {"0.0.1": true}, "latest": {"9.9.9": true}, "1.x": {"5.0.0": true},
		"=1.0.0":        {"1.0.0": true, "1.0.1": false},
		"^1.0.0-beta.2": {"1.0.0-beta.10": true, "1.0.0-beta.1": false, "1.0.0": true, "1.0.0-alpha": false},
	} {
		for text, want := range cases {
			v, ok := parseVersion(text)
			if !ok || satisfies(wanted, v) != want {
				t.Errorf("%s satisfies %s: want %v", text, wanted, want)
			}
		}
	}
}

func TestSwarmChoice(t *testing.T) {
	two := strings.Replace(agentBundle(""), "-- tool.ts --", "---\napiVersion: gongu/v1\nkind: Swarm\nmetadata: {name: NAME}\nspec: {entryAgent: Agent/a, agents: [Agent/a]}\n-- tool.ts --", 1)
	b := good(t, strings.Replace(two, "NAME", "default", 1), nil)
	for name, want := range map[string]string{"": "default", "s": "s", "default": "default"} {
		if s, err := b.Swarm(name); err != nil || s.Name != want {
			t.Errorf("%q: %v, %v", name, s, err)
		}
	}
	b = good(t, strings.Replace(two, "NAME", "t", 1), nil)
	if _, err := b.Swarm(""); err == nil || !strings.Contains(err.Error(), "s, t") {
		t.Errorf("%v", err)
	}
	b = good(t, "-- gongu.yaml --\n"+toolDoc+"-- tool.ts --\n", nil)
	if _, err := b.Swarm(""); err == nil {
		t.Error("a swarm from nowhere")
	}
}

// The bounds of a whole bundle.
func TestBundleLimits(t *testing.T) {
	fill := func(n int, content string) string {
		dir := t.TempDir()
		for i := range n {
			sub := filepath.Join(dir, strconv.Itoa(i))
			if err := os.Mkdir(sub, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(sub, "tools.yaml"), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	large := "# " + strings.Repeat("x", maxFileBytes-3) + "\n"
	for _, dir := range []string{fill(16, large), fill(maxFiles, "# x\n")} {
		if b, ds := Load(dir, nil); b == nil {
			t.Error(text(ds))
		}
	}
	_, ds := Load(fill(17, large), nil)
	wantOnly(t, ds, CodeFileTooLarge, "9/tools.yaml", "together")
	_, ds = Load(fill(maxFiles+1, "# x\n"), nil)
	want(t, ds, CodeTooManyDocuments, "")
}
