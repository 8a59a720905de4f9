package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// bench is a registry with one guarded tool, wipe, and the guard's parts.
type bench struct {
	t     *testing.T
	store *policy.MemoryApprovals
	rules *policy.Policy
	ran   atomic.Int64
	// args are those of the last call that ran.
	args atomic.Value
	reg  *gongu.Registry
	x    *gongu.Executor
}

type wipeArgs struct {
	What string `json:"what"`
}

// guarded returns a bench whose rules ask about wipe.
func guarded(t *testing.T, change func(*policy.GuardOptions, *gongu.ExecutorOptions)) *bench {
	t.Helper()
	b := &bench{t: t, store: policy.NewMemoryApprovals(), reg: gongu.NewRegistry(nil)}
	b.rules = compiled(t, policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{
		{Name: "ask", Match: policy.Match{Tools: []string{"wipe"}}, Effect: policy.Ask},
	}})
	b.add(gongu.Func("wipe", "Wipes.", func(_ context.Context, in wipeArgs) (string, error) {
		b.args.Store(in.What)
		b.ran.Add(1)
		return "gone", nil
	}))
	o := policy.GuardOptions{Policy: func() *policy.Policy { return b.rules }, Store: b.store}
	x := gongu.ExecutorOptions{}
	if change != nil {
		change(&o, &x)
	}
	x.Guards = append([]gongu.Guard{policy.NewGuard(o)}, x.Guards...)
	x.Catalog = gongu.Everything(b.reg)
	b.x = gongu.NewExecutor(b.reg, &x)
	return b
}

func (b *bench) add(tools ...gongu.Tool) {
	b.t.Helper()
	if err := b.reg.Add(tools...); err != nil {
		b.t.Fatal(err)
	}
	if b.x != nil {
		b.x = b.x.WithCatalog(gongu.Everything(b.reg))
	}
}

func compiled(t *testing.T, sets ...policy.Set) *policy.Policy {
	t.Helper()
	p, err := policy.New(sets...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// as returns a context with a caller in agent a, instance i, turn t.
func as(ctx context.Context, p *gongu.Principal, c gongu.Caller) context.Context {
	ctx = gongu.WithPrincipal(ctx, p)
	about := *gongu.ContextOf(ctx)
	about.AgentName, about.InstanceKey, about.TurnID, about.Caller = "a", "i", "t", c
	ctx, err := gongu.WithContext(ctx, about)
	if err != nil {
		panic(err)
	}
	return ctx
}

var wipeDisk = gongu.Call{Name: "wipe", Args: json.RawMessage(`{"what":"disk"}`)}

func codeOf(r gongu.Result) string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

// pending waits until n approvals are pending, and returns them.
func (b *bench) pending(n int) []*state.Approval {
	b.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		page, err := b.store.Approvals(b.t.Context(), state.ApprovalFilter{State: state.ApprovalPending})
		if err != nil {
			b.t.Fatal(err)
		}
		if len(page.Approvals) == n {
			return page.Approvals
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%d approvals are pending, not %d", len(page.Approvals), n)
		}
		time.Sleep(time.Millisecond)
	}
}

// decide decides at a terminal.
func (b *bench) decide(a *state.Approval, answer policy.Answer) {
	b.t.Helper()
	_, outcome, err := policy.Resolve(b.t.Context(), b.store, a.ID, policy.Decider{Name: "kim", Kind: policy.ByTerminal}, answer, a.Version, "")
	if err != nil || outcome != policy.Decided {
		b.t.Fatalf("%s: %v", outcome, err)
	}
}

// see makes a person present.
func (b *bench) see() {
	b.t.Helper()
	if err := b.store.SeePerson(b.t.Context(), "watch", "kim"); err != nil {
		b.t.Fatal(err)
	}
}

// K10, P7: a form counts for an attended principal whose client can show one, with
// all arguments in the question and one required field; the tool runs after a yes
// alone. A decline within 300 ms means that this client cannot ask.
func TestP7FormOfAnAttendedClient(t *testing.T) {
	asked := []gongu.Rule{{Name: "wi*"}}
	kim := &gongu.Principal{Name: "kim", Kind: "stdio", Ask: asked, Attended: true}
	says := func(answer string) gongu.Caller {
		return gongu.Caller{Elicit: func(_ context.Context, from string, question json.RawMessage) (json.RawMessage, error) {
			if from != "" || !strings.Contains(string(question), "wipe") || !strings.Contains(string(question), "disk") || !strings.Contains(string(question), `"required":["answer"]`) {
				t.Errorf("%q asks %s", from, question)
			}
			return json.RawMessage(answer), nil
		}}
	}
	slow := func(answer string) gongu.Caller {
		return gongu.Caller{Elicit: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			time.Sleep(320 * time.Millisecond)
			return json.RawMessage(answer), nil
		}}
	}
	broken := gongu.Caller{Elicit: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("gone")
	}}
	yes := says(`{"action":"accept","content":{"answer":"yes"}}`)
	for _, tc := range []struct {
		name      string
		principal *gongu.Principal
		caller    gongu.Caller
		args      string
		code      string
	}{
		{name: "the program itself"},
		{name: "nothing to ask", principal: &gongu.Principal{Name: "lee", Kind: "token"}},
		{name: "another tool", principal: &gongu.Principal{Name: "lee", Kind: "token", Ask: []gongu.Rule{{Name: "look"}}}},
		{name: "yes", principal: kim, caller: yes},
		{name: "not attended", principal: &gongu.Principal{Name: "lee", Ask: asked}, caller: yes, code: gongu.CodeDenied},
		{name: "no form", principal: kim, code: gongu.CodeDenied},
		{name: "no answer", principal: kim, caller: broken, code: gongu.CodeDenied},
		{name: "too long to show", principal: kim, caller: yes, args: `{"what":"disk` + strings.Repeat("x", 9000) + `"}`, code: gongu.CodeDenied},
		{name: "no at once", principal: kim, caller: says(`{"action":"decline"}`), code: gongu.CodeDenied},
		{name: "no", principal: kim, caller: slow(`{"action":"decline"}`), code: gongu.CodeRejected},
		{name: "the other answer", principal: kim, caller: slow(`{"action":"accept","content":{"answer":"no"}}`), code: gongu.CodeRejected},
		{name: "dismissed", principal: kim, caller: slow(`{"action":"cancel"}`), code: gongu.CodeRejected},
		{name: "yes declined", principal: kim, caller: says(`{"action":"decline","content":{"answer":"yes"}}`), code: gongu.CodeDenied},
		{name: "nothing said", principal: kim, caller: slow(`{"action":"accept"}`), code: gongu.CodeDenied},
		{name: "not JSON", principal: kim, caller: slow(`yes`), code: gongu.CodeDenied},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := guarded(t, nil)
			b.rules = compiled(t)
			call := wipeDisk
			if tc.args != "" {
				call.Args = json.RawMessage(tc.args)
			}
			result := b.x.Call(as(t.Context(), tc.principal, tc.caller), call)
			if codeOf(result) != tc.code || b.ran.Load() != map[bool]int64{true: 1}[tc.code == ""] {
				t.Errorf("ran %d: %+v", b.ran.Load(), result.Error)
			}
		})
	}
}

