package host

import (
	"context"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/mcpclient"
)

// Servers are the MCP servers of an agent whose things of a kind the principal
// of ctx may use, in the order of their tools. Nothing is connected.
func (s *Sources) Servers(ctx context.Context, agent string, kind access.Kind) []*mcpclient.Client {
	var out []*mcpclient.Client
	p := gongu.PrincipalOf(ctx)
	for _, lister := range s.manager.Listers() {
		server, ok := lister.(*serverLister)
		if !ok || !s.host.knowsSource(agent, server.Source()) || access.Source(p, agent, server.Source().Identity(), kind) != nil {
			continue
		}
		if client, err := server.clientFor(callerOf(ctx)); err == nil {
			out = append(out, client)
		}
	}
	return out
}
