package gongu_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

// guardOf is a list of one guard.
func guardOf(check func(ctx context.Context, a *gongu.Attempt) *gongu.Error) []gongu.Guard {
	return []gongu.Guard{{Name: "test", Check: check}}
}

// H21: guards, observers and handlers read the principal and the tool's name
// in the root Context; a nested call inherits the outer one.
func TestH21_PrincipalAndToolName(t *testing.T) {
	kim, eve := &gongu.Principal{Name: "kim", Kind: "token"}, &gongu.Principal{Name: "eve"}
	var mu sync.Mutex
	var seen []string
	note := func(who string, c gongu.Context, p *gongu.Principal) {
		mu.Lock()
		defer mu.Unlock()
		if c.Principal != p || c.Principal == nil {
			t.Errorf("%s: context has %v, the attempt %v", who, c.Principal, p)
			return
		}
		seen = append(seen, fmt.Sprint(who, " ", c.ToolName, " ", c.Principal.Name, " ", c.AgentName))
	}
	inner := handled("inner", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		note("handler", *gongu.ContextOf(ctx), gongu.PrincipalOf(ctx))
		return gongu.OK(nil)
	})
	outer := handled("outer", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		note("handler", *gongu.ContextOf(ctx), gongu.PrincipalOf(ctx))
		// A tool cannot call as somebody else.
		return gongu.ContextOf(ctx).Executor.Call(gongu.WithPrincipal(ctx, eve), gongu.Call{Name: "inner"})
	})
	e := newExecutor(t, &gongu.ExecutorOptions{
		Guards: guardOf(func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			note("guard", a.Context(), a.Principal)
			if (a.Parent == nil) != (a.Call.Name == "outer") || a.Parent != nil && a.Parent.Call.Name != "outer" {
				t.Errorf("parent of %s: %v", a.Call.Name, a.Parent)
			}
			return nil
		}),
		Observers: []gongu.Observer{ended(func(ctx context.Context, a *gongu.Attempt, _ gongu.Result) {
			note("observer", a.Context(), a.Principal)
		})},
	}, outer, inner)
	ctx := gongu.WithPrincipal(t.Context(), kim)
	wantOK(t, e.Call(ctx, gongu.Call{Name: "outer"}), `null`)
	want := []string{"guard outer kim api", "handler outer kim api", "guard inner kim api", "handler inner kim api", "observer inner kim api", "observer outer kim api"}
	if !slices.Equal(seen, want) {
		t.Errorf("seen %q", seen)
	}
	if gongu.PrincipalOf(t.Context()) != nil || gongu.ContextOf(ctx).Principal != kim {
		t.Error("outside a call the principal is that of the context, or nil")
	}
	good := gongu.Context{AgentName: "a", InstanceKey: "k", TurnID: "t", TraceID: strings.Repeat("a", 32)}
	for name, change := range map[string]func(*gongu.Context){
		"WithPrincipal": func(c *gongu.Context) { c.Principal = eve },
		"toolName":      func(c *gongu.Context) { c.ToolName = "x" },
	} {
		bad := good
		change(&bad)
		if _, err := gongu.WithContext(ctx, bad); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a guard reads is what the handler sees, and costs no Context each.
func TestAttemptContext(t *testing.T) {
	var fromGuard, fromHandler gongu.Context
	var allocations float64
	tool := handled("look", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		fromHandler = *gongu.ContextOf(ctx)
		return gongu.OK(nil)
	})
	r := newRegistry(t, tool)
	registered, _ := r.Get("look")
	e := gongu.NewExecutor(r, &gongu.ExecutorOptions{Catalog: gongu.Everything(r), Guards: guardOf(func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		fromGuard = a.Context()
		if got := fmt.Sprintf("%x", a.ToolDigest()); got != registered.Digest() {
			t.Errorf("digest %s", got)
		}
		allocations = testing.AllocsPerRun(100, func() {
			if a.Context().AgentName == "" || a.ToolDigest() == [32]byte{} || a.Principal != nil {
				t.Error("nothing to read")
			}
		})
		return nil
	})})
	wantOK(t, e.Call(t.Context(), gongu.Call{ID: "c1", Name: "look"}), `null`)
	if fromGuard.TurnID != fromHandler.TurnID || fromGuard.TraceID != fromHandler.TraceID || fromGuard.ToolCallID != "c1" || fromGuard.ToolName != "look" || fromGuard.Message != nil || fromGuard.Logger != nil {
		t.Errorf("guard %+v, handler %+v", fromGuard, fromHandler)
	}
	if allocations != 0 && !raceDetector {
		t.Errorf("%v allocations for each guard that reads", allocations)
	}
	byHand := gongu.Attempt{Call: gongu.Call{ID: "c2", Name: "x"}}
	if c := byHand.Context(); c.ToolCallID != "c2" || c.ToolName != "x" || byHand.ToolDigest() != [32]byte{} {
		t.Errorf("an attempt without an executor: %+v", c)
	}
}

