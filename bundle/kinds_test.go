package bundle

import (
	"github.com/gongu-ai/gongu"
	"slices"
	"strings"
	"testing"
	"time"
)

// sources are the kinds whose behaviour belongs to later packages.
const sources = `-- gongu.yaml --
apiVersion: gongu/v1
kind: McpServer
metadata: {name: github}
spec:
  command: npx
  args: [-y, "@acme/github-mcp"]
  env: {TOKEN: "${env:GITHUB_TOKEN}"}
  cwd: servers
  prefix: gh
  include: ["issue_*"]
  exclude: [issue_delete]
  rename: {issue_create: new_issue}
  describe: {issue_create: Opens an issue.}
  trust: true
  shared: true
  maxConcurrent: 4
  timeouts: {connect: 10s, list: 500ms, call: 2m}
  warm: true
  pin: {maxAge: 0, new: quarantine, firstUse: ask}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: remote}
spec: {url: "https://example.com/mcp", headers: {Authorization: "Bearer ${env:T}"}, prefix: ""}
---
apiVersion: gongu/v1
kind: ToolCommand
metadata: {name: local}
spec:
  discover: python3 tools.py --list 'two words'
  call: [python3, tools.py, call]
  timeout: 30s
  mode: worker
  pin: {maxAge: 5m}
---
apiVersion: gongu/v1
kind: Macro
metadata: {name: draw_chair}
spec:
  description: Draws a chair.
  parameters: {type: object, properties: {width: {type: number}}}
  steps:
    - {id: seat, tool: draw_rect, params: {w: "${params.width}", h: 2}}
    - {tool: draw_rect, when: "steps.seat.status == 'ok'", forEach: "[1,2,3,4]", onError: continue}
  output: {legs: 4}
`

func TestSourceKinds(t *testing.T) {
	b := good(t, sources, nil)
	github, remote := b.McpServers()[0].Spec, b.McpServers()[1].Spec
	if github.Type != "stdio" || remote.Type != "http" {
		t.Errorf("types %q, %q", github.Type, remote.Type)
	}
	if *github.Prefix != "gh" || remote.Prefix == nil || *remote.Prefix != "" {
		t.Error("prefixes")
	}
	local := b.ToolCommands()[0].Spec
	if github.Pin.MaxAge == nil || *github.Pin.MaxAge != 0 || github.Pin.New != "quarantine" || github.Pin.FirstUse != "ask" {
		t.Errorf("pin %+v", github.Pin)
	}
	if remote.Pin != (Pin{}) || local.Pin.MaxAge == nil || time.Duration(*local.Pin.MaxAge) != 5*time.Minute {
		t.Errorf("pins %+v, %+v", remote.Pin, local.Pin)
	}
	if time.Duration(github.Timeouts.Call) != 2*time.Minute || github.MaxConcurrent != 4 {
		t.Errorf("%+v", github)
	}
	command := b.ToolCommands()[0].Spec
	if !slices.Equal(command.Discover, []string{"python3", "tools.py", "--list", "two words"}) || command.Mode != "worker" {
		t.Errorf("%+v", command)
	}
	if steps := b.Macros()[0].Spec.Steps; len(steps) != 2 || string(steps[0].Params) != `{"w":"${params.width}","h":2}` {
		t.Errorf("%+v", steps)
	}
}

