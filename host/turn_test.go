package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
)

// scopeOf opens a bundle with one extension and gives its scope: what the loop
// of an agent works with.
func scopeOf(t *testing.T, module string) *scope {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"gongu.yaml": "apiVersion: gongu/v1\nkind: Extension\nmetadata: { name: e }\nspec: { entry: ./e.ts }\n",
		"e.ts":       "export function register(api) {" + module + "}",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h, err := Open(t.Context(), dir, &Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	s, leave, err := h.acquireScope(t.Context(), Address{})
	if err != nil {
		t.Fatal(err)
	}
	leave() // the scope of the host's own instance stays
	return s
}

func newTurn(messages ...agent.Message) *agent.Turn {
	return &agent.Turn{
		AgentName: "a", InstanceKey: "i", TurnID: "t", TraceID: strings.Repeat("0", 32), Input: json.RawMessage(`{"type":"x"}`),
		Runtime: json.RawMessage(`{"agent":{"name":"a"}}`), Conversation: agent.NewConversation(messages), Metadata: map[string]any{"given": 1},
	}
}

func said(id, role, text string) agent.Message {
	return agent.Text(id, role, text, agent.MessageSource{Type: role})
}

// Goondan 42 and 117 for a script: what a turn and a step show, and how their
// conversation is changed.
func TestGoondan42_ScriptTurn(t *testing.T) {
	s := scopeOf(t, `
		const keys = (o) => Object.keys(o).sort().join();
		api.pipeline.register('turn', async (ctx) => {
			ctx.metadata.keys = keys(ctx);
			ctx.metadata.state = keys(ctx.conversationState) + ' ' + keys(ctx.agents);
			const [first] = ctx.conversationState.nextMessages;
			ctx.metadata.date = first.createdAt instanceof Date;
			ctx.emitMessageEvent({ type: 'append', message: { id: 'm2', data: { role: 'system', content: 'hello' }, metadata: {}, createdAt: new Date(), source: { type: 'extension', extensionName: 'e' } } });
			ctx.metadata.llm = ctx.conversationState.toLlmMessages();
			try { ctx.emitMessageEvent({ type: 'swap' }); } catch (e) { ctx.metadata.error = e.message; }
			const result = await ctx.next();
			ctx.metadata.inner = ctx.conversationState.nextMessages.length + ' ' + ctx.metadata.byCore;
			result.finishReason = 'max_steps';
			return result;
		});
		api.pipeline.register('step', async (ctx) => {
			ctx.metadata.keys = keys(ctx);
			ctx.turn.metadata.byStep = keys(ctx.turn) + ' ' + ctx.turn.id + ' ' + ctx.turn.messages.length;
			try { await ctx.agents.request({ target: 'b', input: 'x' }); } catch (e) { ctx.metadata.error = e.message; }
			return { ...(await ctx.next()), shouldContinue: true };
		});`)
	turn := newTurn(said("m1", "user", "hi"))
	result := s.pipeline.RunTurn(t.Context(), turn, func(ctx context.Context, turn *agent.Turn) (agent.TurnResult, error) {
		turn.Metadata["byCore"] = "yes"
		step := &agent.Step{Turn: turn, Catalog: gongu.Everything(s.registry), Metadata: map[string]any{}}
		done, err := s.pipeline.RunStep(ctx, step, func(context.Context, *agent.Step) (agent.StepResult, error) {
			message := said("m3", "assistant", "bye")
			return agent.StepResult{Status: "completed"}, turn.Conversation.Emit(agent.MessageEvent{Type: agent.EventAppend, Message: &message})
		})
		if err != nil || !done.ShouldContinue || done.Status != "completed" { // goondan 50
			t.Errorf("%+v, %v", done, err)
		}
		want := map[string]any{
			"keys":  "agentName,agents,conversationState,emitMessageEvent,instanceKey,metadata,next,runtime,stepIndex,toolCatalog,traceId,turn,turnId",
			"error": "agents.request: There are no other agents here.",
		}
		if diff := cmp.Diff(want, step.Metadata); diff != "" {
			t.Errorf("step (-want +got):\n%s", diff)
		}
		return agent.TurnResult{FinishReason: agent.FinishText}, nil
	})
	if result.FinishReason != agent.FinishMaxSteps || result.TurnID != "t" || result.Error != nil {
		t.Errorf("%+v", result)
	}
	want := map[string]any{
		"given": 1.0, "byCore": "yes", "date": true,
		"keys":   "agentName,agents,conversationState,emitMessageEvent,inputEvent,instanceKey,metadata,next,runtime,traceId,turnId",
		"state":  "baseMessages,events,nextMessages,toLlmMessages request,send",
		"llm":    []any{map[string]any{"role": "user", "content": "hi"}, map[string]any{"role": "system", "content": "hello"}},
		"error":  `emitMessageEvent: unknown message event "swap": use append, replace, remove or truncate`,
		"byStep": "agentName,id,inputEvent,messages,metadata,status,steps t 2",
		"inner":  "3 yes",
	}
	if diff := cmp.Diff(want, turn.Metadata); diff != "" {
		t.Errorf("turn (-want +got):\n%s", diff)
	}
	if got := turn.Conversation.Len(); got != 3 {
		t.Errorf("%d messages", got)
	}
}

// Goondan 143 and 144 as scripts: what the base extensions do can be written
// in TypeScript.
func TestGoondan143_ScriptGuards(t *testing.T) {
	s := scopeOf(t, `
		let satisfied = false;
		api.pipeline.register('turn', async (ctx) => { satisfied = false; return ctx.next(); });
		api.pipeline.register('step', async (ctx) => {
			const messages = ctx.conversationState.nextMessages;
			for (const old of messages.slice(0, Math.max(messages.length - 2, 0))) ctx.emitMessageEvent({ type: 'remove', targetId: old.id });
			const result = await ctx.next();
			satisfied ||= result.toolResults.some((r) => r.status === 'ok' && r.toolName === 'x__must');
			if (!satisfied && !result.shouldContinue) {
				ctx.emitMessageEvent({ type: 'append', message: { id: 'hint-' + ctx.stepIndex, data: { role: 'user', content: 'call x__must' }, metadata: {}, createdAt: new Date(), source: { type: 'extension', extensionName: 'e' } } });
				result.shouldContinue = true;
			}
			return result;
		});`)
	turn := newTurn(said("m1", "user", "1"), said("m2", "user", "2"), said("m3", "user", "3"))
	var went []bool
	s.pipeline.RunTurn(t.Context(), turn, func(ctx context.Context, turn *agent.Turn) (agent.TurnResult, error) {
		for i, results := range [][]gongu.Result{nil, {{ToolName: "x__must", Status: gongu.StatusError, Error: &gongu.Error{Message: "no"}}}, {{ToolName: "x__must", Status: gongu.StatusOK}}} {
			step := &agent.Step{Turn: turn, Index: i, Metadata: map[string]any{}}
			done, err := s.pipeline.RunStep(ctx, step, func(context.Context, *agent.Step) (agent.StepResult, error) {
				if n := turn.Conversation.Len(); n != 2 {
					t.Errorf("step %d has %d messages", i, n)
				}
				return agent.StepResult{Status: "completed", ToolCalls: []gongu.Call{}, ToolResults: append([]gongu.Result{}, results...)}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			went = append(went, done.ShouldContinue)
		}
		return agent.TurnResult{FinishReason: agent.FinishText}, nil
	})
	if got := fmt.Sprint(went); got != "[true true false]" {
		t.Errorf("went on: %s", got)
	}
}

// Goondan 62, W16: what the runtime says on the bus reaches a script.
func TestGoondan62_ScriptHearsTheRuntime(t *testing.T) {
	s := scopeOf(t, `
		const heard = [];
		api.events.on('turn.completed', (event) => { heard.push(event.turnId); api.events.emit('heard', heard.length); });
		api.tools.register({ name: 'e__heard' }, () => heard);`)
	told := make(chan any, 1)
	s.events.On("heard", func(args ...any) { told <- args[0] })
	s.events.Emit("turn.completed", map[string]any{"turnId": "t1"})
	if got := <-told; got != 1.0 {
		t.Errorf("%v", got)
	}
	catalog, err := s.catalog()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.executor.WithCatalog(catalog).Call(t.Context(), gongu.Call{Name: "e__heard", Args: json.RawMessage(`{}`)}); string(got.Output) != `["t1"]` {
		t.Errorf("%s %+v", got.Output, got.Error)
	}
}