// A guard can tighten every limit of a call and loosen none.
func TestLimitOnlyTighter(t *testing.T) {
	slow := handled("slow", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		deadline, limited := ctx.Deadline()
		return gongu.OK(limited && time.Until(deadline) <= time.Minute)
	})
	slow.Limits = gongu.Limits{Timeout: 10 * time.Minute, ErrorMessage: 500, Output: 1000}
	talks := handled("talks", "", func(context.Context, gongu.Call) gongu.Result { return gongu.OK(strings.Repeat("x", 200)) })
	talks.Limits = slow.Limits
	fails := handled("fails", "", func(context.Context, gongu.Call) gongu.Result {
		return gongu.Fail(errors.New(strings.Repeat("y", 200)))
	})
	fails.Limits = slow.Limits
	endless := handled("endless", "", slow.Invoke)
	endless.Limits.Timeout = -1
	limited := func(limits ...gongu.Limits) (deadline, endlessDeadline, output, message string) {
		e := newExecutor(t, &gongu.ExecutorOptions{Guards: guardOf(func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			for _, l := range limits {
				a.Limit(l)
			}
			return nil
		})}, slow, talks, fails, endless)
		return string(run(t, e, "slow", `{}`).Output), string(run(t, e, "endless", `{}`).Output), string(run(t, e, "talks", `{}`).Output), run(t, e, "fails", `{}`).Error.Message
	}
	whole, long := `"`+strings.Repeat("x", 200)+`"`, strings.Repeat("y", 200)
	for name, limits := range map[string][]gongu.Limits{
		"looser": {{Timeout: time.Hour, ErrorMessage: 5000, Output: 1 << 20}},
		"none":   {{Timeout: -1, ErrorMessage: -1, Output: -1}, {}},
	} {
		if d, _, o, m := limited(limits...); d != "false" || o != whole || m != long {
			t.Errorf("%s: %s %s %s", name, d, o, m)
		}
	}
	tight := gongu.Limits{Timeout: time.Minute, ErrorMessage: 50, Output: 100}
	d, e, o, m := limited(tight, gongu.Limits{Timeout: time.Hour, ErrorMessage: 400, Output: 900})
	if d != "true" || e != "true" || !strings.Contains(o, `"truncated":true`) || len(m) != 50 {
		t.Errorf("tighter: %s %s %s %s", d, e, o, m)
	}
}

// Notes keep their order; a second one of a key replaces the first.
func TestNotes(t *testing.T) {
	var a gongu.Attempt
	a.Note("rule", "7")
	a.Note("approval", "ap_1")
	a.Note("rule", "8")
	var order []string
	for key := range a.Notes() {
		order = append(order, key)
	}
	if got := maps.Collect(a.Notes()); len(got) != 2 || got["rule"] != "8" || got["approval"] != "ap_1" || order[0] != "rule" {
		t.Errorf("%v %v", got, order)
	}
}

