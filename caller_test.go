package gongu_test

import (
	"context"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

// CallerOf speaks for the call while it runs, and not after it.
func TestCallerOf(t *testing.T) {
	var heard []string
	ctx, err := gongu.WithContext(t.Context(), gongu.Context{
		AgentName: "a", InstanceKey: "k", TurnID: "t", TraceID: "0123456789abcdef0123456789abcdef",
		Caller: gongu.Caller{Progress: func(_ context.Context, _, _ float64, message string) { heard = append(heard, message) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c := gongu.CallerOf(t.Context()); c.Progress != nil {
		t.Error("there is a caller where nobody set one")
	}
	var kept gongu.Caller
	call(t, ctx, nil, func(ctx context.Context) {
		kept = gongu.CallerOf(ctx)
		kept.Progress(ctx, 1, 2, "during")
	})
	kept.Progress(t.Context(), 2, 2, "after")
	if len(heard) != 1 || heard[0] != "during" || kept.Log != nil {
		t.Errorf("heard %q", heard)
	}
}

// What an inline handler leaves to be done at its end is done, when it returns
// and when its caller goes; what it takes back is not.
func TestInlineAfterFunc(t *testing.T) {
	for name, how := range map[string]func(ctx context.Context, cancel context.CancelFunc, done chan struct{}) bool{
		"returns": func(ctx context.Context, _ context.CancelFunc, done chan struct{}) bool {
			context.AfterFunc(ctx, func() { close(done) })
			return true
		},
		"cancelled": func(ctx context.Context, cancel context.CancelFunc, done chan struct{}) bool {
			context.AfterFunc(ctx, func() { close(done) })
			cancel()
			<-done
			return true
		},
		"taken back": func(ctx context.Context, _ context.CancelFunc, done chan struct{}) bool {
			return !context.AfterFunc(ctx, func() { close(done) })()
		},
	} {
		done := make(chan struct{})
		expected := false
		ctx, cancel := context.WithCancel(t.Context())
		call(t, ctx, nil, func(ctx context.Context) { expected = how(ctx, cancel, done) })
		cancel()
		if !expected {
			continue
		}
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Errorf("%s: it was never done", name)
		}
	}
}

// call runs one inline tool.
func call(t *testing.T, ctx context.Context, opts *gongu.ExecutorOptions, run func(ctx context.Context)) gongu.Result {
	t.Helper()
	registry := gongu.NewRegistry(nil)
	err := registry.Add(gongu.Tool{
		Name: "look", Limits: gongu.Limits{Inline: true, Timeout: -1},
		Invoke: func(ctx context.Context, _ gongu.Call) gongu.Result { run(ctx); return gongu.OK("x") },
	})
	if err != nil {
		t.Fatal(err)
	}
	if opts == nil {
		opts = &gongu.ExecutorOptions{}
	}
	opts.Catalog = gongu.Everything(registry)
	return gongu.NewExecutor(registry, opts).Call(ctx, gongu.Call{Name: "look"})
}
