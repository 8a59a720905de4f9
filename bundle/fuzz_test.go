package bundle

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// patience is how long one bundle of hostile YAML may take; it means "does not
// hang", not "is fast".
const patience = 20 * time.Second

// FuzzLoad loads any bytes as a bundle: no panic, no hang, no half-loaded
// bundle, and every error complete.
func FuzzLoad(f *testing.F) {
	for _, archive := range []string{sources, agentBundle("  tools: [Tool/bash, {ref: {kind: Tool, name: bash}}]"), packaged("^1.0.0", "1.0.0")} {
		for _, file := range txtar.Parse([]byte(archive)).Files {
			f.Add(file.Data)
		}
	}
	many, err := os.ReadFile("testdata/diagnostics/many.txtar")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(txtar.Parse(many).Files[0].Data)
	for _, seed := range []string{
		"", "---\n---\n", "a: &a [*a]", "a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]", strings.Repeat("[", 300), "? [a]\n: b\n", "!!binary x", "\ufeffkind: Tool",
		"kind: Tool\nspec: {exports: [{parameters: {type: object, properties: {a: {$ref: '#'}}}}]}", "kind: {a: b}\napiVersion: [x]\nmetadata: 5\nspec: no",
		"apiVersion: gongu/v1\nkind: Extension\nmetadata: {name: e}\nspec: {entry: x, config: {ref: {ref: {ref: 1}}}}", "a: |\n  x\n b: >-\n", "- - - -\t",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, src []byte) {
		file := filepath.Join(dir, "goondan.yaml")
		if err := os.WriteFile(file, src, 0o600); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		b, ds := Load(file, &Options{Strict: len(src)%2 == 0})
		if took := time.Since(start); took > patience {
			t.Errorf("took %s", took)
		}
		checkLoaded(t, b, ds)
		addAPIVersion(src)
	})
}

// checkLoaded holds for every bundle, good or bad.
func checkLoaded(t *testing.T, b *Bundle, ds Diagnostics) {
	t.Helper()
	if (b == nil) != ds.HasErrors() {
		t.Fatalf("bundle %v with %s", b != nil, text(ds))
	}
	for _, d := range ds {
		if d.Code == "" || d.Message == "" || d.File == "" || d.Line < 1 || d.Column < 1 || d.Path == "" || d.Severity == SeverityError && d.Suggestion == "" {
			t.Errorf("incomplete: %+v", d)
		}
		if len(d.Message) > 4000 || len(d.Suggestion) > 8000 || strings.Contains(d.Message+d.Suggestion, "%!") {
			t.Errorf("unreadable: %+v", d)
		}
	}
	if b == nil {
		return
	}
	for _, tool := range b.Tools() {
		for _, def := range tool.Definitions() {
			if p := jsonx.Strict([]byte(def.Parameters.OrAnyObject())); p != nil {
				t.Errorf("parameters of %s are not JSON: %v", def.Name, p)
			}
		}
	}
	for _, a := range b.Agents() {
		b.AgentTools(a)
		b.AgentModel(a)
		for _, use := range b.AgentExtensions(a) {
			if len(use.Config) > 0 && jsonx.Strict(use.Config) != nil {
				t.Errorf("config is not JSON: %s", use.Config)
			}
		}
	}
	for _, s := range b.Swarms() {
		if b.EntryAgent(s) == nil || len(b.SwarmAgents(s)) == 0 {
			t.Error("a swarm without agents")
		}
	}
}

