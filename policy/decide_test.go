package policy_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
)

func yes() *bool { t := true; return &t }

func readTool() *gongu.Tool {
	return &gongu.Tool{Name: "files__read", Domain: "files", Annotations: gongu.Annotations{ReadOnly: yes()}}
}

func writeTool() *gongu.Tool { return &gongu.Tool{Name: "files__write", Domain: "files"} }

func bashTool() *gongu.Tool { return &gongu.Tool{Name: "bash__exec", Domain: "bash"} }

func request(t *gongu.Tool, p *gongu.Principal, args string) *policy.Request {
	return &policy.Request{Tool: t, Principal: p, Call: gongu.Call{ID: "1", Name: t.Name, Args: json.RawMessage(args)}, Now: time.Unix(1e9, 0)}
}

func compile(t *testing.T, sets ...policy.Set) *policy.Policy {
	t.Helper()
	p, err := policy.New(sets...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// P2: what holds when no rule says anything, row by row.
func TestP2_BuiltInTable(t *testing.T) {
	named := []gongu.Rule{{Name: "files__*"}}
	hints := []gongu.Rule{{ReadOnly: yes()}}
	for _, c := range []struct {
		caller      string
		p           *gongu.Principal
		read, write policy.Effect
	}{
		{"person at a terminal", &gongu.Principal{Kind: "cli", Person: true}, policy.Allow, policy.Allow},
		{"call without a terminal", &gongu.Principal{Kind: "cli"}, policy.Allow, policy.Ask},
		{"stdio client that connect wrote", &gongu.Principal{Kind: "stdio", Attended: true}, policy.Allow, policy.Allow},
		{"the same with --ask gongu", &gongu.Principal{Kind: "stdio", Attended: true, Ask: []gongu.Rule{{Destructive: yes()}}}, policy.Allow, policy.Ask},
		{"stdio client that connect did not write", &gongu.Principal{Kind: "stdio"}, policy.Allow, policy.Ask},
		{"console session", &gongu.Principal{Kind: "session", Person: true}, policy.Allow, policy.Allow},
		{"no authentication", &gongu.Principal{Kind: "anonymous"}, policy.Allow, policy.Ask},
		{"agent", &gongu.Principal{Kind: "agent"}, policy.Allow, policy.Ask},
		{"token, read-only tools granted", &gongu.Principal{Kind: "token", Allow: hints}, policy.Allow, policy.Deny},
		{"token, granted by name", &gongu.Principal{Kind: "token", Allow: named}, policy.Allow, policy.Allow},
		{"token, granted with asking", &gongu.Principal{Kind: "token", Allow: hints, Ask: named}, policy.Ask, policy.Ask},
		{"oidc, not granted", &gongu.Principal{Kind: "oidc", Allow: hints}, policy.Allow, policy.Deny},
	} {
		p := compile(t)
		if got := p.Decide(t.Context(), request(readTool(), c.p, "{}")); got.Effect != c.read {
			t.Errorf("%s: read-only: %s by %s, want %s", c.caller, got.Effect, got.Rule, c.read)
		}
		if got := p.Decide(t.Context(), request(writeTool(), c.p, "{}")); got.Effect != c.write {
			t.Errorf("%s: other: %s by %s, want %s", c.caller, got.Effect, got.Rule, c.write)
		}
	}
}

// P2: a deny of any tier wins; otherwise the first match of the strongest tier.
func TestP2_Tiers(t *testing.T) {
	set := func(tier policy.Tier, effect policy.Effect, globs ...string) policy.Set {
		return policy.Set{Tier: tier, Name: tier.String(), Rules: []policy.Rule{{Name: string(effect), Match: policy.Match{Tools: globs}, Effect: effect}}}
	}
	fallback := func(tier policy.Tier, effect policy.Effect) policy.Set {
		return policy.Set{Tier: tier, Default: effect}
	}
	for name, c := range map[string]struct {
		sets []policy.Set
		want policy.Effect
		rule string
	}{
		"deny below allow":       {[]policy.Set{set(policy.Admin, policy.Allow, "*"), set(policy.Bundle, policy.Deny, "files__*")}, policy.Deny, "bundle/bundle/deny"},
		"user over bundle":       {[]policy.Set{set(policy.Bundle, policy.Ask, "*"), set(policy.User, policy.Allow, "*")}, policy.Allow, "user/user/allow"},
		"default is last":        {[]policy.Set{set(policy.User, policy.Allow, "files__*"), fallback(policy.User, policy.Deny)}, policy.Allow, "user/user/allow"},
		"default of a tier":      {[]policy.Set{fallback(policy.User, policy.Ask), set(policy.Bundle, policy.Allow, "*")}, policy.Ask, "user/default"},
		"bundle default is weak": {[]policy.Set{set(policy.User, policy.Allow, "*"), fallback(policy.Bundle, policy.Deny)}, policy.Allow, "user/user/allow"},
		"strictest default":      {[]policy.Set{fallback(policy.Bundle, policy.Allow), fallback(policy.Bundle, policy.Deny)}, policy.Deny, "bundle/default"},
		"no match":               {[]policy.Set{set(policy.User, policy.Deny, "other__*")}, policy.Allow, "built-in/a person at a terminal"},
	} {
		got := compile(t, c.sets...).Decide(t.Context(), request(writeTool(), &gongu.Principal{Kind: "cli", Person: true}, "{}"))
		if got.Effect != c.want || got.Rule.String() != c.rule {
			t.Errorf("%s: %s by %s, want %s by %s", name, got.Effect, got.Rule, c.want, c.rule)
		}
	}
}

// P1, P2: conditions; one that fails counts as ask, also in a deny rule.
func TestP1_Conditions(t *testing.T) {
	when := func(effect policy.Effect, cel string) policy.Set {
		return policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{{Effect: effect, When: cel}}}
	}
	for _, c := range []struct {
		set  policy.Set
		args string
		want policy.Effect
	}{
		{when(policy.Deny, `args.path.startsWith("/etc")`), `{"path":"/etc/passwd"}`, policy.Deny},
		{when(policy.Deny, `args.path.startsWith("/etc")`), `{"path":"/tmp/x"}`, policy.Allow},
		{when(policy.Deny, `args.path.startsWith("/etc")`), `{}`, policy.Ask},
		{when(policy.Allow, `args.nope == 1`), `{}`, policy.Ask},
		{when(policy.Allow, `commands.all(c, c[0] == "git")`), `{}`, policy.Ask},
		{when(policy.Deny, `tool.domain == "files" && principal.person && agent == ""`), `{}`, policy.Deny},
		{when(policy.Ask, `now.getFullYear() == 2001 && call.id == "1" && !tool.readOnly`), `{}`, policy.Ask},
	} {
		got := compile(t, c.set).Decide(t.Context(), request(writeTool(), &gongu.Principal{Kind: "cli", Person: true}, c.args))
		if got.Effect != c.want {
			t.Errorf("%s %s with %s: %s, want %s (%+v)", c.set.Rules[0].Effect, c.set.Rules[0].When, c.args, got.Effect, c.want, got.Steps)
		}
	}
}

// P4: modes; denials hold in each.
func TestP4_Modes(t *testing.T) {
	agent := &gongu.Principal{Kind: "agent"}
	deny := policy.Set{Tier: policy.User, Rules: []policy.Rule{{Match: policy.Match{Tools: []string{"bash__*"}}, Effect: policy.Deny}}}
	for _, c := range []struct {
		mode   policy.Mode
		tool   *gongu.Tool
		inside bool
		want   policy.Effect
	}{
		{policy.Plan, readTool(), false, policy.Allow}, {policy.Plan, writeTool(), false, policy.Deny},
		{policy.Default, writeTool(), true, policy.Ask}, {policy.Edits, writeTool(), true, policy.Allow}, {policy.Edits, writeTool(), false, policy.Ask},
		{policy.Bypass, writeTool(), false, policy.Allow}, {policy.Bypass, bashTool(), false, policy.Deny}, {policy.Edits, bashTool(), true, policy.Deny},
	} {
		r := request(c.tool, agent, "{}")
		r.Mode, r.InWorkdir = c.mode, func() bool { return c.inside }
		if got := compile(t, deny).Decide(t.Context(), r); got.Effect != c.want {
			t.Errorf("%s %s: %s by %s, want %s", c.mode, c.tool.Name, got.Effect, got.Rule, c.want)
		}
	}
}

// P3, gemini H07: a tool is hidden if no arguments can pass.
func TestP3_Hidden(t *testing.T) {
	rule := func(effect policy.Effect, when string, globs ...string) policy.Rule {
		return policy.Rule{Effect: effect, When: when, Match: policy.Match{Tools: globs}}
	}
	person := &gongu.Principal{Kind: "cli", Person: true}
	for i, c := range []struct {
		set  policy.Set
		want bool
	}{
		{policy.Set{Rules: []policy.Rule{rule(policy.Deny, "", "files__*")}}, true},
		{policy.Set{Rules: []policy.Rule{rule(policy.Deny, "args.x == 1", "files__*")}}, false},
		{policy.Set{Rules: []policy.Rule{rule(policy.Allow, "", "other__*")}, Default: policy.Deny}, true},
		{policy.Set{Rules: []policy.Rule{rule(policy.Allow, "args.x == 1", "files__*")}, Default: policy.Deny}, false},
		{policy.Set{Rules: []policy.Rule{rule(policy.Allow, "", "files__*")}, Default: policy.Deny}, false},
		{policy.Set{}, false},
		// A weaker tier cannot allow what the default of a stronger one denies.
		{policy.Set{Tier: policy.User, Default: policy.Deny}, true},
		{policy.Set{Tier: policy.Bundle, Default: policy.Deny}, false},
	} {
		if c.set.Tier != policy.Admin {
			weak := policy.Set{Tier: policy.Bundle, Name: "weak", Rules: []policy.Rule{rule(policy.Allow, "", "files__*")}}
			if got := compile(t, c.set, weak).Hidden(request(writeTool(), person, "")); got != c.want {
				t.Errorf("%d: hidden is %v", i, got)
			}
			continue
		}
		if got := compile(t, c.set).Hidden(request(writeTool(), person, "")); got != c.want {
			t.Errorf("%d: hidden is %v", i, got)
		}
	}
}

// P3, P4: in plan mode only read-only tools are shown.
func TestP3_HiddenByMode(t *testing.T) {
	for _, c := range []struct {
		tool *gongu.Tool
		want bool
	}{{readTool(), false}, {writeTool(), true}} {
		r := request(c.tool, nil, "")
		r.Mode = policy.Plan
		if got := compile(t).Hidden(r); got != c.want {
			t.Errorf("%s: hidden is %v", c.tool.Name, got)
		}
	}
}

// P2: a deny whose condition fails is not lost to an allow of a stronger tier, nor
// to a mode; a deny that holds anyway stays one.
func TestP2_DenyThatFails(t *testing.T) {
	one := func(tier policy.Tier, effect policy.Effect, when string) policy.Set {
		return policy.Set{Tier: tier, Name: tier.String(), Rules: []policy.Rule{{Name: string(effect), Effect: effect, When: when}}}
	}
	failing := one(policy.Bundle, policy.Deny, `args.nope == 1`)
	for name, c := range map[string]struct {
		sets []policy.Set
		mode policy.Mode
		want string
	}{
		"alone":               {[]policy.Set{failing}, "", "ask bundle/bundle/deny"},
		"below allow":         {[]policy.Set{failing, one(policy.Admin, policy.Allow, "")}, "", "ask bundle/bundle/deny"},
		"below ask":           {[]policy.Set{failing, one(policy.User, policy.Ask, "")}, "", "ask user/user/ask"},
		"above default deny":  {[]policy.Set{failing, {Tier: policy.Bundle, Name: "b", Default: policy.Deny}}, "", "deny bundle/b/default"},
		"and a deny":          {[]policy.Set{failing, one(policy.User, policy.Deny, "")}, "", "deny user/user/deny"},
		"edits":               {[]policy.Set{failing}, policy.Edits, "ask bundle/bundle/deny"},
		"bypass":              {[]policy.Set{failing}, policy.Bypass, "deny bundle/bundle/deny"},
		"bypass, one asks":    {[]policy.Set{failing, one(policy.User, policy.Ask, "")}, policy.Bypass, "deny bundle/bundle/deny"},
		"bypass, allow fails": {[]policy.Set{one(policy.User, policy.Allow, `args.nope == 1`)}, policy.Bypass, "allow built-in/mode bypass"},
	} {
		r := request(writeTool(), &gongu.Principal{Kind: "cli", Person: true}, "{}")
		r.Mode, r.InWorkdir = c.mode, func() bool { return true }
		d := compile(t, c.sets...).Decide(t.Context(), r)
		if got := string(d.Effect) + " " + d.Rule.String(); got != c.want {
			t.Errorf("%s: %s, want %s (%+v)", name, got, c.want, d.Steps)
		}
		seen := map[string]bool{}
		for _, s := range d.Steps {
			if seen[s.Rule.String()] {
				t.Errorf("%s: %s is tried twice", name, s.Rule)
			}
			seen[s.Rule.String()] = true
		}
	}
}

// P1: * matches any text, slashes too: sources and names of callers have them.
func TestP1_Globs(t *testing.T) {
	tool := writeTool()
	tool.Source = gongu.Source{Type: "mcp", Name: "github", Original: "write_file"}
	caller := &gongu.Principal{Kind: "token", Name: "https://issuer.example/team/anna"}
	for _, c := range []struct {
		match  policy.Match
		effect policy.Effect
		want   bool
	}{
		{policy.Match{Sources: []string{"McpServer/*"}}, policy.Allow, true},
		{policy.Match{Sources: []string{"Mcp*"}}, policy.Allow, true},
		{policy.Match{Sources: []string{"*github"}}, policy.Allow, true},
		{policy.Match{Sources: []string{"Tool/*"}}, policy.Allow, false},
		{policy.Match{Principals: []string{"https://issuer.example/*"}}, policy.Deny, true},
		{policy.Match{Principals: []string{"*/anna"}}, policy.Deny, true},
		{policy.Match{Principals: []string{"https://other.example/*", "bob"}}, policy.Deny, false},
		{policy.Match{Agents: []string{"*"}}, policy.Deny, true},
		{policy.Match{Agents: []string{"?*"}}, policy.Deny, false},
		{policy.Match{Tools: []string{"write_file"}}, policy.Deny, true},   // its name at the server
		{policy.Match{Tools: []string{"write_file"}}, policy.Allow, false}, // only for denials
	} {
		p := compile(t, policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{{Name: "r", Match: c.match, Effect: c.effect}}})
		d := p.Decide(t.Context(), request(tool, caller, "{}"))
		if got := d.Rule.String() == "user/u/r"; got != c.want {
			t.Errorf("%+v: %s", c.match, d.Rule)
		}
		// The same name may belong to another tool of the server later.
		other := *tool
		other.Source.Original = "other"
		if d := p.Decide(t.Context(), request(&other, caller, "{}")); len(c.match.Tools) > 0 && d.Rule.String() == "user/u/r" {
			t.Errorf("%+v matches another tool", c.match)
		}
	}
}

