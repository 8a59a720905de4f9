package script_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

// P9: the time of code stops while a call that it made waits for a person, and
// goes on afterwards.
func TestP9_ClockOfCodeStops(t *testing.T) {
	const limit = 1500 * time.Millisecond
	r := gongu.NewRegistry(nil)
	if err := r.Add(gongu.Func("add", "Adds.", func(context.Context, struct{}) (int, error) { return 7, nil })); err != nil {
		t.Fatal(err)
	}
	asks := gongu.Guard{Name: "asks", Check: func(ctx context.Context, a *gongu.Attempt) *gongu.Error {
		err := a.Await(ctx, func(ctx context.Context) error {
			select {
			case <-time.After(2 * limit):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		if err != nil {
			return &gongu.Error{Code: gongu.CodeCancelled, Message: err.Error()}
		}
		return nil
	}}
	x := gongu.NewExecutor(r, &gongu.ExecutorOptions{Guards: []gongu.Guard{asks}, Catalog: gongu.Everything(r), Logger: quiet()})
	call := func(ctx context.Context, name string, _ json.RawMessage) gongu.Result {
		return x.Call(ctx, gongu.Call{Name: name})
	}
	c := newCode(t, script.CodeOptions{Timeout: limit})
	result, err := c.Run(t.Context(), "await tools.add()", codeTools(), call)
	if err != nil || string(result.Value) != "7" {
		t.Errorf("%s %+v", result.Value, err)
	}
	if _, err := c.Run(t.Context(), "await tools.add(); while (true) {}", codeTools(), call); err == nil || err.Code != gongu.CodeTimeout {
		t.Errorf("%+v", err)
	}
}