// FuzzRef reads any text as a reference, in a bundle and by itself; both agree.
func FuzzRef(f *testing.F) {
	for _, seed := range []string{
		"Tool/bash", "Tool/none", "garbage", "a/b/c", "/", "", "Tool/", "/x", "Model/m", " Tool/bash", "Tool/bash ", "Tool\\bash", "Tool/bash\n", "툴/배시", "Tool/\x00", "Toool/bash",
	} {
		f.Add(seed)
	}
	dir := write(f, agentBundle(""))
	archive := txtar.Parse([]byte(agentBundle("  tools: [REF]"))).Files[0]
	f.Fuzz(func(t *testing.T, ref string) {
		parsed, err := ParseRef(ref)
		if err == nil && (parsed.String() != ref || strings.Count(ref, "/") != 1) {
			t.Errorf("%q becomes %q", ref, parsed)
		}
		quoted := string(appendString(nil, strings.ToValidUTF8(ref, "?")))
		doc := strings.Replace(string(archive.Data), "REF", quoted, 1)
		file := filepath.Join(dir, "goondan.yaml")
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		b, ds := Load(file, nil)
		checkLoaded(t, b, ds)
		if b != nil && ref != "Tool/bash" {
			t.Errorf("%q is accepted as a tool", ref)
		}
	})
}

// numbered repeats a line with a number for %.
func numbered(line string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Replace(line, "%", strconv.Itoa(i), 1))
	}
	return b.String()
}

// Files at the limits must not take long or much memory.
func TestHostileFiles(t *testing.T) {
	fill := func(unit string) string { return strings.Repeat(unit, (maxFileBytes-1000)/len(unit)) }
	// The race detector makes the slowest ones dear; what is quadratic shows
	// at a quarter of the size as well.
	part := func(unit string) string { return strings.Repeat(unit, maxFileBytes/4/len(unit)) }
	head := "apiVersion: gongu/v1\nkind: Extension\nmetadata: {name: e}\nspec:\n  entry: ./tool.ts\n  config:\n"
	tool := "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: e}\nspec:\n  entry: ./tool.ts\n  exports:\n"
	for name, src := range map[string]string{
		"comments":      fill("# x\n"),
		"list":          "[" + fill("1,") + "1]",
		"items":         part("- a\n"),
		"item comments": part("- a # b\n"),
		"brackets":      fill("["),
		"open maps":     fill("{a: "),
		"dashes":        fill("- "),
		"documents":     fill("---\n"),
		"blank":         fill("\n"),
		"anchors":       part("- &a x\n"),
		"aliases":       "- &a [x]\n" + part("- *a\n"),
		"long key":      "? \"" + fill("k") + "\"\n: {a: 1, b: 2}\n",
		"long path":     head + "    ? \"" + strings.Repeat("k", 500_000) + "\"\n    :\n" + strings.Repeat("      - ref: a\n", 10_000),
		"schemas":       tool + numbered("    - {name: a%, parameters: {type: object}}\n", 4_000),
		"bad schemas":   tool + numbered("    - {name: a%, parameters: {type: object, properties: 5}}\n", 3_000),
		"missing refs":  head + "    a:\n" + numbered("      - ref: Tool/none%\n", 10_000),
		"bad refs":      head + "    a:\n" + strings.Repeat("      - ref: a\n", 20_000),
		"exports":       tool + strings.Repeat("    - {name: a}\n", 20_000),
		"unknown":       tool + strings.Repeat("    - {nam: a}\n", 20_000),
		"block text":    head + "    a: |\n" + strings.Repeat("      x\n", 100_000),
		"escapes":       "a: \"" + fill("\\u0041") + "\"\n",
		"quotes":        fill("'"),
		"digits":        "a: " + fill("9") + "\n",
		"hex":           "a: 0x" + fill("f") + "\n",
		"colons":        fill(": "),
		"questions":     part("? "),
		"tags":          part("!a "),
		"utf-16":        "\xff\xfe" + fill("a\x00\n\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, "-- gongu.yaml --\n-- tool.ts --\n")
			if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(src), 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			b, ds := Load(dir, nil)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			checkLoaded(t, b, ds)
			if took > patience {
				t.Errorf("took %s", took)
			}
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 2048 {
				t.Errorf("allocated %d MB in all", mb)
			}
			t.Logf("%s, %d MB in all, %d diagnostics", took, (after.TotalAlloc-before.TotalAlloc)>>20, len(ds))
		})
	}
}
