package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The cases of group D, by number. 85 (handlers of a module) needs a script
// engine and is tested where modules are run.

func TestGoondan63_Seed001Section41(t *testing.T) {
	b, ds := Load("testdata/seed001-4.1", nil)
	if b == nil {
		t.Fatal(text(ds))
	}
	tool := b.Tools()[0]
	if tool.Spec.Entry != "./tools/bash/index.ts" || tool.Module.Path != "tools/bash/index.ts" {
		t.Errorf("entry %q, module %+v", tool.Spec.Entry, tool.Module)
	}
	if tool.Spec.ErrorMessageLimit != 1200 {
		t.Errorf("errorMessageLimit is %d", tool.Spec.ErrorMessageLimit)
	}
	defs := tool.Definitions()
	if len(defs) != 2 || defs[0].Name != "bash__exec" || defs[1].Name != "bash__script" {
		t.Fatalf("definitions %+v", defs)
	}
	if got := string(defs[0].Parameters); got != `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}` {
		t.Errorf("parameters %s", got)
	}
	if defs[0].Description != "셸 명령 실행" || defs[0].Labels["tier"] != "base" {
		t.Errorf("definition %+v", defs[0])
	}
}

func TestGoondan64_YAML12(t *testing.T) {
	b := good(t, `-- goondan.yaml --
apiVersion: goondan.ai/v1
kind: Agent
metadata:
  name: a
  annotations: &notes
    quoted: "tab\there \u00e9 \x41"
    single: 'it''s'
    no: "yes"
  labels: *notes
spec:
  modelConfig: {modelRef: Model/m}
  prompt:
    system: |
      line one: with a colon
        indented # not a comment
      - not a list
  requiredTools:
  - x__y
  extensions:
  - ref: Extension/e
    config: {url: http://x, list: [http://y], octal: 0777, on: on, date: 2020-01-01, folded: 1_000}
---
apiVersion: goondan.ai/v1
kind: Extension
metadata: {name: e}
spec: {entry: ./e.ts}
-- e.ts --
`+strings.Replace(rest, "---\n", "-- agents.yaml --\n", 1), nil)
	a, _ := b.Agent("a")
	if want := "line one: with a colon\n  indented # not a comment\n- not a list\n"; a.System != want {
		t.Errorf("block text %q, want %q", a.System, want)
	}
	if a.Labels["quoted"] != "tab\there é A" || a.Labels["single"] != "it's" || a.Labels["no"] != "yes" {
		t.Errorf("labels through an alias: %q", a.Labels)
	}
	if !slices.Equal(a.Spec.RequiredTools, []string{"x__y"}) {
		t.Errorf("unindented list: %q", a.Spec.RequiredTools)
	}
	want := `{"url":"http://x","list":["http://y"],"octal":777,"on":"on","date":"2020-01-01","folded":"1_000"}`
	if got := string(b.AgentExtensions(a)[0].Config); got != want {
		t.Errorf("config %s, want %s", got, want)
	}
}

func TestGoondan65_APIVersion(t *testing.T) {
	ds := bad(t, "-- goondan.yaml --\napiVersion: goondan.ai/v2\n"+strings.TrimPrefix(toolDoc, "apiVersion: gongu/v1\n")+"-- tool.ts --\n", nil)
	wantOnly(t, ds, CodeUnsupportedAPIVersion, "goondan.yaml#0.apiVersion", "goondan.ai/v2", "goondan.ai/v1")
	ds = bad(t, "-- goondan.yaml --\n"+strings.TrimPrefix(toolDoc, "apiVersion: gongu/v1\n")+"-- tool.ts --\n", nil)
	wantOnly(t, ds, CodeUnsupportedAPIVersion, "goondan.yaml#0", "missing")
}

func TestGoondan66_UnknownKind(t *testing.T) {
	ds := bad(t, "-- goondan.yaml --\n"+strings.Replace(toolDoc, "kind: Tool", "kind: Toool", 1)+"-- tool.ts --\n", nil)
	d := wantOnly(t, ds, CodeUnknownKind, "goondan.yaml#0.kind", "Toool", "Did you mean: Tool")
	if d.Line != 2 || d.Column != 7 {
		t.Errorf("at %d:%d, want 2:7", d.Line, d.Column)
	}
}