// Each line breaks one rule of one kind.
func TestSourceKindsRefuse(t *testing.T) {
	for _, c := range []struct{ old, new, code, path, hint string }{
		{"maxConcurrent: 4", "max_concurent: 4", CodeSchemaInvalid, "#0.spec.max_concurent", "Did you mean: maxConcurrent"},
		{"command: npx", "command: npx\n  url: https://x.example", CodeSchemaInvalid, "#0.spec", "command"},
		{"command: npx", "command: npx\n  type: http", CodeSchemaInvalid, "#0.spec.type", "url"},
		{"command: npx", "command: npx\n  headers: {a: b}", CodeSchemaInvalid, "#0.spec.headers", "url"},
		{`{url: "https://example.com/mcp"`, `{url: "ftp://x"`, CodeSchemaInvalid, "#1.spec.url", "https://"},
		{`{url: "https://example.com/mcp"`, `{type: stdio, url: "https://x.example"`, CodeSchemaInvalid, "#1.spec.type", "command"},
		{`{url: "https://example.com/mcp"`, `{args: [a], url: "https://x.example"`, CodeSchemaInvalid, "#1.spec.args", "command"},
		{`{url: "https://example.com/mcp", headers`, "{headers", CodeSchemaInvalid, "#1.spec", "url"},
		{"prefix: gh", "prefix: g__h", CodeInvalidName, "#0.spec.prefix", ""},
		{`["issue_*"]`, `["issue_["]`, CodeSchemaInvalid, "#0.spec.include[0]", "[a-z]"},
		{"maxConcurrent: 4", "maxConcurrent: 0", CodeSchemaInvalid, "#0.spec.maxConcurrent", "1"},
		{"maxAge: 0", "maxAge: 10", CodeSchemaInvalid, "#0.spec.pin.maxAge", "30s"},
		{"maxAge: 0", "maxAge: -1s", CodeSchemaInvalid, "#0.spec.pin.maxAge", "30s"},
		{"new: quarantine", "new: never", CodeSchemaInvalid, "#0.spec.pin.new", "admit"},
		{"firstUse: ask", "firstUse: yes", CodeSchemaInvalid, "#0.spec.pin.firstUse", ""},
		{"connect: 10s", "connect: 10", CodeSchemaInvalid, "#0.spec.timeouts.connect", "30s"},
		{"connect: 10s", "connect: -1s", CodeSchemaInvalid, "#0.spec.timeouts.connect", "30s"},
		{"warm: true", "warm: yes", CodeSchemaInvalid, "#0.spec.warm", "true or false"},
		{"args: [-y,", "args: [5,", CodeSchemaInvalid, "#0.spec.args[0]", `"5"`},
		{"mode: worker", "mode: thread", CodeSchemaInvalid, "#2.spec.mode", "spawn, worker"},
		{"call: [python3, tools.py, call]", "call: []", CodeSchemaInvalid, "#2.spec.call", "python3"},
		{"call: [python3, tools.py, call]", "call: {a: b}", CodeSchemaInvalid, "#2.spec.call", "python3"},
		{"  call: [python3, tools.py, call]\n", "", CodeSchemaInvalid, "#2.spec.call", "call"},
		{"'two words'", "'two words", CodeSchemaInvalid, "#2.spec.discover", "python3"},
		{"{type: object, properties: {width", "{type: array, properties: {width", CodeSchemaInvalid, "#3.spec.parameters.type", "object"},
		{"tool: draw_rect, when", "tool: draw_chair, when", CodeSchemaInvalid, "#3.spec.steps[1].tool", "another"},
		{"onError: continue", "onError: retry", CodeSchemaInvalid, "#3.spec.steps[1].onError", "continue"},
		{"onError: continue", "onError: 5", CodeSchemaInvalid, "#3.spec.steps[1].onError", "continue"},
		{"onError: continue", "onError: {}", CodeSchemaInvalid, "#3.spec.steps[1].onError.output", "continue"},
		{"onError: continue", "onError: {output: 1, more: 2}", CodeSchemaInvalid, "#3.spec.steps[1].onError.more", "output"},
		{"{tool: draw_rect, when", "{id: seat, tool: draw_rect, when", CodeSchemaInvalid, "#3.spec.steps[1].id", ""},
		{"  description: Draws a chair.\n", "", CodeSchemaInvalid, "#3.spec.description", "description"},
		{"{name: draw_chair}", "{name: draw chair}", CodeInvalidName, "#3.metadata.name", ""},
		{"{name: draw_chair}", "{name: draw_chair, label: {a: b}}", CodeSchemaInvalid, "#3.metadata.label", "labels"},
		{"{name: draw_chair}", "{name: draw_chair, labels: {a: 1}}", CodeSchemaInvalid, "#3.metadata.labels.a", `"1"`},
		{"kind: Macro", "kind: Macro\nspce: {}", CodeSchemaInvalid, "#3.spce", "spec"},
	} {
		archive := strings.Replace(sources, c.old, c.new, 1)
		if archive == sources {
			t.Fatalf("%s: nothing replaced", c.old)
		}
		wantOnly(t, bad(t, archive, nil), c.code, c.path, c.hint)
	}
}

