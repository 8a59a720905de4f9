package serve_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/toolrequest"
)

// P5: a view says whether the list has a tool, what finds and calls it otherwise, and
// under which name it is served.
func TestP5_HowClientsFindATool(t *testing.T) {
	registry := gongu.NewRegistry(&gongu.RegistryOptions{Logger: slog.New(slog.DiscardHandler)})
	long := "files__" + strings.Repeat("long_", 10) + "name"
	nothing := func(context.Context, gongu.Call) gongu.Result { return gongu.Result{} }
	tools := append(explore.Tools(&explore.Options{Requests: toolrequest.NewMemory()}),
		gongu.Tool{Name: "files__read", Description: "Reads.", Invoke: nothing}, gongu.Tool{Name: long, Description: "Reads.", Invoke: nothing})
	if err := registry.Add(tools...); err != nil {
		t.Fatal(err)
	}
	catalog := gongu.Everything(registry)
	for _, c := range []struct {
		view         serve.View
		name, served string
		listed       bool
		text         string
	}{
		{serve.View{}, "files__read", "files__read", true, "tools/list has it as files__read."},
		{serve.View{Mode: serve.ModeDirect}, long, "", true, "tools/list has it as files_long_"},
		{serve.View{Mode: serve.ModeSearch}, "files__read", "files__read", false, "(mode search). search_tools finds it, and call_tool calls it, as files__read."},
		{serve.View{Mode: serve.ModeAuto, Budget: 1}, "files__read", "files__read", false, "(mode search)"},
		{serve.View{Mode: serve.ModeCode}, "files__read", "files__read", false, "(mode code). search_tools finds it, and run_code calls it"},
	} {
		shown, err := c.view.Shown(catalog, c.name)
		if err != nil || shown.Listed != c.listed || c.served != "" && shown.Name != c.served || len(shown.Name) > 48 {
			t.Errorf("%+v, %s: %+v, %v", c.view, c.name, shown, err)
		}
		if text := c.view.Text(catalog, c.name, "en"); !strings.Contains(text, c.text) {
			t.Errorf("%q lacks %q", text, c.text)
		}
		if original := c.view.Original(catalog, shown.Name); original != c.name {
			t.Errorf("%s is %s, want %s", shown.Name, original, c.name)
		}
	}
}
