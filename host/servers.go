package host

import (
	"context"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/mcpclient"
)

// Servers returns the MCP servers of an agent of which the principal of ctx may
// use a kind, such as the resources, in the order of their tools. It does not
// connect to them.
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
