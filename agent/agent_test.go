package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func user(id, text string) Message { return Text(id, "user", text, MessageSource{Type: "user"}) }

func texts(messages []Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, m.ID+"="+m.TextOf())
	}
	return strings.Join(out, " ")
}

func appendOf(m Message) MessageEvent { return MessageEvent{Type: EventAppend, Message: &m} }

// Goondan 117: append, replace, remove and truncate fold in order.
func TestGoondan117_Fold(t *testing.T) {
	c := NewConversation([]Message{user("a", "1"), user("b", "2")})
	replaced := user("c2", "3!")
	for _, event := range []MessageEvent{
		appendOf(user("c", "3")),
		{Type: EventReplace, TargetID: "c", Message: &replaced},
		{Type: EventRemove, TargetID: "a"},
		appendOf(user("d", "4")),
	} {
		if err := c.Emit(event); err != nil {
			t.Fatal(err)
		}
	}
	if got := texts(c.Next()); got != "b=2 c2=3! d=4" {
		t.Errorf("next = %s", got)
	}
	if got := texts(c.Base()); got != "a=1 b=2" || len(c.Events()) != 4 || c.Len() != 3 {
		t.Errorf("base = %s, %d events, %d messages", got, len(c.Events()), c.Len())
	}
	if c.Fold() {
		t.Error("a fold with a removal says that the base only grew")
	}
	if got := texts(c.Base()); got != "b=2 c2=3! d=4" || len(c.Events()) != 0 {
		t.Errorf("after the fold the base is %s", got)
	}
	if err := c.Emit(appendOf(user("e", "5"))); err != nil || !c.Fold() {
		t.Error("a fold of appends alone must say so")
	}
	if err := c.Emit(MessageEvent{Type: EventTruncate}); err != nil || c.Len() != 0 {
		t.Errorf("truncate left %d", c.Len())
	}
	for _, bad := range []MessageEvent{{Type: EventAppend}, {Type: EventReplace, TargetID: "x"}, {Type: "swap"}} {
		if err := c.Emit(bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

// Goondan 118: an event about an unknown message is passed over with a warning
// and the others still count.
func TestGoondan118_UnknownTarget(t *testing.T) {
	c := NewConversation([]Message{user("a", "1")})
	for _, event := range []MessageEvent{{Type: EventRemove, TargetID: "zzz"}, appendOf(user("b", "2"))} {
		if err := c.Emit(event); err != nil {
			t.Fatal(err)
		}
	}
	want := []Warning{{Code: CodeTargetNotFound, Message: `remove: there is no message "zzz"`, EventIndex: 0, TargetID: "zzz"}}
	if diff := cmp.Diff(want, c.Warnings()); diff != "" || texts(c.Next()) != "a=1 b=2" {
		t.Errorf("next = %s, warnings (-want +got):\n%s", texts(c.Next()), diff)
	}
}

// Goondan 122: ten thousand appends are ten thousand steps. That it is under a
// second is for bench; here it must not hang.
func TestGoondan122_ManyAppends(t *testing.T) {
	c := NewConversation(nil)
	for i := range 10_000 {
		if err := c.Emit(appendOf(user(fmt.Sprint(i), "x"))); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			if err := c.Emit(MessageEvent{Type: EventRemove, TargetID: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.Len() != 6666 {
		t.Errorf("%d messages", c.Len())
	}
}

// The incremental fold equals the plain one.
func TestFoldProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := NewConversation([]Message{user("m0", "0")})
		var plain []Message
		plain = append(plain, user("m0", "0"))
		for i := range rapid.IntRange(0, 40).Draw(rt, "events") {
			target := fmt.Sprintf("m%d", rapid.IntRange(0, 20).Draw(rt, "target"))
			made := user(fmt.Sprintf("n%d", i), "x")
			event := MessageEvent{Type: rapid.SampledFrom([]string{EventAppend, EventReplace, EventRemove, EventTruncate}).Draw(rt, "type"), TargetID: target}
			if event.Type == EventAppend {
				made.ID = fmt.Sprintf("m%d", i+1)
			}
			if event.Type == EventAppend || event.Type == EventReplace {
				event.Message = &made
			}
			if err := c.Emit(event); err != nil {
				rt.Fatal(err)
			}
			plain = foldPlainly(plain, event)
		}
		if texts(plain) != texts(c.Next()) {
			rt.Fatalf("plain %s, incremental %s", texts(plain), texts(c.Next()))
		}
	})
}

func foldPlainly(messages []Message, event MessageEvent) []Message {
	switch event.Type {
	case EventAppend:
		return append(messages, *event.Message)
	case EventTruncate:
		return nil
	}
	var out []Message
	for _, m := range messages {
		switch {
		case m.ID != event.TargetID:
			out = append(out, m)
		case event.Type == EventReplace:
			out = append(out, *event.Message)
		}
	}
	return out
}

// What is returned is a copy, and JSON keeps what it does not know.
func TestMessages(t *testing.T) {
	c := NewConversation([]Message{user("a", "1")})
	c.Next()[0].Metadata["spoiled"] = true
	copy(c.Next()[0].Data.Content, `"X"`)
	mine := user("b", "2")
	if err := c.Emit(appendOf(mine)); err != nil {
		t.Fatal(err)
	}
	mine.Metadata["spoiled"] = true
	if len(c.Next()[0].Metadata) != 0 || texts(c.Next()) != "a=1 b=2" || len(c.Events()[0].Message.Metadata) != 0 {
		t.Error("a conversation was changed through what it gave or got")
	}
	again := user("b", "3")
	for _, twice := range []MessageEvent{appendOf(again), {Type: EventReplace, TargetID: "a", Message: &again}} {
		if err := c.Emit(twice); err == nil {
			t.Errorf("%s: two messages have one id", twice.Type)
		}
	}
	const raw = `{"content":[{"type":"text"}],"name":"x","role":"assistant"}`
	var data MessageData
	if err := json.Unmarshal([]byte(raw), &data); err != nil {
		t.Fatal(err)
	}
	if back, err := json.Marshal(data); err != nil || string(back) != raw || data.Role != "assistant" {
		t.Errorf("%s, %v", back, err)
	}
}

// Goondan 41: ascending priority, ties by registration, for turns and steps.
func TestGoondan41_Order(t *testing.T) {
	var p Pipeline
	var order []string
	add := func(name string, priority int) {
		p.UseStep(priority, func(ctx context.Context, _ *Step, next Next[StepResult]) (StepResult, error) {
			order = append(order, name+" pre")
			result, err := next(ctx)
			order = append(order, name+" post")
			return result, err
		})
	}
	add("A", 10)
	add("B", 5)
	add("C", 10)
	result, err := p.RunStep(t.Context(), &Step{Turn: &Turn{TurnID: "t"}}, func(context.Context, *Step) (StepResult, error) {
		order = append(order, "core")
		return StepResult{Status: "completed"}, nil
	})
	if err != nil || result.Status != "completed" {
		t.Fatal(result, err)
	}
	if got := strings.Join(order, ", "); got != "B pre, A pre, C pre, core, C post, A post, B post" {
		t.Errorf("order = %s", got)
	}
}

// Goondan 43, 49, 52: a step's catalog is what its middleware makes of it, for
// that step alone; stepIndex starts at 0; a tool registered in step N is in the
// catalog of step N+1.
func TestGoondan43_StepCatalog(t *testing.T) {
	r := gongu.NewRegistry(nil)
	nothing := func(context.Context, gongu.Call) gongu.Result { return gongu.OK("ran") }
	if err := r.Add(gongu.Tool{Name: "x__a", Invoke: nothing}, gongu.Tool{Name: "x__b", Invoke: nothing}); err != nil {
		t.Fatal(err)
	}
	var p Pipeline
	p.UseStep(0, func(ctx context.Context, step *Step, next Next[StepResult]) (StepResult, error) {
		if step.Index == 0 {
			step.Catalog = step.Catalog.Restrict("x__b")
		}
		return next(ctx)
	})
	executor := gongu.NewExecutor(r, nil)
	turn := &Turn{TurnID: "turn"}
	var seen []string
	for index := range 2 {
		step := &Step{Turn: turn, Index: index, Catalog: gongu.Everything(r)}
		if _, err := p.RunStep(t.Context(), step, func(ctx context.Context, step *Step) (StepResult, error) {
			if index == 0 {
				if err := r.Add(gongu.Tool{Name: "x__late", Invoke: nothing}); err != nil {
					return StepResult{}, err
				}
			}
			e := executor.WithCatalog(step.Catalog)
			for _, name := range []string{"x__a", "x__late"} {
				seen = append(seen, step.ID()+" "+name+" "+e.Call(ctx, gongu.Call{Name: name}).Status)
			}
			return StepResult{}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"turn-step-0 x__a error", "turn-step-0 x__late error", "turn-step-1 x__a ok", "turn-step-1 x__late ok"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Goondan 44-48, 53: tool call middleware changes arguments, answers itself,
// throws, or calls next twice.
func TestGoondan44_ToolCallMiddleware(t *testing.T) {
	r := gongu.NewRegistry(nil)
	ran := 0
	tool := gongu.Tool{Name: "x__t", Parameters: `{"type":"object","properties":{"n":{"type":"integer"}}}`, Invoke: func(_ context.Context, call gongu.Call) gongu.Result {
		ran++
		return gongu.Result{Output: call.Args}
	}}
	if err := r.Add(tool); err != nil {
		t.Fatal(err)
	}
	call := func(m ToolCallMiddleware) gongu.Result {
		e := gongu.NewExecutor(r, &gongu.ExecutorOptions{Catalog: gongu.Everything(r)})
		e.Use(0, ToolCallLayer(m))
		return e.Call(WithStep(t.Context(), &Step{Index: 3}), gongu.Call{ID: "c", Name: "x__t", Args: []byte(`{"n":1}`)})
	}
	got := call(func(ctx context.Context, c *ToolCall, next Next[gongu.Result]) (gongu.Result, error) {
		if c.StepIndex != 3 || c.ToolName != "x__t" || c.ToolCallID != "c" {
			t.Errorf("%+v", c)
		}
		c.Args = json.RawMessage(`{"n":2}`)
		first, _ := next(ctx)
		second, err := next(ctx)
		if string(first.Output) != string(second.Output) {
			t.Error("a second next gave another answer")
		}
		return second, err
	})
	if string(got.Output) != `{"n":2}` || ran != 1 {
		t.Errorf("44, 48: %s, ran %d times", got.Output, ran)
	}
	bad := call(func(ctx context.Context, c *ToolCall, next Next[gongu.Result]) (gongu.Result, error) {
		c.Args = json.RawMessage(`{"n":"x"}`)
		return next(ctx)
	})
	if bad.Error == nil || bad.Error.Code != gongu.CodeInvalidArgs || ran != 1 {
		t.Errorf("45: %+v, ran %d times", bad, ran)
	}
	own := call(func(context.Context, *ToolCall, Next[gongu.Result]) (gongu.Result, error) {
		return gongu.OK("mine"), nil
	})
	if string(own.Output) != `"mine"` || ran != 1 {
		t.Errorf("46: %s", own.Output)
	}
	for name, m := range map[string]ToolCallMiddleware{
		"error": func(context.Context, *ToolCall, Next[gongu.Result]) (gongu.Result, error) {
			return gongu.Result{}, errors.New("no")
		},
		"panic": func(context.Context, *ToolCall, Next[gongu.Result]) (gongu.Result, error) { panic("no") },
	} {
		if got := call(m); got.Error == nil || got.Error.Message != "no" {
			t.Errorf("47 %s: %+v", name, got)
		}
	}
}

// Goondan 50 and 51's form: a middleware decides whether the turn goes on; an
// error or a panic in a turn is a result that says so.
func TestTurnResults(t *testing.T) {
	var p Pipeline
	remove := p.UseTurn(0, func(ctx context.Context, turn *Turn, next Next[TurnResult]) (TurnResult, error) {
		turn.Metadata = map[string]any{"seen": true}
		return next(ctx)
	})
	turn := &Turn{TurnID: "t"}
	core := func(context.Context, *Turn) (TurnResult, error) { return TurnResult{FinishReason: FinishText}, nil }
	if got := p.RunTurn(t.Context(), turn, core); got.FinishReason != FinishText || got.TurnID != "t" || turn.Metadata["seen"] != true {
		t.Errorf("%+v", got)
	}
	remove()
	for _, broken := range []func(context.Context, *Turn) (TurnResult, error){
		func(context.Context, *Turn) (TurnResult, error) { return TurnResult{}, io.ErrUnexpectedEOF },
		func(context.Context, *Turn) (TurnResult, error) { panic(io.ErrUnexpectedEOF) },
		func(context.Context, *Turn) (TurnResult, error) { panic("unexpected EOF") },
	} {
		if got := p.RunTurn(t.Context(), turn, broken); got.FinishReason != FinishError || !strings.Contains(got.Error.Message, "unexpected EOF") {
			t.Errorf("%+v", got)
		}
	}
	p.UseStep(0, func(ctx context.Context, _ *Step, next Next[StepResult]) (StepResult, error) {
		result, err := next(ctx)
		result.ShouldContinue = true
		return result, err
	})
	if got, err := p.RunStep(t.Context(), &Step{Turn: turn}, func(context.Context, *Step) (StepResult, error) { return StepResult{}, nil }); err != nil || !got.ShouldContinue {
		t.Errorf("%+v, %v", got, err)
	}
}

func wiring() Wiring {
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: slog.New(slog.DiscardHandler)})
	return Wiring{Registry: r, Executor: gongu.NewExecutor(r, nil), Pipeline: &Pipeline{}, Events: &Events{Logger: slog.New(slog.DiscardHandler)}, Logger: slog.New(slog.DiscardHandler)}
}

// Goondan 57 and 58: extensions load in order, awaited, with their config; one
// without register or with a failing one says which and what to do.
func TestGoondan57_Load(t *testing.T) {
	var order []string
	note := func(name string) Use {
		return Use{Name: name, Config: json.RawMessage(`{"level":"` + name + `"}`), Extension: ExtensionFunc(func(_ context.Context, api *API, config json.RawMessage) error {
			order = append(order, api.Name+string(config))
			return nil
		})}
	}
	if _, err := LoadExtensions(t.Context(), wiring(), []Use{note("a"), note("b")}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, " "); got != `a{"level":"a"} b{"level":"b"}` {
		t.Errorf("order = %s", got)
	}
	fails := func(cause error) Extension {
		return ExtensionFunc(func(context.Context, *API, json.RawMessage) error { return cause })
	}
	for code, use := range map[string]Use{
		CodeExtensionLoad:   {Name: "x"},
		CodeExtensionInit:   {Name: "x", Extension: fails(errors.New("the cause"))},
		CodeExtensionConfig: {Name: "x", Extension: fails(nil), Config: json.RawMessage(`[]`)},
		CodeExtensionCompat: {Name: "x", Extension: fails(&ExtensionError{Code: CodeExtensionCompat, Extension: "x", Suggestion: "Update it.", Cause: errors.New("v9")})},
	} {
		_, err := LoadExtensions(t.Context(), wiring(), []Use{use})
		known, ok := errors.AsType[*ExtensionError](err)
		if !ok || known.Code != code || known.Suggestion == "" || known.Extension != "x" {
			t.Errorf("%s: %v", code, err)
		}
	}
	panics := ExtensionFunc(func(context.Context, *API, json.RawMessage) error { panic("boom") })
	if _, err := LoadExtensions(t.Context(), wiring(), []Use{{Name: "x", Extension: panics}}); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("a panic: %v", err)
	}
}

// Goondan 59: when the second extension fails, the first leaves no trace.
func TestGoondan59_Rollback(t *testing.T) {
	w := wiring()
	heard := 0
	first := ExtensionFunc(func(_ context.Context, api *API, _ json.RawMessage) error {
		api.UseStep(0, func(ctx context.Context, _ *Step, next Next[StepResult]) (StepResult, error) {
			heard++
			return next(ctx)
		})
		api.UseToolCall(0, func(ctx context.Context, _ *ToolCall, next Next[gongu.Result]) (gongu.Result, error) {
			heard++
			return next(ctx)
		})
		api.On("e", func(...any) { heard++ })
		return api.RegisterTool(gongu.Tool{Name: "one__t", Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }})
	})
	second := ExtensionFunc(func(context.Context, *API, json.RawMessage) error { return errors.New("no") })
	if _, err := LoadExtensions(t.Context(), w, []Use{{Name: "one", Extension: first}, {Name: "two", Extension: second}}); err == nil {
		t.Fatal("loaded")
	}
	if _, err := w.Pipeline.RunStep(t.Context(), &Step{Turn: &Turn{}}, func(context.Context, *Step) (StepResult, error) { return StepResult{}, nil }); err != nil {
		t.Fatal(err)
	}
	w.Events.Emit("e")
	if err := w.Registry.Add(gongu.Tool{Name: "other", Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }}); err != nil {
		t.Fatal(err)
	}
	w.Executor.WithCatalog(gongu.Everything(w.Registry)).Call(t.Context(), gongu.Call{Name: "other"})
	if heard != 0 || w.Registry.Has("one__t") {
		t.Errorf("heard %d times, tool there: %v", heard, w.Registry.Has("one__t"))
	}
}

// Goondan 35, W8: an extension cannot take over a config tool, and its tools
// say whose they are (B9).
func TestGoondan35_ExtensionTools(t *testing.T) {
	w := wiring()
	nothing := func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }
	if err := w.Registry.Add(
		gongu.Tool{Name: "bash__exec", Invoke: nothing, Source: gongu.Source{Type: "config", Name: "bash"}},
		gongu.Tool{Name: "real__t", Invoke: nothing, Source: gongu.Source{Type: "mcp", Name: "real"}},
		gongu.Tool{Name: "same__t", Invoke: nothing, Source: gongu.Source{Type: "mcp", Name: "weather-ext", Original: "t",
			MCP: &gongu.MCPSource{ExtensionName: "weather-ext", ServerName: "weather-ext"}}},
	); err != nil {
		t.Fatal(err)
	}
	extension := ExtensionFunc(func(_ context.Context, api *API, _ json.RawMessage) error {
		if err := api.RegisterTool(gongu.Tool{Name: "weather__get", Invoke: nothing}); err != nil {
			return err
		}
		if err := api.RegisterTool(gongu.Tool{Name: "gh__list", Invoke: nothing, Source: gongu.Source{Type: "mcp", MCP: &gongu.MCPSource{ExtensionName: "weather-ext"}}}); err != nil {
			return err
		}
		if err := api.RegisterTool(gongu.Tool{Name: "bad", Invoke: nothing}); err == nil {
			t.Error("a plain name was taken from an extension (case 33)")
		}
		if err := api.RegisterTool(gongu.Tool{Name: "bash__exec", Invoke: nothing}); err == nil {
			t.Error("an extension took over bash__exec")
		}
		if err := api.RegisterTool(gongu.Tool{Name: "real__t", Invoke: nothing, Source: gongu.Source{Type: "mcp", Name: "real"}}); err == nil {
			t.Error("an extension took over another server's tool by naming it")
		}
		same := gongu.Source{Type: "mcp", Name: "weather-ext", Original: "t", MCP: &gongu.MCPSource{ServerName: "weather-ext"}}
		if err := api.RegisterTool(gongu.Tool{Name: "same__t", Invoke: nothing, Source: same}); err == nil {
			t.Error("an extension took over a tool of the McpServer that has its name")
		}
		if err := api.RegisterTool(gongu.Tool{Name: "gh__own", Invoke: nothing, Source: same}); err != nil {
			t.Error(err)
		}
		return nil
	})
	loaded, err := LoadExtensions(t.Context(), w, []Use{{Name: "weather-ext", Extension: extension}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"weather__get": "Extension/weather-ext", "gh__list": "McpServer/weather-ext", "bash__exec": "Tool/bash"} {
		if tool, _ := w.Registry.Get(name); tool.Source.Identity() != want {
			t.Errorf("%s belongs to %s, want %s", name, tool.Source.Identity(), want)
		}
	}
	loaded.Unload()
	if w.Registry.Len() != 3 {
		t.Errorf("%d tools after unloading", w.Registry.Len())
	}
}

// Goondan 60: state is null before it is set, private, saved only when changed,
// an object, and there again after a restart.
func TestGoondan60_State(t *testing.T) {
	w := wiring()
	store := &countingStore{MemoryState: NewMemoryState()}
	w.State = store
	var apis []*API
	keep := ExtensionFunc(func(_ context.Context, api *API, _ json.RawMessage) error {
		apis = append(apis, api)
		return nil
	})
	load := func() *Extensions {
		t.Helper()
		apis = nil
		x, err := LoadExtensions(t.Context(), w, []Use{{Name: "a", Extension: keep}, {Name: "b", Extension: keep}})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := load()
	if got := string(apis[0].State.Get()); got != "null" {
		t.Errorf("before set: %s", got)
	}
	apis[0].State.Set(json.RawMessage(`{"n":1}`))
	if got := string(apis[1].State.Get()); got != "null" {
		t.Errorf("b sees %s", got)
	}
	if err := errors.Join(x.Save(), x.Save()); err != nil || store.saves != 1 {
		t.Errorf("%d saves, %v", store.saves, err)
	}
	load()
	if got := string(apis[0].State.Get()); got != `{"n":1}` {
		t.Errorf("after a restart: %s", got)
	}
	for _, bad := range []string{`[1]`, `null`, `5`} {
		x := load()
		apis[1].State.Set(json.RawMessage(bad))
		if err := x.Save(); err == nil {
			t.Errorf("state %s was saved", bad)
		}
	}
}

type countingStore struct {
	*MemoryState
	saves int
}

func (s *countingStore) Save(extension string, state json.RawMessage) error {
	s.saves++
	return s.MemoryState.Save(extension, state)
}

// Goondan 61 and 62: off stops a listener; one that throws does not stop the
// next.
func TestGoondan61_Events(t *testing.T) {
	e := &Events{Logger: slog.New(slog.DiscardHandler)}
	var heard []any
	e.On("turn.completed", func(...any) { panic("first") })
	off := e.On("turn.completed", func(args ...any) { heard = append(heard, args...) })
	e.Emit("turn.completed", 1, "x")
	off()
	off()
	e.Emit("turn.completed", 2)
	if diff := cmp.Diff([]any{1, "x"}, heard); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
