package telemetry

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gongu-ai/gongu"
)

// tally is where the calls of one source are counted. To look the counters up
// by their labels costs more than to count.
type tally struct {
	label     string
	duration  prometheus.Observer
	good, bad func() prometheus.Counter // neither is shown before it counts
}

// owner is what tells sources apart.
type owner struct{ kind, name string }

// tallies finds the tally of a source without a lock. Those that have no label
// of their own share one and are not kept.
type tallies struct {
	mu   sync.Mutex
	kept atomic.Pointer[map[owner]*tally]
}

func (m *Metrics) tallyOf(s gongu.Source) *tally {
	who := owner{s.Type, s.Name}
	if kept := m.tallies.kept.Load(); kept != nil {
		if found := (*kept)[who]; found != nil {
			return found
		}
	}
	// A name that no tool has is the caller's text, and never a label.
	label := "none"
	if s.Type != "" {
		label = m.sources.bounded(s.Identity())
	}
	counter := func(status string) func() prometheus.Counter {
		return sync.OnceValue(func() prometheus.Counter { return m.calls.WithLabelValues(label, status) })
	}
	made := &tally{
		label: label, duration: m.durations.WithLabelValues(label),
		good: counter(gongu.StatusOK), bad: counter(gongu.StatusError),
	}
	if label != otherLabel {
		m.tallies.keep(who, made)
	}
	return made
}

func (t *tallies) keep(who owner, made *tally) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := map[owner]*tally{who: made}
	if kept := t.kept.Load(); kept != nil {
		maps.Copy(next, *kept)
	}
	t.kept.Store(&next)
}
