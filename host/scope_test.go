package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/footprint"
)

// Goondan 82: an agent that requires a tool it cannot have does not start; one
// that has it, from an extension too, gets the guard, with both lists.
func TestGoondan82_RequiredTools(t *testing.T) {
	dir := extended(t, register(`api.tools.register({ name: 'e__made' }, () => 1);`))
	agents := func(required, guard string) string {
		return fmt.Sprintf(`apiVersion: gongu/v1
kind: Extension
metadata: { name: guard }
spec: { entry: "builtin:required-tools-guard", config: { requiredTools: [x__fail] } }
---
apiVersion: gongu/v1
kind: Agent
metadata: { name: must }
spec:
  modelConfig: { modelRef: Model/m }
  tools: [Tool/x]
  extensions: [Extension/e0%s]
  requiredTools: [%s]
`, guard, required)
	}
	write(t, dir, "agents.yaml", agents("e__mode", ""))
	h := open(t, dir, nil)
	if _, err := firstCatalog(h, "must"); err == nil || !strings.Contains(err.Error(), `Agent must requires the tool "e__mode"`) || !strings.Contains(err.Error(), "Did you mean e__made?") {
		t.Errorf("%v", err)
	}
	for guard, want := range map[string]string{"": "e__made, x__echo", ", Extension/guard": "x__fail, e__made, x__echo"} {
		write(t, dir, "agents.yaml", agents("e__made, x__echo", guard))
		heard := ""
		watch := agent.ExtensionFunc(func(_ context.Context, api *agent.API, _ json.RawMessage) error {
			// It stands outside of the guard and sees what that appended.
			api.UseStep(-1, func(ctx context.Context, step *agent.Step, next agent.Next[agent.StepResult]) (agent.StepResult, error) {
				result, err := next(ctx)
				for _, message := range step.Turn.Conversation.Next() {
					heard += message.TextOf()
				}
				return result, err
			})
			return nil
		})
		write(t, dir, "extensions.yaml", "apiVersion: gongu/v1\nkind: Extension\nmetadata: { name: watch }\nspec: { entry: \"builtin:watch\" }\n")
		write(t, dir, "agents.yaml", strings.Replace(agents("e__made, x__echo", guard), "Extension/e0", "Extension/watch, Extension/e0", 1))
		h := open(t, dir, &host.Options{Extensions: map[string]agent.Extension{"watch": watch}})
		inStep(t, h, "must", func(context.Context, *gongu.Executor) {})
		if !strings.Contains(heard, want) {
			t.Errorf("the guard said %q, want %q in it", heard, want)
		}
		heard = ""
		call(t, h, "must", "e__made", `{}`)
		if heard != "" {
			t.Errorf("after a success the guard said %q", heard)
		}
	}
}

// A program's own extension is found by its name, and may register tools with
// plain names.
func TestGoExtension(t *testing.T) {
	dir := extended(t)
	write(t, dir, "extensions.yaml", "apiVersion: gongu/v1\nkind: Extension\nmetadata: { name: drawing }\nspec: { entry: \"builtin:sketch\", config: { unit: mm } }\n")
	sketch := agent.ExtensionFunc(func(_ context.Context, api *agent.API, config json.RawMessage) error {
		tool := gongu.Func("draw_rect", "Draws.", func(context.Context, struct{}) (string, error) { return string(config), nil })
		tool.Source = gongu.Source{Type: "go"}
		return api.RegisterTool(tool)
	})
	h := open(t, dir, &host.Options{Extensions: map[string]agent.Extension{"sketch": sketch}})
	if got := call(t, h, "", "draw_rect", `{}`); string(got.Output) != `"{\"unit\":\"mm\"}"` {
		t.Errorf("%+v", got)
	}
	if got := call(t, h, "a", "draw_rect", `{}`); got.Error == nil || got.Error.Code != gongu.CodeNotInCatalog {
		t.Errorf("an agent without the extension: %+v", got)
	}
	if _, err := host.Open(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), "sketch") {
		t.Errorf("without the program's extension: %v", err)
	}
}

