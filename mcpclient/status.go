package mcpclient

import (
	"sync"
	"time"
)

// State is the state of a server.
type State string

// The states of a server.
const (
	// StateIdle: it was not used yet.
	StateIdle State = "idle"
	// StateConnecting: it is being connected.
	StateConnecting State = "connecting"
	// StateReady: the last use went well.
	StateReady State = "ready"
	// StateDegraded: it worked before, and the last use failed.
	StateDegraded State = "degraded"
	// StateFailed: it never worked.
	StateFailed State = "failed"
)

// Status is the state of a server and its recent history.
type Status struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// Reason and Detail say why it is not ready.
	Reason Reason `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Server is its name for itself, Protocol the revision in use.
	Server   string `json:"server,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	// Tools is how many tools the last list has, Problems what was left out of
	// it or repaired.
	Tools    int      `json:"tools"`
	Problems []string `json:"problems,omitempty"`
	// LastSuccess is when it last answered; Latency is the moving average of
	// its answers, and Startup how long the last connection took.
	LastSuccess time.Time     `json:"lastSuccess,omitzero"`
	Latency     time.Duration `json:"latency,omitempty"`
	Startup     time.Duration `json:"startup,omitempty"`
	// Connections counts how often it was connected, Requests what it answered.
	Connections int   `json:"connections"`
	Requests    int64 `json:"requests"`
}

// Status returns the status of the server. It sends nothing and does not wait.
func (c *Client) Status() Status {
	s := c.link().health.status()
	s.Name = c.config.Name
	if listing := c.Listed(); listing != nil {
		s.Tools, s.Problems = len(listing.Tools), listing.Problems
	}
	return s
}

// Retry forgets past failures, so that the next use tries at once, for a user
// who has fixed the cause.
func (c *Client) Retry() { c.link().broken.reset() }

// health collects the status of a server.
type health struct {
	mu    sync.Mutex
	busy  bool
	ready bool
	err   error
	seen  Status // the parts that need no decision
}

func (h *health) status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.seen
	switch {
	case h.busy:
		s.State = StateConnecting
	case h.err != nil && h.ready:
		s.State = StateDegraded
	case h.err != nil:
		s.State = StateFailed
	case h.ready:
		s.State = StateReady
	default:
		s.State = StateIdle
	}
	if h.err != nil {
		s.Reason, s.Detail = faultOf(h.err).reason, h.err.Error()
	}
	return s
}

func (h *health) connecting() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy = true
}

func (h *health) connected(info *ServerInfo, took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy, h.ready, h.err = false, true, nil
	h.seen.Server, h.seen.Protocol, h.seen.Startup = info.Name, info.ProtocolVersion, took
	h.seen.Connections++
}

func (h *health) failed(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy, h.err = false, err
}

// served notes a request that went well; the latency is a moving average.
func (h *health) served(now time.Time, took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err, h.ready = nil, true
	h.seen.LastSuccess = now
	h.seen.Requests++
	if h.seen.Latency == 0 {
		h.seen.Latency = took
	}
	h.seen.Latency += (took - h.seen.Latency) / 8
}
