package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// remembering returns a bench whose person at the terminal says yes for later calls
// like it in the same instance, too.
func remembering(t *testing.T, describe policy.Describer) (*bench, *terminal) {
	t.Helper()
	ask := &terminal{answer: policy.Answer{Approve: true, Remember: policy.RememberInstance}}
	var b *bench
	b = guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) {
		o.Asker, o.Terminal, o.Describe = ask, "kim", describe
		o.Remember = func(ctx context.Context, a *state.Approval, what policy.Remember, by string) error {
			if what != policy.RememberInstance || by != "kim" {
				t.Errorf("%s by %s", what, by)
			}
			return b.store.RememberApproval(ctx, a.ID)
		}
	})
	return b, ask
}

// in returns a context with a caller in an agent and an instance.
func in(ctx context.Context, p *gongu.Principal, agent, instance string) context.Context {
	ctx = gongu.WithPrincipal(ctx, p)
	about := *gongu.ContextOf(ctx)
	about.AgentName, about.InstanceKey, about.TurnID = agent, instance, "later"
	ctx, err := gongu.WithContext(ctx, about)
	if err != nil {
		panic(err)
	}
	return ctx
}

// P11, Gemini F08: an answer that is remembered counts for the same call by the same
// caller in the same instance, in any turn. Whatever else differs is asked about.
func TestP11_RememberedAnswerIsBound(t *testing.T) {
	rule := policy.Rule{Name: "ask", Match: policy.Match{Tools: []string{"wipe"}}, Effect: policy.Ask}
	for _, tc := range []struct {
		name            string
		who             gongu.Principal
		agent, instance string
		args            string
		change          func(*testing.T, *bench, *files)
		asked           int64
		code            string
	}{
		{name: "the same call", asked: 1},
		{name: "the name of the principal", who: gongu.Principal{Name: "kim", Kind: "agent"}, asked: 2},
		{name: "the kind of the principal", who: gongu.Principal{Name: "lee", Kind: "token"}, asked: 2},
		{name: "the agent", agent: "b", asked: 2},
		{name: "the instance", instance: "j", asked: 2},
		{name: "the arguments", args: `{"what":"disk "}`, asked: 2},
		{name: "the spelling of the arguments", args: `{ "what":"disk"}`, asked: 2},
		{name: "the definition", asked: 2, change: func(_ *testing.T, b *bench, _ *files) {
			b.reg.Remove("wipe")
			b.add(gongu.Func("wipe", "Wipes more.", func(context.Context, wipeArgs) (string, error) { b.ran.Add(1); return "", nil }))
		}},
		{name: "the rule", asked: 2, change: func(t *testing.T, b *bench, _ *files) {
			other := rule
			other.Name = "other"
			b.setRules(t, other)
		}},
		{name: "the text of the rule", asked: 2, change: func(t *testing.T, b *bench, _ *files) {
			other := rule
			other.Message = "Look twice."
			b.setRules(t, other)
		}},
		{name: "where the path leads", asked: 2, change: func(_ *testing.T, _ *bench, f *files) { f.path.Store("/etc/b") }},
		{name: "the content of the file", asked: 1, change: func(_ *testing.T, _ *bench, f *files) { f.digest.Store("3") }},
		{name: "the rules deny", asked: 1, code: gongu.CodeDenied, change: func(t *testing.T, b *bench, _ *files) {
			b.setRules(t, rule, policy.Rule{Name: "no", Match: policy.Match{Tools: []string{"wi*"}}, Effect: policy.Deny})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFiles()
			b, ask := remembering(t, f.describe)
			if r := b.x.Call(in(t.Context(), agentLee, "a", "i"), wipeDisk); r.Error != nil || ask.asked.Load() != 1 {
				t.Fatalf("asked %d times: %+v", ask.asked.Load(), r.Error)
			}
			who, agent, instance, call := agentLee, "a", "i", wipeDisk
			if tc.who.Name != "" {
				who = &tc.who
			}
			if tc.agent != "" {
				agent = tc.agent
			}
			if tc.instance != "" {
				instance = tc.instance
			}
			if tc.args != "" {
				call.Args = json.RawMessage(tc.args)
			}
			if tc.change != nil {
				tc.change(t, b, f)
			}
			before := b.ran.Load()
			r := b.x.Call(in(t.Context(), who, agent, instance), call)
			if codeOf(r) != tc.code || ask.asked.Load() != tc.asked || b.ran.Load()-before != map[bool]int64{true: 1}[tc.code == ""] {
				t.Errorf("asked %d times, ran %d: %+v", ask.asked.Load(), b.ran.Load(), r.Error)
			}
		})
	}
}

