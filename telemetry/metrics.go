package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/gongu-ai/gongu"
)

// MetricsOptions set up metrics. Nil and zero values are fine.
type MetricsOptions struct {
	Version string
	// MaxSources is how many sources have their own label (default 100).
	// The calls of all others count as "other": labels come from bundles and
	// servers, and each costs memory for as long as the process lives.
	MaxSources int
	// Exporter gets the same figures; nil gives them to Prometheus alone.
	Exporter *Exporter
}

// Metrics counts calls and requests for Prometheus. It is a [gongu.Observer]:
// put it into the options of the executor.
type Metrics struct {
	registry  *prometheus.Registry
	calls     *prometheus.CounterVec
	failures  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	requests  *prometheus.CounterVec
	exporter  *Exporter

	sources, codes *labels
	tallies        tallies

	mu    sync.Mutex
	hooks []func(emit func(Sample))
}

const (
	defaultMaxSources = 100
	// maxCodes bounds the codes of tools, which may be anything.
	maxCodes = 64
)

var _ gongu.Observer = (*Metrics)(nil)

// NewMetrics returns metrics with a new registry.
func NewMetrics(opts *MetricsOptions) (*Metrics, error) {
	var o MetricsOptions
	if opts != nil {
		o = *opts
	}
	counter := func(name, help string, names ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "gongu", Name: name, Help: help}, names)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls:    counter("tool_calls_total", "Calls of tools that ended, by the source of the tool and the status of the result.", "source", "status"),
		failures: counter("tool_call_errors_total", "Calls of tools that ended in an error, by its code.", "code"),
		requests: counter("http_requests_total", "Requests to the HTTP API, by operation and status code.", "operation", "code"),
		sources:  newLabels(cmp.Or(max(o.MaxSources, 0), defaultMaxSources)),
		codes:    newLabels(maxCodes),
		exporter: o.Exporter,
	}
	m.durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "gongu", Name: "tool_call_duration_seconds", Help: "How long calls took, with all checks, by the source of the tool.",
		Buckets: []float64{.0005, .001, .005, .01, .05, .1, .5, 1, 5, 10, 60, 300},
	}, []string{"source"})
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: "gongu", Name: "tool_calls_in_flight", Help: "Calls of tools that have begun and not ended.",
	})
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: "gongu", Name: "build_info", Help: "What is running; always 1.", ConstLabels: buildLabels(o.Version),
	})
	build.Set(1)
	for _, c := range []prometheus.Collector{
		m.calls, m.failures, m.durations, m.inFlight, m.requests, build, hookCollector{m},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := m.registry.Register(c); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
	}
	return m, nil
}

func buildLabels(version string) prometheus.Labels {
	out := prometheus.Labels{"version": cmp.Or(version, "dev"), "goversion": "unknown", "revision": "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		out["goversion"] = info.GoVersion
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				out["revision"] = s.Value
			}
		}
	}
	return out
}

// Begin counts the calls that run now. A dry run is not a call.
func (m *Metrics) Begin(ctx context.Context, a *gongu.Attempt) context.Context {
	if !a.DryRun {
		m.inFlight.Inc()
	}
	return ctx
}

// End counts a call with its result and duration.
func (m *Metrics) End(ctx context.Context, a *gongu.Attempt, r gongu.Result) {
	if a.DryRun {
		return
	}
	m.inFlight.Dec()
	count, took := m.tallyOf(a.Source()), time.Since(a.Started)
	count.duration.Observe(took.Seconds())
	if !r.Failed() {
		count.good().Inc()
		m.exporter.record(ctx, count.label, gongu.StatusOK, took)
		return
	}
	if a.Suspended() != nil { // it has not failed, and counts when it is resumed
		return
	}
	code := gongu.CodeTool
	if r.Error != nil {
		code = m.codes.bounded(cmp.Or(r.Error.Code, gongu.CodeTool))
	}
	m.failures.WithLabelValues(code).Inc()
	count.bad().Inc()
	m.exporter.record(ctx, count.label, gongu.StatusError, took)
}

// CountRequest counts a request to the HTTP API. The operation becomes a label
// and must be one of a few.
func (m *Metrics) CountRequest(operation string, status int) {
	m.requests.WithLabelValues(operation, strconv.Itoa(status)).Inc()
}

// Handler serves the metrics as Prometheus reads them.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		// A figure that cannot be had must not hide the others.
		ErrorHandling:       promhttp.ContinueOnError,
		EnableOpenMetrics:   true,
		MaxRequestsInFlight: 4,
		Timeout:             10 * time.Second,
	})
}

// labels keeps the number of different values of a label bounded: the first
// ones are themselves, all later ones are "other".
type labels struct {
	mu   sync.RWMutex
	seen map[string]string
	most int
}

const otherLabel = "other"

// maxLabel is the longest value of a label, in bytes.
const maxLabel = 128

func newLabels(most int) *labels { return &labels{seen: map[string]string{}, most: most} }

func (l *labels) bounded(value string) string {
	if len(value) > maxLabel {
		return otherLabel
	}
	l.mu.RLock()
	known, ok := l.seen[value]
	full := len(l.seen) >= l.most
	l.mu.RUnlock()
	switch {
	case ok:
		return known
	case full:
		return otherLabel
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) >= l.most {
		return otherLabel
	}
	l.seen[value] = clean(value)
	return l.seen[value]
}
