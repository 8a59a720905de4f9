package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// terminal is an Asker that answers at once.
type terminal struct {
	answer policy.Answer
	asked  atomic.Int64
	// before runs before the answer, while the call waits.
	before func(*state.Approval)
}

func (a *terminal) Ask(_ context.Context, found *state.Approval) (policy.Answer, error) {
	a.asked.Add(1)
	if a.before != nil {
		a.before(found)
	}
	return a.answer, nil
}

// tampering is a store whose records change after the answer.
type tampering struct {
	*policy.MemoryApprovals
	change func(*state.Approval)
	fail   error
}

func (s *tampering) tampered(a *state.Approval) *state.Approval {
	if a != nil && s.change != nil && a.State != state.ApprovalPending {
		for i := range a.Calls {
			c := &a.Calls[i]
			c.Args, c.Digest, c.Files = append([]byte(nil), c.Args...), append([]byte(nil), c.Digest...), append([]state.ApprovalFile(nil), c.Files...)
		}
		s.change(a)
	}
	return a
}

func (s *tampering) GetApproval(ctx context.Context, id string) (*state.Approval, error) {
	a, err := s.MemoryApprovals.GetApproval(ctx, id)
	return s.tampered(a), err
}

func (s *tampering) UseApproval(ctx context.Context, id, owner string) (*state.Approval, bool, error) {
	a, used, err := s.MemoryApprovals.UseApproval(ctx, id, owner)
	return s.tampered(a), used, err
}

func (s *tampering) OpenApproval(ctx context.Context, a *state.Approval, life time.Duration, most state.CallLimits) (*state.Approval, bool, error) {
	if s.fail != nil {
		return nil, false, s.fail
	}
	return s.MemoryApprovals.OpenApproval(ctx, a, life, most)
}

// files is a Describer with two files, whose second has a digest that can change.
type files struct{ path, digest atomic.Value }

func (f *files) describe(context.Context, *gongu.Attempt) policy.Preview {
	return policy.Preview{Kind: policy.KindEdit, Files: []gongu.FileChange{{Path: "/w/a", Digest: "1"}, {Path: f.path.Load().(string), Digest: f.digest.Load().(string)}}}
}

func newFiles() *files {
	f := &files{}
	f.path.Store("/w/b")
	f.digest.Store("2")
	return f
}

// P6: whatever is bound and differs after the answer, the call does not run: 1,000
// of 1,000, over every bound field, for calls that wait and calls that are resumed.
func TestP6_AnythingBoundChangedIsRefused(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	other := func(s *string) { *s += fmt.Sprint("~", random.IntN(9)) }
	flip := func(b []byte) { b[random.IntN(len(b))] ^= byte(1 + random.IntN(255)) }
	record := []struct {
		name    string
		resumed bool // it also counts for a call that is resumed
		change  func(*state.Approval)
	}{
		{"principal", true, func(a *state.Approval) { other(&a.Principal) }},
		{"kind of principal", true, func(a *state.Approval) { other(&a.PrincipalKind) }},
		{"agent", true, func(a *state.Approval) { other(&a.Agent) }},
		{"instance", true, func(a *state.Approval) { other(&a.Instance) }},
		{"turn", false, func(a *state.Approval) { other(&a.Turn) }},
		{"call", false, func(a *state.Approval) { other(&a.CallID) }},
		{"tool", true, func(a *state.Approval) { other(&a.Calls[0].Tool) }},
		{"definition", true, func(a *state.Approval) { flip(a.Calls[0].Digest) }},
		{"arguments", true, func(a *state.Approval) { flip(a.Calls[0].Args) }},
		{"rule", true, func(a *state.Approval) { other(&a.Calls[0].Rule) }},
		{"text of the rule", true, func(a *state.Approval) { other(&a.Calls[0].RuleDigest) }},
		{"path", true, func(a *state.Approval) { other(&a.Calls[0].Files[random.IntN(2)].Path) }},
		{"digest of a file", true, func(a *state.Approval) { other(&a.Calls[0].Files[random.IntN(2)].Digest) }},
		{"a file less", true, func(a *state.Approval) { a.Calls[0].Files = a.Calls[0].Files[:1] }},
		{"state", true, func(a *state.Approval) {
			a.State = []string{state.ApprovalRejected, state.ApprovalExpired, state.ApprovalCancelled}[random.IntN(3)]
		}},
	}
	store := &tampering{MemoryApprovals: policy.NewMemoryApprovals()}
	described := newFiles()
	yes := &terminal{answer: policy.Answer{Approve: true}}
	withAsker := guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) {
		o.Store, o.Asker, o.Terminal, o.Describe = store, yes, "kim", described.describe
	})
	without := guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) {
		o.Store, o.Describe = store, described.describe
	})
	var ctx context.Context
	for i := range 1000 {
		ctx = as(t.Context(), &gongu.Principal{Name: fmt.Sprint("lee", i), Kind: "agent"}, gongu.Caller{})
		field := record[i%len(record)]
		call := gongu.Call{Name: "wipe", Args: json.RawMessage(fmt.Sprintf(`{"what":"disk %d"}`, i))}
		var result gongu.Result
		if field.resumed && random.IntN(2) == 0 {
			store.change = nil
			_, s := without.x.Try(ctx, call)
			if s == nil {
				t.Fatal("not suspended")
			}
			approve(t, store, s.Approval)
			store.change = field.change
			result, s = without.x.Resume(ctx, s, nil)
			if s != nil && field.name != "rule" && field.name != "text of the rule" && field.name != "state" {
				t.Errorf("%s: suspended again", field.name)
			}
		} else {
			store.change = field.change
			result = withAsker.x.Call(ctx, call)
			if result.Error == nil {
				t.Errorf("%s: %s", field.name, result.Output)
			}
		}
		if withAsker.ran.Load()+without.ran.Load() != 0 {
			t.Fatalf("seed %d: %s changed, and the call ran", seed, field.name)
		}
	}
	store.change = nil
	if result := withAsker.x.Call(ctx, wipeDisk); result.Error != nil || withAsker.ran.Load() != 1 {
		t.Errorf("unchanged: %+v", result.Error)
	}
}

