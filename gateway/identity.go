package gateway

import (
	"context"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/serve"
)

// The functions of this file translate the identity that auth found into the
// types of serve, httpapi and host. They go when all of them use
// [gongu.Principal].

// mcpCaller is the caller for serve. A model's token never decides about
// requests and pins; a person's does.
func mcpCaller(ctx context.Context) (serve.Principal, bool) {
	id, known := auth.IdentityOf(ctx)
	return serve.Principal{Name: id.Name, Agents: id.Agents, Allow: rules(id.Allow)}, known
}

// apiCaller is the caller for httpapi.
func apiCaller(ctx context.Context) (httpapi.Principal, bool) {
	id, known := auth.IdentityOf(ctx)
	return httpapi.Principal{Name: id.Name, Agents: id.Agents, Allow: rules(id.Allow), Manage: id.Manage}, known
}

// rules are globs as a catalog takes them. None at all is not the same as an
// empty list, which allows nothing.
func rules(globs []string) []gongu.Rule {
	if globs == nil {
		return nil
	}
	allow := make([]gongu.Rule, 0, len(globs))
	for _, glob := range globs {
		allow = append(allow, gongu.Rule{Name: glob})
	}
	return allow
}

// withCaller tells the host who calls.
func withCaller(ctx context.Context) context.Context {
	name := auth.NameOf(ctx)
	if p, ok := serve.PrincipalOf(ctx); ok { // clients on pipes are not authenticated
		name = p.Name
	}
	if name == "" {
		return ctx
	}
	if capabilities, ok := serve.SessionOf(ctx); ok {
		return host.WithSession(ctx, name, capabilities)
	}
	return host.WithPrincipal(ctx, name)
}
