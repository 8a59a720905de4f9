package serve

import (
	"context"
	"encoding/json"

	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/mcpclient"
)

// Upstream is an MCP server behind ours. *mcpclient.Client is one.
type Upstream interface {
	Name() string
	// Prefix is the prefix of the names of its prompts and tools; empty is
	// none.
	Prefix() string
	// Offers reports whether the server has a capability, such as prompts,
	// resources or completions.
	Offers(ctx context.Context, capability string) bool
	// Request sends a request and returns the result byte for byte.
	Request(ctx context.Context, method string, params json.RawMessage, opts *mcpclient.RequestOptions) (json.RawMessage, error)
}

// Upstreams are the MCP servers behind ours.
type Upstreams interface {
	// For lists those of an agent whose prompts, resources or tasks (kind) the
	// principal of ctx may use, in a fixed order.
	For(ctx context.Context, agent string, kind access.Kind) []Upstream
}
