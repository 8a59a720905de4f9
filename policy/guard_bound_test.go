package policy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// bound is a call with all that its approval is bound to.
type bound struct {
	*bench
	who             gongu.Principal
	agent, instance string
	call            gongu.Call
	// files is what the tool's preview says, which reads the disk, and tool its
	// description.
	files []gongu.FileChange
	disk  atomic.Value
	tool  string
	// rule is the name of the rule, and effect what it says.
	rule    string
	message string
	effect  policy.Effect
}

func newBound(t *testing.T) *bound {
	b := &bound{
		who: gongu.Principal{Name: "kim", Kind: "token", Attended: true}, agent: "a", instance: "i",
		call:  gongu.Call{ID: "call_1", Name: "edit", Args: json.RawMessage(`{"what":"disk"}`)},
		files: []gongu.FileChange{{Path: "/w/a", Action: "change", Digest: "1"}}, tool: "Edits.", rule: "ask", effect: policy.Ask,
	}
	b.bench = guarded(t, nil)
	b.apply()
	return b
}

// apply makes tool and rules what the fields say.
func (b *bound) apply() {
	b.t.Helper()
	b.disk.Store(b.files)
	tool := gongu.Func("edit", b.tool, func(context.Context, wipeArgs) (string, error) {
		b.ran.Add(1)
		return "done", nil
	})
	tool.Preview = func(context.Context, gongu.Call) gongu.Preview {
		return gongu.Preview{Files: b.disk.Load().([]gongu.FileChange)}
	}
	b.reg.Remove("edit")
	if err := b.reg.Add(tool); err != nil {
		b.t.Fatal(err)
	}
	b.x = b.x.WithCatalog(gongu.Everything(b.reg))
	b.rules = compiled(b.t, policy.Set{Tier: policy.User, Name: "u", Rules: []policy.Rule{
		{Name: b.rule, Match: policy.Match{Tools: []string{"edit"}}, Effect: b.effect, Message: b.message},
	}})
}

func (b *bound) ctx(elicit bool) context.Context {
	c := gongu.Caller{}
	if elicit {
		c.Elicit = func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, context.Canceled }
	}
	ctx := as(b.t.Context(), &b.who, c)
	about := *gongu.ContextOf(ctx)
	about.AgentName, about.InstanceKey = b.agent, b.instance
	ctx, err := gongu.WithContext(ctx, about)
	if err != nil {
		b.t.Fatal(err)
	}
	return ctx
}

// once is a journal that lets a handler run.
type once struct{}

func (once) Begin(context.Context) (*gongu.Result, error) { return nil, nil }
func (once) End(context.Context, gongu.Result) error      { return nil }

// The ways in which something can change between the answer and the run. Each
// returns the code of the result, or "suspended" if the call asks again.
var boundWays = map[string]func(b *bound, change func()) string{
	// A suspended call is resumed.
	"resumed": func(b *bound, change func()) string {
		_, s := b.x.Try(b.ctx(true), b.call)
		if s == nil {
			b.t.Fatal("not suspended")
		}
		b.decide(b.pending(1)[0], policy.Answer{Approve: true})
		change()
		s.Call.Args = b.call.Args
		result, again := b.x.Resume(b.ctx(true), s, once{})
		if again != nil {
			return "suspended"
		}
		return codeOf(result)
	},
	// A call that no one could be asked about was approved later, and comes again.
	"permit": func(b *bound, change func()) string {
		if code := codeOf(b.x.Call(b.ctx(false), b.call)); code != gongu.CodeDenied {
			b.t.Fatal(code)
		}
		b.decide(b.pending(1)[0], policy.Answer{Approve: true})
		change()
		return codeOf(b.x.Call(b.ctx(false), b.call))
	},
	// A request waits for the answer.
	"waiting": func(b *bound, change func()) string {
		b.see()
		done := make(chan string, 1)
		x, ctx, call := b.x, b.ctx(false), b.call
		go func() { done <- codeOf(x.Call(ctx, call)) }()
		a := b.pending(1)[0]
		change()
		b.decide(a, policy.Answer{Approve: true})
		for {
			select {
			case code := <-done:
				return code
			case <-time.After(time.Millisecond):
				// Another rule asks again: the person says no.
				page, err := b.store.Approvals(b.t.Context(), state.ApprovalFilter{State: state.ApprovalPending})
				if err != nil {
					b.t.Fatal(err)
				}
				for _, a := range page.Approvals {
					_, _, err := policy.Resolve(b.t.Context(), b.store, a.ID, policy.Decider{Name: "kim", Kind: policy.ByTerminal}, policy.Answer{}, a.Version, "")
					if err != nil {
						b.t.Fatal(err)
					}
				}
			}
		}
	},
}

