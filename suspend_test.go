package gongu_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gongu-ai/gongu"
)

// memoryJournal is a journal of one call in memory.
type memoryJournal struct {
	mu     sync.Mutex
	begun  bool
	done   chan struct{}
	result gongu.Result
	ends   int
	fail   error
}

func newJournal() *memoryJournal { return &memoryJournal{done: make(chan struct{})} }

func (j *memoryJournal) Begin(ctx context.Context) (*gongu.Result, error) {
	j.mu.Lock()
	first, fail := !j.begun, j.fail
	j.begun = true
	j.mu.Unlock()
	if fail != nil {
		return nil, fail
	}
	if first {
		return nil, nil
	}
	select {
	case <-j.done:
		return &j.result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (j *memoryJournal) End(_ context.Context, r gongu.Result) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ends++; j.ends == 1 {
		j.begun, j.result = true, r
		close(j.done)
	}
	return nil
}

// approval is a guard that suspends a call until it is approved, or until the
// caller comes back with an answer.
type approval struct{ approved atomic.Bool }

func (p *approval) guard() gongu.Guard {
	return gongu.Guard{Name: "approval", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		if was := a.Resumed(); p.approved.Load() || was != nil && was.Approval == "ap-1" && string(was.Answer) == `"yes"` {
			return nil
		}
		if !a.CanSuspend() {
			return &gongu.Error{Code: gongu.CodeDenied, Message: "nobody can be asked"}
		}
		return a.Suspend("ap-1", json.RawMessage(`{"message":"Run it?"}`))
	}}
}

func suspended(t *testing.T, e *gongu.Executor, ctx context.Context, name, args string) *gongu.Suspended {
	t.Helper()
	r, s := e.Try(ctx, gongu.Call{ID: "c1", Name: name, Args: json.RawMessage(args)})
	if s == nil {
		t.Fatalf("not suspended: %+v", r)
	}
	if r.Status != "" || r.Output != nil || r.Error != nil {
		t.Fatalf("a suspended call has a result: %+v", r)
	}
	return s
}

// H20: a guard ends the attempt as a Go value. The middleware is cancelled, its
// answer dropped, and the handler does not run.
func TestH20_Suspend(t *testing.T) {
	var p approval
	var cancelled, ran, told atomic.Bool
	var seen, notes []string
	e := newExecutor(t, &gongu.ExecutorOptions{
		Guards: []gongu.Guard{p.guard()},
		Middleware: []gongu.Middleware{func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result {
				call.Args = json.RawMessage(`{"by":"middleware"}`)
				seen = append(seen, next(ctx, call).Error.Code)
				cancelled.Store(ctx.Err() != nil)
				return gongu.OK("an answer of the middleware")
			}
		}},
		Observers: []gongu.Observer{ended(func(_ context.Context, a *gongu.Attempt, r gongu.Result) {
			told.Store(r.Failed() && a.Suspended() != nil && a.Suspended().Approval == "ap-1")
			for key, value := range a.Notes() {
				notes = append(notes, key+"="+value)
			}
		})},
	}, handled("write", "", func(context.Context, gongu.Call) gongu.Result { ran.Store(true); return gongu.OK(nil) }))
	ctx := gongu.WithPrincipal(t.Context(), &gongu.Principal{Name: "kim"})
	s := suspended(t, e, ctx, "write", `{"by":"model"}`)
	tool, _ := e.Catalog().Get("write")
	switch {
	case string(s.Call.Args) != `{"by":"middleware"}` || s.Call.ID != "c1" || s.Call.Name != "write":
		t.Errorf("call %+v", s.Call)
	case s.Principal != "kim" || s.Agent != "api" || s.Instance != "default" || s.Approval != "ap-1" || string(s.Question) != `{"message":"Run it?"}`:
		t.Errorf("suspended %+v", s)
	case hex.EncodeToString(s.Digest[:]) != tool.Digest():
		t.Errorf("digest %x, want %s", s.Digest, tool.Digest())
	case ran.Load() || !cancelled.Load() || !told.Load():
		t.Errorf("ran %v, middleware cancelled %v, observer ended %v", ran.Load(), cancelled.Load(), told.Load())
	case !slices.Equal(seen, []string{gongu.CodeCancelled}) || !slices.Equal(notes, []string{"approval=ap-1"}):
		t.Errorf("the middleware saw %v, observers %v", seen, notes)
	}
}

