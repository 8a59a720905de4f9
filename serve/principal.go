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

// PrincipalOf returns who the request comes from, and whether anybody said so.
func PrincipalOf(ctx context.Context) (Principal, bool) {
	if p := principalOf(ctx); p != nil {
		return *p, true
	}
	return Principal{}, false
}

func principalOf(ctx context.Context) *Principal {
	p, _ := ctx.Value(principalKey{}).(*Principal)
	return p
}
