package mcpclient

import (
	"time"
)

// State is how a server is.
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

// Status is how a server is, for people and programs.
type Status struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// Reason and Detail say why it is not ready.
	Reason Reason `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Server is what it calls itself, Protocol the revision it speaks.
	Server   string `json:"server,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	// Tools is how many tools were taken at the last reading, Problems what was
	// left out or mended.
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

// Status says how the server is. It asks nobody and does not wait.
func (c *Client) Status() Status {
	s := Status{Name: c.config.Name, Requests: c.link().health.calls.Load()}
	if listing := c.Listed(); listing != nil {
		s.Tools, s.Problems = len(listing.Tools), listing.Problems
	}
	h := &c.link().health
	h.mu.Lock()
	defer h.mu.Unlock()
	s.Server, s.Protocol = h.info.Name, h.info.ProtocolVersion
	s.LastSuccess, s.Latency, s.Startup, s.Connections = h.lastOK, h.latency, h.startTook, h.connects
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

// Retry forgets past failures, so that the next use tries at once. It is for a
// person who has mended something.
func (c *Client) Retry() { c.link().broken.reset() }