// H20: only a caller that can come back has its call suspended. Others,
// calls inside of a tool and dry runs among them, are refused by the guard.
func TestH20_OnlyForCallersThatComeBack(t *testing.T) {
	var p approval
	always := gongu.Guard{Name: "always", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		if a.Call.Name == "outer" {
			return nil
		}
		return a.Suspend("ap-2", nil)
	}}
	outer := handled("outer", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		return gongu.ContextOf(ctx).Executor.Call(ctx, gongu.Call{Name: "write"})
	})
	e := newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{p.guard()}}, tool("write"))
	wantCode(t, run(t, e, "write", `{}`), gongu.CodeDenied)
	e = newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{always}}, tool("write"), outer)
	wantCode(t, run(t, e, "write", `{}`), gongu.CodeDenied)
	wantCode(t, e.DryRun(t.Context(), gongu.Call{Name: "write"}), gongu.CodeDenied)
	r, s := e.Try(t.Context(), gongu.Call{Name: "outer"})
	if s != nil {
		t.Errorf("a call inside of a tool was suspended: %+v", s)
	}
	wantCode(t, r, gongu.CodeDenied)
	if (&gongu.Attempt{}).CanSuspend() || (&gongu.Attempt{}).Suspend("x", nil).Code != gongu.CodeDenied || (&gongu.Attempt{}).Resumed() != nil {
		t.Error("an attempt without an executor can be suspended")
	}
}

// H20, case 151: the handler of a resumed call gets the stored bytes, whatever
// the middleware passes on, and all guards check them again. A second Resume
// returns the stored result without running it.
func TestH20_ResumeStoredBytes(t *testing.T) {
	var p approval
	var middleware, checks, runs atomic.Int32
	e := newExecutor(t, &gongu.ExecutorOptions{
		Guards: []gongu.Guard{{Name: "count", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			checks.Add(1)
			return nil
		}}, p.guard()},
		Middleware: []gongu.Middleware{func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result {
				call.Args = json.RawMessage(`{"n":` + string(rune('0'+middleware.Add(1))) + `}`)
				return next(ctx, call)
			}
		}},
	}, handled("write", "", func(ctx context.Context, call gongu.Call) gongu.Result { runs.Add(1); return echo(ctx, call) }))
	s := suspended(t, e, t.Context(), "write", `{"n":0}`)
	p.approved.Store(true)
	journal := newJournal()
	for range 2 {
		r, again := e.Resume(t.Context(), s, journal)
		if again != nil {
			t.Fatal("suspended again")
		}
		wantOK(t, r, `{"n":1}`)
		if r.ToolCallID != "c1" {
			t.Errorf("id %q", r.ToolCallID)
		}
	}
	if runs.Load() != 1 || checks.Load() != 3 || middleware.Load() != 3 || journal.ends != 1 {
		t.Errorf("%d runs, %d checks, %d middleware, %d ends", runs.Load(), checks.Load(), middleware.Load(), journal.ends)
	}
}

// Resumes of one call at the same time: one runs the handler, all have its
// result.
func TestH20_ResumeRace(t *testing.T) {
	var p approval
	var runs atomic.Int32
	e := newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{p.guard()}},
		handled("write", "", func(context.Context, gongu.Call) gongu.Result { return gongu.OK(runs.Add(1)) }))
	s := suspended(t, e, t.Context(), "write", `{}`)
	p.approved.Store(true)
	journal := newJournal()
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			r, _ := e.Resume(t.Context(), s, journal)
			wantOK(t, r, `1`)
		})
	}
	group.Wait()
	if runs.Load() != 1 {
		t.Errorf("ran %d times", runs.Load())
	}
}