func TestGoondan67_DuplicateName(t *testing.T) {
	ds := bad(t, "-- goondan.yaml --\n"+toolDoc+"---\n"+toolDoc+"-- tool.ts --\n", nil)
	wantOnly(t, ds, CodeDuplicateName, "goondan.yaml#1.metadata.name", "Tool/bash", "goondan.yaml:1")

	b := good(t, packaged("1.0.0", "")+"-- tools.yaml --\n"+toolDoc+"-- tool.ts --\n", nil)
	if n := len(b.Tools()); n != 2 {
		t.Errorf("%d tools called bash in two packages, want 2", n)
	}
}

func TestGoondan68_ToolFields(t *testing.T) {
	for name, c := range map[string]struct{ old, new, path string }{
		"no entry":         {"  entry: ./tool.ts\n", "", "#0.spec.entry"},
		"empty entry":      {"./tool.ts", `""`, "#0.spec.entry"},
		"no exports":       {"  exports:\n    - name: exec\n", "", "#0.spec.exports"},
		"empty exports":    {"exports:\n    - name: exec", "exports: []", "#0.spec.exports"},
		"duplicate export": {"- name: exec", "- name: exec\n    - name: exec", "#0.spec.exports[1].name"},
		"__ in resource":   {"{name: bash}", "{name: ba__sh}", "#0.metadata.name"},
		"__ in export":     {"name: exec", "name: ex__ec", "#0.spec.exports[0].name"},
		"nameless export":  {"name: exec", "description: x", "#0.spec.exports[0].name"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := strings.Replace(toolDoc, c.old, c.new, 1)
			if doc == toolDoc {
				t.Fatal("nothing replaced")
			}
			wantOnly(t, bad(t, "-- goondan.yaml --\n"+doc+"-- tool.ts --\n", nil), CodeSchemaInvalid, c.path)
		})
	}
}

func TestGoondan69_EntryMissing(t *testing.T) {
	ds := bad(t, "-- goondan.yaml --\n"+toolDoc+"-- tools.ts --\n", nil)
	d := wantOnly(t, ds, CodeEntryNotFound, "#0.spec.entry", "./tool.ts", "./tools.ts")
	if d.Line != 5 || d.Column != 10 {
		t.Errorf("at %d:%d, want 5:10", d.Line, d.Column)
	}
}

// Also W9.
func TestGoondan70_EntryOutside(t *testing.T) {
	dir := write(t, "-- b/goondan.yaml --\nx: 1\n-- outside.mjs --\n-- b/in/inside.mjs --\n-- other/x.mjs --\n")
	links := map[string]string{"link.mjs": "../outside.mjs", "folder": "../other", "fine.mjs": "in/inside.mjs"}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, "b", name)); err != nil {
			t.Fatal(err)
		}
	}
	load := func(entry string) (*Bundle, Diagnostics) {
		doc := strings.Replace(toolDoc, "./tool.ts", fmt.Sprintf("%q", entry), 1)
		if err := os.WriteFile(filepath.Join(dir, "b", "goondan.yaml"), []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(filepath.Join(dir, "b"), nil)
	}
	for _, entry := range []string{
		"../outside.mjs", "./in/../../outside.mjs", "in/../in/inside.mjs", `..\outside.mjs`, `C:\x.mjs`, `C:x.mjs`,
		filepath.Join(dir, "outside.mjs"), "/etc/passwd", "link.mjs", "folder/x.mjs", "in", ".", "builtin:", "x\x00y",
	} {
		b, ds := load(entry)
		if b != nil {
			t.Errorf("entry %q is accepted", entry)
			continue
		}
		wantOnly(t, ds, CodeEntryNotFound, "#0.spec.entry")
	}
	for _, entry := range []string{"in/inside.mjs", "./in/inside.mjs", "fine.mjs"} {
		if b, ds := load(entry); b == nil {
			t.Errorf("entry %q is refused: %s", entry, text(ds))
		}
	}
}

func TestGoondan71_RefText(t *testing.T) {
	for ref, hint := range map[string]string{
		"bash": "Tool/bash", "Tool/a/b": "Kind/name", "/bash": "Kind/name", "Tool/": "Kind/name", "/": "Kind/name", "": "Kind/name",
		"Toool/bash": "Did you mean: Tool", " / ": "Kind/name",
	} {
		if _, err := ParseRef(ref); err == nil {
			t.Errorf("ParseRef(%q) works", ref)
		}
		wantOnly(t, bad(t, agentBundle(fmt.Sprintf("  tools: [%q]", ref)), nil), CodeInvalidRef, "#1.spec.tools[0]", hint)
	}
}