func approve(t *testing.T, store policy.ApprovalStore, id string) {
	t.Helper()
	a, err := store.GetApproval(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, outcome, err := policy.Resolve(t.Context(), store, id, policy.Decider{Name: "kim", Kind: policy.ByTerminal}, policy.Answer{Approve: true}, a.Version, ""); err != nil || outcome != policy.Decided {
		t.Fatalf("%s: %v", outcome, err)
	}
}

// P6: what changes in the world while a person thinks is refused, too, or asked
// about again.
func TestP6_TheWorldChangesMeanwhile(t *testing.T) {
	rule := func(name string, effect policy.Effect) policy.Rule {
		return policy.Rule{Name: name, Match: policy.Match{Tools: []string{"wipe"}}, Effect: effect}
	}
	for _, tc := range []struct {
		name   string
		change func(*testing.T, *bench, *files)
		code   string
		asked  int64
	}{
		{"nothing", func(*testing.T, *bench, *files) {}, "", 1},
		{"the file", func(_ *testing.T, _ *bench, f *files) { f.digest.Store("3") }, gongu.CodeChanged, 1},
		{"where the path leads", func(_ *testing.T, _ *bench, f *files) { f.path.Store("/etc/b") }, gongu.CodeChanged, 1},
		{"the tool", func(t *testing.T, b *bench, _ *files) {
			b.reg.Remove("wipe")
			b.add(gongu.Func("wipe", "Wipes more.", func(context.Context, wipeArgs) (string, error) { b.ran.Add(1); return "", nil }))
		}, gongu.CodeChanged, 1},
		{"the rules deny", func(t *testing.T, b *bench, _ *files) {
			b.setRules(t, rule("no", policy.Deny))
		}, gongu.CodeDenied, 1},
		{"the rules allow", func(t *testing.T, b *bench, _ *files) { b.setRules(t, rule("yes", policy.Allow)) }, "", 1},
		{"another rule asks", func(t *testing.T, b *bench, _ *files) { b.setRules(t, rule("other", policy.Ask)) }, "", 2},
		{"the text of the rule", func(t *testing.T, b *bench, _ *files) {
			changed := rule("ask", policy.Ask)
			changed.Message = "Look twice."
			b.setRules(t, changed)
		}, "", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, b := newFiles(), (*bench)(nil)
			ask := &terminal{answer: policy.Answer{Approve: true}}
			b = guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) {
				o.Asker, o.Terminal, o.Describe = ask, "kim", f.describe
			})
			ask.before = func(*state.Approval) { tc.change(t, b, f) }
			result := b.x.Call(as(t.Context(), &gongu.Principal{Name: "lee", Kind: "agent"}, gongu.Caller{}), wipeDisk)
			if codeOf(result) != tc.code || b.ran.Load() != map[bool]int64{true: 1}[tc.code == ""] || ask.asked.Load() != tc.asked {
				t.Errorf("asked %d times, ran %d: %+v", ask.asked.Load(), b.ran.Load(), result.Error)
			}
		})
	}
}

// setRules replaces the rules of the user.
func (b *bench) setRules(t *testing.T, rules ...policy.Rule) {
	b.rules = compiled(t, policy.Set{Tier: policy.User, Name: "u", Rules: rules})
}

// P6, goondan case 149: a store that fails denies the call.
func TestP6_StoreFails(t *testing.T) {
	store := &tampering{MemoryApprovals: policy.NewMemoryApprovals(), fail: errors.New("disk full")}
	b := guarded(t, func(o *policy.GuardOptions, _ *gongu.ExecutorOptions) {
		o.Store, o.Asker, o.Terminal = store, &terminal{answer: policy.Answer{Approve: true}}, "kim"
	})
	b.store = store.MemoryApprovals
	result := b.x.Call(as(t.Context(), &gongu.Principal{Name: "lee", Kind: "agent"}, gongu.Caller{}), wipeDisk)
	if codeOf(result) != gongu.CodeDenied || b.ran.Load() != 0 {
		t.Errorf("%+v", result.Error)
	}
	b.pending(0)
	store.fail = fmt.Errorf("%w for an answer", state.ErrTooMany)
	if result := b.x.Call(as(t.Context(), &gongu.Principal{Name: "lee", Kind: "agent"}, gongu.Caller{}), wipeDisk); codeOf(result) != gongu.CodeDenied {
		t.Errorf("%+v", result.Error)
	}
}