// B12 with extensions: a reload makes them anew, a broken one keeps the last
// good set, and a step that runs goes on with what it began with.
func TestB12_ReloadExtensions(t *testing.T) {
	version := func(n int) string {
		return register(fmt.Sprintf(`
			let calls = 0;
			api.tools.register({ name: 'e__version' }, () => [%d, ++calls, api.state.get()]);
			api.pipeline.register('toolCall', async (ctx) => { api.state.set({ last: %d }); return ctx.next(); });`, n, n))
	}
	dir := extended(t, version(1))
	h := open(t, dir, nil)
	expect := func(want string) {
		t.Helper()
		if got := say(t, h, "e__version", `{}`); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	expect(`[1,1,{"last":1}]`)
	inStep(t, h, "a", func(ctx context.Context, x *gongu.Executor) {
		write(t, dir, "ext/e0.ts", version(2))
		if r := h.Reload(t.Context()); r.Err != nil {
			t.Fatal(r.Err)
		}
		for n := 2; n < 4; n++ {
			if got := x.Call(ctx, callOf("e__version", `{}`)); string(got.Output) != fmt.Sprintf(`[1,%d,{"last":1}]`, n) {
				t.Errorf("the step that runs: %s %+v", got.Output, got.Error)
			}
		}
		if got := x.Call(ctx, callOf("x__echo", `{"n":1}`)); string(got.Output) != `{"n":1}` {
			t.Errorf("the step that runs: %s %+v", got.Output, got.Error)
		}
	})
	expect(`[2,1,{"last":2}]`)
	write(t, dir, "ext/e0.ts", register(`throw new Error('broken');`))
	if r := h.Reload(t.Context()); r.Err == nil || !strings.Contains(r.Err.Error(), "broken") {
		t.Errorf("%v", r.Err)
	}
	expect(`[2,2,{"last":2}]`)
	write(t, dir, "ext/e0.ts", version(3))
	if r := h.Reload(t.Context()); r.Err != nil {
		t.Fatal(r.Err)
	}
	expect(`[3,1,{"last":3}]`)
}

// Two hundred calls at a time pass one middleware of a script; half of them
// are to the extension's own tool.
func TestParallelThroughScript(t *testing.T) {
	h := open(t, extended(t, register(`
		api.pipeline.register('toolCall', async (ctx) => {
			ctx.metadata.seen = true;
			const result = await ctx.next();
			return { ...result, output: [ctx.args.n, result.output] };
		});
		api.tools.register({ name: 'e__own' }, async (ctx, input) => { await new Promise((r) => setTimeout(r, 1)); return input; });`)), nil)
	inStep(t, h, "a", func(ctx context.Context, x *gongu.Executor) {
		var group sync.WaitGroup
		for n := range 200 {
			group.Go(func() {
				name := []string{"x__echo", "e__own"}[n%2]
				got := x.Call(ctx, gongu.Call{Name: name, Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))})
				if want := fmt.Sprintf(`[%d,{"n":%d}]`, n, n); string(got.Output) != want {
					t.Errorf("%s %+v, want %s", got.Output, got.Error, want)
				}
			})
		}
		group.Wait()
	})
}

// H13 with an extension: ten thousand calls through it, half of them failing,
// leave nothing behind.
func TestH13_ExtensionLeavesNothing(t *testing.T) {
	warm, calls := 400, 10_000
	if raceDetector || testing.Short() {
		warm, calls = 40, 80 // make heavy makes all of them, without the detector
	}
	h := open(t, extended(t, register(`
		api.pipeline.register('toolCall', async (ctx) => {
			if (ctx.args.n % 8 === 1) throw new Error('refused');
			const result = await ctx.next();
			if (result.status === 'ok') result.output;
			return result;
		});
		api.pipeline.register('step', (ctx) => ctx.next());
		api.tools.register({ name: 'e__own' }, async (ctx, input) => { if (input.n % 2) throw new Error('odd'); return input; });`)), nil)
	// The others are in Go: a script's VMs come and go with the load.
	echo := func(_ context.Context, call gongu.Call) gongu.Result { return gongu.Result{Output: call.Args} }
	fail := func(context.Context, gongu.Call) gongu.Result { return gongu.Fail(errors.New("no")) }
	if err := h.Registry().Add(gongu.Tool{Name: "echo", Invoke: echo}, gongu.Tool{Name: "fail", Invoke: fail}); err != nil {
		t.Fatal(err)
	}
	batch := func(n int) {
		t.Helper()
		failed := 0
		inStep(t, h, "", func(ctx context.Context, x *gongu.Executor) {
			list := make([]gongu.Call, n)
			for i := range list {
				list[i] = gongu.Call{Name: []string{"echo", "fail", "e__own", "e__own"}[i%4], Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))}
			}
			for _, result := range x.Batch(ctx, list) {
				if result.Failed() {
					failed++
				}
			}
		})
		if failed != n/2 {
			t.Errorf("%d of %d failed", failed, n)
		}
	}
	batch(warm)
	before, err := footprint.Take(footprint.Footprint{Goroutines: runtime.NumGoroutine()})
	if err != nil {
		t.Fatal(err)
	}
	// A step keeps its calls for its middleware, so that they come in several.
	for range calls / 80 {
		batch(80)
	}
	after, err := footprint.Take(before)
	if err != nil {
		t.Fatal(err)
	}
	for _, grown := range after.Grown(before) {
		if !raceDetector || !strings.Contains(grown, "resident") {
			t.Error(grown)
		}
	}
}

// The error of a step is core's own.
func TestStepError(t *testing.T) {
	h := open(t, extended(t, register(`api.pipeline.register('step', (ctx) => ctx.next());`)), nil)
	cause := errors.New("mine")
	for _, name := range []string{"a", "plain", ""} {
		if err := h.Step(t.Context(), name, func(context.Context, *gongu.Executor) error { return cause }); !errors.Is(err, cause) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := h.Step(t.Context(), "nobody", nil); err == nil || !strings.Contains(err.Error(), `no agent "nobody"`) {
		t.Errorf("%v", err)
	}
}
