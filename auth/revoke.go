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

// untilRevoked ends the context of a stream when its token is revoked: a stream
// outlives the check of the token. Other requests keep their context.
func (g *authenticator) untilRevoked(ctx context.Context, r *http.Request, who *gongu.Principal) (context.Context, context.CancelFunc) {
	streams := r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen"
	if who.Kind != KindToken || !streams || !acceptsStream(r.Header["Accept"]) {
		return ctx, func() {}
	}
	token, _, _ := bearer(r.Header)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(revokedEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				// A file that cannot be read now says nothing about the token.
				if _, known, err := g.opts.Tokens.find(digestOf(token)); err == nil && !known {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}

// acceptsStream reports whether a client may get a stream: one that takes
// everything does, too.
func acceptsStream(values []string) bool {
	return slices.ContainsFunc(values, func(value string) bool {
		return strings.Contains(value, "text/event-stream") || strings.Contains(value, "*/*")
	})
}
