package gongu

import (
	"context"
	"slices"
	"time"
)

// Principal is the authenticated caller and what it may see and use. Whatever
// accepts calls, such as package auth and the command line, attaches one with
// [WithPrincipal]; access rules, guards, observers and handlers read it. It
// must not change once it is attached: calls share the pointer, and caches may
// use it as a key.
type Principal struct {
	// Name identifies the caller in logs and records.
	Name string
	// Kind is how the caller was authenticated: cli, stdio, token, oidc,
	// session, anonymous or agent.
	Kind string
	// Person means that the caller is a person, who may decide about approvals
	// and requests and is refused where models make calls.
	Person bool
	// Agents are the agents that the caller may use; nil allows all.
	Agents []string
	// Allow selects the tools that the caller may use; nil allows all, empty
	// none.
	Allow []Rule
	// Ask selects tools that the caller may use after a person said yes to the
	// call. They need no rule in Allow, and asking comes before Allow.
	Ask []Rule
	// Resources, Prompts and Logs select what the caller may read of sources.
	// Name is the URI of a resource or the name of a prompt. Nil allows all only
	// if Allow is nil.
	Resources, Prompts, Logs []Rule
	// Sampling lets tools use the model of the caller's client.
	Sampling bool
	// Attended means that the client shows questions to a person, so that its
	// answers count as a person's.
	Attended bool
	// Manage is what the caller may decide: "" (nothing), approvals or all.
	Manage string
	// Offer replaces the server's choice of offered tools; nil keeps it.
	Offer []Rule
	// Permission is the caller's own permission mode: plan, default, edits or
	// bypass. Empty is that of the process.
	Permission string
	// Expires is when the credentials expire; zero is never.
	Expires time.Time
}

// MayUse reports whether the principal may use an agent; "" is the whole
// bundle. A nil principal, the program itself, may use all.
func (p *Principal) MayUse(agent string) bool {
	return p == nil || p.Agents == nil || agent != "" && slices.Contains(p.Agents, agent)
}

type principalKey struct{}

// WithPrincipal attaches the caller to the calls made with the returned
// context. It has no effect inside a handler: calls that a tool makes have the
// principal of the outermost call.
func WithPrincipal(ctx context.Context, p *Principal) context.Context {
	v := valuesOf(ctx)
	v.principal, v.identified = p, true
	return v
}

// PrincipalOf returns the caller, or nil for the program itself.
func PrincipalOf(ctx context.Context) *Principal {
	if d, ok := ctx.Value(dispatchKey{}).(*dispatch); ok && d.attempt.Principal != nil {
		return d.attempt.Principal
	}
	p, _ := ctx.Value(principalKey{}).(*Principal)
	return p
}
