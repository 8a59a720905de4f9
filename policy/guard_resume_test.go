package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// P6: rules that change while a call is suspended. A person's no counts though they
// allow the call by now, and no question is left behind.
func TestP6_RulesChangeWhileSuspended(t *testing.T) {
	for _, tc := range []struct {
		name   string
		effect policy.Effect
		answer *policy.Answer
		code   string
		state  string
	}{
		{"deny, no answer", policy.Deny, nil, gongu.CodeDenied, state.ApprovalCancelled},
		{"deny after a yes", policy.Deny, &policy.Answer{Approve: true}, gongu.CodeDenied, state.ApprovalCancelled},
		{"allow, no answer", policy.Allow, nil, "", state.ApprovalCancelled},
		{"allow after a no", policy.Allow, &policy.Answer{}, gongu.CodeRejected, state.ApprovalRejected},
		{"allow after a yes", policy.Allow, &policy.Answer{Approve: true}, "", state.ApprovalUsed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := guarded(t, nil)
			ctx := as(t.Context(), agentLee, gongu.Caller{})
			s := b.suspended(ctx, wipeDisk)
			if tc.answer != nil {
				b.decide(b.pending(1)[0], *tc.answer)
			}
			b.setRules(t, policy.Rule{Name: "now", Effect: tc.effect})
			r, again := b.x.Resume(ctx, s, nil)
			if codeOf(r) != tc.code || again != nil || b.ran.Load() != map[bool]int64{true: 1}[tc.code == ""] {
				t.Errorf("ran %d: %+v", b.ran.Load(), r.Error)
			}
			if a, err := b.store.GetApproval(t.Context(), s.Approval); err != nil || a.State != tc.state {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

// P10: a call is counted once for the limits of its rule, also if the checks run again
// because a person changed its arguments.
func TestP10_CountedOnce(t *testing.T) {
	ask := &terminal{answer: policy.Answer{Approve: true, Args: json.RawMessage(`{"what":"dust"}`)}}
	b := guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) { o.Asker, o.Terminal = ask, "kim" })
	b.setRules(t, policy.Rule{Name: "ask", Effect: policy.Ask, Limits: policy.Limits{Rate: policy.Rate{Calls: 1, In: time.Hour}, Concurrent: 1}})
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	if r := b.x.Call(ctx, wipeDisk); r.Error != nil || b.args.Load() != "dust" {
		t.Errorf("%+v", r.Error)
	}
	if r := b.x.Call(ctx, wipeDisk); codeOf(r) != gongu.CodeDenied || b.ran.Load() != 1 {
		t.Errorf("%+v", r.Error)
	}
}

// Goondan case 155: arguments cannot be changed for several calls together.
func TestGoondan155_SeveralCalls(t *testing.T) {
	b := guarded(t, nil)
	b.outer(time.Minute)
	b.see()
	done := b.many(as(t.Context(), agentLee, gongu.Caller{}), `{"words":["a","b"],"together":true}`)
	a := b.until(2)
	_, _, err := policy.Resolve(t.Context(), b.store, a.ID, policy.Decider{Name: "kim", Kind: policy.ByTerminal},
		policy.Answer{Approve: true, Args: json.RawMessage(`{"what":"dust"}`)}, a.Version, "")
	if !errors.Is(err, policy.ErrBadAnswer) {
		t.Error(err)
	}
	b.decide(a, policy.Answer{})
	if r := b.result(done); b.ran.Load() != 0 {
		t.Errorf("%s", r.Output)
	}
}

// P7: a client whose user does not open the page ends the wait: the call is denied with
// its permit.
func TestP7_PageNotOpened(t *testing.T) {
	b := guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) {
		o.URL = func(id string) string { return "https://gongu.example.com/approvals/" + id }
	})
	caller := gongu.Caller{ElicitURL: true, Elicit: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"action":"decline"}`), nil
	}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if r := b.x.Call(as(ctx, agentLee, caller), wipeDisk); codeOf(r) != gongu.CodeDenied || b.ran.Load() != 0 {
		t.Errorf("%+v", r.Error)
	}
	if a := b.pending(1)[0]; a.Way != state.WaitPermit {
		t.Errorf("%+v", a)
	}
}
