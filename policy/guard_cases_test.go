package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

var agentLee = &gongu.Principal{Name: "lee", Kind: "agent"}

// suspended tries a call that is suspended.
func (b *bench) suspended(ctx context.Context, call gongu.Call) *gongu.Suspended {
	b.t.Helper()
	result, s := b.x.Try(ctx, call)
	if s == nil {
		b.t.Fatalf("not suspended: %+v", result.Error)
	}
	return s
}

// Goondan case 148, P6: the approval is recorded before the handler runs, and
// before anything is asked.
func TestGoondan148_RecordedFirst(t *testing.T) {
	b := (*bench)(nil)
	ask := &terminal{answer: policy.Answer{Approve: true}}
	b = guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) { o.Asker, o.Terminal = ask, "kim" })
	ask.before = func(a *state.Approval) {
		if found := b.pending(1)[0]; found.ID != a.ID || b.ran.Load() != 0 {
			t.Errorf("%+v, ran %d", found, b.ran.Load())
		}
	}
	if result := b.x.Call(as(t.Context(), agentLee, gongu.Caller{}), wipeDisk); result.Error != nil || b.ran.Load() != 1 {
		t.Errorf("%+v", result.Error)
	}
}

// Goondan case 150 (deviation), Gemini H10 (deviation), P6: siblings of a waiting
// call run, and go on when it is declined.
func TestP6_SiblingsOfAWaitingCallRun(t *testing.T) {
	b := guarded(t, func(_ *policy.GuardOptions, x *gongu.ExecutorOptions) { x.Parallel = 1 })
	var mu sync.Mutex
	looked := 0
	b.add(gongu.Func("look", "Looks.", func(context.Context, struct{}) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		looked++
		return "seen", nil
	}))
	b.see()
	done := make(chan []gongu.Result, 1)
	go func() {
		done <- b.x.Batch(as(t.Context(), nil, gongu.Caller{}), []gongu.Call{wipeDisk, {Name: "look"}, {Name: "look"}})
	}()
	a := b.pending(1)[0]
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		mu.Lock()
		n := looked
		mu.Unlock()
		if n == 2 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the siblings wait")
		}
	}
	b.decide(a, policy.Answer{})
	results := <-done
	if codeOf(results[0]) != gongu.CodeRejected || codeOf(results[1]) != "" || codeOf(results[2]) != "" {
		t.Errorf("%+v", results)
	}
}

// Goondan case 151, H20: the approval holds the arguments after middleware, and
// middleware cannot change them when the call is resumed.
func TestGoondan151_ArgumentsAreLocked(t *testing.T) {
	word := "first"
	b := guarded(t, func(_ *policy.GuardOptions, x *gongu.ExecutorOptions) {
		x.Middleware = []gongu.Middleware{func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result {
				call.Args = json.RawMessage(`{"what":"` + word + `"}`)
				return next(ctx, call)
			}
		}}
	})
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	s := b.suspended(ctx, wipeDisk)
	if a := b.pending(1)[0]; string(a.Calls[0].Args) != `{"what":"first"}` {
		t.Errorf("%s", a.Calls[0].Args)
	}
	approve(t, b.store, s.Approval)
	word = "second"
	if result, again := b.x.Resume(ctx, s, nil); again != nil || result.Error != nil || b.args.Load() != "first" {
		t.Errorf("%+v: %v", result.Error, b.args.Load())
	}
}

// Goondan case 152: a middleware that answers itself, and claims success, cannot
// run the handler without the approval.
func TestGoondan152_ShortCircuit(t *testing.T) {
	forge := false
	b := guarded(t, func(_ *policy.GuardOptions, x *gongu.ExecutorOptions) {
		x.Middleware = []gongu.Middleware{func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result {
				if !forge {
					next(ctx, call) // the answer of the guards is thrown away
				}
				return gongu.OK("gone")
			}
		}}
	})
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	for _, forge = range []bool{false, true} {
		b.x.Call(ctx, wipeDisk)
		if b.ran.Load() != 0 {
			t.Fatal("the handler ran")
		}
	}
	forge = false
	if _, s := b.x.Try(ctx, wipeDisk); s == nil {
		t.Error("a suspended call was answered by middleware")
	}
}

