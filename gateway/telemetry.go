package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/telemetry"
)

// instruments are the metrics and traces of a gateway.
type instruments struct {
	metrics *telemetry.Metrics
	traces  *telemetry.Exporter
}

func newInstruments(ctx context.Context, version string) (*instruments, error) {
	traces, err := telemetry.NewExporter(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	metrics, err := telemetry.NewMetrics(&telemetry.MetricsOptions{Version: version, Exporter: traces})
	return &instruments{metrics, traces}, err
}

// observers trace and count the calls of an executor.
func (t *instruments) observers() []gongu.Observer { return []gongu.Observer{t.traces, t.metrics} }

func (t *instruments) trace(next http.Handler) http.Handler { return telemetry.Trace(t.traces, next) }

// collect adds the counters of the MCP server to the metrics.
func (t *instruments) collect(mcp *serve.Server) {
	t.metrics.Collect(func(emit func(telemetry.Sample)) {
		c := mcp.Counters()
		for _, s := range []struct {
			name, help string
			value      int64
		}{
			{"requests_total", "Messages that want an answer.", int64(c.Requests)},
			{"passed_total", "Calls whose result went from an upstream to the client byte for byte.", int64(c.Passed)},
			{"encoded_total", "Calls whose result was written here.", int64(c.Encoded)},
			{"call_errors_total", "Calls that ended in an error result.", int64(c.CallErrors)},
			{"list_hits_total", "Lists of tools answered from encoded bytes.", int64(c.ListHits)},
			{"list_builds_total", "Lists of tools that were encoded.", int64(c.ListBuilds)},
			{"refused_total", "Requests turned away by a limit.", int64(c.Refused)},
			{"running", "Requests that run now.", c.Running},
			{"sessions", "Sessions of the older revisions.", c.Sessions},
			{"streams", "Streams that are open.", c.Streams},
			{"waiting", "Calls that wait for an answer of their client.", c.Waiting},
			{"tasks", "Tasks that are kept.", c.Tasks},
		} {
			emit(telemetry.Sample{Name: "gongu_mcp_" + s.name, Help: s.help, Value: float64(s.value), Counter: strings.HasSuffix(s.name, "_total")})
		}
	})
}

// collectAudit adds the counters of the recorder of calls to the metrics.
func (t *instruments) collectAudit(r *audit.Recorder) {
	t.metrics.Collect(func(emit func(telemetry.Sample)) {
		c := r.Stats()
		for _, s := range []struct {
			name, help string
			value      int64
		}{
			{"rows_total", "Audit rows that were written.", c.Written},
			{"lost_rows_total", "Audit rows that could not be written.", c.Lost},
			{"refused_calls_total", "Calls that did not run because they could not be recorded.", c.Refused},
			{"failures_total", "Attempts to write or seal audit rows that failed.", c.Failures},
			{"seals_total", "Seals of audit rows that were written.", c.Seals},
			{"waiting_rows", "Audit rows that are not written yet.", c.Waiting},
		} {
			emit(telemetry.Sample{Name: "gongu_audit_" + s.name, Help: s.help, Value: float64(s.value), Counter: strings.HasSuffix(s.name, "_total")})
		}
	})
}

// flushTime is how long the last traces and metrics may take to be sent.
const flushTime = 5 * time.Second

// close flushes the traces and metrics.
func (t *instruments) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := t.traces.Shutdown(ctx); err != nil {
		return fmt.Errorf("flush telemetry: %w", err)
	}
	return nil
}
