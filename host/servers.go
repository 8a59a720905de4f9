package host

import (
	"context"

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
