package telemetry_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	colmetric "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/trace"
	"github.com/gongu-ai/gongu/telemetry"
)

const (
	someTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	someParent = "00-" + someTrace + "-00f067aa0ba902b7-01"
)

// collector takes what is exported, as an OpenTelemetry collector does.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []*tracepb.Span
	names   []string // of resources
	metrics []string
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch r.URL.Path {
		case "/v1/traces":
			c.takeTraces(t, raw)
		case "/v1/metrics":
			c.takeMetrics(t, raw)
		default:
			t.Errorf("posted to %s", r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) takeTraces(t *testing.T, raw []byte) {
	var in coltrace.ExportTraceServiceRequest
	if err := proto.Unmarshal(raw, &in); err != nil {
		t.Error(err)
	}
	for _, r := range in.ResourceSpans {
		for _, attribute := range r.Resource.Attributes {
			if attribute.Key == "service.name" {
				c.names = append(c.names, attribute.Value.GetStringValue())
			}
		}
		for _, scope := range r.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

func (c *collector) takeMetrics(t *testing.T, raw []byte) {
	var in colmetric.ExportMetricsServiceRequest
	if err := proto.Unmarshal(raw, &in); err != nil {
		t.Error(err)
	}
	for _, r := range in.ResourceMetrics {
		for _, scope := range r.ScopeMetrics {
			for _, m := range scope.Metrics {
				c.metrics = append(c.metrics, m.Name)
			}
		}
	}
}

func (c *collector) span(name string) *tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// tracer is a tool that tells its trace, and what it would send upstream.
func tracer() gongu.Tool {
	return gongu.Tool{Name: "trace", Invoke: func(ctx context.Context, _ gongu.Call) gongu.Result {
		return gongu.OK([]string{trace.ID(ctx), trace.Parent(ctx)})
	}}
}

func broken() gongu.Tool {
	return gongu.Tool{Name: "broken", Invoke: func(context.Context, gongu.Call) gongu.Result {
		return gongu.Fail(&gongu.Error{Message: "the disk of kim is full", Code: "E_DISK"})
	}}
}

// serve calls the tool that a request names, with telemetry in all its places.
func serve(t *testing.T, exporter *telemetry.Exporter) *httptest.Server {
	t.Helper()
	m := newMetrics(t, &telemetry.MetricsOptions{Exporter: exporter})
	x := newExecutor(t, []gongu.Observer{exporter, m}, tracer(), broken())
	mux := http.NewServeMux()
	mux.HandleFunc("/calls", func(w http.ResponseWriter, r *http.Request) {
		result := x.Call(r.Context(), gongu.Call{Name: r.FormValue("name")})
		_, _ = w.Write(result.Output)
	})
	s := httptest.NewServer(telemetry.Trace(exporter, mux))
	t.Cleanup(func() {
		s.Client().CloseIdleConnections()
		s.Close()
	})
	return s
}

// callTool returns the trace that a tool saw, and what upstreams are told.
func callTool(t *testing.T, s *httptest.Server, name, traceparent string) (id, parent string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/calls?name="+name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if traceparent != "" {
		request.Header.Set("Traceparent", traceparent)
	}
	response, err := s.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var seen [2]string
	if err := json.NewDecoder(response.Body).Decode(&seen); err != nil && name == "trace" {
		t.Fatal(err)
	}
	return seen[0], seen[1]
}

func TestExporterSends(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_SERVICE_NAME", "tools-of-kim")
	exporter, err := telemetry.NewExporter(t.Context(), "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, exporter)
	id, parent := callTool(t, s, "trace", someParent)
	callTool(t, s, "broken", "")
	callTool(t, s, "made_up", "")
	if id != someTrace || !strings.Contains(parent, someTrace) || parent == someParent {
		t.Errorf("trace %s, upstream %s", id, parent)
	}
	if err := exporter.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Shutdown has sent all of it.
	request, tool, failed := c.span("POST /calls"), c.span("execute_tool trace"), c.span("execute_tool broken")
	if request == nil || tool == nil || failed == nil {
		t.Fatalf("spans %v", c.spans)
	}
	if string(tool.ParentSpanId) != string(request.SpanId) || request.Kind != tracepb.Span_SPAN_KIND_SERVER {
		t.Errorf("the call is not below the request: %v, %v", request, tool)
	}
	if !strings.Contains(parent, hexOf(tool.SpanId)) {
		t.Errorf("upstream is told %s, the call is %x", parent, tool.SpanId)
	}
	if failed.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || failed.Status.GetMessage() != "E_DISK" {
		t.Errorf("the failed call has status %v", failed.Status)
	}
	if unknown := c.span("execute_tool"); unknown == nil || c.span("execute_tool made_up") != nil {
		t.Error("the text of a caller names a span")
	}
	if len(c.names) == 0 || c.names[0] != "tools-of-kim" || len(c.metrics) == 0 || c.metrics[0] != "gongu.tool.call.duration" {
		t.Errorf("resources %v, metrics %v", c.names, c.metrics)
	}
}

func hexOf(raw []byte) string {
	const digits = "0123456789abcdef"
	var out strings.Builder
	for _, b := range raw {
		out.WriteByte(digits[b>>4])
		out.WriteByte(digits[b&15])
	}
	return out.String()
}

func TestExporterIsOff(t *testing.T) {
	c := newCollector(t)
	for name, env := range map[string]map[string]string{
		"nothing set": {},
		"disabled":    {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_SDK_DISABLED": "true"},
		"none":        {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none"},
	} {
		t.Run(name, func(t *testing.T) {
			for key, value := range env {
				t.Setenv(key, value)
			}
			exporter, err := telemetry.NewExporter(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			s := serve(t, exporter)
			callTool(t, s, "trace", "")
			if err := exporter.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if len(c.spans)+len(c.metrics) > 0 {
				t.Error("something was sent")
			}
		})
	}
	var none *telemetry.Exporter
	if err := none.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestExporterRefuses(t *testing.T) {
	for key, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_METRICS_EXPORTER": "prometheus",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "http/json",
	} {
		t.Run(key, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
			t.Setenv(key, value)
			if _, err := telemetry.NewExporter(t.Context(), ""); err == nil || !strings.Contains(err.Error(), value) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A collector that never answers does not keep the server from ending.
func TestExporterShutdownEnds(t *testing.T) {
	stop := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}))
	defer hanging.Close()
	defer close(stop)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", hanging.URL)
	exporter, err := telemetry.NewExporter(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, exporter)
	callTool(t, s, "trace", "")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := exporter.Shutdown(ctx); err == nil {
		t.Error("nothing was sent, and that is no error")
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
}
