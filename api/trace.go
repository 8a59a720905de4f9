package api

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/gongu-ai/gongu"
)

// Trace gives every request a trace: that of its traceparent header, or a new
// one. With telemetry it also makes a span of it; t may be nil.
func Trace(t *Telemetry, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		if t == nil || t.tracer == nil {
			next.ServeHTTP(w, r.WithContext(withSomeTrace(ctx)))
			return
		}
		method := knownMethod(r.Method)
		ctx, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.request.method", method), attribute.String("url.path", clip(r.URL.Path))))
		defer span.End()
		counted := &countedWriter{ResponseWriter: w}
		traced := r.WithContext(ctx)
		next.ServeHTTP(counted, traced)
		if traced.Pattern != "" {
			span.SetName(method + " " + traced.Pattern)
			span.SetAttributes(attribute.String("http.route", traced.Pattern))
		}
		span.SetAttributes(attribute.Int("http.response.status_code", counted.status))
		if counted.status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(counted.status))
		}
	})
}

// withSomeTrace makes up a trace where there is none. It is marked as one that
// nobody records.
func withSomeTrace(ctx context.Context) context.Context {
	if trace.SpanContextFromContext(ctx).IsValid() {
		return ctx
	}
	var config trace.SpanContextConfig
	rand.Read(config.TraceID[:]) // never fails
	rand.Read(config.SpanID[:])
	return trace.ContextWithSpanContext(ctx, trace.NewSpanContext(config))
}

// knownMethod keeps the names of spans few.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "_OTHER"
}

// Traceparent is the header of this name for a request that is made on behalf
// of ctx; empty without a trace.
func Traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// Traced lets the calls of a step have the trace of its context: their
// [gongu.Context].TraceID is the trace's. It is for the step of a host, which
// makes up an id of its own.
func Traced(core func(ctx context.Context, x *gongu.Executor) error) func(ctx context.Context, x *gongu.Executor) error {
	return func(ctx context.Context, x *gongu.Executor) error { return core(withTraceID(ctx), x) }
}

func withTraceID(ctx context.Context) context.Context {
	span := trace.SpanContextFromContext(ctx)
	if !span.HasTraceID() {
		return ctx
	}
	about := *gongu.ContextOf(ctx)
	about.TraceID = span.TraceID().String()
	about.ToolCallID, about.Catalog, about.Executor = "", nil, nil
	if about.Logger == slog.Default() {
		about.Logger = nil // nobody set it: that is for the executor to do
	}
	next, err := gongu.WithContext(ctx, about)
	if err != nil {
		return ctx // the context before was sound, and this one differs by an id
	}
	return next
}
