package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/toolrequest"
)

// A bundle over HTTP, with a call of one of its tools. A server of its own
// would put a check of tokens in front.
func Example() {
	ctx := context.Background()
	h, err := host.Open(ctx, "", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	a, err := httpapi.New(httpapi.Options{Backend: hosted{h, toolrequest.NewMemory()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle(httpapi.Prefix+"/", httpapi.Trace(nil, a.Handler()))
	mux.Handle("/healthz", a.Health())
	mux.Handle("/", a.Page())
	server := httptest.NewServer(mux)
	defer server.Close()

	response, err := server.Client().Post(server.URL+httpapi.Prefix+"/calls", "application/json",
		strings.NewReader(`{"name":"text-transform__case","arguments":{"text":"hello","to":"upper"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	var result gongu.Result
	if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, string(result.Output))
	// Output: ok {"original":"hello","result":"HELLO","to":"upper"}
}

// Metrics hear of every call through the options of an executor, and of
// everything else through hooks.
func ExampleMetrics() {
	m, err := httpapi.NewMetrics(&httpapi.MetricsOptions{Version: "v1.0.0"})
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
		Catalog: gongu.Everything(registry), Begin: m.Begin, Audit: m.Audit,
	})
	x.Call(context.Background(), gongu.Call{Name: "greet", Args: []byte(`{"name":"Kim"}`)})
	m.Collect(func(emit func(httpapi.Sample)) {
		emit(httpapi.Sample{Name: "gongu_queue_length", Help: "What waits.", Value: 3})
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
