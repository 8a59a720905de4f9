package gateway

import (
	"context"
	"errors"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/policy"
)

// rules answers the questions of the API about what decides about calls.
type rules struct{ gateway *Gateway }

var _ httpapi.Rules = rules{}

// Why says whether a principal can call a tool, and why.
func (r rules) Why(ctx context.Context, q httpapi.WhyQuery) (policy.Why, error) {
	view := r.gateway.mcp.View()
	return r.gateway.host.Why(ctx, host.WhyRequest{
		Name: q.Name, Args: q.Arguments, Principal: q.Principal, Asker: q.By, Agent: q.Agent, Lang: q.Lang,
		Original: view.Original,
		Shown:    func(c *gongu.Catalog, name string) string { return view.Text(c, name, q.Lang) },
	})
}

// Caller returns the principal with a name.
func (r rules) Caller(name string) (*gongu.Principal, []string, error) {
	g := r.gateway
	p, names, err := Callers{Tokens: g.opts.Auth.Tokens, Clients: g.opts.Clients, Bundle: baseOf(g.opts.Bundle), User: "terminal"}.Named(name)
	if errors.Is(err, ErrNoCaller) {
		err = httpapi.ErrNoCaller
	}
	return p, names, err
}

// Policy returns the rules in force.
func (r rules) Policy() *policy.Policy { return r.gateway.host.Policy() }
