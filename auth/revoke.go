package auth

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
)

// revokedEvery is how soon a stream ends after its token was revoked.
const revokedEvery = time.Second

// untilRevoked ends the context of a stream when its token is revoked or its
// browser session has ended: a stream outlives the check of its credentials. Other
// requests keep their context.
func (g *authenticator) untilRevoked(ctx context.Context, r *http.Request, who *gongu.Principal) (context.Context, context.CancelFunc) {
	streams := r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen"
	if who.Kind != KindToken && who.Kind != KindSession || !streams || !acceptsStream(r.Header["Accept"]) {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(revokedEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if g.revoked(r, who) {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}

// revoked reports whether the credentials of a request do not count any more.
func (g *authenticator) revoked(r *http.Request, who *gongu.Principal) bool {
	if who.Kind == KindSession {
		_, known := g.bySession(r)
		return !known
	}
	token, _, _ := bearer(r.Header)
	// A file that cannot be read now says nothing about the token.
	_, known, err := g.opts.Tokens.find(digestOf(token))
	return err == nil && !known
}

// acceptsStream reports whether a client may get a stream: one that takes
// everything does, too.
func acceptsStream(values []string) bool {
	return slices.ContainsFunc(values, func(value string) bool {
		return strings.Contains(value, "text/event-stream") || strings.Contains(value, "*/*")
	})
}
