package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/gongu-ai/gongu"
)

// Exporter sends traces and metrics to an OpenTelemetry collector. A nil one,
// and one that the environment does not turn on, sends nothing. It is a
// [gongu.Observer] that makes a span of every call.
type Exporter struct {
	tracer   trace.Tracer            // nil when traces are off
	duration metric.Float64Histogram // nil when metrics are off
	closers  []func(context.Context) error
}

const (
	scopeName = "github.com/gongu-ai/gongu/telemetry"
	spanName  = "execute_tool"
	// flushTime bounds the last export: a collector that is gone must not keep
	// a server from ending.
	flushTime = 5 * time.Second
)

var _ gongu.Observer = (*Exporter)(nil)

// NewExporter reads the standard OTEL_* variables. An endpoint, or otlp as the
// exporter, turns a signal on; none, or OTEL_SDK_DISABLED=true, turns it off.
// The protocol is http/protobuf. What cannot be done is an error, because
// a server that seems to be monitored and is not would mislead its owner.
func NewExporter(ctx context.Context, version string) (*Exporter, error) {
	e := &Exporter{}
	traces, err := signalOn("TRACES")
	if err != nil {
		return nil, err
	}
	metrics, err := signalOn("METRICS")
	if err != nil || !traces && !metrics {
		return e, err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "gongu"), attribute.String("service.version", cmp.Or(version, "dev"))),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("telemetry: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	if traces {
		err = e.startTraces(ctx, about)
	}
	if err == nil && metrics {
		err = e.startMetrics(ctx, about)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("telemetry: %w", err), e.Shutdown(ctx))
	}
	return e, nil
}

// signalOn tells whether the environment wants traces or metrics.
func signalOn(signal string) (bool, error) {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return false, nil
	}
	name := "OTEL_" + signal + "_EXPORTER"
	endpoint := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	switch exporter := os.Getenv(name); {
	case exporter == "none", exporter == "" && endpoint == "":
		return false, nil
	case exporter != "" && exporter != "otlp":
		return false, fmt.Errorf("telemetry: %s is %q; use otlp or none", name, exporter)
	}
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"))
	if protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("telemetry: the protocol %q is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", protocol)
	}
	return true, nil
}

func (e *Exporter) startTraces(ctx context.Context, about *resource.Resource) error {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return err
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	e.closers = append(e.closers, provider.Shutdown)
	e.tracer = provider.Tracer(scopeName)
	return nil
}

func (e *Exporter) startMetrics(ctx context.Context, about *resource.Resource) error {
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return err
	}
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)), sdkmetric.WithResource(about))
	e.closers = append(e.closers, provider.Shutdown)
	e.duration, err = provider.Meter(scopeName).Float64Histogram("gongu.tool.call.duration",
		metric.WithUnit("s"), metric.WithDescription("How long calls of tools took, with all checks."))
	return err
}

// Shutdown sends what is left and ends the exporters, within five seconds or
// the deadline of ctx.
func (e *Exporter) Shutdown(ctx context.Context) error {
	if e == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	var failures []error
	for _, end := range e.closers {
		failures = append(failures, end(ctx))
	}
	e.closers = nil
	return errors.Join(failures...)
}

// Traces reports whether spans are made at all.
func (e *Exporter) Traces() bool { return e != nil && e.tracer != nil }

// Begin starts the span of a call, with the names that OpenTelemetry gives to
// the tools of models.
func (e *Exporter) Begin(ctx context.Context, a *gongu.Attempt) context.Context {
	if !e.Traces() {
		return ctx
	}
	name := clip(a.Call.Name)
	ctx, _ = e.tracer.Start(ctx, spanName+" "+name, trace.WithAttributes(
		attribute.String("gen_ai.operation.name", spanName),
		attribute.String("gen_ai.tool.name", name),
		attribute.String("gen_ai.tool.call.id", a.Call.ID)))
	return ctx
}

// End ends the span.
func (e *Exporter) End(ctx context.Context, a *gongu.Attempt, r gongu.Result) {
	if !e.Traces() {
		return
	}
	span := trace.SpanFromContext(ctx)
	defer span.End()
	if a.Source().Type == "" { // the name is the caller's text, not a tool's
		span.SetName(spanName)
	}
	if r.Failed() && a.Suspended() == nil {
		code := gongu.CodeTool
		if r.Error != nil {
			code = cmp.Or(r.Error.Code, code)
		}
		// The message may hold what a user wrote; the code does not.
		span.SetStatus(codes.Error, code)
		span.SetAttributes(attribute.String("error.type", code))
	}
}

// record records the same figure as for Prometheus, with the same labels.
func (e *Exporter) record(ctx context.Context, source, status string, took time.Duration) {
	if e == nil || e.duration == nil {
		return
	}
	e.duration.Record(ctx, took.Seconds(), metric.WithAttributes(
		attribute.String("gongu.tool.source", source), attribute.String("gongu.tool.status", status)))
}
