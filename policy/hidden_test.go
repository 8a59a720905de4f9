package policy_test

import (
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
)

// P3, P4: which callers have tools that they are not shown, and with which key the
// answer can be kept.
func TestP3_Hides(t *testing.T) {
	write := &gongu.Tool{Name: "write"}
	deny := func(r policy.Rule) *policy.Policy {
		r.Effect = policy.Deny
		return compiled(t, policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{r}})
	}
	lee, kim := &gongu.Principal{Name: "lee", Kind: "agent"}, &gongu.Principal{Name: "kim", Kind: "agent"}
	hides := func(p *policy.Policy, who *gongu.Principal, mode policy.Mode) (bool, any) {
		hide, key := p.Hides(who, "a", mode)
		return hide != nil && hide(write), key
	}
	plain := compiled(t)
	if hidden, key := hides(plain, lee, policy.Default); hidden || key != nil {
		t.Error("no rule hides a tool")
	}
	if hidden, _ := hides(plain, lee, policy.Plan); !hidden {
		t.Error("mode plan shows a tool that writes")
	}
	if hidden, _ := hides(plain, &gongu.Principal{Name: "t", Kind: "token", Allow: []gongu.Rule{{Domain: ""}}}, policy.Default); !hidden {
		t.Error("a tool that is not granted by name is shown")
	}
	all := deny(policy.Rule{Match: policy.Match{Tools: []string{"write"}}})
	hidden, one := hides(all, lee, policy.Default)
	_, other := hides(all, kim, policy.Default)
	if !hidden || one != other {
		t.Errorf("%t, %v, %v", hidden, one, other)
	}
	some := deny(policy.Rule{Match: policy.Match{Tools: []string{"write"}, Principals: []string{"lee"}}})
	hidden, one = hides(some, lee, policy.Default)
	shown, other := hides(some, kim, policy.Default)
	if !hidden || shown || one == other {
		t.Errorf("%t, %t", hidden, shown)
	}
	if hidden, key := hides(deny(policy.Rule{When: "true"}), lee, policy.Default); hidden || key != nil {
		t.Error("a deny with a condition hides a tool")
	}
}

// P2, P4: tools that only call other tools are not asked about themselves: the
// rules decide about the calls inside.
func TestP2_WrappersAreDecidedInside(t *testing.T) {
	p := compiled(t)
	explore := func(name string) *gongu.Tool {
		return &gongu.Tool{Name: name, Source: gongu.Source{Type: "go", Name: "explore"}}
	}
	macro := &gongu.Tool{Name: "deploy", Source: gongu.Source{Type: "macro", Name: "deploy"}}
	fake := &gongu.Tool{Name: "call_tool", Source: gongu.Source{Type: "mcp", Name: "explore"}}
	agent := &gongu.Principal{Name: "a", Kind: "agent"}
	token := &gongu.Principal{Name: "t", Kind: "token", Allow: []gongu.Rule{{ReadOnly: new(true)}}}
	asks := &gongu.Principal{Name: "c", Kind: "stdio", Attended: true, Ask: []gongu.Rule{{ReadOnly: new(false)}}}
	named := &gongu.Principal{Name: "c", Kind: "stdio", Ask: []gongu.Rule{{Name: "deploy"}}}
	for _, tc := range []struct {
		tool *gongu.Tool
		who  *gongu.Principal
		mode policy.Mode
		want policy.Effect
	}{
		{explore("call_tool"), agent, policy.Default, policy.Allow},
		{explore("run_code"), agent, policy.Plan, policy.Allow},
		{explore("call_tool"), token, policy.Default, policy.Allow},
		{explore("call_tool"), asks, policy.Default, policy.Allow},
		{explore("request_tool"), agent, policy.Default, policy.Allow},
		{explore("request_tool"), agent, policy.Plan, policy.Deny},
		{macro, agent, policy.Default, policy.Allow},
		{macro, token, policy.Default, policy.Deny},
		{macro, asks, policy.Default, policy.Allow},
		{macro, named, policy.Default, policy.Ask},
		{fake, agent, policy.Default, policy.Ask},
		{fake, agent, policy.Plan, policy.Deny},
	} {
		d := p.Decide(t.Context(), &policy.Request{Tool: tc.tool, Principal: tc.who, Mode: tc.mode})
		if d.Effect != tc.want {
			t.Errorf("%s of %s for %s: %s by %s", tc.tool.Name, tc.tool.Source.Type, tc.who.Name, d.Effect, d.Rule)
		}
	}
}
