package host_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/host"
)

// counting is an extension whose tool counts its calls in memory and keeps the
// last count in its state.
var counting = register(`
	let calls = 0;
	api.tools.register({ name: 'e__count' }, (ctx) => { api.state.set({ last: ++calls }); return [calls, ctx.instanceKey, ctx.workdir]; });
	api.tools.register({ name: 'e__state' }, () => api.state.get());`)

func callAt(t *testing.T, h *host.Host, at host.Address, name string) string {
	t.Helper()
	s, err := h.Scope(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	var result gongu.Result
	if err := s.Step(t.Context(), nil, func(ctx context.Context, x *gongu.Executor) error {
		result = x.Call(ctx, callOf(name, `{}`))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if result.Failed() {
		t.Fatalf("%+v", result.Error)
	}
	return string(result.Output)
}

// Instances of one agent share neither the memory of extensions, nor their
// state, nor the workspace.
func TestInstancesAreApart(t *testing.T) {
	h := open(t, extended(t, counting), nil)
	one, two := host.Address{Agent: "a", Instance: "one"}, host.Address{Agent: "a", Instance: "two"}
	first := callAt(t, h, one, "e__count")
	if !strings.HasPrefix(callAt(t, h, one, "e__count"), `[2,"one"`) || !strings.HasPrefix(callAt(t, h, two, "e__count"), `[1,"two"`) {
		t.Error("two instances count together")
	}
	if got := callAt(t, h, two, "e__state"); got != `{"last":1}` {
		t.Errorf("the state of another instance is %s", got)
	}
	if second := callAt(t, h, two, "e__count"); first[strings.LastIndex(first, ","):] == second[strings.LastIndex(second, ","):] {
		t.Errorf("both work in %s", first)
	}
	if got := say(t, h, "e__count", `{}`); !strings.HasPrefix(got, `[1,"default"`) {
		t.Errorf("the host's own instance: %s", got)
	}
}

// A scope that is not used is closed: the memory of its extensions is gone,
// their state is there again. The scopes of the host's own instance stay,
// because connected clients keep their tools.
func TestIdleScopesClose(t *testing.T) {
	h := open(t, extended(t, counting), &host.Options{IdleAfter: 20 * time.Millisecond})
	at := host.Address{Agent: "a", Instance: "one"}
	callAt(t, h, at, "e__count")
	say(t, h, "e__count", `{}`)
	for deadline := time.Now().Add(20 * time.Second); ; {
		if got := callAt(t, h, at, "e__count"); strings.HasPrefix(got, `[1,`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the scope was never closed")
		}
		time.Sleep(40 * time.Millisecond) // longer than a scope may be idle
	}
	if got := say(t, h, "e__count", `{}`); !strings.HasPrefix(got, `[2,`) {
		t.Errorf("the host's own instance was closed: %s", got)
	}
}

// A step reports the calls made in it to its middleware, whether they are made
// by Host.Call or with the executor of a step, and not those of a tool.
func TestStepReportsItsCalls(t *testing.T) {
	var reported []string
	watch := agent.ExtensionFunc(func(_ context.Context, api *agent.API, _ json.RawMessage) error {
		api.UseStep(0, func(ctx context.Context, step *agent.Step, next agent.Next[agent.StepResult]) (agent.StepResult, error) {
			result, err := next(ctx)
			for i, call := range result.ToolCalls {
				reported = append(reported, call.Name+" "+string(call.Args)+" "+result.ToolResults[i].Status)
			}
			return result, err
		})
		return nil
	})
	dir := extended(t)
	write(t, dir, "extensions.yaml", "apiVersion: gongu/v1\nkind: Extension\nmetadata: { name: watch }\nspec: { entry: \"builtin:watch\" }\n")
	h := open(t, dir, &host.Options{Extensions: map[string]agent.Extension{"watch": watch}})
	expect := func(want ...string) {
		t.Helper()
		if !slices.Equal(reported, want) {
			t.Errorf("reported %q, want %q", reported, want)
		}
		reported = nil
	}
	call(t, h, "", "x__echo", `{"n":1}`)
	expect(`x__echo {"n":1} ok`)
	inStep(t, h, "", func(ctx context.Context, x *gongu.Executor) {
		x.Call(ctx, callOf("x__echo", `{"n":2}`))
		x.Call(ctx, callOf("call_tool", `{"name":"x__echo","arguments":{"n":3}}`))
		x.Call(ctx, callOf("x__echo", `not JSON`))
	})
	expect(`x__echo {"n":2} ok`, `call_tool {"name":"x__echo","arguments":{"n":3}} ok`, `x__echo  error`)
}

// Steps of one turn share it and are counted.
func TestStepsShareATurn(t *testing.T) {
	var seen []int
	watch := agent.ExtensionFunc(func(_ context.Context, api *agent.API, _ json.RawMessage) error {
		api.UseTurn(0, func(ctx context.Context, turn *agent.Turn, next agent.Next[agent.TurnResult]) (agent.TurnResult, error) {
			turn.Metadata["mark"] = 7
			return next(ctx)
		})
		api.UseStep(0, func(ctx context.Context, step *agent.Step, next agent.Next[agent.StepResult]) (agent.StepResult, error) {
			if step.Turn.Metadata["mark"] == 7 {
				seen = append(seen, step.Index)
			}
			return next(ctx)
		})
		return nil
	})
	dir := extended(t)
	write(t, dir, "extensions.yaml", "apiVersion: gongu/v1\nkind: Extension\nmetadata: { name: watch }\nspec: { entry: \"builtin:watch\" }\n")
	h := open(t, dir, &host.Options{Extensions: map[string]agent.Extension{"watch": watch}})
	s, err := h.Scope(t.Context(), host.Address{})
	if err != nil {
		t.Fatal(err)
	}
	turn := &agent.Turn{TurnID: "t", Conversation: agent.NewConversation(nil), Metadata: map[string]any{}}
	result := s.Turn(t.Context(), turn, func(ctx context.Context, turn *agent.Turn) (agent.TurnResult, error) {
		for range 3 {
			if err := s.Step(ctx, turn, func(context.Context, *gongu.Executor) error { return nil }); err != nil {
				return agent.TurnResult{}, err
			}
		}
		return agent.TurnResult{FinishReason: agent.FinishText}, nil
	})
	if result.Error != nil || !slices.Equal(seen, []int{0, 1, 2}) {
		t.Errorf("%+v, steps %v", result, seen)
	}
}

// A script sees the discovery tools in ctx.toolCatalog and can remove them like
// any other; an Agent with explore: false has none.
func TestDiscoveryToolsAreToolsOfTheCatalog(t *testing.T) {
	dir := extended(t, register(`
		api.pipeline.register('step', async (ctx) => {
			api.state.set({ had: ctx.toolCatalog.some((item) => item.name === 'list_tools') });
			ctx.toolCatalog = ctx.toolCatalog.filter((item) => item.name !== 'list_tools');
			return ctx.next();
		});
		api.tools.register({ name: 'e__had' }, () => api.state.get());`))
	write(t, dir, "agents.yaml", "apiVersion: gongu/v1\nkind: Agent\nmetadata: { name: quiet }\nspec:\n  modelConfig: { modelRef: Model/m }\n  tools: [Tool/x]\n  explore: false\n")
	h := open(t, dir, nil)
	if got := say(t, h, "e__had", `{}`); got != `{"had":true}` {
		t.Errorf("the script saw %s", got)
	}
	for agentName, tools := range map[string]map[string]bool{
		"a": {"list_tools": false, "search_tools": true, "x__echo": true}, "plain": {"list_tools": true}, "quiet": {"list_tools": false, "search_tools": false, "x__echo": true},
	} {
		for name, want := range tools {
			if got := catalogIn(t, h, agentName).Has(name); got != want {
				t.Errorf("agent %s: %s callable is %v", agentName, name, got)
			}
		}
	}
}
