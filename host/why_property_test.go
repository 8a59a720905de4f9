package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/policy"
)

// randomHost has tools that count their calls, a random offer and random rules.
func randomHost(t *testing.T, r *rand.Rand, ran *int) (*host.Host, []string) {
	t.Helper()
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	offer := [][]string{nil, {"all"}, {"read-only"}, {"a__*", "b__2"}, {"none"}}[r.IntN(5)]
	a, err := access.New(access.Options{Offer: access.OfferRules(offer), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var sets []policy.Set
	for i := range r.IntN(4) {
		set := policy.Set{Tier: policy.Tier(r.IntN(3)), Name: fmt.Sprint("s", i), Default: policy.Effect(pick("", "", "allow", "ask", "deny"))}
		for j := range r.IntN(4) {
			set.Rules = append(set.Rules, policy.Rule{
				Name: fmt.Sprint("r", j), Effect: policy.Effect(pick("allow", "ask", "deny")),
				Match: policy.Match{Tools: []string{pick("*", "a__*", "b__*", "*__1")}, Principals: []string{pick("*", "t*", "p1", "nobody")}},
				When:  pick("", "", `args.n == 1`, `args.missing == 1`, `tool.readOnly`, `principal.kind == "token"`),
			})
		}
		sets = append(sets, set)
	}
	mode := policy.Mode(pick("", "default", "plan", "edits", "bypass"))
	h := open(t, "", &host.Options{StateRoot: t.TempDir(), Access: a, Policy: host.PolicyOptions{Rules: sets, Mode: mode}})
	var names []string
	for _, domain := range []string{"a", "b"} {
		for i := range 3 {
			name := fmt.Sprintf("%s__%d", domain, i)
			names = append(names, name)
			err := h.Registry().Add(gongu.Tool{
				Name: name, Description: "Counts.", Annotations: gongu.Annotations{ReadOnly: new(r.IntN(2) == 0)},
				Parameters: `{"type":"object","properties":{"n":{"type":"integer"}}}`,
				Invoke: func(context.Context, gongu.Call) gongu.Result {
					*ran++
					return gongu.Result{Status: gongu.StatusOK}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return h, append(names, "a__9")
}

func randomPrincipals(r *rand.Rand) []*gongu.Principal {
	rules := func() []gongu.Rule {
		return [][]gongu.Rule{nil, {}, {{Name: "a__*"}}, {{ReadOnly: new(true)}}, {{Name: "*"}}}[r.IntN(5)]
	}
	return []*gongu.Principal{
		nil, {Name: "me", Kind: "cli", Person: true}, {Name: "me", Kind: "cli"},
		{Name: "p1", Kind: "stdio", Attended: r.IntN(2) == 0, Offer: rules()},
		{Name: "t1", Kind: "token", Allow: rules(), Ask: rules()}, {Name: "t2", Kind: "oidc", Allow: rules()},
		{Name: "anonymous", Kind: "anonymous"}, {Name: "s", Kind: "session", Person: true}, {Name: "agent", Kind: "agent", Permission: "plan"},
	}
}

// P5: what why says is what a call does, for random tools, callers, offers, grants,
// rules and modes: it runs, it is denied, or a person is asked.
func TestP5_WhyIsWhatACallDoes(t *testing.T) {
	hosts := 30
	if os.Getenv("GONGU_CHAOS") != "" {
		hosts = 2000
	}
	seen := map[policy.Effect]int{}
	r := rand.New(rand.NewPCG(17, 5))
	for range hosts {
		ran := 0
		h, names := randomHost(t, r, &ran)
		for _, p := range randomPrincipals(r) {
			for _, name := range names {
				args := json.RawMessage([]string{`{}`, `{"n":1}`, `{"n":2}`}[r.IntN(3)])
				why := askWhy(t, h, host.WhyRequest{Name: name, Args: args, Principal: p})
				if ran != 0 {
					t.Fatal("why called the tool")
				}
				result, err := h.Call(gongu.WithPrincipal(t.Context(), p), "", gongu.Call{Name: name, Args: args})
				if err != nil {
					t.Fatal(err)
				}
				got := policy.Deny
				switch {
				case ran == 1:
					got = policy.Allow
				case strings.Contains(result.Error.Message, "A person must agree"):
					got = policy.Ask
				}
				if got != why.Effect {
					t.Fatalf("%s by %+v with %s: the call is %s (%+v), why says %+v", name, p, args, got, result.Error, why)
				}
				if step, _ := why.Refused(); got == policy.Deny && step.Stage != policy.StageExists && !strings.Contains(result.Error.Message, step.Text) {
					t.Fatalf("the refusal %q lacks %q", result.Error.Message, step.Text)
				}
				seen[got]++
				ran = 0
			}
		}
	}
	for _, effect := range []policy.Effect{policy.Allow, policy.Ask, policy.Deny} {
		if seen[effect] < hosts {
			t.Errorf("%s was seen %d times", effect, seen[effect])
		}
	}
}
