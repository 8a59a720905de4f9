package source

import (
	"maps"
	"slices"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/pin"
)

// State is the state of a source.
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

// Status is the state of a source and its recent history.
type Status struct {
	Name string `json:"name"`
	// Kind is command or mcp.
	Kind     string `json:"kind"`
	Identity string `json:"identity"`
	State    State  `json:"state"`
	Reason   string `json:"reason,omitempty"`
	// Tools is how many can be used, Held how many are held back.
	Tools int `json:"tools"`
	Held  int `json:"held"`
	// Listed is when the list in use was requested, LastSuccess when this
	// process last received one.
	Listed      time.Time     `json:"listed,omitzero"`
	LastSuccess time.Time     `json:"lastSuccess,omitzero"`
	Latency     time.Duration `json:"latency,omitzero"`
	// Stale is set when the last list failed and an older one is used.
	Stale bool `json:"stale,omitempty"`
	// Problems are the entries that were left out or repaired.
	Problems []string `json:"problems,omitempty"`
}

// Status returns the status of all sources, in the order of their tools.
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
	v := e.view.Load()
	s := Status{
		Name: e.source.Name, Kind: e.source.Type, Identity: e.source.Identity(),
		Tools: len(e.tools) - len(e.taken), Held: len(v.held),
		Listed: v.listed, LastSuccess: e.success, Latency: e.latency, Problems: slices.Concat(e.problems, e.notes),
	}
	for _, name := range slices.Sorted(maps.Keys(e.taken)) {
		s.Problems = append(s.Problems, lang.SourceNameTaken.In(e.manager.lang, name, e.taken[name]))
	}
	s.State, s.Reason = e.state(v, len(s.Problems))
	s.Stale = e.fault != nil && v.have
	return s
}

// state returns the state and the reason for it. The caller holds the lock.
func (e *entry) state(v *view, problems int) (State, string) {
	l := e.manager.lang
	switch {
	case e.fault != nil && v.have:
		return Degraded, lang.SourceKept.In(l, e.fault)
	case e.fault != nil && e.listCall == nil:
		return Failed, e.fault.Error()
	case !v.have && e.listCall != nil:
		return Connecting, ""
	case len(v.held) > 0:
		return Quarantined, lang.SourceSomeHeld.In(l, len(v.held))
	case problems > 0:
		return Degraded, lang.SourceProblemCount.In(l, problems)
	case e.success.IsZero():
		return Idle, ""
	default:
		return Ready, ""
	}
}

// Launches returns how the sources are started now, by identity.
func (m *Manager) Launches() map[string]pin.Launch {
	out := make(map[string]pin.Launch)
	for _, e := range m.all() {
		out[e.source.Identity()], out[pin.PromptsOf(e.source.Identity())] = e.lister.Launch(), e.lister.Launch()
	}
	return out
}

// Recall reads the pins again, after tools were accepted.
func (m *Manager) Recall() error {
	m.setting.Lock()
	defer m.setting.Unlock()
	for _, e := range m.all() {
		e.recall()
		e.prompts.Store(nil)
	}
	return m.publish()
}
