package gongu_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
)

// TestMain proves for every test of the package that no call leaves a
// goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newRegistry(t testing.TB, tools ...gongu.Tool) *gongu.Registry {
	t.Helper()
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: quiet()})
	if err := r.Add(tools...); err != nil {
		t.Fatalf("add: %v", err)
	}
	return r
}

// newExecutor runs everything in a registry of its own with the given tools.
func newExecutor(t testing.TB, opts *gongu.ExecutorOptions, tools ...gongu.Tool) *gongu.Executor {
	t.Helper()
	r := newRegistry(t, tools...)
	return overRegistry(r, opts)
}

func overRegistry(r *gongu.Registry, opts *gongu.ExecutorOptions) *gongu.Executor {
	o := gongu.ExecutorOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Catalog == nil {
		o.Catalog = gongu.Everything(r)
	}
	if o.Logger == nil {
		o.Logger = quiet()
	}
	return gongu.NewExecutor(r, &o)
}

// tool is a tool that echoes its arguments.
func tool(name string) gongu.Tool { return handled(name, "", echo) }

func echo(_ context.Context, call gongu.Call) gongu.Result {
	return gongu.Result{Status: gongu.StatusOK, Output: call.Args}
}

func handled(name string, parameters gongu.Schema, invoke gongu.Invoke) gongu.Tool {
	return gongu.Tool{Name: name, Description: "Does " + name + ".", Parameters: parameters, Invoke: invoke}
}

func failing(name string, err error) gongu.Tool {
	return handled(name, "", func(context.Context, gongu.Call) gongu.Result { return gongu.Fail(err) })
}

func run(t testing.TB, e *gongu.Executor, name, args string) gongu.Result {
	t.Helper()
	return e.Call(t.Context(), gongu.Call{ID: "c1", Name: name, Args: json.RawMessage(args)})
}

func wantOK(t testing.TB, r gongu.Result, output string) {
	t.Helper()
	if r.Failed() {
		t.Fatalf("result is an error: %s: %s", r.Error.Code, r.Error.Message)
	}
	if string(r.Output) != output {
		t.Fatalf("output = %s, want %s", r.Output, output)
	}
}

func wantCode(t testing.TB, r gongu.Result, code string) *gongu.Error {
	t.Helper()
	if !r.Failed() || r.Error == nil {
		t.Fatalf("result is ok with %.200s, want %s", r.Output, code)
	}
	if r.Error.Code != code {
		t.Fatalf("code = %s (%s), want %s", r.Error.Code, r.Error.Message, code)
	}
	return r.Error
}

// ended is an observer of the ends of calls.
type ended func(ctx context.Context, a *gongu.Attempt, r gongu.Result)

func (ended) Begin(ctx context.Context, _ *gongu.Attempt) context.Context { return ctx }

func (e ended) End(ctx context.Context, a *gongu.Attempt, r gongu.Result) { e(ctx, a, r) }