// Goondan case 153: the same decision twice under one name is one decision.
func TestGoondan153_Duplicate(t *testing.T) {
	b := guarded(t, nil)
	s := b.suspended(as(t.Context(), agentLee, gongu.Caller{}), wipeDisk)
	a := b.pending(1)[0]
	kim := policy.Decider{Name: "kim", Kind: policy.ByTerminal}
	for _, tc := range []struct {
		by      policy.Decider
		approve bool
		request string
		want    policy.Outcome
	}{
		{kim, true, "r1", policy.Decided},
		{kim, true, "r1", policy.Duplicate},
		{kim, true, "r2", policy.Already},
		{kim, false, "r1", policy.Already},
		{policy.Decider{Name: "lee", Kind: policy.ByTerminal}, true, "r1", policy.Already},
	} {
		found, outcome, err := policy.Resolve(t.Context(), b.store, s.Approval, tc.by, policy.Answer{Approve: tc.approve}, a.Version, tc.request)
		if err != nil || outcome != tc.want || found.By != "kim" {
			t.Errorf("%+v: %s by %s, %v", tc, outcome, found.By, err)
		}
	}
}

// Goondan case 154, P6: a decline is E_TOOL_REJECTED with the reason, in each way;
// the handler does not run, and neither does that of an identical call that waits.
func TestGoondan154_Reject(t *testing.T) {
	b := guarded(t, nil)
	b.see()
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	results := make(chan gongu.Result, 2)
	for range 2 {
		go func() { results <- b.x.Call(ctx, wipeDisk) }()
	}
	a := b.pending(1)[0]
	for a.Waiting < 2 {
		a = b.pending(1)[0]
	}
	b.decide(a, policy.Answer{Reason: "not today"})
	for range 2 {
		if r := <-results; codeOf(r) != gongu.CodeRejected || !strings.Contains(r.Error.Message, "not today") {
			t.Errorf("%+v", r.Error)
		}
	}
	s := b.suspended(ctx, wipeDisk)
	b.decide(b.pending(1)[0], policy.Answer{})
	if r, again := b.x.Resume(ctx, s, nil); again != nil || codeOf(r) != gongu.CodeRejected || b.ran.Load() != 0 {
		t.Errorf("%+v", r.Error)
	}
}

// P6: two callers of identical calls share one approval; a yes is for the first
// that uses it, and the other is asked about again.
func TestP6_IdenticalCallsShareAnApproval(t *testing.T) {
	b := guarded(t, nil)
	b.see()
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	results := make(chan gongu.Result, 2)
	for range 2 {
		go func() { results <- b.x.Call(ctx, wipeDisk) }()
	}
	a := b.pending(1)[0]
	for a.Waiting < 2 {
		a = b.pending(1)[0]
	}
	b.decide(a, policy.Answer{Approve: true})
	if r := <-results; r.Error != nil {
		t.Errorf("%+v", r.Error)
	}
	next := b.pending(1)[0]
	if next.ID == a.ID || b.ran.Load() != 1 {
		t.Errorf("%s again, ran %d", next.ID, b.ran.Load())
	}
	b.decide(next, policy.Answer{Approve: true})
	if r := <-results; r.Error != nil || b.ran.Load() != 2 {
		t.Errorf("%+v", r.Error)
	}
	other := as(t.Context(), &gongu.Principal{Name: "kim", Kind: "agent"}, gongu.Caller{})
	b.suspended(ctx, wipeDisk)
	b.suspended(other, wipeDisk)
	b.pending(2)
}

