package mcpclient

import (
	"net/http"

	"github.com/gongu-ai/gongu/internal/oauth"
)

// Authorizer takes a person to an authorization page, by opening a browser or
// by showing the address. It returns when the page was opened; where the
// browser goes afterwards is received by this package, on the loopback address.
type Authorizer = oauth.Authorizer

// TokenStore keeps what servers have granted. A key names the resource and the
// principal that uses it.
type TokenStore = oauth.TokenStore

// FileTokens keeps grants in one file that only its owner may read. Any number
// of them, in any number of processes, may use the same file.
type FileTokens = oauth.FileTokens

// authorization is made once; only one connection is made at a time.
func (l *link) authorization(config Config) *oauth.Authorization {
	if a := l.auth.Load(); a != nil {
		return a
	}
	principal := l.opts.Principal
	if config.Shared {
		principal = ""
	}
	opts := oauth.Options{
		URL: config.URL, Key: principal + " " + config.URL, Authorize: l.opts.Authorize, Tokens: l.opts.Tokens, Skip: skipsAuthorization,
		Logger: l.logger, Lang: l.opts.lang(), Lifetime: l.lifetime, Background: l.background,
	}
	if config.OAuth != nil {
		opts.Registration = *config.OAuth
	}
	a := oauth.New(opts)
	l.auth.Store(a)
	return a
}

// skipsAuthorization reports the stream beside the calls and the end of a session.
func skipsAuthorization(req *http.Request) bool {
	return req.Method != http.MethodPost && req.Header.Get(headerVersion) != "" || req.Method == http.MethodDelete
}

// authorizationPage is the page where a person is expected now, or "".
func (l *link) authorizationPage() string {
	if a := l.auth.Load(); a != nil {
		return a.Page()
	}
	return ""
}
