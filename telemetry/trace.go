package telemetry

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Trace lets every request continue the trace of its traceparent header. With
// an exporter of traces it also makes a span of it, in that trace or a new one;
// e may be nil. Without either, a host makes up the id that tools see.
func Trace(e *Exporter, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traces := e.Traces()
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
		ctx, span := e.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.request.method", method), attribute.String("url.path", clip(r.URL.Path))))
		defer span.End()
		counted := &StatusWriter{ResponseWriter: w}
		traced := r.WithContext(ctx)
		next.ServeHTTP(counted, traced)
		if traced.Pattern != "" {
			span.SetName(method + " " + traced.Pattern)
			span.SetAttributes(attribute.String("http.route", traced.Pattern))
		}
		span.SetAttributes(attribute.Int("http.response.status_code", counted.Status))
		if counted.Status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, http.StatusText(counted.Status))
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

// StatusWriter remembers the status of a response.
type StatusWriter struct {
	http.ResponseWriter
	Status int
}

// WriteHeader notes the status and passes it on.
func (w *StatusWriter) WriteHeader(status int) {
	if w.Status == 0 {
		w.Status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write notes that a response without a status is 200.
func (w *StatusWriter) Write(raw []byte) (int, error) {
	if w.Status == 0 {
		w.Status = http.StatusOK
	}
	return w.ResponseWriter.Write(raw)
}

// Unwrap lets http.ResponseController reach the writer behind.
func (w *StatusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// clip keeps a text that a caller wrote from growing a span.
func clip(text string) string { return lang.Clip(text, 120) }
