package serve

import (
	"context"
	"slices"

	"github.com/gongu-ai/gongu"
)

// Principal is who calls: a token's name and what it may reach.
type Principal struct {
	// Name tells principals apart. Sessions, suspended calls and tasks belong
	// to one and are refused to all others.
	Name string
	// Agents are the paths /mcp/<agent> it may use, "" standing for /mcp
	// itself; nil is all of them.
	Agents []string
	// Allow narrows every catalog; nil keeps all.
	Allow []gongu.Rule
}

// MayUse reports whether the principal may use an agent's path.
func (p *Principal) MayUse(agent string) bool {
	return p.Agents == nil || slices.Contains(p.Agents, agent)
}

type principalKey struct{}

// WithPrincipal says who the request with this context comes from.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, &p)
}

// PrincipalOf returns who [WithPrincipal] said that a request comes from, and
// whether it did.
func PrincipalOf(ctx context.Context) (Principal, bool) {
	if p := principalOf(ctx); p != nil {
		return *p, true
	}
	return Principal{}, false
}

type sessionKey struct{}

// SessionOf returns what the client of a session can do for upstreams, in the
// form of [mcpclient.SessionCapabilities]. Clients of the modern era have no
// session: each of their requests says what they can do.
func SessionOf(ctx context.Context) (capabilities string, ok bool) {
	n, ok := ctx.Value(sessionKey{}).(*session)
	if !ok {
		return "", false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.passed, n.begun
}

func principalOf(ctx context.Context) *Principal {
	p, _ := ctx.Value(principalKey{}).(*Principal)
	return p
}

// who the request with this context comes from, or nil.
func (s *Server) who(ctx context.Context) *Principal {
	p := principalOf(ctx)
	if p == nil && s.opts.Who != nil {
		if said, known := s.opts.Who(ctx); known {
			p = &said
		}
	}
	return p
}