// The caller comes back with an answer, which the guard reads; without one the
// call is suspended again and stays so.
func TestH20_AnswerAndAgain(t *testing.T) {
	var p approval
	e := newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{p.guard()}}, tool("write"))
	s := suspended(t, e, t.Context(), "write", `{"a":1}`)
	journal := newJournal()
	_, again := e.Resume(t.Context(), s, journal)
	if again == nil || again.Approval != "ap-1" || string(again.Call.Args) != `{"a":1}` || journal.begun || journal.ends != 0 {
		t.Fatalf("again %+v, journal %+v", again, journal)
	}
	again.Answer = json.RawMessage(`"yes"`)
	r, _ := e.Resume(t.Context(), again, journal)
	wantOK(t, r, `{"a":1}`)
}

// H20: what was decided about is what runs. A changed tool, other arguments
// and other callers are refused; a stranger's attempt leaves the call as it is.
func TestH20_ResumeRefused(t *testing.T) {
	kim := &gongu.Principal{Name: "kim"}
	named := func(agent, instance string) context.Context {
		ctx, err := gongu.WithContext(gongu.WithPrincipal(t.Context(), kim), gongu.Context{
			AgentName: agent, InstanceKey: instance, TurnID: "t", TraceID: "0123456789abcdef0123456789abcdef",
		})
		if err != nil {
			t.Fatal(err)
		}
		return ctx
	}
	own := named("worker", "one")
	changed := tool("write")
	changed.Description = "Does something else."
	for name, test := range map[string]struct {
		ctx    context.Context
		change func(r *gongu.Registry)
		patch  string
		code   string
		ends   int
	}{
		"same":           {ctx: own, ends: 1},
		"same patch":     {ctx: own, patch: `{"a":1}`, ends: 1},
		"changed":        {ctx: own, change: func(r *gongu.Registry) { _ = r.ReplaceAll([]gongu.Source{{}}, changed) }, code: gongu.CodeChanged, ends: 1},
		"removed":        {ctx: own, change: func(r *gongu.Registry) { _ = r.ReplaceAll([]gongu.Source{{}}) }, code: gongu.CodeNotInCatalog, ends: 1},
		"patched":        {ctx: own, patch: `{"a":2}`, code: gongu.CodeChanged, ends: 1},
		"other person":   {ctx: gongu.WithPrincipal(own, &gongu.Principal{Name: "eve"}), code: gongu.CodeDenied},
		"nobody":         {ctx: gongu.WithPrincipal(own, nil), code: gongu.CodeDenied},
		"other agent":    {ctx: named("other", "one"), code: gongu.CodeDenied},
		"other instance": {ctx: named("worker", "two"), code: gongu.CodeDenied},
	} {
		t.Run(name, func(t *testing.T) {
			var p approval
			registry := newRegistry(t, tool("write"))
			patch := gongu.Guard{Name: "patch", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
				if a.Resumed() != nil && test.patch != "" {
					a.Patch(json.RawMessage(test.patch))
				}
				return nil
			}}
			options := &gongu.ExecutorOptions{Guards: []gongu.Guard{p.guard(), patch}}
			s := suspended(t, overRegistry(registry, options), own, "write", `{"a":1}`)
			p.approved.Store(true)
			if test.change != nil {
				test.change(registry)
			}
			journal := newJournal()
			r, again := overRegistry(registry, options).Resume(test.ctx, s, journal)
			if again != nil || journal.ends != test.ends {
				t.Errorf("again %v, %d ends", again, journal.ends)
			}
			if test.code != "" {
				wantCode(t, r, test.code)
				return
			}
			wantOK(t, r, `{"a":1}`)
		})
	}
}

// A denial after the wait is the result of the call and is stored as such.
func TestH20_DeniedAfterTheWait(t *testing.T) {
	var p approval
	var deny atomic.Bool
	e := newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{p.guard(), {Name: "policy", Check: func(context.Context, *gongu.Attempt) *gongu.Error {
		if deny.Load() {
			return &gongu.Error{Code: gongu.CodeDenied, Message: "not any more"}
		}
		return nil
	}}}}, tool("write"))
	s := suspended(t, e, t.Context(), "write", `{}`)
	p.approved.Store(true)
	deny.Store(true)
	journal := newJournal()
	r, _ := e.Resume(t.Context(), s, journal)
	wantCode(t, r, gongu.CodeDenied)
	deny.Store(false)
	r, _ = e.Resume(t.Context(), s, journal)
	wantCode(t, r, gongu.CodeDenied)
}

