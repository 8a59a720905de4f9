package source

import (
	"slices"
	"time"

	"github.com/gongu-ai/gongu/pin"
)

// State is how a source stands.
type State string

// The states of a source.
const (
	// Idle: not used yet; its tools may be known from before.
	Idle State = "idle"
	// Connecting: its first list is on the way.
	Connecting State = "connecting"
	// Ready: listed, and all of it can be used.
	Ready State = "ready"
	// Degraded: some entries are left out, or an older list is in use.
	Degraded State = "degraded"
	// Failed: it could not be listed.
	Failed State = "failed"
	// Quarantined: listed, and some of it is held back.
	Quarantined State = "quarantined"
)

// Status is what there is to know about a source.
type Status struct {
	Name     string `json:"name"`
	Identity string `json:"identity"`
	State    State  `json:"state"`
	Reason   string `json:"reason,omitempty"`
	// Tools is how many can be used, Held how many are held back.
	Tools int `json:"tools"`
	Held  int `json:"held"`
	// Listed is when the list in use was asked for, LastSuccess when this
	// process last got one.
	Listed      time.Time     `json:"listed,omitzero"`
	LastSuccess time.Time     `json:"lastSuccess,omitzero"`
	Latency     time.Duration `json:"latency,omitzero"`
	// Problems are the entries that were left out or repaired.
	Problems []string `json:"problems,omitempty"`
}

// Status is how all sources stand, in the order of their tools.
func (m *Manager) Status() []Status {
	var out []Status
	for _, e := range m.all() {
		out = append(out, e.status())
	}
	return out
}

func (e *entry) status() Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := Status{
		Name: e.source.Name, Identity: e.source.Identity(), State: e.state, Reason: e.reason,
		Tools: len(e.tools) - len(e.taken), Held: len(e.held),
		Listed: e.listed, LastSuccess: e.success, Latency: e.latency, Problems: slices.Clone(e.problems),
	}
	for name, owner := range e.taken {
		s.Problems = append(s.Problems, name+": "+owner)
	}
	slices.Sort(s.Problems[len(e.problems):])
	return s
}

func (e *entry) isFresh(since time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.have && !e.listed.Before(since) && e.state != Failed
}

// Launches says how the sources are started now, by identity.
func (m *Manager) Launches() map[string]pin.Launch {
	out := make(map[string]pin.Launch)
	for _, e := range m.all() {
		out[e.source.Identity()] = e.lister.Launch()
	}
	return out
}

// Recall looks at the pins again, after somebody accepted something.
func (m *Manager) Recall() error {
	for _, e := range m.all() {
		e.recall()
	}
	return m.publish()
}