// P11: a no is not remembered, and nothing is without the word of the person.
func TestP11_OnlyARememberedYesCounts(t *testing.T) {
	for name, answer := range map[string]policy.Answer{
		"a no":           {Remember: policy.RememberInstance},
		"a yes for once": {Approve: true},
	} {
		b, ask := remembering(t, nil)
		ask.answer = answer
		for range 2 {
			b.x.Call(in(t.Context(), agentLee, "a", "i"), wipeDisk)
		}
		if ask.asked.Load() != 2 {
			t.Errorf("%s: asked %d times", name, ask.asked.Load())
		}
	}
}

// P11: an answer about a command whose text does not decide what it runs is never
// remembered, in no way.
func TestP11_DynamicIsNeverRemembered(t *testing.T) {
	for name, describe := range map[string]policy.Describer{
		"by the command": nil,
		"by the preview": func(context.Context, *gongu.Attempt) policy.Preview {
			return policy.Preview{Kind: policy.KindCall, Dynamic: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, ask := remembering(t, describe)
			b.reg.Remove("wipe")
			tool := gongu.Func("wipe", "Wipes.", func(context.Context, wipeArgs) (string, error) { b.ran.Add(1); return "", nil })
			if describe == nil {
				tool.Shell = func(json.RawMessage) (string, bool) { return "rm -r $(cat list)", true }
			}
			b.add(tool)
			ctx := in(t.Context(), agentLee, "a", "i")
			// The answer as a whole does not count.
			if r := b.x.Call(ctx, wipeDisk); codeOf(r) != gongu.CodeDenied || b.ran.Load() != 0 {
				t.Errorf("%+v", r.Error)
			}
			ask.answer.Remember = policy.RememberNothing
			for n := range int64(2) {
				if r := b.x.Call(ctx, wipeDisk); r.Error != nil || b.ran.Load() != n+1 || ask.asked.Load() != n+2 {
					t.Errorf("asked %d times: %+v", ask.asked.Load(), r.Error)
				}
				page, err := b.store.Approvals(t.Context(), state.ApprovalFilter{State: state.ApprovalUsed})
				if err != nil || len(page.Approvals) == 0 {
					t.Fatalf("%+v, %v", page, err)
				}
				if err := b.store.RememberApproval(t.Context(), page.Approvals[0].ID); !errors.Is(err, state.ErrInvalid) {
					t.Error(err)
				}
			}
		})
	}
}

// P6, P11: the handler gets the paths that a remembered answer is about, so that it
// can refuse others.
func TestP11_RememberedPathsAreExpected(t *testing.T) {
	f := newFiles()
	b, ask := remembering(t, f.describe)
	var expected []gongu.FileChange
	b.reg.Remove("wipe")
	b.add(gongu.Func("wipe", "Wipes.", func(ctx context.Context, _ wipeArgs) (string, error) {
		expected = gongu.ExpectedFiles(ctx)
		return "", nil
	}))
	want := f.describe(t.Context(), nil)
	for range 2 {
		expected = nil
		if r := b.x.Call(in(t.Context(), agentLee, "a", "i"), wipeDisk); r.Error != nil || !reflect.DeepEqual(expected, want.Files) {
			t.Errorf("%+v, %+v", expected, r.Error)
		}
	}
	if ask.asked.Load() != 1 {
		t.Error(ask.asked.Load())
	}
}

// Goondan case 159: a cancellation that comes after the end of an approval changes
// nothing, whatever that end was, and the call gets the stored answer.
func TestGoondan159_LateCancel(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(*testing.T, *bench, context.Context, *gongu.Suspended)
		want string
		code string
	}{
		{"declined", func(t *testing.T, b *bench, _ context.Context, _ *gongu.Suspended) {
			b.decide(b.pending(1)[0], policy.Answer{Reason: "no"})
		}, state.ApprovalRejected, gongu.CodeRejected},
		{"used", func(t *testing.T, b *bench, ctx context.Context, s *gongu.Suspended) {
			approve(t, b.store, s.Approval)
			if r, _ := b.x.Resume(ctx, s, nil); r.Error != nil {
				t.Fatal(r.Error)
			}
		}, state.ApprovalUsed, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := guarded(t, nil)
			ctx := as(t.Context(), agentLee, gongu.Caller{})
			s := b.suspended(ctx, wipeDisk)
			tc.end(t, b, ctx, s)
			before, err := b.store.GetApproval(t.Context(), s.Approval)
			if err != nil || before.State != tc.want {
				t.Fatalf("%+v, %v", before, err)
			}
			if _, ended, err := b.store.CancelApproval(t.Context(), s.Approval); ended || err != nil {
				t.Errorf("%v, %v", ended, err)
			}
			if after, err := b.store.GetApproval(t.Context(), s.Approval); err != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("%+v, %v", after, err)
			}
			if r, again := b.x.Resume(ctx, s, nil); codeOf(r) != tc.code || again != nil {
				t.Errorf("%+v, %+v", r.Error, again)
			}
		})
	}
}

