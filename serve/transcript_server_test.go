package serve_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/serve"
)

type sum struct {
	A int `json:"a"`
	B int `json:"b"`
}

// stage is the server of a transcript, and what can be made to happen to it.
type stage struct {
	server  *serve.Server
	backend *backend
	up      *upstream
	release func()
}

// newStage makes a server that is small enough to read its lists. Options are
// the lines of the transcript's file "server".
func newStage(t testing.TB, options string) *stage {
	t.Helper()
	return newStageWith(t, func(opts *serve.Options) { stageOptions(t, opts, options) })
}

func newStageWith(t testing.TB, change func(*serve.Options)) *stage {
	t.Helper()
	released := make(chan struct{})
	up := &upstream{prefix: "fixture"}
	b := newBackend(t, nil, stageTools(released)...)
	opts := serve.Options{
		Backend: b, Upstreams: up, Events: up.events.Subscribe, LegacySSE: true,
		Version: "1.0.0", Instructions: "Use add.", TaskAfter: 50 * time.Millisecond,
	}
	change(&opts)
	return &stage{server: newServer(t, opts), backend: b, up: up, release: sync.OnceFunc(func() { close(released) })}
}

func stageOptions(t testing.TB, opts *serve.Options, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, _ := strconv.Atoi(value) // 0 where there is none
		switch name {
		case "sampling":
			opts.Sampling = true
		case "page":
			opts.Page = number
		case "body":
			opts.Limits.Body = number
		case "sessions":
			opts.Limits.SessionsEach = number
		case "alone":
			opts.Upstreams = nil
		default:
			t.Fatalf("the server has no option %q", line)
		}
	}
}

// happen makes something happen that no client did, and reports whether it
// knows how.
func (s *stage) happen(t testing.TB, what string) bool {
	t.Helper()
	first, rest, _ := strings.Cut(what, " ")
	switch first {
	case "change":
		if err := s.backend.registry.Add(echo(rest)); err != nil {
			t.Fatal(err)
		}
	case "tell":
		method, params, _ := strings.Cut(rest, " ")
		var raw json.RawMessage
		if params != "" {
			raw = json.RawMessage(params)
		}
		s.up.tell(method, raw)
	case "release":
		s.release()
	default:
		return false
	}
	return true
}

// stageTools are one tool for each thing that can happen to a call.
func stageTools(released <-chan struct{}) []gongu.Tool {
	add := gongu.Func("add", "Adds two numbers.", func(_ context.Context, in sum) (map[string]int, error) {
		return map[string]int{"sum": in.A + in.B}, nil
	})
	add.Output = `{"type":"object","properties":{"sum":{"type":"integer"}}}`
	add.Annotations.ReadOnly = new(true)
	count := gongu.Func("count", "Counts.", func(context.Context, struct{}) (int, error) { return 3, nil })
	count.Output = `{"type":"integer"}`
	tools := []gongu.Tool{add, count}
	all := append(append(plainTools(), askingTools()...), nativeTools()...)
	for _, t := range all {
		switch t.Name {
		case "test_error_handling", "test_tool_with_progress", "test_tool_with_logging", "test_x_mcp_header",
			"test_elicitation", "test_sampling", "test_input_required_result_request_state":
			tools = append(tools, t)
		}
	}
	return append(tools, tool("roots", listRoots), tool("breaks", func(context.Context, json.RawMessage) gongu.Result {
		panic("broken on purpose")
	}), tool("hold", func(ctx context.Context, _ json.RawMessage) gongu.Result {
		gongu.ContextOf(ctx).Progress(ctx, 1, 2, "") // whoever hears this knows that it runs
		select {
		case <-released:
			return says("released")
		case <-ctx.Done():
			return gongu.Fail(ctx.Err())
		}
	}))
}

// listRoots asks as an upstream does.
func listRoots(ctx context.Context, _ json.RawMessage) gongu.Result {
	ask := relay.Of(ctx).Roots
	if ask == nil {
		return says("the client has no roots")
	}
	answer, err := ask(ctx, nil)
	if err != nil {
		return gongu.Fail(err)
	}
	return says("Roots: " + string(answer))
}