// Goondan case 155: changed arguments are checked against the schema before they
// count, and then all checks run again with them.
func TestGoondan155_ChangedArguments(t *testing.T) {
	b := guarded(t, nil)
	b.see()
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	kim := policy.Decider{Name: "kim", Kind: policy.ByTerminal}
	change := func(a *state.Approval, args string) error {
		_, _, err := policy.Resolve(t.Context(), b.store, a.ID, kim, policy.Answer{Approve: true, Args: json.RawMessage(args)}, a.Version, "")
		return err
	}
	done := make(chan gongu.Result, 1)
	go func() { done <- b.x.Call(ctx, wipeDisk) }()
	a := b.pending(1)[0]
	for _, bad := range []string{`{"what":7}`, `{}`, `[]`, `{"what":"x","what":"y"}`, `no`} {
		if err := change(a, bad); !errors.Is(err, policy.ErrBadAnswer) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	b.pending(1)
	if err := change(a, `{"what":"dust"}`); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.Error != nil || b.args.Load() != "dust" || b.ran.Load() != 1 {
		t.Errorf("%+v: %v", r.Error, b.args.Load())
	}
	// The rules decide about the new arguments.
	b.setRules(t, policy.Rule{Name: "no", Effect: policy.Deny, When: `args.what == "home"`}, policy.Rule{Name: "ask", Effect: policy.Ask})
	go func() { done <- b.x.Call(ctx, wipeDisk) }()
	if err := change(b.pending(1)[0], `{"what":"home"}`); err != nil {
		t.Fatal(err)
	}
	if r := <-done; codeOf(r) != gongu.CodeDenied || b.ran.Load() != 1 {
		t.Errorf("%+v", r.Error)
	}
}

// journal lets the handler run once.
type journal struct {
	mu     sync.Mutex
	begun  bool
	result *gongu.Result
	done   chan struct{}
}

func (j *journal) Begin(ctx context.Context) (*gongu.Result, error) {
	j.mu.Lock()
	first := !j.begun
	j.begun = true
	j.mu.Unlock()
	if first {
		return nil, nil
	}
	<-j.done
	return j.result, nil
}

func (j *journal) End(_ context.Context, r gongu.Result) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.result == nil {
		j.result = &r
		close(j.done)
	}
	return nil
}

// Goondan cases 157 and 158: two workers resume, and the handler runs once; a worker
// that died after it had used the yes, and before the handler, can be replaced.
func TestGoondan157_TwoWorkersResume(t *testing.T) {
	b := guarded(t, nil)
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	s := b.suspended(ctx, wipeDisk)
	approve(t, b.store, s.Approval)
	// A worker that used the approval and died.
	if _, used, err := b.store.UseApproval(t.Context(), s.Approval, s.Call.ID); !used || err != nil {
		t.Fatal(used, err)
	}
	j := &journal{done: make(chan struct{})}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if r, again := b.x.Resume(ctx, s, j); again != nil || r.Error != nil {
				t.Errorf("%+v", r.Error)
			}
		})
	}
	all.Wait()
	if b.ran.Load() != 1 {
		t.Errorf("ran %d times", b.ran.Load())
	}
	// Another call cannot use it.
	if r := b.x.Call(ctx, wipeDisk); codeOf(r) != gongu.CodeDenied || b.ran.Load() != 1 {
		t.Errorf("%+v", r.Error)
	}
}

// Goondan case 159: of a cancellation and a yes the one that is stored first counts;
// a late cancellation of a finished approval changes nothing.
func TestGoondan159_CancelAgainstResume(t *testing.T) {
	b := guarded(t, nil)
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	s := b.suspended(ctx, wipeDisk)
	if _, ended, err := b.store.CancelApproval(t.Context(), s.Approval); !ended || err != nil {
		t.Fatal(ended, err)
	}
	if _, outcome, err := policy.Resolve(t.Context(), b.store, s.Approval, policy.Decider{Name: "kim", Kind: policy.ByTerminal}, policy.Answer{Approve: true}, 1, ""); err != nil || outcome != policy.Already {
		t.Errorf("%s, %v", outcome, err)
	}
	_, again := b.x.Resume(ctx, s, nil)
	if again == nil || again.Approval == s.Approval || b.ran.Load() != 0 {
		t.Fatal("a cancelled question is not asked anew")
	}
	approve(t, b.store, again.Approval)
	if r, _ := b.x.Resume(ctx, again, nil); r.Error != nil || b.ran.Load() != 1 {
		t.Errorf("%+v", r.Error)
	}
	if a, ended, err := b.store.CancelApproval(t.Context(), again.Approval); ended || err != nil || a.State != state.ApprovalUsed {
		t.Errorf("%+v, %v", a, err)
	}
}