// P1: what cannot be used is a problem with its place.
func TestP1_Problems(t *testing.T) {
	_, err := policy.New(policy.Set{Name: "s", Default: "maybe", Rules: []policy.Rule{
		{Name: "a", Effect: policy.Deny}, {Name: "a", Effect: policy.Deny}, {Name: "default", Effect: policy.Deny}, {Effect: "no"},
		{Effect: policy.Deny, When: "true &&\n  nope"}, {Effect: policy.Deny, When: "1"}, {Effect: policy.Deny, When: "tool.nme == 'x'"},
		{Effect: policy.Deny, When: "tool.name"}, {Effect: policy.Deny, Match: policy.Match{Tools: []string{"["}}}, {Name: "rule 10", Effect: policy.Deny},
		{Effect: policy.Deny, When: "principal.person || call.parent == 'm' || args.anything"},
	}})
	var got []string
	for _, p := range policy.ProblemsOf(err) {
		got = append(got, fmt.Sprintf("%d %s %d:%d", p.Index, p.Field, p.Line, p.Column))
	}
	want := []string{"1 name 0:0", "2 name 0:0", "3 effect 0:0", "4 when 2:2", "5 when 1:0", "6 when 1:0", "7 when 1:0", "8 match.tools 0:0", "-1 default 0:0"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// P1: a condition that gives no bool counts as ask, and so does one that would
// take too much work together with the others.
func TestP1_ConditionBounds(t *testing.T) {
	set := policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{{Effect: policy.Allow, When: "args.x"}}}
	if d := compile(t, set).Decide(t.Context(), request(writeTool(), nil, `{"x":1}`)); d.Effect != policy.Ask || d.Steps[0].Failed == "" {
		t.Errorf("%+v", d)
	}
	set.Rules = nil
	for range 50 {
		set.Rules = append(set.Rules, policy.Rule{Effect: policy.Deny, When: `args.l.exists(a, args.l.exists(b, a == "y" && b == "z"))`})
	}
	long := `{"l":["` + strings.Repeat(`x","`, 250) + `x"]}`
	started := time.Now()
	d := compile(t, set).Decide(t.Context(), request(writeTool(), nil, long))
	if last := d.Steps[49]; d.Effect != policy.Ask || !strings.Contains(last.Failed, "too much work") {
		t.Errorf("%s after %v: %+v", d.Effect, time.Since(started), last)
	}
}
