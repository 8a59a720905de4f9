package policy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// outer adds a tool that calls wipe once for each of its words, at the same time if
// it is told so, and returns the code of each result.
func (b *bench) outer(timeout time.Duration) {
	type args struct {
		Words    []string `json:"words"`
		Together bool     `json:"together,omitempty"`
	}
	tool := gongu.Func("many", "Wipes many.", func(ctx context.Context, in args) ([]string, error) {
		codes := make([]string, len(in.Words))
		x := gongu.ContextOf(ctx).Executor
		var all sync.WaitGroup
		for i, word := range in.Words {
			one := func() {
				codes[i] = codeOf(x.Call(ctx, gongu.Call{Name: "wipe", Args: json.RawMessage(fmt.Sprintf(`{"what":%q}`, word))}))
			}
			if !in.Together {
				one()
				continue
			}
			all.Go(one)
		}
		all.Wait()
		return codes, nil
	})
	tool.Source = gongu.Source{Type: "macro", Name: "many"}
	tool.Limits.Timeout = timeout
	b.add(tool)
}

// many starts the outer tool and returns its result later.
func (b *bench) many(ctx context.Context, args string) <-chan gongu.Result {
	done := make(chan gongu.Result, 1)
	go func() { done <- b.x.Call(ctx, gongu.Call{Name: "many", Args: json.RawMessage(args)}) }()
	return done
}

// result waits for a result.
func (b *bench) result(done <-chan gongu.Result) gongu.Result {
	b.t.Helper()
	select {
	case r := <-done:
		return r
	case <-time.After(30 * time.Second):
		b.t.Fatal("the call does not end")
		return gongu.Result{}
	}
}

// until waits for the pending approval to have a number of calls.
func (b *bench) until(calls int) *state.Approval {
	b.t.Helper()
	for range 30_000 {
		if a := b.pending(1)[0]; len(a.Calls) == calls {
			return a
		}
		time.Sleep(time.Millisecond)
	}
	b.t.Fatalf("there are never %d calls", calls)
	return nil
}

// P6, P9: the asks of one macro are one item: a later ask joins the approval of the
// same outermost call, with the parts that were approved before marked.
func TestP6_AsksOfOneMacroAreOneItem(t *testing.T) {
	b := guarded(t, nil)
	b.outer(time.Minute)
	b.see()
	done := b.many(as(t.Context(), &gongu.Principal{Name: "lee", Kind: "agent"}, gongu.Caller{}), `{"words":["a","b","c"]}`)
	first := b.until(1)
	if first.Tool != "many" || first.Calls[0].Tool != "wipe" {
		t.Errorf("%+v", first)
	}
	b.decide(first, policy.Answer{Approve: true})
	second := b.until(2)
	if second.ID != first.ID || second.Version <= first.Version || !second.Calls[0].Approved || second.Calls[1].Approved || b.ran.Load() != 1 {
		t.Errorf("%+v", second)
	}
	b.decide(second, policy.Answer{Approve: true})
	third := b.until(3)
	b.decide(third, policy.Answer{Reason: "enough"})
	if r := b.result(done); string(r.Output) != `["","","E_TOOL_REJECTED"]` || b.ran.Load() != 2 {
		t.Errorf("%s %+v", r.Output, r.Error)
	}
}

// P6: calls that a handler makes at the same time are one item, too, and one yes
// is for all of them.
func TestP6_AsksAtTheSameTimeAreOneItem(t *testing.T) {
	b := guarded(t, nil)
	b.outer(time.Minute)
	b.see()
	done := b.many(as(t.Context(), &gongu.Principal{Name: "lee", Kind: "agent"}, gongu.Caller{}), `{"words":["a","b","c","d"],"together":true}`)
	b.decide(b.until(4), policy.Answer{Approve: true})
	if r := b.result(done); string(r.Output) != `["","","",""]` || b.ran.Load() != 4 {
		t.Errorf("%s %+v", r.Output, r.Error)
	}
}

