package httpapi

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

// Telemetry sends traces and metrics to an OpenTelemetry collector. A nil one,
// and one that the environment does not turn on, sends nothing.
type Telemetry struct {
	tracer   trace.Tracer            // nil when traces are off
	duration metric.Float64Histogram // nil when metrics are off
	closers  []func(context.Context) error
}

const (
	scopeName = "github.com/gongu-ai/gongu/api"
	// flushTime bounds the last export: a collector that is gone must not keep
	// a server from ending.
	flushTime = 5 * time.Second
)

// NewTelemetry reads the standard OTEL_* variables. An endpoint, or otlp as the
// exporter, turns a signal on; none, or OTEL_SDK_DISABLED=true, turns it off.
// The protocol is http/protobuf. What cannot be done is an error, because a
// server that looks watched and is not helps nobody.
func NewTelemetry(ctx context.Context, version string) (*Telemetry, error) {
	t := &Telemetry{}
	traces, err := signalOn("TRACES")
	if err != nil {
		return nil, err
	}
	metrics, err := signalOn("METRICS")
	if err != nil || !traces && !metrics {
		return t, err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "gongu"), attribute.String("service.version", cmp.Or(version, "dev"))),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("telemetry: OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	if traces {
		err = t.startTraces(ctx, about)
	}
	if err == nil && metrics {
		err = t.startMetrics(ctx, about)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("telemetry: %w", err), t.Shutdown(ctx))
	}
	return t, nil
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

func (t *Telemetry) startTraces(ctx context.Context, about *resource.Resource) error {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return err
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	t.closers = append(t.closers, provider.Shutdown)
	t.tracer = provider.Tracer(scopeName)
	return nil
}

func (t *Telemetry) startMetrics(ctx context.Context, about *resource.Resource) error {
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return err
	}
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewPeriodicReader(exporter)), sdkmetric.WithResource(about))
	t.closers = append(t.closers, provider.Shutdown)
	t.duration, err = provider.Meter(scopeName).Float64Histogram("gongu.tool.call.duration",
		metric.WithUnit("s"), metric.WithDescription("How long calls of tools took, with all checks."))
	return err
}

// Shutdown sends what is left and ends the exporters, within five seconds or
// the deadline of ctx.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	var failures []error
	for _, end := range t.closers {
		failures = append(failures, end(ctx))
	}
	t.closers = nil
	return errors.Join(failures...)
}

// Traces reports whether spans are made at all.
func (t *Telemetry) Traces() bool { return t != nil && t.tracer != nil }

// Middleware makes a span of every call, with the names that OpenTelemetry
// gives to the tools of models; it is for [gongu.ExecutorOptions].Middleware.
func (t *Telemetry) Middleware(next gongu.Invoke) gongu.Invoke {
	if !t.Traces() {
		return next
	}
	return func(ctx context.Context, call gongu.Call) gongu.Result {
		ctx, span := t.tracer.Start(ctx, "execute_tool "+call.Name, trace.WithAttributes(
			attribute.String("gen_ai.operation.name", "execute_tool"),
			attribute.String("gen_ai.tool.name", call.Name),
			attribute.String("gen_ai.tool.call.id", call.ID)))
		defer span.End()
		result := next(ctx, call)
		if result.Failed() {
			code := gongu.CodeTool
			if result.Error != nil {
				code = cmp.Or(result.Error.Code, code)
			}
			// The message may hold what a user wrote; the code does not.
			span.SetStatus(codes.Error, code)
			span.SetAttributes(attribute.String("error.type", code))
		}
		return result
	}
}

// record is the same figure that Prometheus gets, with the same few labels.
func (t *Telemetry) record(ctx context.Context, source, status string, took time.Duration) {
	if t == nil || t.duration == nil {
		return
	}
	t.duration.Record(ctx, took.Seconds(), metric.WithAttributes(
		attribute.String("gongu.tool.source", source), attribute.String("gongu.tool.status", status)))
}
