package trace_test

import (
	"testing"

	"go.opentelemetry.io/otel/propagation"

	"github.com/gongu-ai/gongu/internal/trace"
)

func TestTrace(t *testing.T) {
	if ctx := t.Context(); trace.ID(ctx) != "" || trace.Parent(ctx) != "" || trace.State(ctx) != "" {
		t.Error("there is no trace")
	}
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for _, flags := range []string{"00", "01"} {
		parent := "00-" + id + "-00f067aa0ba902b7-" + flags
		carrier := propagation.MapCarrier{"traceparent": parent, "tracestate": "a=1,b=2"}
		ctx := propagation.TraceContext{}.Extract(t.Context(), carrier)
		if trace.ID(ctx) != id || trace.Parent(ctx) != parent || trace.State(ctx) != "a=1,b=2" {
			t.Errorf("%s: %s %s %s", parent, trace.ID(ctx), trace.Parent(ctx), trace.State(ctx))
		}
		// What the library would send is the same.
		sent := propagation.MapCarrier{}
		propagation.TraceContext{}.Inject(ctx, sent)
		if sent["traceparent"] != trace.Parent(ctx) {
			t.Errorf("sent %s", sent)
		}
	}
}