// P6: a caller that leaves ends its question.
func TestP6CallerLeaves(t *testing.T) {
	b := guarded(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	caller := gongu.Caller{Elicit: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		leave()
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	result := b.x.Call(as(ctx, &gongu.Principal{Name: "kim", Kind: "stdio", Attended: true}, caller), wipeDisk)
	if codeOf(result) != gongu.CodeCancelled || b.ran.Load() != 0 {
		t.Errorf("%+v", result.Error)
	}
	page, err := b.store.Approvals(t.Context(), state.ApprovalFilter{})
	if err != nil || len(page.Approvals) != 1 || page.Approvals[0].State != state.ApprovalCancelled {
		t.Errorf("%+v, %v", page, err)
	}
}

// K10, P3: a dry run asks no person and leaves no record.
func TestK10DryRunAsksNobody(t *testing.T) {
	b := guarded(t, nil)
	if result := b.x.DryRun(as(t.Context(), &gongu.Principal{Name: "lee"}, gongu.Caller{}), wipeDisk); result.Error != nil || !strings.Contains(string(result.Output), `"asks":"user/u/ask"`) {
		t.Errorf("%s, %+v", result.Output, result.Error)
	}
	b.pending(0)
}

// P3: a call that no one can be asked about is denied at once, with the id of its
// approval; once that is approved, the identical call passes once.
func TestP3NobodyIsDeniedWithAPermit(t *testing.T) {
	b := guarded(t, nil)
	ctx := as(t.Context(), &gongu.Principal{Name: "ci", Kind: "cli"}, gongu.Caller{})
	result := b.x.Call(ctx, wipeDisk)
	if codeOf(result) != gongu.CodeDenied || b.ran.Load() != 0 {
		t.Fatalf("%+v", result.Error)
	}
	a := b.pending(1)[0]
	if !strings.Contains(result.Error.Message, a.ID) || !strings.Contains(result.Error.Suggestion, "gongu approvals approve "+a.ID) {
		t.Errorf("%+v", result.Error)
	}
	if again := b.x.Call(ctx, wipeDisk); !strings.Contains(again.Error.Message, a.ID) {
		t.Errorf("%+v", again.Error)
	}
	b.decide(a, policy.Answer{Approve: true})
	if other := b.x.Call(ctx, gongu.Call{Name: "wipe", Args: json.RawMessage(`{"what":"dust"}`)}); codeOf(other) != gongu.CodeDenied {
		t.Errorf("%+v", other.Error)
	}
	if passed := b.x.Call(ctx, wipeDisk); codeOf(passed) != "" || b.ran.Load() != 1 {
		t.Errorf("%+v", passed.Error)
	}
	if once := b.x.Call(ctx, wipeDisk); codeOf(once) != gongu.CodeDenied || b.ran.Load() != 1 {
		t.Errorf("%+v", once.Error)
	}
}
