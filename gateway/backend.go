package gateway

import (
	"context"
	"encoding/json"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/toolrequest"
)

// backend adapts the host to the servers.
type backend struct{ *host.Host }

var (
	_ serve.Backend   = (*backend)(nil)
	_ serve.Upstreams = (*backend)(nil)
	_ httpapi.Backend = (*backend)(nil)
)

// Agents returns the names of the agents.
func (b *backend) Agents() []string {
	resources := b.Bundle()
	if resources == nil {
		return nil
	}
	var names []string
	for _, agent := range resources.Agents() {
		names = append(names, agent.Name)
	}
	return names
}

// Approve approves a request.
func (b *backend) Approve(ctx context.Context, id string, d toolrequest.Decision, macro json.RawMessage) error {
	_, err := b.Host.Approve(ctx, id, d, macro, nil)
	return err
}

// For returns the MCP servers of an agent of which the principal of ctx may use a
// kind, such as the resources.
func (b *backend) For(ctx context.Context, agent string, kind access.Kind) []serve.Upstream {
	var out []serve.Upstream
	for _, client := range b.Sources().Servers(ctx, agent, kind) {
		out = append(out, client)
	}
	return out
}
