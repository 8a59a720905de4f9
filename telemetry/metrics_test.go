package telemetry_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func echo(_ context.Context, call gongu.Call) gongu.Result { return gongu.OK(call.Args) }

// newExecutor may call all of these tools.
func newExecutor(t testing.TB, observers []gongu.Observer, tools ...gongu.Tool) *gongu.Executor {
	t.Helper()
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry), Observers: observers})
}

func newMetrics(t testing.TB, opts *telemetry.MetricsOptions) *telemetry.Metrics {
	t.Helper()
	m, err := telemetry.NewMetrics(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func scrape(t testing.TB, m *telemetry.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// has tells whether the scrape has a line.
func has(text, line string) bool { return strings.Contains("\n"+text, "\n"+line+"\n") }

func TestInFlight(t *testing.T) {
	m := newMetrics(t, nil)
	var during string
	x := newExecutor(t, []gongu.Observer{m}, gongu.Tool{Name: "look", Invoke: func(context.Context, gongu.Call) gongu.Result {
		during = scrape(t, m)
		panic("and goes away")
	}})
	x.Call(t.Context(), gongu.Call{Name: "look"})
	if !has(during, "gongu_tool_calls_in_flight 1") || !has(scrape(t, m), "gongu_tool_calls_in_flight 0") {
		t.Error("calls in flight are not counted")
	}
}

// Whatever tools, names and codes there are, the number of series is bounded.
// A suspended call has not failed: it counts when it is resumed.
func TestSuspendedIsNoFailure(t *testing.T) {
	m := newMetrics(t, nil)
	registry := gongu.NewRegistry(nil)
	if err := registry.Add(gongu.Tool{Name: "write", Invoke: echo}); err != nil {
		t.Fatal(err)
	}
	e := gongu.NewExecutor(registry, &gongu.ExecutorOptions{
		Catalog: gongu.Everything(registry), Observers: []gongu.Observer{m},
		Guards: []gongu.Guard{{Name: "approval", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error { return a.Suspend("ap", nil) }}},
	})
	if _, s := e.Try(t.Context(), gongu.Call{Name: "write"}); s == nil {
		t.Fatal("not suspended")
	}
	if text := scrape(t, m); strings.Contains(text, gongu.CodeCancelled) || strings.Contains(text, `status="error"} 1`) {
		t.Errorf("%s", text)
	}
}

func TestCardinalityIsBounded(t *testing.T) {
	m := newMetrics(t, &telemetry.MetricsOptions{MaxSources: 5})
	var tools []gongu.Tool
	for i := range 300 {
		tools = append(tools, gongu.Tool{
			Name:   fmt.Sprintf("server%d__run", i),
			Source: gongu.Source{Type: "mcp", Name: fmt.Sprintf("server%d", i)},
			Invoke: func(context.Context, gongu.Call) gongu.Result {
				return gongu.Fail(&gongu.Error{Message: "no", Code: fmt.Sprintf("E_MADE_UP_%d", i)})
			},
		})
	}
	tools = append(tools, gongu.Tool{Name: "long__run", Source: gongu.Source{Type: "mcp", Name: strings.Repeat("x", 500)}, Invoke: echo})
	x := newExecutor(t, []gongu.Observer{m}, tools...)
	for i := range 300 {
		x.Call(t.Context(), gongu.Call{Name: fmt.Sprintf("server%d__run", i)})
		x.Call(t.Context(), gongu.Call{Name: fmt.Sprintf("unknown_%d", i)})
	}
	x.Call(t.Context(), gongu.Call{Name: "long__run"})
	got := scrape(t, m)
	if n := strings.Count(got, "gongu_tool_calls_total{"); n != 5+2+1 { // five, other ok and error, none
		t.Errorf("%d series of calls", n)
	}
	if n := strings.Count(got, "gongu_tool_call_errors_total{"); n != 64+1 {
		t.Errorf("%d series of codes", n)
	}
	if !has(got, `gongu_tool_calls_total{source="other",status="error"} 295`) || strings.Contains(got, "unknown_") || strings.Contains(got, "xxxx") {
		t.Error("a label has the text of somebody else")
	}
}

// A hook that lies, panics or floods does not spoil the scrape.
func TestCollectSurvivesBadHooks(t *testing.T) {
	m := newMetrics(t, nil)
	m.Collect(func(emit func(telemetry.Sample)) {
		emit(telemetry.Sample{Name: "good_before", Help: "x", Value: 1})
		panic("broken hook")
	})
	m.Collect(func(emit func(telemetry.Sample)) {
		emit(telemetry.Sample{Name: "bad name", Value: 1})
		emit(telemetry.Sample{Name: "twice", Help: "x", Value: 1})
		emit(telemetry.Sample{Name: "twice", Help: "x", Value: 2})
		emit(telemetry.Sample{Name: "twice", Help: "another text", Labels: map[string]string{"a": "b"}, Value: 2})
		emit(telemetry.Sample{Name: "bad_label", Help: "x", Labels: map[string]string{"a b": "c"}, Value: 1})
		emit(telemetry.Sample{Name: "bad_label", Help: "x", Labels: map[string]string{"__a": "c"}, Value: 1})
		emit(telemetry.Sample{Name: "bad_text", Help: "x", Labels: map[string]string{"a": "\xff\n\""}, Value: 1})
		for i := range 5000 {
			emit(telemetry.Sample{Name: "flood", Help: "x", Labels: map[string]string{"i": fmt.Sprint(i)}, Value: 1})
		}
	})
	m.Collect(func(emit func(telemetry.Sample)) { emit(telemetry.Sample{Name: "good_after", Help: "x", Value: 1}) })
	got := scrape(t, m)
	for _, line := range []string{"good_before 1", "twice 1", "good_after 1", "bad_text{a=\"�\\n\\\"\"} 1"} {
		if !has(got, line) {
			t.Errorf("no line %s", line)
		}
	}
	if n := strings.Count(got, "\nflood{"); n != 1000-2 {
		t.Errorf("%d samples of the flood", n)
	}
	if strings.Contains(got, "bad_label") || strings.Contains(got, "bad name") {
		t.Error("a sample that cannot be is there")
	}
}

func BenchmarkObserver(b *testing.B) {
	weather := gongu.Tool{Name: "weather__get", Source: gongu.Source{Type: "mcp", Name: "weather"}, Invoke: echo}
	for name, observers := range map[string][]gongu.Observer{"with": {newMetrics(b, nil)}, "without": nil} {
		x := newExecutor(b, observers, weather)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.Call(b.Context(), gongu.Call{ID: "c", Name: "weather__get", Args: []byte(`{}`)})
			}
		})
	}
}
