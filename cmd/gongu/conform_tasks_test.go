//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/serve"
)

// taskServer is an MCP server with the tools that the scenarios of the tasks
// extension ask for. Calls become tasks after a moment.
func taskServer(t *testing.T) string {
	t.Helper()
	registry := gongu.NewRegistry(nil)
	for name, tool := range taskTools() {
		tool.Name = name
		if err := registry.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	s, err := serve.New(serve.Options{
		Backend: &plainBackend{registry, gongu.NewExecutor(registry, nil)}, Mode: serve.ModeDirect, TaskAfter: 100 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.MCP().ServeHTTP(w, r.WithContext(gongu.WithPrincipal(r.Context(), &gongu.Principal{Name: "gateway"})))
	}))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Drain(ctx) // tasks that were left behind
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/mcp"
}

// plainBackend serves the tools of a registry.
type plainBackend struct {
	registry *gongu.Registry
	executor *gongu.Executor
}

func (b *plainBackend) Registry() *gongu.Registry       { return b.registry }
func (b *plainBackend) Prepare(context.Context, string) {}

func (b *plainBackend) Step(ctx context.Context, _ string, core func(context.Context, *gongu.Executor) error) error {
	return core(ctx, b.executor.WithCatalog(gongu.Everything(b.registry)))
}

func taskTools() map[string]gongu.Tool {
	tool := func(work func(ctx context.Context, args json.RawMessage) (string, error)) gongu.Tool {
		return gongu.Tool{
			Description: "For the suite.", Parameters: `{"type":"object"}`,
			Invoke: func(ctx context.Context, call gongu.Call) gongu.Result {
				said, err := work(ctx, call.Args)
				if err != nil {
					return gongu.Fail(err)
				}
				if said == "" {
					asks := json.RawMessage(askName)
					relay.Of(ctx).Keep(asks, asks, nil, nil)
					return gongu.Result{Status: gongu.StatusOK, Output: asks}
				}
				out, err := json.Marshal(said)
				if err != nil {
					return gongu.Fail(err)
				}
				return gongu.Result{Status: gongu.StatusOK, Output: out}
			},
		}
	}
	required := func(t gongu.Tool) gongu.Tool {
		t.Labels = map[string]string{"mcp/task": "required"}
		return t
	}
	return map[string]gongu.Tool{
		"greet":        tool(greet),
		"slow_compute": tool(slowCompute),
		"failing_job": required(tool(func(ctx context.Context, _ json.RawMessage) (string, error) {
			return "", errors.Join(aMoment(ctx, 400*time.Millisecond), errors.New("the job failed"))
		})),
		"protocol_error_job": tool(func(ctx context.Context, _ json.RawMessage) (string, error) {
			if err := aMoment(ctx, 400*time.Millisecond); err != nil {
				return "", err
			}
			panic("broken on purpose")
		}),
		"confirm_delete": tool(confirm),
		"multi_input": tool(func(ctx context.Context, args json.RawMessage) (string, error) {
			var both sync.WaitGroup
			var failed [2]error
			for i := range failed {
				both.Go(func() { _, failed[i] = confirm(ctx, args) })
			}
			both.Wait()
			return "both", errors.Join(failed[:]...)
		}),
		"test_tool_with_task": required(tool(askThenWork)),
	}
}

func aMoment(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func greet(_ context.Context, args json.RawMessage) (string, error) {
	var in struct{ Name string }
	err := json.Unmarshal(args, &in)
	return "Hello, " + in.Name + "!", err
}

func slowCompute(ctx context.Context, args json.RawMessage) (string, error) {
	var in struct{ Seconds float64 }
	if err := json.Unmarshal(args, &in); err != nil {
		return "", err
	}
	return "computed", aMoment(ctx, time.Duration(in.Seconds*float64(time.Second)))
}

func confirm(ctx context.Context, _ json.RawMessage) (string, error) {
	answer, err := gongu.ContextOf(ctx).Elicit(ctx, "", json.RawMessage(`{"mode":"form","message":"Sure?","requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"}}}}`))
	return "answered " + string(answer), err
}

const askName = `{"resultType":"input_required","inputRequests":{"user_name":{"method":"elicitation/create","params":{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}}}`

// askThenWork asks as a tool of the modern era does, before there is a task.
func askThenWork(ctx context.Context, _ json.RawMessage) (string, error) {
	passing := relay.Of(ctx)
	if len(passing.Responses) == 0 {
		return "", nil
	}
	return "answered " + string(passing.Responses), aMoment(ctx, 400*time.Millisecond)
}