func TestGoondan72_RefForms(t *testing.T) {
	for _, ref := range []string{
		"Tool/bash", "{kind: Tool, name: bash}", "{ref: Tool/bash}", "{ref: {kind: Tool, name: bash}}",
		"{kind: Tool, name: bash, apiVersion: gongu/v1}",
	} {
		b := good(t, agentBundle("  tools: ["+ref+"]"), nil)
		a, ok := b.Agent("a")
		if !ok {
			t.Fatal("no agent")
		}
		if items := b.AgentTools(a); len(items) != 1 || items[0] != Item(b.Tools()[0]) {
			t.Errorf("%s resolves to %v", ref, items)
		}
	}
	b := good(t, packaged("1.0.0", "")+`---
apiVersion: gongu/v1
kind: Extension
metadata: {name: e}
spec:
  entry: ./e.ts
  config: {toolRef: {ref: {kind: Tool, name: bash, package: "@goondan/base"}}}
-- e.ts --
`, nil)
	if b.Extensions()[0].Name != "e" {
		t.Error("no extension")
	}
}

func TestGoondan73_NestedRefs(t *testing.T) {
	for config, code := range map[string]string{
		"{a: [{b: {toolRef: garbage}}]}":            CodeInvalidRef,
		"{a: [{b: {ref: Tool/none}}]}":              CodeRefNotFound,
		"{a: {toolRef: {kind: Tool}}}":              CodeInvalidRef,
		"{a: {ref: {selector: {x: y}}}}":            CodeInvalidRef,
		"{a: {toolRef: 5}}":                         CodeInvalidRef,
		"{a: {ref: {ref: {ref: Tool/bash}}}}":       CodeInvalidRef,
		"{a: {ref: {kind: Tool, name: x, nam: y}}}": CodeInvalidRef,
	} {
		ds := bad(t, strings.Replace(agentBundle(""), rest, "", 1)+`---
apiVersion: gongu/v1
kind: Extension
metadata: {name: e}
spec:
  entry: ./tool.ts
  config: `+config+"\n"+rest, nil)
		wantOnly(t, ds, code, "")
		if p := ds.Only(SeverityError)[0].Path; !strings.Contains(p, "#2.spec.config.a") {
			t.Errorf("%s: path %s", config, p)
		}
	}
	// Two names hold something else, and a schema may call a parameter so.
	good(t, "-- goondan.yaml --\n"+toolDoc+`      parameters:
        type: object
        properties: {ref: {type: string}, gitRef: {type: string}}
---
apiVersion: gongu/v1
kind: Extension
metadata: {name: e}
spec: {entry: ./tool.ts, config: {secretRef: x, systemRef: y, toolRef: }}
-- tool.ts --
`, nil)
}

func TestGoondan74_RefNotFound(t *testing.T) {
	archive := agentBundle("  tools: [Tool/none]")
	archive = strings.Replace(archive, "-- goondan.yaml --\n", "-- goondan.yaml --\nnote: first\n---\n", 1)
	d := wantOnly(t, bad(t, archive, nil), CodeRefNotFound, "goondan.yaml#2.spec.tools[0]", "Tool/none", "Tool/bash")
	if d.Path != "goondan.yaml#2.spec.tools[0]" || d.Line != 16 || d.Column != 11 {
		t.Errorf("%+v", d)
	}
	wantOnly(t, bad(t, strings.Replace(archive, "Tool/none", "garbage", 1), nil), CodeInvalidRef, "goondan.yaml#2.spec.tools[0]")
	wantOnly(t, bad(t, agentBundle("  tools: [Tool/bsh]"), nil), CodeRefNotFound, "#1.spec.tools[0]", "Did you mean: Tool/bash")
	wantOnly(t, bad(t, agentBundle("  tools: [Model/m]"), nil), CodeInvalidRef, "#1.spec.tools[0]", "Model")
	wantOnly(t, bad(t, agentBundle("  tools: [{selector: {matchLabels: {tier: base}}}]"), nil), CodeInvalidRef, "#1.spec.tools[0]", "selector")
}