// Attack 17: what goondan's bundles say about turns has no effect here, and that
// is said at each place.
func TestNoTurnsIsWarnedAbout(t *testing.T) {
	archive := strings.Replace(agentBundle("  tools: [Tool/bash]\n  requiredTools: [bash__exec]"), "-- tool.ts --", `---
apiVersion: gongu/v1
kind: Extension
metadata: {name: window}
spec: {entry: "builtin:message-window"}
---
apiVersion: gongu/v1
kind: Swarm
metadata: {name: two}
spec: {entryAgent: Agent/a, agents: [Agent/a], policy: {maxStepsPerTurn: 3}}
-- tool.ts --`, 1)
	b, ds := Load(write(t, archive), &Options{Strict: true, KnownExtension: func(string) bool { return true }})
	if b == nil {
		t.Fatalf("a bundle for goondan is refused: %s", text(ds))
	}
	for _, part := range []string{"the policy of Swarm/two", "builtin:message-window works around turns", "requiredTools of Agent/a"} {
		if !slices.ContainsFunc(ds, func(d Diagnostic) bool {
			return d.Code == CodeNoEffect && d.Severity == SeverityWarning && strings.Contains(d.Message, part)
		}) {
			t.Errorf("no warning with %q in %s", part, text(ds))
		}
	}
}

func TestShellSyntaxIsWarnedAbout(t *testing.T) {
	_, ds := Load(write(t, strings.Replace(sources, "python3 tools.py --list 'two words'", `"ls | jq ."`, 1)), nil)
	if d := want(t, ds, CodeShellSyntax, "#2.spec.discover", `["sh", "-c", "ls | jq ."]`); d.Severity != SeverityWarning {
		t.Errorf("%+v", d)
	}
}

