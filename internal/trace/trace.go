// Package trace reads the trace that a context belongs to. OpenTelemetry's span of
// the context is the only place of it: incoming requests set it, tools get its
// id, and requests to upstreams carry it.
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

// Parent returns the W3C traceparent for a request that is part of ctx, or ""
// without a trace.
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