// P6, goondan case 157: a yes that another call has used is not used again by the call
// that is resumed: a person is asked anew.
func TestGoondan157_YesOfAnotherOwner(t *testing.T) {
	b := guarded(t, nil)
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	s := b.suspended(ctx, wipeDisk)
	approve(t, b.store, s.Approval)
	if _, used, err := b.store.UseApproval(t.Context(), s.Approval, s.Call.ID+"/other"); !used || err != nil {
		t.Fatal(used, err)
	}
	r, again := b.x.Resume(ctx, s, nil)
	if again == nil || again.Approval == s.Approval || b.ran.Load() != 0 {
		t.Errorf("ran %d: %+v, %+v", b.ran.Load(), r.Error, again)
	}
}

// P6: calls that can be suspended are known by their id. Two with one id do not share
// a question: one yes would be for both.
func TestP6_SameIDSharesNothing(t *testing.T) {
	b := guarded(t, nil)
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	call := wipeDisk
	call.ID = "call_1"
	one, two := b.suspended(ctx, call), b.suspended(ctx, call)
	if one.Approval == two.Approval {
		t.Fatal("one approval for both")
	}
	approve(t, b.store, one.Approval)
	if r, _ := b.x.Resume(ctx, one, nil); r.Error != nil || b.ran.Load() != 1 {
		t.Errorf("%+v", r.Error)
	}
	if _, again := b.x.Resume(ctx, two, nil); again == nil || b.ran.Load() != 1 {
		t.Error("the second call ran with the yes of the first")
	}
}

// P7: the answer of a client that was led to the page, because a form cannot show the
// whole question, does not count.
func TestP7_FormThatWasNotShown(t *testing.T) {
	b := guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) {
		o.URL = func(id string) string { return "https://gongu.example.com/approvals/" + id }
	})
	caller := gongu.Caller{ElicitURL: true, Elicit: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.ErrUnsupported
	}}
	ctx := as(t.Context(), &gongu.Principal{Name: "kim", Kind: "stdio", Attended: true}, caller)
	s := b.suspended(ctx, gongu.Call{Name: "wipe", Args: json.RawMessage(`{"what":"` + strings.Repeat("x", 9000) + `"}`)})
	if !strings.Contains(string(s.Question), `"mode":"url"`) {
		t.Fatalf("%s", s.Question)
	}
	s.Answer = json.RawMessage(`{"action":"accept","content":{"answer":"yes"}}`)
	if _, again := b.x.Resume(ctx, s, nil); again == nil || b.ran.Load() != 0 {
		t.Error("the answer counted")
	}
	b.pending(1)
}

// P6: a guard after the policy that changes the arguments of an approved call makes it
// another call, which is asked about.
func TestP6_LaterGuardChangesArguments(t *testing.T) {
	ask := &terminal{answer: policy.Answer{Approve: true}}
	var shown []string
	ask.before = func(a *state.Approval) { shown = append(shown, string(a.Calls[0].Args)) }
	changed := false
	b := guarded(t, func(o *policy.GuardOptions, x *gongu.ExecutorOptions) {
		o.Asker, o.Terminal = ask, "kim"
		x.Guards = []gongu.Guard{{Name: "later", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			if !changed {
				changed = true
				a.Patch(json.RawMessage(`{"what":"dust"}`))
			}
			return nil
		}}}
	})
	r := b.x.Call(as(t.Context(), agentLee, gongu.Caller{}), wipeDisk)
	if r.Error != nil || b.args.Load() != "dust" || len(shown) != 2 || shown[1] != `{"what":"dust"}` {
		t.Errorf("%q: %+v", shown, r.Error)
	}
}
