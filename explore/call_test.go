package explore_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
)

// heard collects the names that guards, middleware and audit see.
type heard struct {
	mu                        sync.Mutex
	guard, middleware, audits []string
}

func (h *heard) options() *gongu.ExecutorOptions {
	note := func(list *[]string, name string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		*list = append(*list, name)
	}
	return &gongu.ExecutorOptions{
		Guards: []gongu.Guard{{Name: "policy", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
			note(&h.guard, a.Call.Name)
			if a.Call.Name == "remove_fill" {
				return &gongu.Error{Code: gongu.CodeDenied, Message: "denied by rule 7"}
			}
			return nil
		}}},
		Middleware: []gongu.Middleware{func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, c gongu.Call) gongu.Result {
				note(&h.middleware, c.Name)
				return next(ctx, c)
			}
		}},
		Observers: []gongu.Observer{ended(func(_ context.Context, _ *gongu.Attempt, r gongu.Result) { note(&h.audits, r.ToolName+" "+r.Status) })},
	}
}

// An inner call is a call like any other, under its own name.
func TestCallToolPassesEveryGuard(t *testing.T) {
	var h heard
	a := everything(t, drawing(t, nil), h.options())
	a.want("call_tool", `{"name":"draw_rect","arguments":{"name":"r","x":1,"y":2,"width":3,"height":4}}`,
		`{"ran":"draw_rect","args":{"name":"r","x":1,"y":2,"width":3,"height":4}}`)
	want := []string{"call_tool", "draw_rect"}
	if !slices.Equal(h.guard, want) || !slices.Equal(h.middleware, want) || !slices.Equal(h.audits, []string{"draw_rect ok", "call_tool ok"}) {
		t.Errorf("guard %q, middleware %q, audit %q", h.guard, h.middleware, h.audits)
	}
	r := a.call("call_tool", `{"name":"remove_fill"}`)
	if !r.Failed() || r.Error.Code != gongu.CodeDenied || r.Error.Message != "denied by rule 7" {
		t.Errorf("a denied tool: %+v", r)
	}
	if r.ToolCallID != "call_1" || r.ToolName != "call_tool" {
		t.Errorf("the result belongs to %s of %s", r.ToolCallID, r.ToolName)
	}
}

// Promise E2: what is refused before the handler has suggestions, too.
func TestE2CallToolSuggests(t *testing.T) {
	a := everything(t, drawing(t, nil), nil)
	err, names := a.refused("call_tool", `{"name":"draw_rectangle","arguments":{}}`)
	if err.Code != gongu.CodeNotInCatalog || !slices.Equal(names, []string{"draw_rect"}) || !strings.Contains(err.Suggestion, "draw_rect") {
		t.Errorf("%+v, %q", err, names)
	}
	err, names = a.refused("call_tool", `{"name":"draw_rect","arguments":{"name":"r","x":1,"y":2,"widht":3,"height":4}}`)
	if err.Code != gongu.CodeInvalidArgs || !slices.Equal(names, []string{"width"}) {
		t.Errorf("%+v, %q", err, names)
	}
}

// What a tool answers stays as it is: content, and errors that are longer than
// the limits of others.
func TestCallToolKeepsTheAnswer(t *testing.T) {
	r := drawing(t, nil)
	long := strings.Repeat("x", 1500)
	chatty := tool("chatty", "query", "")
	chatty.Limits = gongu.Limits{ErrorMessage: 2000, Output: 4 << 20}
	chatty.Invoke = func(_ context.Context, c gongu.Call) gongu.Result {
		if string(c.Args) == `{"fail":true}` {
			return gongu.Fail(&gongu.Error{Message: long, Code: "E_MINE", Suggestion: "wait"}).With(gongu.Content{Type: "text", Text: "detail"})
		}
		return gongu.OK(strings.Repeat("y", 2<<20))
	}
	if err := r.Add(chatty); err != nil {
		t.Fatal(err)
	}
	a := everything(t, r, nil)
	got := a.call("call_tool", `{"name":"chatty","arguments":{"fail":true}}`)
	if got.Error == nil || got.Error.Message != long || got.Error.Code != "E_MINE" || got.Error.Suggestion != "wait" || !strings.Contains(string(got.Content), "detail") {
		t.Errorf("got %+v", got.Error)
	}
	if got := a.call("call_tool", `{"name":"chatty"}`); len(got.Output) < 2<<20 {
		t.Errorf("the output was cut to %d bytes", len(got.Output))
	}
}

