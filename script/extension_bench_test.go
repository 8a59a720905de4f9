package script_test

import (
	"encoding/json"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

// BenchmarkExtension: a tool call through a middleware that only passes it on,
// and a tool of an extension.
func BenchmarkExtension(b *testing.B) {
	e := newEngine(b, script.Options{})
	x, err := e.LoadExtension(b.Context(), tree(b, map[string]string{"ext.ts": `export function register(api) {
		api.pipeline.register('toolCall', async (ctx) => { const result = await ctx.next(); return result; });
		api.tools.register({ name: 'e__echo' }, (ctx, input) => input);
	}`}), "ext.ts")
	if err != nil {
		b.Fatal(err)
	}
	host := newBench()
	if err := x.Register(b.Context(), "ext", host, nil); err != nil {
		b.Fatal(err)
	}
	b.Run("middleware", func(b *testing.B) {
		for b.Loop() {
			if _, err := host.around(b.Context(), &frame{args: `{}`}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tool", func(b *testing.B) {
		tool := host.tools["e__echo"]
		for b.Loop() {
			if r := tool.Invoke(b.Context(), gongu.Call{Name: "e__echo", Args: json.RawMessage(`{"a":1}`)}); r.Failed() {
				b.Fatal(r.Error)
			}
		}
	})
}
