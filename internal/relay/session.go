package relay

import "context"

// Session is the session of an MCP client. Upstreams that it uses get the
// capabilities of the client.
type Session interface {
	// Capabilities are what the client declared that it can do, in the form of
	// mcpclient.SessionCapabilities, and whether it has declared anything yet.
	Capabilities() (capabilities string, declared bool)
}

type sessionKey struct{}

// WithSession marks the calls made with ctx as those of a session. Clients of
// the modern era have none: each of their requests names its capabilities.
func WithSession(ctx context.Context, s Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionCapabilities returns the capabilities of the session of ctx, and
// whether there is one that has declared them.
func SessionCapabilities(ctx context.Context) (string, bool) {
	s, ok := ctx.Value(sessionKey{}).(Session)
	if !ok {
		return "", false
	}
	return s.Capabilities()
}