// call_tool has no time of its own, and ends with its caller.
func TestCallToolEndsWithItsCaller(t *testing.T) {
	r := drawing(t, nil)
	slow := tool("slow", "query", "")
	slow.Invoke = func(ctx context.Context, _ gongu.Call) gongu.Result {
		<-ctx.Done()
		return gongu.Fail(ctx.Err())
	}
	if err := r.Add(slow); err != nil {
		t.Fatal(err)
	}
	a := everything(t, r, &gongu.ExecutorOptions{Limits: gongu.Limits{Timeout: time.Millisecond}})
	if got := a.call("call_tool", `{"name":"slow"}`); got.Error == nil || got.Error.Code != gongu.CodeTimeout || !strings.Contains(got.Error.Message, "'slow'") {
		t.Errorf("got %+v", got.Error)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	a = everything(t, r, nil)
	if got := a.Call(ctx, gongu.Call{Name: "call_tool", Args: json.RawMessage(`{"name":"slow"}`)}); got.Error == nil || got.Error.Code != gongu.CodeCancelled {
		t.Errorf("got %+v", got.Error)
	}
}

func TestCallToolDoesNotCallItself(t *testing.T) {
	var h heard
	a := everything(t, drawing(t, nil), h.options())
	err, _ := a.refused("call_tool", `{"name":"call_tool","arguments":{"name":"draw_arc"}}`)
	if err.Code != gongu.CodeInvalidArgs || len(h.audits) != 1 {
		t.Errorf("%+v, %q", err, h.audits)
	}
}

// A tool that calls call_tool that calls the tool: bounded, and answered.
func TestCallToolIsBoundedInDepth(t *testing.T) {
	opts := &explore.Options{Limits: explore.Limits{Depth: 3}}
	r := drawing(t, opts)
	runs := 0
	loop := tool("loop", "query", "")
	loop.Invoke = func(ctx context.Context, _ gongu.Call) gongu.Result {
		runs++
		return gongu.ContextOf(ctx).Executor.Call(ctx, gongu.Call{Name: "call_tool", Args: json.RawMessage(`{"name":"loop"}`)})
	}
	if err := r.Add(loop); err != nil {
		t.Fatal(err)
	}
	got := everything(t, r, nil).call("call_tool", `{"name":"loop"}`)
	if got.Error == nil || !strings.Contains(got.Error.Message, "more than 3 levels") || runs != 3 {
		t.Errorf("after %d runs: %+v", runs, got.Error)
	}
}

// The catalog that is shown and called in is that of the step, not the
// registry: what is hidden from a model does not exist for it.
func TestCallToolStaysInTheCatalog(t *testing.T) {
	r := drawing(t, nil)
	a := with(t, r, gongu.Everything(r).Restrict("draw_arc", "call_tool"), nil)
	a.want("call_tool", `{"name":"draw_arc"}`, `{"ran":"draw_arc","args":{}}`)
	err, names := a.refused("call_tool", `{"name":"draw_circle"}`)
	if err.Code != gongu.CodeNotInCatalog || slices.Contains(names, "draw_circle") {
		t.Errorf("%+v, %q", err, names)
	}
}

// Promise H8: through a bypass without a catalog there is nothing to see.
func TestH8NoCatalogShowsNothing(t *testing.T) {
	r := drawing(t, nil)
	a := with(t, r, nil, &gongu.ExecutorOptions{Bypass: []string{"*_domains", "list_tools", "search_tools", "get_*"}})
	a.want("list_domains", `{}`, `[]`)
	a.want("list_tools", `{}`, `{"domain":null,"tools":[]}`)
	var got page
	a.into("search_tools", `{"query":"draw a circle"}`, &got)
	if len(got.Tools) != 0 || got.Message == "" {
		t.Errorf("found %q", got.names())
	}
	if _, names := a.refused("get_tool_schema", `{"name":"draw_rect"}`); len(names) != 0 {
		t.Errorf("near names %q", names)
	}
}

// A tool that went away after the step began is listed as the step saw it, and
// its call says so.
func TestCallToolOfARemovedTool(t *testing.T) {
	r := drawing(t, nil)
	a := everything(t, r, nil)
	r.Remove("draw_arc")
	if err, _ := a.refused("call_tool", `{"name":"draw_arc"}`); err.Code != gongu.CodeNotFound {
		t.Errorf("%+v", err)
	}
}

// ended is an observer of the ends of calls.
type ended func(ctx context.Context, a *gongu.Attempt, r gongu.Result)

func (ended) Begin(ctx context.Context, _ *gongu.Attempt) context.Context { return ctx }

func (e ended) End(ctx context.Context, a *gongu.Attempt, r gongu.Result) { e(ctx, a, r) }
