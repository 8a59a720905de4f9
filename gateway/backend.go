package gateway

import (
	"context"
	"encoding/json"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/toolrequest"
)

// backend is the host as the servers use it.
type backend struct{ *host.Host }

var (
	_ serve.Backend   = (*backend)(nil)
	_ serve.Upstreams = (*backend)(nil)
	_ httpapi.Backend = (*backend)(nil)
)

// Step runs one step of an agent, with the sources of the caller.
func (b *backend) Step(ctx context.Context, agent string, core func(ctx context.Context, x *gongu.Executor) error) error {
	return b.Host.Step(withCaller(ctx), agent, core)
}

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

// Approve decides about a request.
func (b *backend) Approve(ctx context.Context, id, reviewer, reason string, macro json.RawMessage) error {
	_, err := b.Host.Approve(ctx, id, toolrequest.Decision{Reviewer: reviewer, Reason: reason}, macro, "")
	return err
}

// For returns the MCP servers behind an agent.
func (b *backend) For(ctx context.Context, _, agent string) []serve.Upstream {
	var out []serve.Upstream
	for _, client := range b.Servers(withCaller(ctx), agent) {
		out = append(out, client)
	}
	return out
}
