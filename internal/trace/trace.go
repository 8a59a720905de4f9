// Package trace reads the trace that a context belongs to. The one place where
// a trace is kept is OpenTelemetry's span of the context: what comes with a
// request is put there, tools see its id, and upstreams are told it.
package trace

import (
	"context"

	"go.opentelemetry.io/otel/trace"
)

// ID is the id of the trace that ctx belongs to, 32 hex digits, or "".
func ID(ctx context.Context) string {
	span := trace.SpanContextFromContext(ctx)
	if !span.HasTraceID() {
		return ""
	}
	return span.TraceID().String()
}

// Parent is the W3C traceparent of a request that is made on behalf of ctx, or
// "" without a trace.
func Parent(ctx context.Context) string {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return ""
	}
	// Version 00 knows the sampled flag alone.
	return "00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-" + (span.TraceFlags() & trace.FlagsSampled).String()
}

// State is the W3C tracestate that goes along with [Parent], or "".
func State(ctx context.Context) string {
	return trace.SpanContextFromContext(ctx).TraceState().String()
}
