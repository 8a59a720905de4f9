package policy_test

import (
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
)

// decides is what a set of the user says about a call of an agent.
func decides(t *testing.T, s policy.Set, tool *gongu.Tool, args string) string {
	t.Helper()
	s.Tier, s.Name = policy.User, "u"
	d := compile(t, s).Decide(t.Context(), request(tool, &gongu.Principal{Kind: "agent"}, args))
	return string(d.Effect) + " " + d.Rule.Name
}

// Gemini H01: the first rule that matches decides; without one a person is asked.
// Deviation: rules have no numbers, and their order in the file counts.
func TestGeminiH01_FirstMatch(t *testing.T) {
	s := policy.Set{Rules: []policy.Rule{
		{Name: "first", Match: policy.Match{Tools: []string{"files__write"}}, Effect: policy.Allow},
		{Name: "second", Match: policy.Match{Tools: []string{"files__*"}}, Effect: policy.Ask},
	}}
	if got := decides(t, s, writeTool(), "{}"); got != "allow first" {
		t.Error(got)
	}
	s.Rules[0], s.Rules[1] = s.Rules[1], s.Rules[0]
	if got := decides(t, s, writeTool(), "{}"); got != "ask second" {
		t.Error(got)
	}
	if got := decides(t, s, bashTool(), "{}"); got != "ask other callers" {
		t.Error(got)
	}
}

// Gemini H02: the tier is stronger than the place in a file. Deviation: four tiers,
// and a deny of any of them wins.
func TestGeminiH02_Tiers(t *testing.T) {
	rule := func(tier policy.Tier, effect policy.Effect) policy.Set {
		return policy.Set{Tier: tier, Name: "s", Rules: []policy.Rule{{Name: "r", Effect: effect}}}
	}
	tiers := []policy.Tier{policy.Admin, policy.User, policy.Bundle}
	for i, strong := range tiers {
		for _, weak := range tiers[i+1:] {
			for _, c := range []struct{ strong, weak, want policy.Effect }{
				{policy.Allow, policy.Ask, policy.Allow}, {policy.Ask, policy.Allow, policy.Ask}, {policy.Allow, policy.Deny, policy.Deny}, {policy.Deny, policy.Allow, policy.Deny},
			} {
				p := compile(t, rule(weak, c.weak), rule(strong, c.strong))
				if d := p.Decide(t.Context(), request(writeTool(), nil, "{}")); d.Effect != c.want {
					t.Errorf("%s %s over %s %s: %s", strong, c.strong, weak, c.weak, d.Effect)
				}
			}
		}
	}
}

// Gemini H03: a rule for all servers matches no built-in tool; every hint must be
// equal.
func TestGeminiH03_ServersAndHints(t *testing.T) {
	server := &gongu.Tool{Name: "github__find", Source: gongu.Source{Type: "mcp", Name: "github"}, Annotations: gongu.Annotations{ReadOnly: yes()}}
	s := policy.Set{Rules: []policy.Rule{{Name: "servers", Match: policy.Match{Sources: []string{"McpServer/*"}}, Effect: policy.Deny}}}
	if got := decides(t, s, server, "{}"); got != "deny servers" {
		t.Error(got)
	}
	if got := decides(t, s, bashTool(), "{}"); got != "ask other callers" {
		t.Error(got)
	}
	no := false
	s.Rules[0].Match = policy.Match{Hints: policy.Hints{ReadOnly: yes(), OpenWorld: &no}}
	if got := decides(t, s, server, "{}"); got != "allow read-only tools" { // it may reach the world
		t.Error(got)
	}
	server.Annotations.OpenWorld = &no
	if got := decides(t, s, server, "{}"); got != "deny servers" {
		t.Error(got)
	}
}

// Gemini H05: every part of a command counts, and a redirection is a part.
func TestGeminiH05_CommandParts(t *testing.T) {
	bash := policy.Match{Domains: []string{"bash"}}
	s := policy.Set{Rules: []policy.Rule{
		{Name: "no-rm", Match: bash, When: `commands.exists(c, c[0] == "rm")`, Effect: policy.Deny},
		{Name: "git", Match: bash, When: `commands.all(c, c[0] == "git")`, Effect: policy.Allow},
		{Name: "rest", Match: bash, Effect: policy.Ask},
	}}
	for command, want := range map[string]string{
		"git status":             "allow git",
		"git status && git diff": "allow git",
		"git status && ls":       "ask rest",
		"git status && rm -r x":  "deny no-rm",
		"git diff > patch":       "ask rest",
		"git log $(rm x)":        "deny no-rm",
		"git log $x":             "ask rest",
	} {
		r := request(bashTool(), &gongu.Principal{Kind: "agent"}, "{}")
		r.Shell, r.HasShell = command, true
		s.Tier, s.Name = policy.User, "u"
		d := compile(t, s).Decide(t.Context(), r)
		if got := string(d.Effect) + " " + d.Rule.Name; got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}

// P10: the limits of a rule count on when the rules are compiled again, and those
// of other rules do not.
func TestP10_LimitsGoOn(t *testing.T) {
	limited := func(message string) *policy.Policy {
		return compile(t, policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{
			{Name: "r", Effect: policy.Allow, Message: message, Limits: policy.Limits{Rate: policy.Rate{Calls: 1, In: 1e9 * 60}, Concurrent: 1}},
		}})
	}
	r := request(writeTool(), nil, "{}")
	begin := func(p *policy.Policy) (func(), *policy.Refusal) {
		d := p.Decide(t.Context(), r)
		return p.Begin(&d, r.Now)
	}
	first := limited("")
	end, refused := begin(first)
	if refused != nil {
		t.Fatal(refused)
	}
	next := limited("")
	next.Continue(first)
	if _, refused := begin(next); refused == nil || refused.Limit != "concurrent" {
		t.Error(refused)
	}
	end()
	if _, refused := begin(next); refused == nil || refused.Limit != "rate" || refused.After != 1e9*60 {
		t.Error(refused)
	}
	changed := limited("another rule")
	changed.Continue(next)
	if _, refused := begin(changed); refused != nil {
		t.Error(refused)
	}
}