func TestGoondan75_Swarm(t *testing.T) {
	archive := agentBundle("") + "" // Agent/a
	second := strings.Replace(archive, "---\napiVersion: gongu/v1\nkind: Model", "---\napiVersion: gongu/v1\nkind: Agent\nmetadata: {name: b}\nspec: {modelConfig: {modelRef: Model/m}}\n---\napiVersion: gongu/v1\nkind: Model", 1)
	wantOnly(t, bad(t, strings.Replace(second, "entryAgent: Agent/a", "entryAgent: Agent/b", 1), nil),
		CodeSchemaInvalid, "spec.entryAgent", "Agent/b", "Agent/a")
	wantOnly(t, bad(t, strings.Replace(archive, "{entryAgent", `{instanceKey: "", entryAgent`, 1), nil), CodeSchemaInvalid, "spec.instanceKey")
	wantOnly(t, bad(t, strings.Replace(archive, "agents: [Agent/a]", "agents: []", 1), nil), CodeSchemaInvalid, "spec.agents")
	wantOnly(t, bad(t, strings.Replace(archive, "{entryAgent", "{policy: {maxStepsPerTurn: 0}, entryAgent", 1), nil), CodeSchemaInvalid, "spec.policy.maxStepsPerTurn")
	b := good(t, archive, nil)
	s, err := b.Swarm("")
	if err != nil || s.Spec.InstanceKey != "s" || s.Spec.Policy.MaxStepsPerTurn != 32 || s.Spec.Policy.Shutdown.GracePeriodSeconds != 300 {
		t.Errorf("%+v, %v", s, err)
	}
	if b.EntryAgent(s).Name != "a" || len(b.SwarmAgents(s)) != 1 {
		t.Error("agents of the swarm")
	}
}

func TestGoondan76_PackageDocuments(t *testing.T) {
	pkg := "apiVersion: gongu/v1\nkind: Package\nmetadata: {name: p}\nspec: {version: 1.0.0}\n"
	wantOnly(t, bad(t, "-- goondan.yaml --\n"+toolDoc+"---\n"+pkg+"-- tool.ts --\n", nil), CodePackageDocPosition, "goondan.yaml#1.kind")
	ds := bad(t, "-- goondan.yaml --\n"+pkg+"---\n"+strings.Replace(pkg, "name: p", "name: q", 1), nil)
	wantOnly(t, ds, CodePackageDocDuplicated, "goondan.yaml#1.kind")
	wantOnly(t, bad(t, "-- goondan.yaml --\n"+toolDoc+"-- tool.ts --\n-- sub/goondan.yaml --\n"+pkg, nil), CodePackageDocPosition, "sub/goondan.yaml#0.kind")
	if b := good(t, "-- goondan.yaml --\n"+pkg+"---\n"+toolDoc+"-- tool.ts --\n", nil); b.Tools()[0].Package != "p" || b.Package().Name != "p" {
		t.Error("the tool does not belong to the package")
	}
}

func TestGoondan77_Prompt(t *testing.T) {
	both := agentBundle("  prompt: {system: hi, systemRef: ./p.md}") + "-- p.md --\nx\n"
	wantOnly(t, bad(t, both, nil), CodeSchemaInvalid, "#1.spec.prompt", "system", "systemRef")
	wantOnly(t, bad(t, agentBundle("  prompt: {systemRef: ./p.md}"), nil), CodeEntryNotFound, "#1.spec.prompt.systemRef", "./p.md")
	wantOnly(t, bad(t, agentBundle("  prompt: {systemRef: ../p.md}"), nil), CodeEntryNotFound, "#1.spec.prompt.systemRef")
	b := good(t, agentBundle("  prompt: {systemRef: ./p.md}")+"-- p.md --\nYou are kind.\n", nil)
	if a, _ := b.Agent("a"); a.System != "You are kind.\n" {
		t.Errorf("system prompt %q", a.System)
	}
	good(t, agentBundle(""), nil)
	good(t, agentBundle("  prompt:"), nil)
}

