package auth

import "context"

// requestContext is the context of a request with its writer and id, in one
// allocation.
type requestContext struct {
	context.Context
	writer    deadlineWriter
	requestID [1]string // an array, so that a header can share it
}

type requestContextKey struct{}

// Value returns the requestContext itself for its key, and else the value of
// the server's context.
func (p *requestContext) Value(key any) any {
	if _, ok := key.(requestContextKey); ok {
		return p
	}
	return p.Context.Value(key)
}

// RequestID returns the id of the request with this context, or "". The
// response has it as X-Request-Id and the log as request.
func RequestID(ctx context.Context) string {
	if p, ok := ctx.Value(requestContextKey{}).(*requestContext); ok {
		return p.requestID[0]
	}
	return ""
}
