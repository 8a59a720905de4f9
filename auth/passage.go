package auth

import "context"

// passage is the context of a request: all that the gate knows about it in one
// place, because every request pays for each place.
type passage struct {
	context.Context
	answer    answer
	requestID [1]string // as a header has it
	// identity is set before the request goes on.
	identity Identity
	known    bool
}

type passageKey struct{}

// Value is the passage itself, and else what the server put there.
func (p *passage) Value(key any) any {
	if _, ok := key.(passageKey); ok {
		return p
	}
	return p.Context.Value(key)
}

// IdentityOf returns who the request with this context comes from. There is
// nobody on public paths.
func IdentityOf(ctx context.Context) (Identity, bool) {
	p, ok := ctx.Value(passageKey{}).(*passage)
	if !ok || !p.known {
		return Identity{}, false
	}
	return p.identity.clone(), true
}

// NameOf is the name of [IdentityOf], or "".
func NameOf(ctx context.Context) string {
	if p, ok := ctx.Value(passageKey{}).(*passage); ok {
		return p.identity.Name
	}
	return ""
}

// RequestID returns the id of the request with this context, which the answer
// has as X-Request-Id and the log as request, or "".
func RequestID(ctx context.Context) string {
	if p, ok := ctx.Value(passageKey{}).(*passage); ok {
		return p.requestID[0]
	}
	return ""
}
