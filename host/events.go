package host

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/event"
)

// Event is something that changed while the bundle is open: tools of an agent's
// extensions, a notification of an MCP server, an attempt to load the bundle
// again, or a source that was listed. What all agents share is in
// [Host.Registry], which can be watched itself.
type Event = event.Event

// Events returns the events from now on, until ctx ends or the loop ends. A slow
// subscriber misses events and gets their number.
func (h *Host) Events(ctx context.Context) iter.Seq[Event] { return h.events.Subscribe(ctx) }

func (h *Host) publishNotification(server, method string, params json.RawMessage) {
	h.events.Publish(Event{Kind: event.Server, Source: gongu.Source{Type: "mcp", Name: server}.Identity(), Method: method, Params: params})
}

// changed publishes that the tools of the extensions changed.
func (s *scope) changed() {
	if s.live.Load() { // else they are being loaded, or closed with everything else
		s.host.events.Publish(Event{Kind: event.Tools, Agent: s.at.Agent})
	}
}
