package mcpclient

import (
	"net/http"

	"github.com/gongu-ai/gongu/internal/oauth"
)

// Authorizer shows an authorization page to the user, in a browser or as an
// address. It returns when the page was opened. This package receives the
// redirect of the browser on the loopback address.
type Authorizer = oauth.Authorizer

// TokenStore stores grants. A key names the resource and the principal.
type TokenStore = oauth.TokenStore

// FileTokens keeps grants in one file that only its owner may read. Any number
// of them, in any number of processes, may use the same file.
type FileTokens = oauth.FileTokens

// authorization returns the authorization of the link, made at the first use.
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
		Logger: l.logger, Secrets: l.opts.Secrets, Lang: l.opts.lang(), Lifetime: l.lifetime, Background: l.background,
	}
	if config.OAuth != nil {
		opts.Registration = *config.OAuth
	}
	a := oauth.New(opts)
	l.auth.Store(a)
	return a
}

// skipsAuthorization reports requests that need no user: the stream of
// notifications and the end of a session.
func skipsAuthorization(req *http.Request) bool {
	return req.Method != http.MethodPost && req.Header.Get(headerVersion) != "" || req.Method == http.MethodDelete
}

// authorizationPage returns the page that waits for the user, or "".
func (l *link) authorizationPage() string {
	if a := l.auth.Load(); a != nil {
		return a.Page()
	}
	return ""
}