// A journal that fails lets nothing run; a caller that goes away before the
// handler leaves the call suspended.
func TestH20_JournalDecides(t *testing.T) {
	var p approval
	var ran atomic.Bool
	e := newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{p.guard()}},
		handled("write", "", func(context.Context, gongu.Call) gongu.Result { ran.Store(true); return gongu.OK(nil) }))
	s := suspended(t, e, t.Context(), "write", `{}`)
	p.approved.Store(true)
	unknown := &gongu.Error{Code: gongu.CodeOutcomeUnknown, Message: "it had begun"}
	for code, err := range map[string]error{gongu.CodeUnavailable: errors.New("disk full"), gongu.CodeOutcomeUnknown: unknown} {
		journal := newJournal()
		journal.fail = err
		r, _ := e.Resume(t.Context(), s, journal)
		wantCode(t, r, code)
		if ran.Load() || journal.ends != 0 {
			t.Errorf("%v: ran %v, %d ends", err, ran.Load(), journal.ends)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	journal := newJournal()
	r, _ := e.Resume(gone, s, journal)
	wantCode(t, r, gongu.CodeCancelled)
	if ran.Load() || journal.begun || journal.ends != 0 {
		t.Errorf("ran %v, journal %+v", ran.Load(), journal)
	}
}

// What a guard says besides Suspend counts: a panic refuses the call, and a
// middleware that has answered already is the answer.
func TestH20_NotSuspended(t *testing.T) {
	crash := newExecutor(t, &gongu.ExecutorOptions{Guards: guardOf(func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		a.Suspend("ap", nil)
		panic("boom")
	})}, tool("write"))
	r, s := crash.Try(t.Context(), gongu.Call{Name: "write"})
	if s != nil {
		t.Error("suspended by a guard that crashed")
	}
	wantCode(t, r, gongu.CodePanic)

	allows := newExecutor(t, &gongu.ExecutorOptions{Guards: guardOf(func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		a.Suspend("ap", nil)
		return nil
	})}, tool("write"))
	if r, s = allows.Try(t.Context(), gongu.Call{Name: "write", Args: json.RawMessage(`{}`)}); s != nil {
		t.Error("suspended by a guard that allowed the call")
	}
	wantOK(t, r, `{}`)

	answered, finished := make(chan struct{}), make(chan struct{})
	late := newExecutor(t, &gongu.ExecutorOptions{
		Middleware: []gongu.Middleware{func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result {
				go func() { defer close(finished); next(ctx, call) }()
				return gongu.OK("early")
			}
		}},
		Guards: guardOf(func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			<-answered
			return a.Suspend("ap", nil)
		}),
		Observers: []gongu.Observer{ended(func(context.Context, *gongu.Attempt, gongu.Result) {
			close(answered)
			<-finished
		})},
	}, tool("write"))
	r, s = late.Try(t.Context(), gongu.Call{Name: "write"})
	if s != nil {
		t.Error("suspended after the answer")
	}
	wantOK(t, r, `"early"`)
}

// A middleware that ends its goroutine after the handler ran leaves a result in
// the journal.
func TestH20_MiddlewareExits(t *testing.T) {
	var p approval
	var exit atomic.Bool
	e := newExecutor(t, &gongu.ExecutorOptions{
		Guards: []gongu.Guard{p.guard()},
		Middleware: []gongu.Middleware{func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result {
				r := next(ctx, call)
				if exit.Load() {
					runtime.Goexit()
				}
				return r
			}
		}},
	}, tool("write"))
	s := suspended(t, e, t.Context(), "write", `{}`)
	p.approved.Store(true)
	exit.Store(true)
	journal := newJournal()
	var group sync.WaitGroup
	group.Go(func() { e.Resume(t.Context(), s, journal) })
	group.Wait()
	wantCode(t, journal.result, gongu.CodePanic)
}