// Goondan case 160: two approvals of one conversation are apart.
func TestGoondan160_TwoApprovals(t *testing.T) {
	b := guarded(t, nil)
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	one := b.suspended(ctx, wipeDisk)
	two := b.suspended(ctx, gongu.Call{Name: "wipe", Args: json.RawMessage(`{"what":"dust"}`)})
	approve(t, b.store, one.Approval)
	if r, _ := b.x.Resume(ctx, one, nil); r.Error != nil {
		t.Errorf("%+v", r.Error)
	}
	if _, again := b.x.Resume(ctx, two, nil); again == nil || b.ran.Load() != 1 {
		t.Error("the other approval did not wait")
	}
}

// Goondan case 161, P7: who may decide. A refused decision changes nothing.
func TestP7_WhoMayDecide(t *testing.T) {
	b := guarded(t, nil)
	attended := &gongu.Principal{Name: "kim", Kind: "stdio", Attended: true}
	b.setRules(t, policy.Rule{Name: "ask", Effect: policy.Ask, Approvers: []string{"k*"}})
	s := b.suspended(as(t.Context(), attended, gongu.Caller{}), wipeDisk)
	a := b.pending(1)[0]
	for name, by := range map[string]policy.Decider{
		"another attended client":      {Name: "kent", Kind: policy.ByClient, Principal: &gongu.Principal{Name: "kent", Kind: "stdio", Attended: true}},
		"the same name, another kind":  {Name: "kim", Kind: policy.ByClient, Principal: &gongu.Principal{Name: "kim", Kind: "token", Attended: true}},
		"a client without a person":    {Name: "kim", Kind: policy.ByClient, Principal: &gongu.Principal{Name: "kim", Kind: "stdio"}},
		"a session without a person":   {Name: "kim", Kind: policy.BySession, Principal: &gongu.Principal{Name: "kim", Kind: "session"}},
		"a token that manages nothing": {Name: "kim", Kind: policy.ByToken, Principal: &gongu.Principal{Name: "kim", Kind: "token"}},
		"no way":                       {Name: "kim"},
		"not an approver":              {Name: "lee", Kind: policy.ByTerminal},
	} {
		for _, yes := range []bool{true, false} {
			if found, _, err := policy.Resolve(t.Context(), b.store, s.Approval, by, policy.Answer{Approve: yes}, a.Version, ""); !errors.Is(err, policy.ErrMayNotDecide) || found.State != state.ApprovalPending {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, _, err := policy.Resolve(t.Context(), b.store, s.Approval, policy.Decider{Name: "kim", Kind: policy.ByTerminal}, policy.Answer{Approve: true}, 0, ""); !errors.Is(err, policy.ErrBadAnswer) {
		t.Errorf("a yes without a version: %v", err)
	}
	if _, outcome, err := policy.Resolve(t.Context(), b.store, s.Approval, policy.Decider{Name: "kim", Kind: policy.ByTerminal}, policy.Answer{Approve: true}, a.Version+1, ""); err != nil || outcome != policy.Changed {
		t.Errorf("%s, %v", outcome, err)
	}
	if _, outcome, err := policy.Resolve(t.Context(), b.store, s.Approval, policy.Decider{Name: "kim", Kind: policy.ByClient, Principal: attended}, policy.Answer{Approve: true}, a.Version, ""); err != nil || outcome != policy.Decided {
		t.Errorf("%s, %v", outcome, err)
	}
}

// Gemini H06: a check that throws denies.
func TestGeminiH06_CheckerThatThrows(t *testing.T) {
	b := guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) {
		o.Describe = func(context.Context, *gongu.Attempt) policy.Preview { panic("broken") }
	})
	if r := b.x.Call(as(t.Context(), agentLee, gongu.Caller{}), wipeDisk); r.Error == nil || b.ran.Load() != 0 {
		t.Errorf("%+v", r.Error)
	}
}

// P10: the limits of a rule; a refusal says when to try again, and tightens the
// limits of the call.
func TestP10_LimitsOfARule(t *testing.T) {
	b := guarded(t, nil)
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	b.setRules(t, policy.Rule{Name: "slow", Effect: policy.Allow, Limits: policy.Limits{Rate: policy.Rate{Calls: 2, In: time.Hour}}})
	for range 2 {
		if r := b.x.Call(ctx, wipeDisk); r.Error != nil {
			t.Errorf("%+v", r.Error)
		}
	}
	if r := b.x.Call(ctx, wipeDisk); codeOf(r) != gongu.CodeDenied || !strings.Contains(r.Error.Suggestion, "Try again in ") || b.ran.Load() != 2 {
		t.Errorf("%+v", r.Error)
	}
	started, release := make(chan struct{}), make(chan struct{})
	b.add(gongu.Func("hold", "Holds.", func(ctx context.Context, _ struct{}) (string, error) {
		close(started)
		select {
		case <-release:
		case <-ctx.Done():
		}
		return "", ctx.Err()
	}))
	b.setRules(t, policy.Rule{Name: "one", Effect: policy.Allow, Limits: policy.Limits{Concurrent: 1}})
	done := make(chan gongu.Result, 1)
	go func() { done <- b.x.Call(ctx, gongu.Call{Name: "hold"}) }()
	<-started
	if r := b.x.Call(ctx, wipeDisk); codeOf(r) != gongu.CodeDenied || !strings.Contains(r.Error.Suggestion, "ended") {
		t.Errorf("%+v", r.Error)
	}
	close(release)
	if r := <-done; r.Error != nil {
		t.Errorf("%+v", r.Error)
	}
	if r := b.x.Call(ctx, wipeDisk); r.Error != nil {
		t.Errorf("%+v", r.Error)
	}
	b.setRules(t, policy.Rule{Name: "short", Effect: policy.Allow, Limits: policy.Limits{Output: 3}})
	if r := b.x.Call(ctx, wipeDisk); !strings.Contains(string(r.Output), "truncated") {
		t.Errorf("%s", r.Output)
	}
}

// P6: a yes that another call waits for is that call's: an identical one is asked
// about by itself.
func TestP6_AYesBelongsToTheCallThatAsked(t *testing.T) {
	b := guarded(t, nil)
	ctx := as(t.Context(), agentLee, gongu.Caller{})
	s := b.suspended(ctx, wipeDisk)
	approve(t, b.store, s.Approval)
	if r := b.x.Call(ctx, wipeDisk); codeOf(r) != gongu.CodeDenied || b.ran.Load() != 0 {
		t.Errorf("%+v", r.Error)
	}
	if r, _ := b.x.Resume(ctx, s, nil); r.Error != nil || b.ran.Load() != 1 {
		t.Errorf("%+v", r.Error)
	}
}

// P7: a client that is not attended is not shown a form.
func TestP7_NoFormForOtherClients(t *testing.T) {
	b := guarded(t, nil)
	caller := gongu.Caller{Elicit: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		t.Error("it was asked")
		return nil, errors.ErrUnsupported
	}}
	if r := b.x.Call(as(t.Context(), agentLee, caller), wipeDisk); codeOf(r) != gongu.CodeDenied {
		t.Errorf("%+v", r.Error)
	}
}