func TestGoondan78_Scan(t *testing.T) {
	broken := "\n: : :\n\t"
	b := good(t, "-- goondan.yaml --\n"+toolDoc+"-- tool.ts --\n"+
		"-- dist/goondan.yaml --"+broken+"\n-- node_modules/x/goondan.yaml --"+broken+"\n-- sub/dist/tool.yaml --"+broken+
		"\n-- .gongu/tools.yaml --"+broken+"\n-- docker-compose.yaml --"+broken+"\n-- tools.yaml.bak --"+broken+"\n-- my-tool.yaml --"+broken+
		"\n-- packages/x/goondan.yaml --"+broken+"\n-- sub/Tools.YML --\n"+strings.Replace(toolDoc, "name: bash", "name: other", 1)+
		"-- gongu.yaml --\n"+strings.Replace(toolDoc, "name: bash", "name: first", 1), nil)
	if got := b.Files(); !slices.Equal(got, []string{"gongu.yaml", "goondan.yaml", "sub/Tools.YML"}) {
		t.Errorf("files %q", got)
	}
	if tools := b.Tools(); len(tools) != 3 || tools[0].Name != "first" || tools[2].Name != "other" || tools[1].Position.File != "goondan.yaml" || tools[1].Position.Line != 1 {
		t.Errorf("tools out of order")
	}
}

func TestGoondan79_Limits(t *testing.T) {
	big := "# " + strings.Repeat("x", maxFileBytes) + "\n"
	ds := bad(t, "-- goondan.yaml --\n"+toolDoc+big+"-- tool.ts --\n", nil)
	wantOnly(t, ds, CodeFileTooLarge, "goondan.yaml")
	just := toolDoc + "# "
	good(t, "-- goondan.yaml --\n"+just+strings.Repeat("x", maxFileBytes-len(just)-1)+"\n-- tool.ts --\n", nil)

	ds = bad(t, "-- goondan.yaml --\n"+toolDoc+strings.Repeat("---\na: 1\n", 100)+"-- tool.ts --\n", nil)
	wantOnly(t, ds, CodeTooManyDocuments, "goondan.yaml")
	good(t, "-- goondan.yaml --\n"+toolDoc+strings.Repeat("---\na: 1\n", 99)+"-- tool.ts --\n", nil)
}

// packaged is a bundle that depends on @goondan/base, installed in the given
// version, with the given lock file.
func packaged(wanted, lock string) string {
	archive := `-- packages/@goondan/base/1.0.0/goondan.yaml --
` + toolDoc + `-- packages/@goondan/base/1.0.0/tool.ts --
`
	if lock != "" {
		archive += "-- goondan.lock.yaml --\nlockfileVersion: 1\npackages:\n  \"@goondan/base@" + lock + "\": {version: " + lock + "}\n"
	}
	return archive + `-- goondan.yaml --
apiVersion: goondan.ai/v1
kind: Package
metadata: {name: consumer}
spec:
  version: "0.0.1"
  dependencies:
  - {name: "@goondan/base", version: "` + wanted + `"}
`
}

func TestGoondan80_Packages(t *testing.T) {
	use := `---
apiVersion: goondan.ai/v1
kind: Agent
metadata: {name: a}
spec:
  modelConfig: {modelRef: Model/m}
  tools: [{kind: Tool, name: bash, package: "@goondan/base"}, Tool/bash]
` + rest
	for name, archive := range map[string]string{
		"exact":        packaged("1.0.0", ""),
		"locked":       packaged("1.0.0", "1.0.0"),
		"locked range": packaged("^1.0.0", "1.0.0"),
		"@version":     strings.ReplaceAll(packaged("1.0.0", ""), "base/1.0.0/", "base@1.0.0/"),
		".goondan":     strings.ReplaceAll(packaged("1.0.0", ""), "-- packages/", "-- .goondan/packages/"),
	} {
		t.Run(name, func(t *testing.T) {
			b := good(t, archive+use, nil)
			a, _ := b.Agent("a")
			items := b.AgentTools(a)
			if len(items) != 1 || items[0].Head().Package != "@goondan/base" {
				t.Fatalf("tools %v", items)
			}
			if tool := b.Tools()[0]; tool.Module.Root != b.PackageDir("@goondan/base") || tool.Module.Root == b.Dir() {
				t.Errorf("entry is relative to %s", tool.Module.Root)
			}
		})
	}
	deps := "#0.spec.dependencies[0]"
	wantOnly(t, bad(t, packaged("^1.0.0", "")+use, nil), CodePackageLockMissing, deps)
	wantOnly(t, bad(t, packaged("^2.0.0", "1.0.0")+use, nil), CodePackageLockMissing, deps, "1.0.0")
	wantOnly(t, bad(t, packaged("1.0.0", "1.2.0")+use, nil), CodePackageLockMissing, deps)
	wantOnly(t, bad(t, packaged("^1.0.0", "1.3.0")+use, nil), CodePackageNotInstalled, deps, "1.3.0")
	wantOnly(t, bad(t, strings.Replace(packaged("^1.0.0", "1.0.0"), "lockfileVersion: 1", "lockfileVersion: 9", 1)+use, nil), CodePackageLockMissing, "goondan.lock.yaml#0.lockfileVersion")
	wantOnly(t, bad(t, strings.Replace(packaged("1.0.0", ""), "1.0.0/goondan.yaml", "1.0.0/other.yaml", 1)+use, nil), CodePackageManifestMissing, deps)
	// The built manifest wins over the one at the root.
	b := good(t, packaged("1.0.0", "")+use+"-- packages/@goondan/base/1.0.0/dist/goondan.yaml --\n"+strings.Replace(toolDoc, "name: exec", "name: built", 1), nil)
	if got := b.Tools()[0].Spec.Exports[0].Name; got != "built" {
		t.Errorf("export %q of the root manifest", got)
	}
}

