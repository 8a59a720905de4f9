package gateway

import (
	"context"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/clients"
	"github.com/gongu-ai/gongu/policy"
)

// stdioKind is the kind of principals on stdio, also of attached ones, and the name of
// those that are not known.
const stdioKind = "stdio"

// StdioPrincipal returns the principal of a client on stdio. One whose entry gongu
// connect wrote has the name, the offer and the permission mode that the user chose
// for it, and its user sees its questions. A mode beyond the usual one counts from the
// entry alone: the flags of a client may be from a repository.
func StdioPrincipal(e *clients.Entry, c attach.Client) *gongu.Principal {
	asked := policy.Mode(c.Permission)
	if e == nil || c.Started {
		return &gongu.Principal{Name: stdioKind, Kind: stdioKind, Permission: string(asked.Stricter(policy.Default))}
	}
	p := &gongu.Principal{Name: e.Client, Kind: stdioKind, Attended: true, Offer: access.OfferRules(e.Offer)}
	if e.Ask == clients.AskGongu {
		p.Ask = []gongu.Rule{{ReadOnly: new(false)}}
	}
	mode := policy.Mode(e.Permission).Stricter(policy.Bypass)
	if c.Permission != "" {
		mode = mode.Stricter(asked)
	}
	p.Permission = string(mode)
	return p
}

// stdioPrincipals keeps one principal for each client, so that caches can use the
// pointer.
type stdioPrincipals struct {
	mu    sync.Mutex
	known map[attach.Client]knownClient
}

type knownClient struct {
	entry     *clients.Entry
	principal *gongu.Principal
}

// maxKnown bounds the principals that are kept; they are made again.
const maxKnown = 256

// attachedPrincipal returns the principal of a request on the socket. The entry is
// looked up each time, so that a change of it counts at once.
func (g *Gateway) attachedPrincipal(ctx context.Context) *gongu.Principal {
	c := attach.ClientOf(ctx)
	e := g.entryOf(c)
	g.stdio.mu.Lock()
	defer g.stdio.mu.Unlock()
	if k, ok := g.stdio.known[c]; ok && k.entry == e {
		return k.principal
	}
	if g.stdio.known == nil || len(g.stdio.known) >= maxKnown {
		g.stdio.known = map[attach.Client]knownClient{}
	}
	p := StdioPrincipal(e, c)
	g.stdio.known[c] = knownClient{e, p}
	return p
}

// entryOf returns the entry of a client, nil for one that is not known.
func (g *Gateway) entryOf(c attach.Client) *clients.Entry {
	if g.opts.Clients == nil || c.ID == "" {
		return nil
	}
	e, err := g.opts.Clients.Find(c.ID, baseOf(g.opts.Bundle))
	if err != nil {
		g.opts.Logger.Warn("the records of connected clients cannot be read, so no client is known", "error", err)
	}
	return e
}
