// Package telemetry reports what happens to calls: metrics for Prometheus, and
// traces and metrics for an OpenTelemetry collector. [Metrics] and [Exporter]
// are observers of an executor; [Trace] is for the HTTP handler in front.
package telemetry
