package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
)

const policyDoc = `-- gongu.yaml --
apiVersion: gongu/v1
kind: Policy
metadata: {name: careful}
spec:
  rules:
    - {name: reads, match: "tool.readOnly", effect: allow}
    - name: shell
      match:
        tools: ["bash__*"]
        agents: [coder]
        hints: {destructive: true}
      when: '!commands.all(c, c[0] == "git")'
      effect: ask
      message: It can do anything.
      approvers: ["*@example.com"]
      limits: {rate: 10/1m, concurrent: 2, timeout: 30s, output: 64KiB}
    - {match: {sources: ["McpServer/*"], domains: [mail], principals: ["ci*"]}, effect: deny}
  default: deny
`

// P1: every field of a rule reaches the form that is compiled.
func TestP1_PolicyKind(t *testing.T) {
	b := good(t, policyDoc, nil)
	if len(b.Policies()) != 1 {
		t.Fatal(b.Items())
	}
	s := b.Policies()[0].Set(policy.Bundle)
	shell := s.Rules[1]
	switch {
	case s.Name != "careful", s.Tier != policy.Bundle, s.Default != policy.Deny, len(s.Rules) != 3,
		s.Rules[0].When != "tool.readOnly", s.Rules[0].Effect != policy.Allow,
		shell.Match.Tools[0] != "bash__*", shell.Match.Agents[0] != "coder", !*shell.Match.Hints.Destructive, shell.Match.Hints.ReadOnly != nil,
		shell.When == "", shell.Message != "It can do anything.", shell.Approvers[0] != "*@example.com",
		shell.Limits != policy.Limits{Rate: policy.Rate{Calls: 10, In: time.Minute}, Concurrent: 2, Timeout: 30 * time.Second, Output: 64 << 10},
		s.Rules[2].Match.Sources[0] != "McpServer/*", s.Rules[2].Match.Domains[0] != "mail", s.Rules[2].Match.Principals[0] != "ci*":
		t.Errorf("%+v", s)
	}
}

// P1: what does not fit is refused at its place; a condition that does not compile
// or is not a bool, at its position inside the text.
func TestP1_PolicyRefused(t *testing.T) {
	for _, c := range []struct {
		old, new, path string
		line, column   int
	}{
		{"effect: ask", "effect: maybe", "rules[1].effect", 0, 0},
		{"      effect: ask\n", "", "rules[1].effect", 0, 0},
		{`match: "tool.readOnly"`, `match: ""`, "rules[0].match", 0, 0},
		{`match: "tool.readOnly"`, `match: 3`, "rules[0].match", 0, 0},
		{`match: "tool.readOnly"`, `match: `, "rules[0].match", 0, 0},
		{`match: "tool.readOnly"`, `match: "tool.readOnly", when: "true"`, "rules[0].when", 0, 0},
		{`match: "tool.readOnly"`, `match: "tol.readOnly"`, "rules[0].match", 6, 29},
		{`match: "tool.readOnly"`, `match: "true && tol.readOnly"`, "rules[0].match", 6, 37},
		{`match: "tool.readOnly"`, `match: "true && tool.readonly"`, "rules[0].match", 6, 37},
		{`match: "tool.readOnly"`, `match: "tool.name"`, "rules[0].match", 6, 29},
		{`match: "tool.readOnly"`, `match: "agent"`, "rules[0].match", 6, 29},
		{`when: '!commands.all(c, c[0] == "git")'`, "when: |\n        true &&\n        nope", "rules[1].when", 14, 1},
		{"default: deny", "default: no", "spec.default", 0, 0},
		{`tools: ["bash__*"]`, `tools: []`, "rules[1].match.tools", 0, 0},
		{`tools: ["bash__*"]`, `tools:`, "rules[1].match.tools", 0, 0},
		{`tools: ["bash__*"]`, `tools: ["bash__["]`, "rules[1].match.tools[0]", 0, 0},
		{`tools: ["bash__*"]`, `tool: ["bash__*"]`, "rules[1].match.tool", 0, 0},
		{"destructive: true", "destructive: ", "rules[1].match.hints.destructive", 0, 0},
		{"message:", "reason:", "rules[1].reason", 0, 0},
		{"rate: 10/1m", "rate: 10", "rules[1].limits.rate", 0, 0},
		{"rate: 10/1m", "rate: 0/1m", "rules[1].limits.rate", 0, 0},
		{"rate: 10/1m", "rate: 10/0s", "rules[1].limits.rate", 0, 0},
		{"rate: 10/1m", "rate: 1000000/1m", "rules[1].limits.rate", 0, 0},
		{"concurrent: 2", "concurrent: 0", "rules[1].limits.concurrent", 0, 0},
		{"effect: deny", "effect: deny, approvers: [a]", "rules[2].approvers", 0, 0},
		{"effect: deny", "effect: deny, limits: {concurrent: 1}", "rules[2].limits", 0, 0},
		{"effect: deny", "effect: deny, name: default", "rules[2].name", 0, 0},
		{"effect: deny", "effect: deny, name: reads", "rules[2].name", 0, 0},
		{"  default: deny", "  notify: {command: [say]}", "spec.notify", 0, 0},
	} {
		archive := strings.Replace(policyDoc, c.old, c.new, 1)
		if archive == policyDoc {
			t.Fatalf("%s: nothing replaced", c.old)
		}
		ds := bad(t, archive, nil)
		found := false
		for _, d := range ds {
			found = found || strings.HasSuffix(d.Path, c.path) && (c.line == 0 || d.Line == c.line && d.Column == c.column)
		}
		if !found {
			t.Errorf("%s: no error at %s %d:%d in\n%v", c.new, c.path, c.line, c.column, ds)
		}
	}
}