func TestSplitWords(t *testing.T) {
	for in, want := range map[string][]string{
		``: nil, ` `: nil, `a`: {"a"}, ` a  b `: {"a", "b"}, `a "b c" d`: {"a", "b c", "d"}, `a'b'"c"`: {"abc"},
		`a\ b`: {"a b"}, `"a\"b"`: {`a"b`}, `'a\b'`: {`a\b`}, `''`: {""}, "a\tb\nc": {"a", "b", "c"}, `$HOME *`: {"$HOME", "*"},
	} {
		if got, err := splitWords(in); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{`"a`, `'a`, `a\`} {
		if got, err := splitWords(in); err == nil {
			t.Errorf("%q gives %q", in, got)
		}
	}
}

// H6: names of tools.
func TestToolNames(t *testing.T) {
	doc := func(resource, export string) string {
		return "-- gongu.yaml --\n" + strings.NewReplacer("name: bash", "name: "+resource, "name: exec", "name: "+export).Replace(toolDoc) + "-- tool.ts --\n"
	}
	long := strings.Repeat("n", 40)
	for _, c := range []struct{ resource, export, path string }{
		{long, long, "exports[0].name"}, {"ba sh", "x", "metadata.name"}, {"bash_", "x", "metadata.name"}, {"bash", "_x", "exports[0].name"},
		{"bash", "x.y", "exports[0].name"}, {"도구", "x", "metadata.name"}, {"bash", "c!", "exports[0].name"}, {"a.b", "x", "metadata.name"},
	} {
		wantOnly(t, bad(t, doc(c.resource, c.export), nil), CodeInvalidName, c.path)
	}
	b, ds := Load(write(t, doc("bash", "downloadFile")), nil)
	if d := want(t, ds, CodeUppercase, "exports[0].name", `"download_file"`); b == nil || d.Severity != SeverityWarning {
		t.Errorf("%s", text(ds))
	}
	want(t, bad(t, doc("bash", "downloadFile"), &Options{Strict: true}), CodeInvalidName, "exports[0].name")
	// Missing texts are fine, and mentioned only to those who want to know.
	_, ds = Load(write(t, doc("bash", "x")), nil)
	if slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Code == CodeUndocumented }) {
		t.Errorf("%s", text(ds))
	}
	ds = bad(t, doc("bash", "x"), &Options{Strict: true}) // no Swarm
	want(t, ds, CodeUndocumented, "exports[0].description")
	if d := want(t, ds, CodeUndocumented, "exports[0].parameters"); d.Severity != SeverityWarning {
		t.Errorf("%+v", d)
	}
}

func TestBuiltinEntries(t *testing.T) {
	known := &Options{
		Builtins:       map[string][]gongu.Tool{"bash": {{Name: "bash__exec"}, {Name: "bash__script"}}, "wait": {{Name: "wait__seconds"}}},
		KnownExtension: func(name string) bool { return name == "logging" },
	}
	doc := strings.Replace(toolDoc, "./tool.ts", "builtin:bash", 1)
	b := good(t, "-- gongu.yaml --\n"+doc, known)
	if m := b.Tools()[0].Module; m.Builtin != "bash" || m.File() != "" || !b.Acts() {
		t.Errorf("%+v", m)
	}
	wantOnly(t, bad(t, "-- gongu.yaml --\n"+strings.Replace(doc, "builtin:bash", "builtin:bsh", 1), known), CodeEntryNotFound, "spec.entry", "bsh", "Did you mean: bash")
	wantOnly(t, bad(t, "-- gongu.yaml --\n"+strings.Replace(doc, "name: exec", "name: exce", 1), known), CodeEntryNotFound, "exports[0].name", "Did you mean: exec")
	ext := "-- gongu.yaml --\napiVersion: gongu/v1\nkind: Extension\nmetadata: {name: l}\nspec: {entry: \"builtin:logging\"}\n"
	good(t, ext, known)
	wantOnly(t, bad(t, strings.Replace(ext, "logging", "loging", 1), known), CodeEntryNotFound, "spec.entry")
}

// K5, attack 2: the hints of a built-in tool can be made stricter, never milder.
func TestHintsOfBuiltins(t *testing.T) {
	yes, no := true, false
	doc := "-- gongu.yaml --\n" + strings.Replace(toolDoc, "./tool.ts", "builtin:bash", 1) + "      annotations: {HINT}\n"
	for hint, native := range map[string]gongu.Annotations{
		"readOnlyHint: true":     {},
		"destructiveHint: false": {Destructive: &yes},
		"idempotentHint: true":   {Idempotent: &no},
		"openWorldHint: false":   {},
	} {
		name, _, _ := strings.Cut(hint, ":")
		known := &Options{Builtins: map[string][]gongu.Tool{"bash": {{Name: "bash__exec", Annotations: native}}}}
		wantOnly(t, bad(t, strings.Replace(doc, "HINT", hint, 1), known), CodeMilderHint, "exports[0].annotations."+name, "stricter")
		milder := gongu.Annotations{ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no}
		good(t, strings.Replace(doc, "HINT", hint, 1), &Options{Builtins: map[string][]gongu.Tool{"bash": {{Name: "bash__exec", Annotations: milder}}}})
	}
	stricter := strings.Replace(doc, "HINT", "readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true", 1)
	good(t, stricter, &Options{Builtins: map[string][]gongu.Tool{"bash": {{Name: "bash__exec", Annotations: gongu.Annotations{ReadOnly: &yes, OpenWorld: &no}}}}})
}

func TestExportSettings(t *testing.T) {
	b := good(t, "-- gongu.yaml --\n"+strings.Replace(toolDoc, "  exports:", "  runtime: process\n  timeout: 5s\n  outputLimit: 100\n  serial: true\n  domain: shell\n  exports:", 1)+`      annotations: {readOnlyHint: true, openWorldHint: false}
      timeout: 1m
      serial: false
      domain: other
      keywords: [run]
      examples: [{command: ls}]
    - name: script
-- tool.ts --
`, nil)
	tool := b.Tools()[0]
	exec, script := tool.Definitions()[0], tool.Definitions()[1]
	if exec.Limits.Timeout != time.Minute || exec.Limits.Serial || exec.Limits.Output != 100 || exec.Domain != "other" {
		t.Errorf("%+v", exec)
	}
	if !exec.Annotations.IsReadOnly() || exec.Annotations.IsOpenWorld() || exec.Keywords[0] != "run" || string(exec.Examples[0]) != `{"command":"ls"}` {
		t.Errorf("%+v", exec)
	}
	if script.Limits.Timeout != 5*time.Second || !script.Limits.Serial || script.Domain != "shell" || !script.Annotations.IsDestructive() {
		t.Errorf("%+v", script)
	}
	if tool.Spec.Runtime != "process" || exec.Source.Identity() != "Tool/bash" {
		t.Errorf("%+v", tool.Spec)
	}
	wantOnly(t, bad(t, "-- gongu.yaml --\n"+toolDoc+"      annotations: {readOnly: true}\n-- tool.ts --\n", nil), CodeSchemaInvalid, "annotations.readOnly", "readOnlyHint")
	wantOnly(t, bad(t, "-- gongu.yaml --\n"+strings.Replace(toolDoc, "  exports:", "  runtime: deno\n  exports:", 1)+"-- tool.ts --\n", nil), CodeSchemaInvalid, "spec.runtime", "embedded")
}

func TestToolCallingCapability(t *testing.T) {
	archive := strings.Replace(agentBundle("  tools: [Tool/bash]"), "model: gpt-5}", "model: gpt-5, capabilities: {toolCalling: false}}", 1)
	wantOnly(t, bad(t, archive, nil), CodeSchemaInvalid, "#1.spec.tools", "Model/m")
	good(t, strings.Replace(archive, "toolCalling: false", "streaming: false", 1), nil)
}