func TestGoondan81_ExtensionConfig(t *testing.T) {
	b := good(t, strings.Replace(agentBundle("  extensions: [{ref: Extension/e, config: {level: debug, deep: {b: 2}}}]"), rest, `---
apiVersion: goondan.ai/v1
kind: Extension
metadata: {name: e}
spec: {entry: ./tool.ts, config: {level: info, keep: 1.50, deep: {a: 1}}}
`+rest, 1), nil)
	a, _ := b.Agent("a")
	uses := b.AgentExtensions(a)
	if want := `{"level":"debug","keep":1.50,"deep":{"b":2}}`; len(uses) != 1 || string(uses[0].Config) != want {
		t.Errorf("config %s, want %s", uses[0].Config, want)
	}
	if got := string(b.Extensions()[0].Spec.Config); got != `{"level":"info","keep":1.50,"deep":{"a":1}}` {
		t.Errorf("the extension's own config changed: %s", got)
	}
}

func TestGoondan82_RequiredTools(t *testing.T) {
	ds := bad(t, agentBundle("  tools: [Tool/bash]\n  requiredTools: [bash__exce]"), nil)
	wantOnly(t, ds, CodeRefNotFound, "#1.spec.requiredTools[0]", "bash__exce", "Did you mean: bash__exec")
	good(t, agentBundle("  tools: [Tool/bash]\n  requiredTools: [bash__exec]"), nil)
	wantOnly(t, bad(t, agentBundle("  requiredTools: ['']\n  tools: [Tool/bash]"), nil).Only(SeverityError)[:1], CodeSchemaInvalid, "requiredTools[0]")
}