// OnEnd runs exactly once however the call ends, the last added first, and its
// panic does not fail the call.
func TestOnEndRunsOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		handler    func(context.Context, gongu.Call) gongu.Result
		middleware gongu.Middleware
		refuse     bool
		code       string
	}{
		"ok":      {handler: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(1) }},
		"panic":   {handler: func(context.Context, gongu.Call) gongu.Result { panic("x") }, code: gongu.CodePanic},
		"exit":    {handler: func(context.Context, gongu.Call) gongu.Result { runtime.Goexit(); return gongu.Result{} }, code: gongu.CodePanic},
		"refused": {handler: echo, refuse: true, code: gongu.CodeDenied},
		"middleware exits": {handler: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(1) }, code: gongu.CodePanic,
			middleware: func(next gongu.Invoke) gongu.Invoke {
				return func(ctx context.Context, call gongu.Call) gongu.Result {
					next(ctx, call)
					runtime.Goexit()
					return gongu.Result{}
				}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			var order []string
			var result gongu.Result
			opts := &gongu.ExecutorOptions{Guards: guardOf(func(_ context.Context, a *gongu.Attempt) *gongu.Error {
				a.OnEnd(func(r gongu.Result) { order = append(order, "first"); result = r })
				a.OnEnd(func(gongu.Result) { order = append(order, "second"); panic("a careless guard") })
				if tc.refuse {
					return &gongu.Error{Code: gongu.CodeDenied}
				}
				return nil
			})}
			if tc.middleware != nil {
				opts.Middleware = []gongu.Middleware{tc.middleware}
			}
			e := newExecutor(t, opts, handled("x", "", tc.handler))
			e.Batch(t.Context(), []gongu.Call{{Name: "x"}})
			code := ""
			if result.Error != nil {
				code = result.Error.Code
			}
			if !slices.Equal(order, []string{"second", "first"}) || code != tc.code {
				t.Errorf("%q, %q", order, code)
			}
		})
	}
}

// A guard that is still at work when a middleware has answered gets its end.
func TestOnEndAfterTheAnswer(t *testing.T) {
	answered, done := make(chan struct{}), make(chan struct{})
	var result gongu.Result
	e := newExecutor(t, &gongu.ExecutorOptions{
		Middleware: []gongu.Middleware{func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result {
				go next(ctx, call)
				return gongu.OK("early")
			}
		}},
		Guards: guardOf(func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			<-answered
			a.OnEnd(func(r gongu.Result) { result = r; close(done) })
			return &gongu.Error{Code: gongu.CodeDenied}
		}),
	}, tool("x"))
	wantOK(t, e.Call(t.Context(), gongu.Call{Name: "x"}), `"early"`)
	close(answered)
	<-done
	if string(result.Output) != `"early"` {
		t.Errorf("%+v", result)
	}
}