// boundChanges change one thing each that an approval is bound to. A request that
// waits is the same request, so that some cannot change for it.
var boundChanges = map[string]struct {
	change func(b *bound, n string)
	caller bool // of the request itself
}{
	"principal":         {func(b *bound, n string) { b.who.Name += n }, true},
	"kind of principal": {func(b *bound, n string) { b.who.Kind += n }, true},
	"agent":             {func(b *bound, n string) { b.agent += n }, true},
	"instance":          {func(b *bound, n string) { b.instance += n }, true},
	"arguments":         {func(b *bound, n string) { b.call.Args = json.RawMessage(`{"what":"` + n + `"}`) }, true},
	"bytes of the same arguments": {func(b *bound, n string) {
		b.call.Args = json.RawMessage(`{"what": "disk"}`)
	}, true},
	"definition":      {func(b *bound, n string) { b.tool += n }, false},
	"rule":            {func(b *bound, n string) { b.rule += n }, false},
	"text of a rule":  {func(b *bound, n string) { b.message += n }, false},
	"rule now denies": {func(b *bound, n string) { b.effect = policy.Deny }, false},
	"content of file": {func(b *bound, n string) { b.files = []gongu.FileChange{{Path: "/w/a", Action: "change", Digest: n}} }, false},
	"file is gone":    {func(b *bound, n string) { b.files = []gongu.FileChange{{Path: "/w/a", Action: "create"}} }, false},
	"resolved path": {func(b *bound, n string) {
		b.files = []gongu.FileChange{{Path: "/w/" + n, Action: "change", Digest: "1"}}
	}, false},
	"one more file": {func(b *bound, n string) {
		b.files = append(b.files[:1:1], gongu.FileChange{Path: "/w/" + n, Action: "create"})
	}, false},
}

// P6: whatever an approval is bound to changes after the answer, the call does not
// run, in each way to wait: a thousand of a thousand times.
func TestP6_ChangedAfterTheAnswer(t *testing.T) {
	const tries = 1000
	type pair struct{ way, change string }
	var pairs []pair
	for way := range boundWays {
		for change, c := range boundChanges {
			if way != "waiting" || !c.caller {
				pairs = append(pairs, pair{way, change})
			}
		}
		b := newBound(t)
		if code := boundWays[way](b, func() {}); code != "" || b.ran.Load() != 1 {
			t.Errorf("%s: without a change the call ends with %q", way, code)
		}
	}
	random := rand.New(rand.NewPCG(11, 1000))
	refused := map[string]int{}
	for i := range tries {
		p := pairs[i%len(pairs)]
		b := newBound(t)
		code := boundWays[p.way](b, func() {
			boundChanges[p.change].change(b, fmt.Sprint("x", random.IntN(1e6)))
			b.apply()
		})
		if code == "" || b.ran.Load() != 0 {
			t.Errorf("%s, another %s: the call ran", p.way, p.change)
		}
		refused[code]++
	}
	t.Logf("%d of %d: %v", tries-refused[""], tries, refused)
}
