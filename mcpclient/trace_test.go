package mcpclient_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
)

// A server on pipes is told the trace of a call in its _meta, beside what the
// era puts there; over HTTP it is a header, which cmd/gongu's script
// serve_trace proves. Without a trace there is nothing.
func TestTraceOverPipes(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			journal := filepath.Join(t.TempDir(), "journal")
			c := start(t, fixture{Era: era, Journal: journal})
			ctx := propagation.TraceContext{}.Extract(t.Context(), propagation.MapCarrier{"traceparent": parent, "tracestate": "a=1"})
			wantOutput(t, invoke(t, ctx, c, "echo", `{"text":"x"}`), `"{\"text\":\"x\"}"`)
			invoke(t, t.Context(), c, "echo", `{"text":"y"}`)
			for line := range strings.Lines(read(t, journal)) {
				if !strings.Contains(line, `"tools/call"`) {
					continue
				}
				told := strings.Contains(line, `"traceparent":"`+parent+`","tracestate":"a=1"`)
				if told != strings.Contains(line, `"text":"x"`) {
					t.Errorf("%s", line)
				}
				if modern := strings.Contains(line, "clientInfo"); modern != (era == "modern") {
					t.Errorf("%s", line)
				}
			}
		})
	}
}
