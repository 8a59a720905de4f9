package host

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu/mcpclient"
)

// Servers are the MCP servers that the caller of ctx reaches through an agent,
// in the order of their tools. Nothing is connected.
func (h *Host) Servers(ctx context.Context, agent string) []*mcpclient.Client {
	var out []*mcpclient.Client
	for _, lister := range h.sources.Listers() {
		server, ok := lister.(*serverLister)
		if !ok || !h.mayKnow(agent, server.Source()) {
			continue
		}
		if client, err := server.clientFor(callerOf(ctx)); err == nil {
			out = append(out, client)
		}
	}
	return out
}

// watchers hear what servers say of their own accord.
type watchers struct {
	mu  sync.Mutex
	all []*func(method string, params json.RawMessage)
}

// WatchServers calls fn with what the servers say of their own accord, until
// stop is called.
func (h *Host) WatchServers(fn func(method string, params json.RawMessage)) (stop func()) {
	w := &h.watchers
	added := &fn
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, added)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all = slices.DeleteFunc(w.all, func(f *func(string, json.RawMessage)) bool { return f == added })
	}
}

func (w *watchers) tell(method string, params json.RawMessage) {
	w.mu.Lock()
	all := slices.Clone(w.all)
	w.mu.Unlock()
	for _, fn := range all {
		(*fn)(method, params)
	}
}