// P9: a form about the calls of one outermost call is asked again when it grows,
// by one of them, and the answer to the earlier form does not count.
func TestP9_FormOfOneItemGrows(t *testing.T) {
	b := guarded(t, nil)
	b.outer(time.Minute)
	var mu sync.Mutex
	var forms []context.Context
	most, seen := 0, 0
	caller := gongu.Caller{Elicit: func(ctx context.Context, _ string, question json.RawMessage) (json.RawMessage, error) {
		mu.Lock()
		// A form that was taken back counts no more, even if its client has not
		// noticed yet.
		forms = slices.DeleteFunc(append(forms, ctx), func(form context.Context) bool { return form.Err() != nil })
		most = max(most, len(forms))
		seen = max(seen, b.calls())
		whole := b.calls() == 3
		mu.Unlock()
		if whole {
			return json.RawMessage(`{"action":"accept","content":{"answer":"yes"}}`), nil
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	done := b.many(as(t.Context(), &gongu.Principal{Name: "lee", Kind: "stdio", Attended: true}, caller), `{"words":["a","b","c"],"together":true}`)
	if r := b.result(done); string(r.Output) != `["","",""]` || b.ran.Load() != 3 {
		t.Errorf("%s %+v", r.Output, r.Error)
	}
	mu.Lock()
	defer mu.Unlock()
	if most > 1 || seen != 3 {
		t.Errorf("%d forms at once, %d calls", most, seen)
	}
}

// calls returns how many calls the newest approval is about.
func (b *bench) calls() int {
	page, err := b.store.Approvals(b.t.Context(), state.ApprovalFilter{})
	if err != nil || len(page.Approvals) == 0 {
		return 0
	}
	return len(page.Approvals[0].Calls)
}

// P9: the time of the macro stops while a call inside waits for a person.
func TestP9_ClockOfTheMacroStops(t *testing.T) {
	b := guarded(t, nil)
	const limit = 400 * time.Millisecond
	b.outer(limit)
	b.see()
	done := b.many(as(t.Context(), &gongu.Principal{Name: "lee", Kind: "agent"}, gongu.Caller{}), `{"words":["a"]}`)
	a := b.until(1)
	time.Sleep(2 * limit)
	b.decide(a, policy.Answer{Approve: true})
	if r := b.result(done); string(r.Output) != `[""]` {
		t.Errorf("%s %+v", r.Output, r.Error)
	}
}

// P6: an outermost call that is given up takes its question back.
func TestP6_GivenUpMacroTakesItsQuestionBack(t *testing.T) {
	b := guarded(t, nil)
	b.outer(time.Minute)
	b.see()
	ctx, leave := context.WithCancel(t.Context())
	done := b.many(as(ctx, &gongu.Principal{Name: "lee", Kind: "agent"}, gongu.Caller{}), `{"words":["a","b"],"together":true}`)
	b.until(2)
	leave()
	b.result(done)
	b.pending(0)
	if b.ran.Load() != 0 {
		t.Error(b.ran.Load())
	}
}

// P3: inside a macro, too, a call that no one can be asked about is denied with a
// permit, which counts for the same call in the next run.
func TestP3_PermitInsideAMacro(t *testing.T) {
	b := guarded(t, nil)
	b.outer(time.Minute)
	ctx := as(t.Context(), &gongu.Principal{Name: "lee", Kind: "agent"}, gongu.Caller{})
	if r := b.result(b.many(ctx, `{"words":["a"]}`)); string(r.Output) != `["E_TOOL_DENIED"]` {
		t.Errorf("%s", r.Output)
	}
	b.decide(b.pending(1)[0], policy.Answer{Approve: true})
	b.see()
	if r := b.result(b.many(ctx, `{"words":["a"]}`)); string(r.Output) != `[""]` || b.ran.Load() != 1 {
		t.Errorf("%s", r.Output)
	}
}