// Sixteen calls that wait for a person do not hold up the rest of their batch,
// and no more than the bound run afterwards.
func TestAwaitFreesTheBatchPlace(t *testing.T) {
	const parallel, waits = 2, 16
	approved := make(chan struct{})
	var waiting, running, most atomic.Int32
	work := handled("work", "", func(context.Context, gongu.Call) gongu.Result {
		now := running.Add(1)
		defer running.Add(-1)
		for {
			before := most.Load()
			if now <= before || most.CompareAndSwap(before, now) {
				break
			}
		}
		time.Sleep(time.Millisecond)
		return gongu.OK(nil)
	})
	quick := handled("quick", "", func(context.Context, gongu.Call) gongu.Result {
		// It runs last, so all others wait by now, or it never gets a place.
		for waiting.Load() < waits {
			time.Sleep(time.Millisecond)
		}
		close(approved)
		return gongu.OK(nil)
	})
	e := newExecutor(t, &gongu.ExecutorOptions{Parallel: parallel, Guards: guardOf(func(ctx context.Context, a *gongu.Attempt) *gongu.Error {
		if a.Call.Name == "quick" {
			return nil
		}
		err := a.Await(ctx, func(ctx context.Context) error {
			waiting.Add(1)
			select {
			case <-approved:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if err != nil {
			return &gongu.Error{Code: gongu.CodeRejected, Message: err.Error()}
		}
		return nil
	})}, work, quick)
	var calls []gongu.Call
	for range waits {
		calls = append(calls, gongu.Call{Name: "work"})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for _, r := range e.Batch(ctx, append(calls, gongu.Call{Name: "quick"})) {
		if r.Failed() {
			t.Error(r.Error)
		}
	}
	if most.Load() > parallel {
		t.Errorf("%d calls ran at once", most.Load())
	}
}

// Await counts as a wait: what was allowed before is asked again.
func TestAwaitIsWaited(t *testing.T) {
	var asked []string
	e := newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{
		{Name: "policy", Check: func(context.Context, *gongu.Attempt) *gongu.Error { asked = append(asked, "policy"); return nil }},
		{Name: "approval", Check: func(ctx context.Context, a *gongu.Attempt) *gongu.Error {
			asked = append(asked, "approval")
			if err := a.Await(ctx, func(context.Context) error { return nil }); err != nil {
				t.Error(err)
			}
			return nil
		}},
	}}, tool("x"))
	run(t, e, "x", `{}`)
	if want := []string{"policy", "approval", "policy"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
}

// A slot of a server is free while a call waits, also one that a nested call
// makes, and is taken again before the call goes on.
func TestWithSlot(t *testing.T) {
	var held atomic.Int32
	held.Store(1)
	during := int32(-1)
	inner := tool("inner")
	outer := handled("outer", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		results := gongu.ContextOf(ctx).Executor.Batch(ctx, []gongu.Call{{Name: "inner"}})
		if held.Load() != 1 {
			t.Errorf("%d slots held after the wait", held.Load())
		}
		return results[0]
	})
	var refuse error
	e := newExecutor(t, &gongu.ExecutorOptions{Guards: guardOf(func(ctx context.Context, a *gongu.Attempt) *gongu.Error {
		if a.Call.Name != "inner" {
			return nil
		}
		if err := a.Await(ctx, func(context.Context) error { during = held.Load(); return nil }); err != nil {
			return &gongu.Error{Code: gongu.CodeCancelled, Message: err.Error()}
		}
		return nil
	})}, outer, inner)
	acquire := func(context.Context) error {
		if refuse == nil {
			held.Add(1)
		}
		return refuse
	}
	slotted, done := gongu.WithSlot(t.Context(), acquire, func() { held.Add(-1) })
	if r := e.Call(slotted, gongu.Call{Name: "outer"}); r.Failed() || during != 0 {
		t.Errorf("%d held during the wait: %+v", during, r.Error)
	}
	done()
	done()
	if held.Load() != 0 {
		t.Errorf("%d held at the end", held.Load())
	}
	// A slot that cannot be had again ends the call, and is not given back.
	held.Store(1)
	refuse = errors.New("shutting down")
	slotted, done = gongu.WithSlot(t.Context(), acquire, func() { held.Add(-1) })
	wantCode(t, e.Call(slotted, gongu.Call{Name: "inner"}), gongu.CodeCancelled)
	done()
	if held.Load() != 0 {
		t.Errorf("%d held after a refusal", held.Load())
	}
}

// A handler that asks the person behind the caller gives its slot back, too.
func TestElicitFreesTheSlot(t *testing.T) {
	held, during := 1, -1
	ctx, err := gongu.WithContext(t.Context(), gongu.Context{
		AgentName: "a", InstanceKey: "k", TurnID: "t", TraceID: strings.Repeat("a", 32),
		Caller: gongu.Caller{Elicit: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			during = held
			return json.RawMessage(`{}`), nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := newExecutor(t, nil, handled("ask", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		answer, err := gongu.ContextOf(ctx).Elicit(ctx, "", []byte(`{}`))
		if err != nil {
			return gongu.Fail(err)
		}
		return gongu.OK(answer)
	}))
	slotted, done := gongu.WithSlot(ctx, func(context.Context) error { held++; return nil }, func() { held-- })
	defer done()
	wantOK(t, e.Call(slotted, gongu.Call{Name: "ask"}), `{}`)
	if during != 0 || held != 1 {
		t.Errorf("%d during, %d after", during, held)
	}
}