// P1, P2: a policy file has documents of kind Policy and may say how people are
// notified.
func TestP2_PolicyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	read := func(text string) ([]*Policy, Diagnostics, error) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ReadPolicies(file, nil)
	}
	if list, ds, err := ReadPolicies(file, nil); list != nil || ds != nil || err != nil {
		t.Fatalf("a missing file: %v %v %v", list, ds, err)
	}
	doc := strings.TrimPrefix(policyDoc, "-- gongu.yaml --\n")
	second := strings.Replace(doc, "careful", "more", 1) + "  notify: {command: [say, hello], webhook: https://example.com/x}\n"
	list, ds, err := read("# mine\n---\n" + doc + "---\n" + second)
	if err != nil || len(ds) != 0 || len(list) != 2 || list[1].Spec.Notify.Webhook != "https://example.com/x" || list[1].Spec.Notify.Command[0] != "say" {
		t.Fatalf("%v %v %v", list, ds, err)
	}
	for text, want := range map[string]string{
		doc + "---\n" + doc: "E_CONFIG_DUPLICATE_NAME",
		"a: b\n":            "E_CONFIG_UNKNOWN_KIND",
		toolDoc:             "E_CONFIG_UNKNOWN_KIND",
		"{":                 "E_CONFIG_PARSE_ERROR",
		strings.Replace(doc, `"tool.readOnly"`, `"tool.readOnly &&"`, 1): file + ":6:",
	} {
		list, ds, err := read(text)
		if list != nil || err != nil || !ds.HasErrors() || !strings.Contains(ds.Error(), want) {
			t.Errorf("%q: %v %v %v", text, list, ds, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadPolicies(file, nil); err == nil {
		t.Error("a folder is read")
	}
}

// P1, Gemini H04: a glob that can match nothing is warned about, with near names.
func TestGeminiH04_UnmatchedRules(t *testing.T) {
	const resources = `-- gongu.yaml --
apiVersion: gongu/v1
kind: Tool
metadata: {name: bash}
spec: {entry: "builtin:bash", exports: [{name: exec}]}
---
apiVersion: gongu/v1
kind: Macro
metadata: {name: tidy}
spec: {description: Tidies., domain: house, steps: [{tool: bash__exec}]}
---
apiVersion: gongu/v1
kind: McpServer
metadata: {name: github}
spec: {command: cat}
---
apiVersion: gongu/v1
kind: Policy
metadata: {name: p}
spec: {rules: [{effect: EFFECT, match: MATCH}]}
`
	for _, c := range []struct{ match, effect, hint string }{
		{"{tools: [bash__exec, tidy, '*', github__get_issue, 'git*', list_tools, 'b?sh__*']}", "allow", ""},
		{"{domains: [bash, house, github, tools], sources: [Tool/bash, Macro/*, McpServer/github], agents: [cli], principals: [anyone]}", "allow", ""},
		{"{tools: [bash_exec]}", "ask", "bash__exec"},
		{"{tools: ['discovered_tool_*']}", "allow", "gongu tools"},
		{"{tools: ['discovered_tool_*']}", "deny", ""}, // may be a server's own name
		{"{domains: [hose]}", "deny", "house"},
		{"{sources: [McpServer/gihub]}", "deny", "McpServer/github"},
		{"{agents: [coder]}", "deny", "gongu tools"},
	} {
		archive := strings.NewReplacer("EFFECT", c.effect, "MATCH", c.match).Replace(resources)
		others := []gongu.Tool{{Name: "list_tools", Domain: "tools", Source: gongu.Source{Type: "go", Name: "explore"}}}
		ds := good(t, archive, nil).UnmatchedRules(others, "")
		if c.hint == "" {
			if len(ds) > 0 {
				t.Errorf("%s %s: %v", c.effect, c.match, ds)
			}
			continue
		}
		if len(ds) != 1 || ds[0].Code != CodeNoMatch || ds[0].Severity != SeverityWarning || !strings.Contains(ds[0].Suggestion, c.hint) || !strings.HasSuffix(ds[0].Path, "[0]") {
			t.Errorf("%s %s: %+v", c.effect, c.match, ds)
		}
	}
}
