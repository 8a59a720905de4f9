package auth

import "context"

// requestContext is the context of a request: all that auth knows about it in one
// place, because every request pays for each place.
type requestContext struct {
	context.Context
	writer    deadlineWriter
	requestID [1]string // as a header has it
}

type requestContextKey struct{}

// Value returns the requestContext itself, and else what the server put there.
func (p *requestContext) Value(key any) any {
	if _, ok := key.(requestContextKey); ok {
		return p
	}
	return p.Context.Value(key)
}

// RequestID returns the id of the request with this context, which the answer
// has as X-Request-Id and the log as request, or "".
func RequestID(ctx context.Context) string {
	if p, ok := ctx.Value(requestContextKey{}).(*requestContext); ok {
		return p.requestID[0]
	}
	return ""
}
