package host

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/source"
)

// Server is an MCP server of the bundle as a principal uses it. It serves
// resources and prompts only while its source is accepted, and of the prompts
// those that are pinned.
type Server struct {
	*mcpclient.Client
	sources *source.Manager
}

// Servers returns the MCP servers of an agent of which the principal of ctx may
// use a kind, such as the resources, in the order of their tools. It does not
// connect to them.
func (s *Sources) Servers(ctx context.Context, agent string, kind access.Kind) []*Server {
	var out []*Server
	p := gongu.PrincipalOf(ctx)
	for _, lister := range s.manager.Listers() {
		server, ok := lister.(*serverLister)
		if !ok || !s.host.knowsSource(agent, server.Source()) || access.Source(p, agent, server.Source().Identity(), kind) != nil {
			continue
		}
		if client, err := server.clientFor(callerOf(ctx)); err == nil {
			out = append(out, &Server{client, s.manager})
		}
	}
	return out
}

// Offers reports whether the server has a capability and is accepted.
func (s *Server) Offers(ctx context.Context, capability string) bool {
	return s.sources.Accepted(ctx, s.Source()) && s.Client.Offers(ctx, capability)
}

// maxPromptPages limits the pages of a list of prompts.
const maxPromptPages = 100

// Request sends a request. The list of prompts is complete in one page and has
// only those that are pinned.
func (s *Server) Request(ctx context.Context, method string, params json.RawMessage, opts *mcpclient.RequestOptions) (json.RawMessage, error) {
	if method != "prompts/list" {
		return s.Client.Request(ctx, method, params, opts)
	}
	var list []json.RawMessage
	for range maxPromptPages {
		raw, err := s.Client.Request(ctx, method, params, opts)
		if err != nil {
			return nil, err
		}
		var page struct {
			Prompts    []json.RawMessage `json:"prompts"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, err
		}
		list = append(list, page.Prompts...)
		if page.NextCursor == "" {
			shown, err := s.sources.Prompts(ctx, s.Source(), list)
			if err != nil {
				return nil, err
			}
			return jsonx.Marshal(map[string]any{"prompts": shown})
		}
		if params, err = json.Marshal(map[string]string{"cursor": page.NextCursor}); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the list of prompts has too many pages")
}
