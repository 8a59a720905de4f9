package gongu_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

// Calls that wait for an answer leave their places in a batch to others, also
// when the question comes on a context that is not the call's, as that of an
// upstream's connection.
func TestWaitingCallsFreeTheirBatchPlaces(t *testing.T) {
	const waiting = 40
	answers := make(chan struct{})
	asked := make(chan struct{}, waiting)
	base := gongu.Context{
		AgentName: "a", InstanceKey: "i", TurnID: "t", TraceID: strings.Repeat("0", 32),
		Caller: gongu.Caller{Elicit: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			asked <- struct{}{}
			<-answers
			return json.RawMessage(`{}`), nil
		}},
	}
	ctx, err := gongu.WithContext(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(elicit func(ctx context.Context) error) gongu.Invoke {
		return func(ctx context.Context, _ gongu.Call) gongu.Result {
			if err := elicit(ctx); err != nil {
				return gongu.Fail(err)
			}
			return gongu.OK("answered")
		}
	}
	quickRan := make(chan struct{})
	e := newExecutor(t, &gongu.ExecutorOptions{Parallel: 1},
		handled("ask", "", ask(func(ctx context.Context) error {
			_, err := gongu.ContextOf(ctx).Elicit(ctx, "", nil)
			return err
		})),
		handled("upstream", "", ask(func(ctx context.Context) error {
			_, err := gongu.CallerOf(ctx).Elicit(context.Background(), "up", nil)
			return err
		})),
		handled("quick", "", func(context.Context, gongu.Call) gongu.Result {
			close(quickRan)
			return gongu.OK("quick")
		}))
	var calls []gongu.Call
	for i := range waiting {
		calls = append(calls, gongu.Call{Name: []string{"ask", "upstream"}[i%2]})
	}
	calls = append(calls, gongu.Call{Name: "quick"})
	done := make(chan []gongu.Result)
	go func() { done <- e.Batch(ctx, calls) }()
	for range waiting {
		select {
		case <-asked:
		case <-time.After(10 * time.Second):
			t.Fatal("calls that wait keep others from running")
		}
	}
	select {
	case <-quickRan:
	case <-time.After(10 * time.Second):
		t.Fatal("calls that wait keep another from running")
	}
	close(answers)
	for i, r := range <-done {
		if r.Failed() {
			t.Errorf("call %d: %v", i, r.Error)
		}
	}
}
