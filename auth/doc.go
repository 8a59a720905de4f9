// Package auth authenticates HTTP requests before any other handler sees them.
//
//	tokens, err := auth.OpenTokens(path, nil)
//	if err != nil { … }
//	handler, err := auth.New(auth.Options{Addr: listener.Addr().String(), Tokens: tokens}, next)
//	if err != nil { … }
//	err = auth.NewServer(handler, nil).Serve(auth.LimitConnections(listener, auth.Limits{}, nil))
//
// A request is checked in this order: the Host must be a name of this server
// and the Origin, when a browser sent one, must be allowed, so that a web page
// cannot reach a server on its reader's machine; the caller must have a bearer
// token of the file, a JWT of the team's issuer, or a session of the web
// console; and the caller must be allowed the agent of the path. The next
// handler gets the request with a [gongu.Principal] in its context and without
// the Authorization header.
//
// The size and time of bodies and headers and the number of concurrent requests
// are bounded for all callers. No log line holds a token, a code or a cookie.
package auth
