package gongu_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

// K13: secrets are removed from errors before they are cut, and a successful
// output stays as it is.
func TestExecutorRedacts(t *testing.T) {
	const secret = "12345678"
	fails := gongu.Result{
		Error:  &gongu.Error{Message: strings.Repeat("x", 16) + secret, Suggestion: "not " + secret},
		Output: json.RawMessage(`{"key":` + secret + `}`), Content: json.RawMessage(`[{"type":"text","text":"` + secret + `"}]`),
	}
	registry := gongu.NewRegistry(nil)
	for name, result := range map[string]gongu.Result{"fails": fails, "works": gongu.OK(secret)} {
		err := registry.Add(gongu.Tool{
			Name: "t__" + name, Limits: gongu.Limits{ErrorMessage: 20},
			Invoke: func(context.Context, gongu.Call) gongu.Result { return result },
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	x := gongu.NewExecutor(registry, &gongu.ExecutorOptions{
		Catalog: gongu.Everything(registry),
		Redact:  func(text string) string { return strings.ReplaceAll(text, secret, "[secret K]") },
	})
	r := x.Call(context.Background(), gongu.Call{Name: "t__fails"})
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "1234") || !json.Valid(r.Output) || string(r.Output) != `"{\"key\":[secret K]}"` {
		t.Errorf("%s", raw)
	}
	if fails.Error.Suggestion != "not "+secret {
		t.Error("the handler's own error was changed")
	}
	if r := x.Call(context.Background(), gongu.Call{Name: "t__works"}); string(r.Output) != `"`+secret+`"` {
		t.Errorf("%s", r.Output)
	}
}
