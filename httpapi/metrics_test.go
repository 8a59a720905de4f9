package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/telemetry"
)

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

func TestMetrics(t *testing.T) {
	m := newMetrics(t, &telemetry.MetricsOptions{Version: "v1.2.3"})
	b := newBackend(t, &gongu.ExecutorOptions{Observers: []gongu.Observer{m}})
	s := start(t, b, func(o *testOptions) { o.Metrics, o.LostVMs = m, func() int { return 2 } })
	m.Collect(func(emit func(telemetry.Sample)) {
		emit(telemetry.Sample{Name: "gongu_mcp_passed_total", Help: "Passed.", Counter: true, Value: 7})
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

func TestNoMetrics(t *testing.T) {
	s := start(t, newBackend(t, nil))
	if got := s.raw("GET", "/metrics", nil, nil); got.status != 404 {
		t.Errorf("status %d", got.status)
	}
}
