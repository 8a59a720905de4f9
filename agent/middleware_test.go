package agent

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/gongu-ai/gongu"
)

// The layers around one call share its metadata; a call that the tool makes
// has its own.
func TestToolCallMetadata(t *testing.T) {
	r := gongu.NewRegistry(nil)
	inner := gongu.Tool{Name: "x__inner", Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }}
	outer := gongu.Tool{Name: "x__outer", Invoke: func(ctx context.Context, _ gongu.Call) gongu.Result {
		return gongu.ContextOf(ctx).Executor.Call(ctx, gongu.Call{Name: "x__inner"})
	}}
	if err := r.Add(inner, outer); err != nil {
		t.Fatal(err)
	}
	e := gongu.NewExecutor(r, &gongu.ExecutorOptions{Catalog: gongu.Everything(r)})
	var seen []any
	e.Use(0, ToolCallLayer(func(ctx context.Context, c *ToolCall, next Next[gongu.Result]) (gongu.Result, error) {
		if len(c.Metadata) != 0 {
			t.Errorf("%s begins with %v", c.ToolName, c.Metadata)
		}
		c.Metadata["by"] = c.ToolName
		result, err := next(ctx)
		seen = append(seen, c.Metadata["inside"])
		return result, err
	}))
	e.Use(1, ToolCallLayer(func(ctx context.Context, c *ToolCall, next Next[gongu.Result]) (gongu.Result, error) {
		c.Metadata["inside"] = c.Metadata["by"]
		return next(ctx)
	}))
	if got := e.Call(t.Context(), gongu.Call{Name: "x__outer"}); got.Failed() {
		t.Fatal(got.Error)
	}
	if len(seen) != 2 || seen[0] != "x__inner" || seen[1] != "x__outer" {
		t.Errorf("%v", seen)
	}
}

// An extension in Go may register plain names when it says so, and owns them:
// no other extension replaces them, and unloading takes them away.
func TestGoToolsOfAnExtension(t *testing.T) {
	w := wiring()
	add := func(source string) ExtensionFunc {
		return func(_ context.Context, api *API, _ json.RawMessage) error {
			return api.RegisterTool(gongu.Tool{Name: "draw_rect", Source: gongu.Source{Type: source, Name: "somebody else"}, Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(nil) }})
		}
	}
	if _, err := LoadExtensions(t.Context(), w, []Use{{Name: "cad", Extension: add("")}}); err == nil {
		t.Error("a plain name was taken without a word")
	}
	loaded, err := LoadExtensions(t.Context(), w, []Use{{Name: "cad", Extension: add("go")}})
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := w.Registry.Get("draw_rect")
	if got := tool.Source.Identity(); got != "Go/cad" || !loaded.Owns(tool.Source) || loaded.Owns(gongu.Source{Type: "go"}) || loaded.Owns(gongu.Source{Type: "config", Name: "cad"}) {
		t.Errorf("it belongs to %s", got)
	}
	if _, err := LoadExtensions(t.Context(), w, []Use{{Name: "other", Extension: add("go")}}); err == nil {
		t.Error("another extension took it over")
	}
	loaded.Unload()
	if w.Registry.Has("draw_rect") {
		t.Error("it is left")
	}
}
