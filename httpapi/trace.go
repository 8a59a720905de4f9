package httpapi

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Trace lets every request continue the trace of its traceparent header. With
// telemetry it also makes a span of it, in that trace or a new one; t may be
// nil. Without either, the step of a host makes up the id that tools see.
func Trace(t *Telemetry, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traces := t != nil && t.tracer != nil
		if !traces && len(r.Header["Traceparent"]) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		if !traces {
			next.ServeHTTP(w, r.WithContext(ctx))
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

// knownMethod keeps the names of spans few.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "_OTHER"
}
