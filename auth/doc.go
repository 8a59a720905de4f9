// Package auth authenticates HTTP requests before any other handler sees them.
//
//	tokens, err := auth.OpenTokens(path, nil)
//	if err != nil { … }
//	handler, err := auth.New(auth.Options{Addr: listener.Addr().String(), Tokens: tokens}, next)
//	if err != nil { … }
//	err = auth.NewServer(handler, nil).Serve(listener)
//
// A request passes in this order: the Host must be a name of this server and
// the Origin, when a browser sent one, must be allowed, so that no web page can
// reach a server on its reader's machine; the caller must have a bearer token
// of the file, a JWT of the team's issuer, or a session of the web console; and
// the caller must be allowed the agent of the path. What then arrives carries
// an [Identity] in its context and no Authorization header.
//
// Bodies, headers, times and requests at the same time are bounded for
// everyone. No log line holds a token, a code or a cookie.
package auth
