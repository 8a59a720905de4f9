package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
)

func newMetrics(t testing.TB, opts *httpapi.MetricsOptions) *httpapi.Metrics {
	t.Helper()
	m, err := httpapi.NewMetrics(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func scrape(t testing.TB, m *httpapi.Metrics) string {
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

func TestMetrics(t *testing.T) {
	m := newMetrics(t, &httpapi.MetricsOptions{Version: "v1.2.3"})
	b := newBackend(t, &gongu.ExecutorOptions{Begin: m.Begin, Audit: m.Audit})
	s := start(t, b, func(o *httpapi.Options) { o.Metrics, o.LostVMs = m, func() int { return 2 } })
	m.Collect(func(emit func(httpapi.Sample)) {
		emit(httpapi.Sample{Name: "gongu_mcp_passed_total", Help: "Passed.", Counter: true, Value: 7})
	})
	s.do("POST", "/calls", `{"name":"read_file","arguments":{"path":"a"}}`, 200, nil)
	s.do("POST", "/calls", `{"name":"weather__get"}`, 200, nil)
	s.do("POST", "/calls", `{"name":"weather__get"}`, 200, nil)
	s.do("POST", "/calls", `{"name":"broken"}`, 200, nil)
	s.do("POST", "/calls", `{"name":"no_such_tool"}`, 200, nil)
	s.do("POST", "/calls", `{"name":"read_file","arguments":{"path":"a"},"dryRun":true}`, 200, nil)
	s.refuses("GET", "/tools?x=1", "", 400, httpapi.CodeInvalid)
	got := string(s.raw("GET", "/metrics", nil, nil).body)
	for _, line := range []string{
		`gongu_tool_calls_total{source="McpServer/weather",status="ok"} 2`,
		`gongu_tool_calls_total{source="Go/",status="ok"} 1`,
		`gongu_tool_calls_total{source="Go/",status="error"} 1`,
		`gongu_tool_calls_total{source="none",status="error"} 1`,
		`gongu_tool_call_errors_total{code="E_DISK"} 1`,
		`gongu_tool_call_errors_total{code="E_TOOL_NOT_IN_CATALOG"} 1`,
		`gongu_tool_call_duration_seconds_count{source="McpServer/weather"} 2`,
		`gongu_tool_calls_in_flight 0`,
		`gongu_http_requests_total{code="200",operation="callTool"} 6`,
		`gongu_http_requests_total{code="400",operation="listTools"} 1`,
		`gongu_sources{state="ready"} 1`,
		`gongu_sources{state="failed"} 1`,
		`gongu_sources{state="idle"} 0`,
		`gongu_tools 4`,
		`gongu_script_lost_vms 2`,
		`gongu_mcp_passed_total 7`,
	} {
		if !has(got, line) {
			t.Errorf("no line %s", line)
		}
	}
	for _, form := range []string{`(?m)^gongu_build_info\{.*version="v1\.2\.3"\} 1$`, `(?m)^go_goroutines \d+$`, `(?m)^# TYPE gongu_mcp_passed_total counter$`, `(?m)^# TYPE gongu_sources gauge$`} {
		if !regexp.MustCompile(form).MatchString(got) {
			t.Errorf("nothing like %s", form)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestInFlight(t *testing.T) {
	m := newMetrics(t, nil)
	var during string
	yes := true
	b := newBackend(t, &gongu.ExecutorOptions{Begin: m.Begin, Audit: m.Audit},
		gongu.Tool{Name: "look", Annotations: gongu.Annotations{ReadOnly: &yes}, Invoke: func(context.Context, gongu.Call) gongu.Result {
			during = scrape(t, m)
			panic("and goes away")
		}})
	s := start(t, b)
	s.do("POST", "/calls", `{"name":"look"}`, 200, nil)
	if !has(during, "gongu_tool_calls_in_flight 1") || !has(scrape(t, m), "gongu_tool_calls_in_flight 0") {
		t.Error("calls in flight are not counted")
	}
}

// Whatever tools, names and codes there are, the number of series is bounded.
func TestCardinalityIsBounded(t *testing.T) {
	m := newMetrics(t, &httpapi.MetricsOptions{MaxSources: 5})
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
	b := newBackend(t, &gongu.ExecutorOptions{Audit: m.Audit}, tools...)
	x := b.executor.WithCatalog(gongu.Everything(b.registry))
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
	m.Collect(func(emit func(httpapi.Sample)) {
		emit(httpapi.Sample{Name: "good_before", Help: "x", Value: 1})
		panic("broken hook")
	})
	m.Collect(func(emit func(httpapi.Sample)) {
		emit(httpapi.Sample{Name: "bad name", Value: 1})
		emit(httpapi.Sample{Name: "twice", Help: "x", Value: 1})
		emit(httpapi.Sample{Name: "twice", Help: "x", Value: 2})
		emit(httpapi.Sample{Name: "twice", Help: "another text", Labels: map[string]string{"a": "b"}, Value: 2})
		emit(httpapi.Sample{Name: "bad_label", Help: "x", Labels: map[string]string{"a b": "c"}, Value: 1})
		emit(httpapi.Sample{Name: "bad_label", Help: "x", Labels: map[string]string{"__a": "c"}, Value: 1})
		emit(httpapi.Sample{Name: "bad_text", Help: "x", Labels: map[string]string{"a": "\xff\n\""}, Value: 1})
		for i := range 5000 {
			emit(httpapi.Sample{Name: "flood", Help: "x", Labels: map[string]string{"i": fmt.Sprint(i)}, Value: 1})
		}
	})
	m.Collect(func(emit func(httpapi.Sample)) { emit(httpapi.Sample{Name: "good_after", Help: "x", Value: 1}) })
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

func TestNoMetrics(t *testing.T) {
	s := start(t, newBackend(t, nil))
	if got := s.raw("GET", "/metrics", nil, nil); got.status != 404 {
		t.Errorf("status %d", got.status)
	}
}

func BenchmarkAudit(b *testing.B) {
	m := newMetrics(b, nil)
	back := newBackend(b, &gongu.ExecutorOptions{Audit: m.Audit})
	plain := newBackend(b, nil)
	for name, side := range map[string]*backend{"with": back, "without": plain} {
		x := side.executor.WithCatalog(gongu.Everything(side.registry))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.Call(b.Context(), gongu.Call{ID: "c", Name: "weather__get", Args: []byte(`{}`)})
			}
		})
	}
}