func TestGoondan83_ParametersAreLossless(t *testing.T) {
	b := good(t, "-- goondan.yaml --\n"+toolDoc+`      parameters:
        type: object
        additionalProperties: false
        required: [z, a]
        properties:
          z: {type: array, items: {type: object, properties: {q: {type: integer, maximum: 9007199254740993}}}, minItems: 0}
          a: {oneOf: [{type: string, pattern: "^\\d+$"}, {type: number, multipleOf: 0.10, minimum: -1.50e-3, maximum: 1e400}], default: 1.0}
          "on": {type: boolean, default: false, description: "줄\n<b>&\u2028"}
          n: {enum: [null, ~, 0x10, 0o17, +7, .5, "7", 07]}
        examples: [{z: []}]
-- tool.ts --
`, nil)
	want := `{"type":"object","additionalProperties":false,"required":["z","a"],"properties":{` +
		`"z":{"type":"array","items":{"type":"object","properties":{"q":{"type":"integer","maximum":9007199254740993}}},"minItems":0},` +
		`"a":{"oneOf":[{"type":"string","pattern":"^\\d+$"},{"type":"number","multipleOf":0.10,"minimum":-1.50e-3,"maximum":1e400}],"default":1.0},` +
		`"on":{"type":"boolean","default":false,"description":"줄\n<b>&` + "\u2028" + `"},` +
		`"n":{"enum":[null,null,16,15,7,0.5,"7",7]}},"examples":[{"z":[]}]}`
	if got := string(b.Tools()[0].Definitions()[0].Parameters); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Also W12.
func TestGoondan84_SameToolTwice(t *testing.T) {
	b := good(t, agentBundle("  tools: [Tool/bash, {ref: Tool/bash}, Tool/bash]"), &Options{Strict: true})
	a, _ := b.Agent("a")
	if n := len(b.AgentTools(a)); n != 1 {
		t.Errorf("%d tools, want 1", n)
	}
}

func TestGoondan86_ValueSource(t *testing.T) {
	env := func(name string) (string, bool) { return "key", name == "SET" }
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		source   *ValueSource
		required bool
		value    string
		ok, err  bool
	}{
		"value":            {&ValueSource{Value: text("v")}, true, "v", true, false},
		"env":              {&ValueSource{ValueFrom: &ValueFrom{Env: text("SET")}}, true, "key", true, false},
		"env required":     {&ValueSource{ValueFrom: &ValueFrom{Env: text("UNSET")}}, true, "", false, true},
		"env optional":     {&ValueSource{ValueFrom: &ValueFrom{Env: text("UNSET")}}, false, "", false, false},
		"secret":           {&ValueSource{ValueFrom: &ValueFrom{SecretRef: &SecretRef{"Secret/x", "k"}}}, true, "x.k", true, false},
		"bad secret":       {&ValueSource{ValueFrom: &ValueFrom{SecretRef: &SecretRef{"Tool/x", "k"}}}, false, "", false, true},
		"nothing":          {nil, false, "", false, false},
		"nothing required": {nil, true, "", false, true},
		"empty":            {&ValueSource{}, false, "", false, true},
	} {
		value, ok, err := c.source.Resolve(env, func(name, key string) (string, bool) { return name + "." + key, true }, c.required)
		if value != c.value || ok != c.ok || (err != nil) != c.err {
			t.Errorf("%s: %q, %v, %v", name, value, ok, err)
		}
	}
	model := func(key string) string {
		return strings.Replace(agentBundle(""), "model: gpt-5}", "model: gpt-5, apiKey: "+key+"}", 1)
	}
	wantOnly(t, bad(t, model("{valueFrom: {secretRef: {ref: Tool/x, key: k}}}"), nil), CodeInvalidRef, "spec.apiKey.valueFrom.secretRef.ref", "Secret/")
	wantOnly(t, bad(t, model("{value: a, valueFrom: {env: B}}"), nil), CodeSchemaInvalid, "spec.apiKey")
	wantOnly(t, bad(t, model("{valueFrom: {env: B, secretRef: {ref: Secret/x, key: k}}}"), nil), CodeSchemaInvalid, "spec.apiKey.valueFrom")
	wantOnly(t, bad(t, model("{}"), nil), CodeSchemaInvalid, "spec.apiKey")
	good(t, model("{valueFrom: {secretRef: {ref: Secret/x, key: k}}}"), nil)
	_, ds := Load(write(t, model("{valueFrom: {env: UNSET}}")), &Options{Env: env})
	want(t, ds, CodeEnvMissing, "apiKey.valueFrom.env", "UNSET")
}

func TestGoondan87_Strict(t *testing.T) {
	archive := "-- goondan.yaml --\n" + toolDoc + "-- tool.ts --\n"
	b, ds := Load(write(t, archive), nil)
	if d := want(t, ds, CodeNoSwarm, "goondan.yaml"); b == nil || d.Severity != SeverityWarning {
		t.Errorf("%v", ds)
	}
	want(t, bad(t, archive, &Options{Strict: true}), CodeSchemaInvalid, "goondan.yaml", "Swarm")

	fixed, changed := addAPIVersion([]byte("# top\nkind: Tool\nmetadata: {name: x}\n---\nnote: 1\n---\n# c\n  kind: Model\n  spec: 1\n---\napiVersion: x\nkind: Y\n--- {kind: Z}\n"))
	if want := "# top\napiVersion: gongu/v1\nkind: Tool\nmetadata: {name: x}\n---\nnote: 1\n---\n# c\n  apiVersion: gongu/v1\n  kind: Model\n  spec: 1\n---\napiVersion: x\nkind: Y\n--- {kind: Z}\n"; !changed || string(fixed) != want {
		t.Errorf("got %s", fixed)
	}
	if again, changed := addAPIVersion(fixed); changed || string(again) != string(fixed) {
		t.Error("the second time changes something")
	}
}
