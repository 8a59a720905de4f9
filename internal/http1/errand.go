package http1

import (
	"context"
	"net/http"
	"net/http/httptrace"
)

// Errand is a context that a transport need not watch from outside. One that
// a request's context has under [Key] is told when the request may have been
// seen, and tells when it ends.
type Errand interface {
	// Sent is called before the first byte is written.
	Sent()
	// AfterFunc calls do when the errand ends, unless stop is called before.
	// Stop reports whether it was in time.
	AfterFunc(do func()) (stop func() bool)
}

// Key finds the [Errand] of a context.
type Key struct{}

func errandOf(ctx context.Context) Errand {
	e, _ := ctx.Value(Key{}).(Errand)
	return e
}

// other passes a request on to the other transport, which tells of its sending
// in the way of net/http.
func (t *Transport) other(req *http.Request) (*http.Response, error) {
	if e := errandOf(req.Context()); e != nil {
		trace := &httptrace.ClientTrace{WroteHeaders: e.Sent}
		req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	}
	return t.Other.RoundTrip(req)
}

// watch calls interrupt when the context ends.
func watch(ctx context.Context, e Errand, interrupt func()) (stop func() bool) {
	if e != nil {
		return e.AfterFunc(interrupt)
	}
	return context.AfterFunc(ctx, interrupt)
}
