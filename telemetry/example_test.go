package telemetry_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/telemetry"
)

// Metrics observe every call of an executor; hooks report everything else.
func ExampleMetrics() {
	m, err := telemetry.NewMetrics(&telemetry.MetricsOptions{Version: "v1.0.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := gongu.NewRegistry(nil)
	greet := gongu.Func("greet", "Greet somebody.", func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "hello " + in.Name, nil
	})
	if err := registry.Add(greet); err != nil {
		fmt.Println(err)
		return
	}
	x := gongu.NewExecutor(registry, &gongu.ExecutorOptions{
		Catalog: gongu.Everything(registry), Observers: []gongu.Observer{m},
	})
	x.Call(context.Background(), gongu.Call{Name: "greet", Args: []byte(`{"name":"Kim"}`)})
	m.Collect(func(emit func(telemetry.Sample)) {
		emit(telemetry.Sample{Name: "gongu_queue_length", Help: "What waits.", Value: 3})
	})

	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, _ := io.ReadAll(w.Body)
	for line := range strings.Lines(string(body)) {
		if strings.HasPrefix(line, "gongu_tool_calls_total") || strings.HasPrefix(line, "gongu_queue_length") {
			fmt.Print(line)
		}
	}
	// Output:
	// gongu_queue_length 3
	// gongu_tool_calls_total{source="Go/",status="ok"} 1
}
