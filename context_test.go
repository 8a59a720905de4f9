package gongu_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

type ctxT = context.Context

func seen(t *testing.T, ctx context.Context, opts *gongu.ExecutorOptions) gongu.Context {
	t.Helper()
	var got gongu.Context
	e := newExecutor(t, opts, handled("look", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		got = *gongu.ContextOf(ctx)
		return gongu.OK(nil)
	}))
	result := e.Call(ctx, gongu.Call{ID: "call-7", Name: "look", Args: json.RawMessage(`{"a":1}`)})
	wantOK(t, result, "null")
	return got
}

// H1: outside a conversation the context says so, with a made message.
func TestH1_SyntheticContext(t *testing.T) {
	for _, agent := range []string{"", "cli", "mcp"} {
		c := seen(t, t.Context(), &gongu.ExecutorOptions{AgentName: agent})
		if want := map[string]string{"": "api", "cli": "cli", "mcp": "mcp"}[agent]; c.AgentName != want || c.InstanceKey != "default" {
			t.Errorf("agent %q, instance %q", c.AgentName, c.InstanceKey)
		}
		if c.ToolCallID != "call-7" || c.TurnID == "" || len(c.TraceID) != 32 || c.Logger == nil || c.Catalog == nil || c.Executor == nil {
			t.Errorf("context = %+v", c)
		}
		var message struct {
			Data struct {
				Role    string
				Content []struct {
					Type, ToolCallID, ToolName string
					Input                      json.RawMessage
				}
			}
			Metadata map[string]any
			Source   map[string]any
		}
		if err := json.Unmarshal(c.Message, &message); err != nil {
			t.Fatal(err)
		}
		part := message.Data.Content[0]
		if message.Data.Role != "assistant" || message.Metadata["synthetic"] != true || len(message.Data.Content) != 1 ||
			part.ToolCallID != "call-7" || part.ToolName != "look" || string(part.Input) != `{"a":1}` {
			t.Errorf("message = %s", c.Message)
		}
	}
}

// H1, seed 001 §2.5: the keys of the context, and never oauth or swarmBundle.
func TestH1_ContextKeys(t *testing.T) {
	raw, err := json.Marshal(seen(t, t.Context(), nil))
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"agentName", "instanceKey", "turnId", "traceId", "toolCallId", "message", "workdir"} {
		if _, ok := keys[key]; !ok {
			t.Errorf("there is no %s in %s", key, raw)
		}
		delete(keys, key)
	}
	if len(keys) != 0 {
		t.Errorf("keys that no tool should see: %v", keys)
	}
}

// H1: the builder is checked, and what it takes reaches the handler.
func TestH1_WithContext(t *testing.T) {
	good := gongu.Context{
		AgentName: "coder", InstanceKey: "user-1", TurnID: "t1", TraceID: strings.Repeat("a0", 16), Workdir: "/tmp/x",
		Message: json.RawMessage(`{"id":"m1","data":{"role":"assistant","content":[]}}`),
		Runtime: fakeRuntime{},
	}
	for what, spoil := range map[string]func(*gongu.Context){
		"agentName":   func(c *gongu.Context) { c.AgentName = "" },
		"instanceKey": func(c *gongu.Context) { c.InstanceKey = "" },
		"turnId":      func(c *gongu.Context) { c.TurnID = "" },
		"traceId":     func(c *gongu.Context) { c.TraceID = "xyz" },
		"workdir":     func(c *gongu.Context) { c.Workdir = "relative" },
		"message":     func(c *gongu.Context) { c.Message = json.RawMessage(`{"data":{"role":"user"}}`) },
		"toolCallId":  func(c *gongu.Context) { c.ToolCallID = "x" },
	} {
		bad := good
		spoil(&bad)
		if _, err := gongu.WithContext(t.Context(), bad); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("a bad %s gave %v", what, err)
		}
	}
	ctx, err := gongu.WithContext(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	c := seen(t, ctx, nil)
	if c.AgentName != "coder" || c.InstanceKey != "user-1" || c.TurnID != "t1" || c.Workdir != "/tmp/x" || string(c.Message) != string(good.Message) || c.Runtime == nil || c.ToolCallID != "call-7" {
		t.Errorf("context = %+v", c)
	}
	if outside := gongu.ContextOf(t.Context()); outside.AgentName != "api" || outside.ToolCallID != "" {
		t.Errorf("outside a call: %+v", outside)
	}
}

type fakeRuntime struct{ gongu.AgentRuntime }

// A handler can report progress and partial output while it runs; a caller
// that cannot answer says so; a call that has ended is not spoken for.
func TestCallerWhileRunning(t *testing.T) {
	var heard []string
	caller := gongu.Caller{
		Progress: func(_ context.Context, done, total float64, message string) {
			heard = append(heard, "progress "+message)
		},
		Partial: func(_ context.Context, block gongu.Content) { heard = append(heard, "partial "+block.Text) },
		Log:     func(_ context.Context, _ slog.Level, message string) { heard = append(heard, "log "+message) },
		Elicit: func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{"action":"accept"}`), nil
		},
	}
	base := gongu.Context{AgentName: "a", InstanceKey: "i", TurnID: "t", TraceID: strings.Repeat("0", 32), Caller: caller}
	ctx, err := gongu.WithContext(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	var kept *gongu.Context
	e := newExecutor(t, nil, handled("work", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		kept = gongu.ContextOf(ctx)
		kept.Progress(ctx, 1, 2, "half")
		kept.Partial(ctx, gongu.Content{Type: "text", Text: "so far"})
		kept.Log(ctx, slog.LevelInfo, "line")
		answer, err := kept.Elicit(ctx, nil)
		if err != nil || string(answer) != `{"action":"accept"}` {
			t.Errorf("elicit = %s, %v", answer, err)
		}
		if _, err := kept.Sample(ctx, nil); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("sample = %v, want unsupported", err)
		}
		return gongu.OK("done")
	}))
	wantOK(t, e.Call(ctx, gongu.Call{Name: "work"}), `"done"`)
	kept.Progress(ctx, 2, 2, "late")
	kept.Partial(ctx, gongu.Content{Text: "late"})
	kept.Log(ctx, slog.LevelInfo, "late")
	if _, err := kept.Elicit(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a late question gave %v", err)
	}
	if got := strings.Join(heard, ", "); got != "progress half, partial so far, log line" {
		t.Errorf("heard %s", got)
	}
}
