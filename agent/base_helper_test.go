package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

// baseRig is an agent without a model: each of its turns follows a script.
type baseRig struct {
	tb       testing.TB
	registry *gongu.Registry
	executor *gongu.Executor
	pipeline *Pipeline
	loaded   *Extensions
	log      bytes.Buffer
	maxSteps int

	// shown is what each step declared to the model, over all turns.
	shown []string
	// results are those of the calls, over all turns.
	results []gongu.Result
}

func baseTool(name, description string) gongu.Tool {
	return gongu.Tool{Name: name, Description: description, Invoke: func(_ context.Context, call gongu.Call) gongu.Result {
		if string(call.Args) == `{"fail":true}` {
			return gongu.Fail(fmt.Errorf("failed as asked"))
		}
		return gongu.OK("done")
	}}
}

func baseUse(tb testing.TB, name, config string) Use {
	tb.Helper()
	extension, ok := BaseExtension(name)
	if !ok {
		tb.Fatalf("there is no %s", name)
	}
	return Use{Name: name, Extension: extension, Config: json.RawMessage(config)}
}

func newBaseRig(tb testing.TB, language string, uses ...Use) (*baseRig, error) {
	tb.Helper()
	r := &baseRig{tb: tb, pipeline: &Pipeline{}, maxSteps: 8}
	logger := slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.registry = gongu.NewRegistry(&gongu.RegistryOptions{Logger: slog.New(slog.DiscardHandler)})
	if err := r.registry.Add(baseTool("bash__exec", "Runs a command."), baseTool("file-system__read", "Reads a file."), baseTool("wait__seconds", "Waits.")); err != nil {
		tb.Fatal(err)
	}
	r.executor = gongu.NewExecutor(r.registry, &gongu.ExecutorOptions{Logger: slog.New(slog.DiscardHandler), Lang: language})
	var err error
	r.loaded, err = LoadExtensions(tb.Context(), Wiring{Registry: r.registry, Executor: r.executor, Pipeline: r.pipeline, Events: &Events{}, Logger: logger, Lang: language}, uses)
	return r, err
}

func loadBase(tb testing.TB, name, config string) *baseRig {
	tb.Helper()
	r, err := newBaseRig(tb, "", baseUse(tb, name, config))
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func baseCall(name, args string) gongu.Call {
	return gongu.Call{ID: "call-" + name, Name: name, Args: json.RawMessage(args)}
}

// run is a turn whose steps make these calls; after them the model answers in
// text.
func (r *baseRig) run(turn *Turn, script ...[]gongu.Call) TurnResult {
	r.tb.Helper()
	if turn.Conversation == nil {
		turn.Conversation = NewConversation(nil)
	}
	turn.Metadata = map[string]any{}
	return r.pipeline.RunTurn(r.tb.Context(), turn, func(ctx context.Context, turn *Turn) (TurnResult, error) {
		for i := range r.maxSteps {
			var calls []gongu.Call
			if i < len(script) {
				calls = script[i]
			}
			result, err := r.step(ctx, &Step{Turn: turn, Index: i, Catalog: gongu.Everything(r.registry), Metadata: map[string]any{}}, calls)
			if err != nil {
				return TurnResult{}, err
			}
			if !result.ShouldContinue {
				return TurnResult{FinishReason: FinishText}, nil
			}
		}
		return TurnResult{FinishReason: FinishMaxSteps}, nil
	})
}

func (r *baseRig) step(ctx context.Context, step *Step, calls []gongu.Call) (StepResult, error) {
	return r.pipeline.RunStep(ctx, step, func(ctx context.Context, step *Step) (StepResult, error) {
		var names []string
		for _, tool := range step.Catalog.Visible() {
			names = append(names, tool.Name)
		}
		r.shown = append(r.shown, strings.Join(names, " "))
		results := r.executor.WithCatalog(step.Catalog).Batch(WithStep(ctx, step), calls)
		r.results = append(r.results, results...)
		return StepResult{Status: "completed", ShouldContinue: len(calls) > 0, ToolCalls: calls, ToolResults: results}, nil
	})
}

// baseParts is a message whose content has parts.
func baseParts(id, role, content string) Message {
	return Message{ID: id, Data: MessageData{Role: role, Content: json.RawMessage(content)}, Metadata: map[string]any{}, Source: MessageSource{Type: role}}
}

func baseCallsMessage(id string, calls ...string) Message {
	return baseParts(id, "assistant", basePartsOf("tool-call", calls))
}

func baseResultsMessage(id string, calls ...string) Message {
	return baseParts(id, "tool", basePartsOf("tool-result", calls))
}

func basePartsOf(kind string, calls []string) string {
	var parts []string
	for _, call := range calls {
		parts = append(parts, fmt.Sprintf(`{"type":%q,"toolCallId":%q,"toolName":"a__b"}`, kind, call))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func basePinned(m Message) Message {
	m.Metadata["pinned"] = true
	return m
}

func baseText(id, role, text string) Message {
	return Text(id, role, text, MessageSource{Type: role})
}

func baseIDs(messages []Message) string {
	var ids []string
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}
