package gongu_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
)

// H8: without a catalog everything is denied; the whole registry must be said
// out loud.
func TestH8_NoCatalogDeniesEverything(t *testing.T) {
	r := newRegistry(t, tool("a"))
	e := gongu.NewExecutor(r, nil)
	wantCode(t, run(t, e, "a", `{}`), gongu.CodeNotInCatalog)
	wantOK(t, run(t, e.WithCatalog(gongu.Everything(r)), "a", `{}`), `{}`)
}

// H8, goondan case 18: the bypass is off by default, takes globs, and every
// use is logged at warn.
func TestH8_BypassIsExplicitAndLogged(t *testing.T) {
	var log strings.Builder
	r := newRegistry(t, tool("a__x"), tool("b__x"))
	empty := catalogOf(t, r, gongu.CatalogOptions{Allow: []gongu.Rule{}})
	e := gongu.NewExecutor(r, &gongu.ExecutorOptions{
		Catalog: empty, Bypass: []string{"a__*", "[broken"},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	for range 2 {
		wantOK(t, run(t, e, "a__x", `{}`), `{}`)
	}
	wantCode(t, run(t, e, "b__x", `{}`), gongu.CodeNotInCatalog)
	wantCode(t, run(t, e, "a__gone", `{}`), gongu.CodeNotInCatalog)
	if got := strings.Count(log.String(), "level=WARN msg=\"catalog bypassed\" tool=a__x"); got != 2 {
		t.Errorf("two uses of the bypass made %d log lines:\n%s", got, log.String())
	}
}

// H10: a tool that declares nothing takes any object, defaults are not filled
// in, and no result is pending.
func TestH10_LooseTools(t *testing.T) {
	async := handled("async", "", func(context.Context, gongu.Call) gongu.Result {
		return gongu.OK(map[string]any{"__async": true, "handle": "h1"})
	})
	defaults := handled("defaults", `{"type":"object","properties":{"n":{"type":"integer","default":7}}}`, echo)
	e := newExecutor(t, nil, tool("any"), async, defaults)
	wantOK(t, run(t, e, "any", `{"x":[1,{"y":null}]}`), `{"x":[1,{"y":null}]}`)
	wantOK(t, run(t, e, "any", ``), `{}`)
	wantOK(t, run(t, e, "defaults", `{}`), `{}`)
	result := run(t, e, "async", `{}`)
	wantOK(t, result, `{"__async":true,"handle":"h1"}`)
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"toolCallId":"c1","toolName":"async","status":"ok","output":{"__async":true,"handle":"h1"}}`; string(raw) != want {
		t.Errorf("result = %s, want %s", raw, want)
	}
}

// H11: the order of a call, seen from outside.
func TestH11_Order(t *testing.T) {
	var steps []string
	note := func(step string) { steps = append(steps, step) }
	layer := func(name string) gongu.Middleware {
		return func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result {
				note(name + " in " + string(call.Args))
				call.Args = json.RawMessage(`{"n":` + fmt.Sprint(len(steps)) + `}`)
				result := next(ctx, call)
				note(name + " out")
				return result
			}
		}
	}
	guard := func(name string) gongu.Guard {
		return gongu.Guard{Name: name, Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			note(name + " " + string(a.Call.Args))
			return nil
		}}
	}
	schema := gongu.Schema(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	e := newExecutor(t, &gongu.ExecutorOptions{
		Middleware: []gongu.Middleware{layer("A")},
		Guards:     []gongu.Guard{guard("pin"), guard("policy"), guard("approval")},
		Observers:  []gongu.Observer{ended(func(_ context.Context, _ *gongu.Attempt, r gongu.Result) { note("audit " + r.Status) })},
	}, handled("t", schema, func(_ context.Context, call gongu.Call) gongu.Result {
		note("handler " + string(call.Args))
		return gongu.OK(1)
	}))
	e.Use(-5, layer("B"))
	wantOK(t, run(t, e, "t", `"{\"n\":0}"`), `1`)
	want := []string{
		`B in {"n":0}`, `A in {"n":1}`, `pin {"n":2}`, `policy {"n":2}`, `approval {"n":2}`, `handler {"n":2}`, "A out", "B out", "audit ok",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	steps = nil
	wantCode(t, run(t, e, "unknown", `{}`), gongu.CodeNotInCatalog)
	if diff := cmp.Diff([]string{"audit error"}, steps); diff != "" {
		t.Errorf("a refused call (-want +got):\n%s", diff)
	}
}

// H11: the bytes that were checked are the bytes that are sent, whatever a
// middleware does to its own slice afterwards.
func TestH11_FrozenBytes(t *testing.T) {
	var mine json.RawMessage
	spoil := func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			mine = json.RawMessage(`{"path":"safe"}`)
			call.Args, call.Name, call.ID = mine, "other", "other"
			return next(ctx, call)
		}
	}
	late := gongu.Guard{Name: "late", Check: func(context.Context, *gongu.Attempt) *gongu.Error {
		copy(mine, `{"path":"evil"}`)
		return nil
	}}
	e := newExecutor(t, &gongu.ExecutorOptions{Middleware: []gongu.Middleware{spoil}, Guards: []gongu.Guard{late}}, tool("t"), tool("other"))
	result := run(t, e, "t", `{}`)
	wantOK(t, result, `{"path":"safe"}`)
	if result.ToolName != "t" || result.ToolCallID != "c1" {
		t.Errorf("a middleware renamed the call: %s %s", result.ToolName, result.ToolCallID)
	}
	inPlace := func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			copy(call.Args, `[{"a":1}`)
			return next(ctx, call)
		}
	}
	e = newExecutor(t, &gongu.ExecutorOptions{Middleware: []gongu.Middleware{inPlace}}, tool("t"))
	wantCode(t, run(t, e, "t", `{"aaaaa":1}`), gongu.CodeInvalidArgs)
}

// H11: a patch restarts at the schema; after a wait, catalog and earlier
// guards are asked again.
func TestH11_PatchAndWait(t *testing.T) {
	schema := gongu.Schema(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	var asked []string
	var r *gongu.Registry
	onWait := func() {}
	policy := gongu.Guard{Name: "policy", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		asked = append(asked, "policy "+string(a.Call.Args))
		return nil
	}}
	patch := ``
	approval := gongu.Guard{Name: "approval", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		asked = append(asked, "approval")
		if patch != "" && string(a.Call.Args) != patch {
			a.Patch(json.RawMessage(patch))
			return nil
		}
		a.Waited()
		onWait()
		return nil
	}}
	r = newRegistry(t, handled("t", schema, echo))
	e := overRegistry(r, &gongu.ExecutorOptions{Guards: []gongu.Guard{policy, approval}})

	wantOK(t, run(t, e, "t", `{"n":1}`), `{"n":1}`)
	if diff := cmp.Diff([]string{`policy {"n":1}`, "approval", `policy {"n":1}`}, asked); diff != "" {
		t.Errorf("after a wait (-want +got):\n%s", diff)
	}
	asked, patch = nil, `{"n":2}`
	wantOK(t, run(t, e, "t", `{"n":1}`), `{"n":2}`)
	if diff := cmp.Diff([]string{`policy {"n":1}`, "approval", `policy {"n":2}`, "approval", `policy {"n":2}`}, asked); diff != "" {
		t.Errorf("after a patch (-want +got):\n%s", diff)
	}
	patch = `{"n":"x"}`
	wantCode(t, run(t, e, "t", `{"n":1}`), gongu.CodeInvalidArgs)
	patch = `{"n":2,"n":3}`
	wantCode(t, run(t, e, "t", `{"n":1}`), gongu.CodeInvalidArgs)

	patch = ""
	onWait = func() { r.Remove("t") }
	wantCode(t, run(t, e, "t", `{"n":1}`), gongu.CodeNotFound)
	if err := r.Add(handled("t", schema, echo)); err != nil {
		t.Fatal(err)
	}
	e = e.WithCatalog(gongu.Everything(r))
	onWait = func() {
		other := handled("t", schema, echo)
		other.Description = "Other."
		if err := r.Add(other); err != nil {
			t.Error(err)
		}
	}
	wantCode(t, run(t, e, "t", `{"n":1}`), gongu.CodeChanged)
}

// H11: guards that patch for ever, panic or refuse never let the handler run.
func TestH11_GuardsFailClosed(t *testing.T) {
	var ran atomic.Int32
	handler := handled("t", "", func(context.Context, gongu.Call) gongu.Result { ran.Add(1); return gongu.OK(1) })
	n := 0
	for code, check := range map[string]func(*gongu.Attempt) *gongu.Error{
		gongu.CodeTool:   func(a *gongu.Attempt) *gongu.Error { n++; a.Patch(fmt.Appendf(nil, `{"n":%d}`, n)); return nil },
		gongu.CodePanic:  func(*gongu.Attempt) *gongu.Error { panic("guard broke") },
		gongu.CodeDenied: func(*gongu.Attempt) *gongu.Error { return &gongu.Error{Code: gongu.CodeDenied, Message: "no"} },
	} {
		guard := gongu.Guard{Name: "g", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error { return check(a) }}
		skip := func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result { next(ctx, call); return next(ctx, call) }
		}
		e := newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{guard}, Middleware: []gongu.Middleware{skip}}, handler)
		got := wantCode(t, run(t, e, "t", `{}`), code)
		if got.Suggestion == "" || got.HelpURL == "" {
			t.Errorf("%s has no suggestion or help: %+v", code, got)
		}
	}
	if ran.Load() != 0 {
		t.Errorf("the handler ran %d times", ran.Load())
	}
}

// H11: a timed-out handler keeps its serial slot until it returns, and the
// timeout covers the handler only.
func TestH11_SerialSlot(t *testing.T) {
	release, entered := make(chan struct{}), make(chan struct{}, 8)
	stuck := handled("stuck", "", func(context.Context, gongu.Call) gongu.Result {
		entered <- struct{}{}
		<-release
		return gongu.OK(1)
	})
	stuck.Limits = gongu.Limits{Serial: true, Timeout: 30 * time.Millisecond}
	e := newExecutor(t, nil, stuck)
	wantCode(t, run(t, e, "stuck", `{}`), gongu.CodeTimeout)
	<-entered
	busy := wantCode(t, run(t, e, "stuck", `{}`), gongu.CodeUnavailable)
	if !strings.Contains(busy.Message, "one call at a time") {
		t.Errorf("message = %s", busy.Message)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantCode(t, e.Call(ctx, gongu.Call{Name: "stuck"}), gongu.CodeCancelled)
	if len(entered) != 0 {
		t.Error("a second call entered a serial tool")
	}
	close(release)
	for range 1000 {
		if !run(t, e, "stuck", `{}`).Failed() {
			return
		}
	}
	t.Error("the slot was never given back")
}

// Serial tools respect each other across executors and replacements.
func TestSerialToolsNeverOverlap(t *testing.T) {
	var inside, most atomic.Int32
	var order []string
	serial := handled("serial", "", func(_ context.Context, call gongu.Call) gongu.Result {
		most.Store(max(most.Load(), inside.Add(1)))
		runtime.Gosched()
		order = append(order, call.ID)
		inside.Add(-1)
		return gongu.OK(call.ID)
	})
	serial.Limits.Serial = true
	r := newRegistry(t, serial, tool("other"))
	first, second := overRegistry(r, nil), overRegistry(r, nil)
	var calls []gongu.Call
	var want []string
	for i := range 20 {
		id := fmt.Sprintf("id%02d", i)
		want = append(want, id)
		calls = append(calls, gongu.Call{ID: id, Name: "serial"}, gongu.Call{Name: "other"})
	}
	results := first.Batch(t.Context(), calls)
	for i, result := range results {
		if result.Failed() || i%2 == 0 && string(result.Output) != `"`+calls[i].ID+`"` {
			t.Fatalf("result %d = %+v", i, result)
		}
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order of serial calls (-want +got):\n%s", diff)
	}
	if err := r.Add(serial); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for _, e := range []*gongu.Executor{first, second} {
		for range 20 {
			group.Go(func() { e.Call(t.Context(), gongu.Call{Name: "serial"}) })
		}
	}
	group.Wait()
	if most.Load() != 1 {
		t.Errorf("%d calls of a serial tool ran at once", most.Load())
	}
}

// Batch: bounded, in call order, every id answered, duplicates matched by
// position.
func TestBatch(t *testing.T) {
	var inside, most atomic.Int32
	gate := make(chan struct{})
	full := sync.OnceFunc(func() { close(gate) }) // all four places are taken
	slow := handled("slow", "", func(_ context.Context, call gongu.Call) gongu.Result {
		if inside.Add(1) == 4 {
			full()
		}
		<-gate
		most.Store(max(most.Load(), inside.Load()))
		inside.Add(-1)
		return gongu.OK(string(call.Args))
	})
	e := newExecutor(t, &gongu.ExecutorOptions{Parallel: 4}, slow, failing("bad", errors.New("no")))
	var calls []gongu.Call
	for i := range 12 {
		calls = append(calls, gongu.Call{ID: "same", Name: "slow", Args: fmt.Appendf(nil, `{"i":%d}`, i)})
	}
	calls[5] = gongu.Call{Name: "bad"}
	calls[6] = gongu.Call{ID: "x", Name: "unknown"}
	results := e.Batch(t.Context(), calls)
	if len(results) != len(calls) {
		t.Fatalf("%d results for %d calls", len(results), len(calls))
	}
	for i, result := range results {
		switch i {
		case 5:
			wantCode(t, result, gongu.CodeTool)
			if result.ToolCallID == "" {
				t.Error("an empty id was not made up")
			}
		case 6:
			wantCode(t, result, gongu.CodeNotInCatalog)
		default:
			if want := fmt.Sprintf(`"{\"i\":%d}"`, i); string(result.Output) != want || result.ToolCallID != "same" {
				t.Errorf("result %d = %s", i, result.Output)
			}
		}
	}
	if most.Load() > 4 {
		t.Errorf("%d calls ran at once, at most 4 may", most.Load())
	}
	if got := e.Batch(t.Context(), nil); len(got) != 0 {
		t.Errorf("an empty batch gave %v", got)
	}
}

// H18: a dry run passes every check and stops at the handler.
func TestH18_DryRun(t *testing.T) {
	var ran atomic.Bool
	schema := gongu.Schema(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	guard := gongu.Guard{Name: "policy", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		if !a.DryRun {
			return &gongu.Error{Message: "not told that it is a dry run"}
		}
		return nil
	}}
	e := newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{guard}}, handled("t", schema, func(context.Context, gongu.Call) gongu.Result {
		ran.Store(true)
		return gongu.OK(1)
	}))
	result := e.DryRun(t.Context(), gongu.Call{Name: "t", Args: json.RawMessage(`{"n":1}`)})
	wantOK(t, result, `{"args":{"n":1},"dryRun":true,"passed":["schema","policy"],"source":"Go/","tool":"t"}`)
	wantCode(t, e.DryRun(t.Context(), gongu.Call{Name: "t", Args: json.RawMessage(`{"n":"x"}`)}), gongu.CodeInvalidArgs)
	if ran.Load() {
		t.Error("the handler ran")
	}
}

// Tools that call tools pass every guard and cannot nest for ever.
func TestNestedCalls(t *testing.T) {
	var guarded []string
	guard := gongu.Guard{Name: "g", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		guarded = append(guarded, a.Call.Name)
		return nil
	}}
	outer := handled("outer", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		return gongu.ContextOf(ctx).Executor.Call(ctx, gongu.Call{Name: "inner", Args: json.RawMessage(`{"x":1}`)})
	})
	forever := handled("forever", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		return gongu.ContextOf(ctx).Executor.Call(ctx, gongu.Call{Name: "forever"})
	})
	e := newExecutor(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{guard}}, outer, tool("inner"), forever)
	result := run(t, e, "outer", `{}`)
	wantOK(t, result, `{"x":1}`)
	if result.ToolName != "outer" || result.ToolCallID != "c1" {
		t.Errorf("the inner result was not made the outer call's: %+v", result)
	}
	if diff := cmp.Diff([]string{"outer", "inner"}, guarded); diff != "" {
		t.Errorf("guarded (-want +got):\n%s", diff)
	}
	nested := wantCode(t, run(t, e, "forever", `{}`), gongu.CodeTool)
	if !strings.Contains(nested.Message, "nested deeper than 32") {
		t.Errorf("message = %s", nested.Message)
	}
}

// The owner of an executor can say why a tool is not there, and nothing more:
// the call stays refused.
func TestRefusedExplains(t *testing.T) {
	registry := gongu.NewRegistry(nil)
	executor := gongu.NewExecutor(registry, &gongu.ExecutorOptions{
		Catalog: gongu.Everything(registry),
		Explain: func(_ context.Context, a *gongu.Attempt, refusal *gongu.Error) *gongu.Error {
			if a.Call.Name != "held" {
				return nil
			}
			return &gongu.Error{Code: gongu.CodeQuarantined, Message: "held back; before: " + refusal.Code}
		},
	})
	if got := executor.Call(t.Context(), gongu.Call{Name: "held"}).Error; got.Code != gongu.CodeQuarantined || got.Message != "held back; before: E_TOOL_NOT_IN_CATALOG" {
		t.Errorf("%+v", got)
	}
	if got := executor.Call(t.Context(), gongu.Call{Name: "other"}).Error; got.Code != gongu.CodeNotInCatalog {
		t.Errorf("%+v", got)
	}
}
