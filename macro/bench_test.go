package macro

import (
	"encoding/json"
	"testing"

	"context"

	"github.com/gongu-ai/gongu"
)

const fiveSteps = `{"name":"m","parameters":{"type":"object","properties":{"w":{"type":"number"}}},"steps":[
  {"id":"a","tool":"echo","params":{"x":"${params.w}"}},
  {"id":"b","tool":"echo","params":{"x":"${params.w / 2}","n":"leg_${params.w}"}},
  {"id":"c","tool":"echo","params":{"x":"${steps.a.output.x + 1}"}},
  {"id":"d","tool":"echo","params":{"x":"${steps.c.output.x * 2}"},"when":"params.w > 0"},
  {"tool":"echo","params":{"x":1,"y":"literal"}}]}`

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse(json.RawMessage(fiveSteps)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompileFiveSteps(b *testing.B) {
	d, err := Parse(json.RawMessage(fiveSteps))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := d.Tool(nil); err != nil {
			b.Fatal(err)
		}
	}
}

func echoExecutor(b *testing.B) *gongu.Executor {
	registry := gongu.NewRegistry(nil)
	d, err := Parse(json.RawMessage(fiveSteps))
	if err != nil {
		b.Fatal(err)
	}
	tool, err := d.Tool(nil)
	if err != nil {
		b.Fatal(err)
	}
	echo := gongu.Tool{Name: "echo", Invoke: func(_ context.Context, call gongu.Call) gongu.Result {
		return gongu.Result{Status: gongu.StatusOK, Output: call.Args}
	}}
	if err := registry.Add(tool, echo); err != nil {
		b.Fatal(err)
	}
	return gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
}

// BenchmarkRunFiveSteps less five times BenchmarkStepAlone is what the macro
// itself costs.
func BenchmarkRunFiveSteps(b *testing.B) {
	e := echoExecutor(b)
	b.ReportAllocs()
	for b.Loop() {
		if r := e.Call(b.Context(), gongu.Call{ID: "c", Name: "m", Args: json.RawMessage(`{"w":5}`)}); r.Failed() {
			b.Fatal(r.Error)
		}
	}
}

func BenchmarkStepAlone(b *testing.B) {
	e := echoExecutor(b)
	b.ReportAllocs()
	for b.Loop() {
		if r := e.Call(b.Context(), gongu.Call{ID: "c", Name: "echo", Args: json.RawMessage(`{"x":5}`)}); r.Failed() {
			b.Fatal(r.Error)
		}
	}
}
