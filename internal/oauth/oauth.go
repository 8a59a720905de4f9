// Package oauth authorizes requests to a server by OAuth 2.1: it adds the token
// that was granted, renews it, and takes a person to the authorization page
// where a server asks for one.
package oauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/netguard"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// Authorizer shows an authorization page to the user, in a browser or as an
// address. It returns when the page was opened. This package receives the
// redirect of the browser on the loopback address.
type Authorizer func(ctx context.Context, page string) error

// personTime is how long the user may take on the page. The caller whose request
// began it need not wait that long; its next request uses the token.
const personTime = 5 * time.Minute

// Error is an authorization that was not given.
type Error struct{ err error }

func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

// Registration is a registration of a client. Empty fields are found out or
// made up: the client registers itself where the authorization server allows
// it.
type Registration struct {
	ClientID, ClientSecret string
	// Issuer is the only authorization server that gets the client's secret.
	Issuer string
	// MetadataURL is the address of the client metadata document, which then is
	// the client id.
	MetadataURL string
	// Scopes replace those that the server asks for.
	Scopes []string
	// RedirectPort is the loopback port for the answer of the browser
	// (default: any free one).
	RedirectPort int
}

// Options configure an authorization.
type Options struct {
	Registration
	// URL is the address of the server that tokens are for.
	URL string
	// Key names the grant in Tokens.
	Key string
	// Authorize shows the page to the user; nil means that there is no user.
	Authorize Authorizer
	// Tokens stores the grants; nil keeps them in memory only.
	Tokens TokenStore
	// Skip reports requests for which the user is not asked.
	Skip   func(*http.Request) bool
	Logger *slog.Logger
	Lang   lang.Lang
	// Secrets gets the tokens and the client secret, to remove them from texts.
	Secrets *secret.Vault
	// Lifetime ends with the owner. Background runs something that the end of the
	// owner waits for, unless it is too late.
	Lifetime   context.Context
	Background func(func()) bool
}

// Authorization holds the grant of one server, and renews or requests it.
type Authorization struct {
	opts   Options
	client *http.Client

	mu      sync.Mutex
	handler *auth.AuthorizationCodeHandler
	port    int
	page    string // where a person is expected now
	flow    *grant
	stored  oauth2.TokenSource
	access  string // the access token that stored began with
}

// grant is an authorization being asked for.
type grant struct {
	done chan struct{}
	err  error
}

// New returns an authorization with the stored grant, if there is one.
func New(opts Options) *Authorization {
	a := &Authorization{opts: opts}
	a.client = &http.Client{
		Timeout: 30 * time.Second, CheckRedirect: netguard.RefuseOtherOrigin,
		Transport: &originGuard{opts: &a.opts, base: guarded(opts.URL)},
	}
	a.stored, a.access = a.load()
	return a
}

// guarded lets the requests of an authorization go to public addresses only: a
// server names them, and must not make us connect to private addresses
// (SSRF). A server that is itself on this machine may have its authorization
// server here, too.
func guarded(serverURL string) http.RoundTripper {
	var allow []string
	if u, err := url.Parse(serverURL); err == nil {
		host := u.Hostname()
		switch {
		case loopback(host):
			allow = []string{"localhost", "127.0.0.0/8", "::1"}
		case host != "":
			allow = []string{host}
		}
	}
	guard, err := netguard.New(allow)
	if err != nil {
		guard = &netguard.Guard{}
	}
	return &http.Transport{
		DialContext:            guard.Dial(net.Dialer{Timeout: 10 * time.Second}),
		TLSHandshakeTimeout:    10 * time.Second,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: maxAnswer,
	}
}

// token returns the token to use now, or nil.
func (a *Authorization) token(ctx context.Context) (*oauth2.Token, error) {
	a.mu.Lock()
	source := a.stored
	handler := a.handler
	a.mu.Unlock()
	if handler != nil {
		own, err := handler.TokenSource(ctx)
		if err != nil {
			return nil, err
		}
		if own != nil {
			source = own
		}
	}
	if source == nil {
		return nil, nil
	}
	token, err := source.Token()
	if isInvalidGrant(err) && a.renewedElsewhere() {
		return a.token(ctx)
	}
	if isInvalidGrant(err) {
		return nil, nil // the refresh token has run out: ask anew
	}
	return token, err
}

func isInvalidGrant(err error) bool {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	return ok && refused.ErrorCode == "invalid_grant"
}

// renewedElsewhere loads the grant that another client or process has saved
// since: a refresh token may be valid only once.
func (a *Authorization) renewedElsewhere() bool {
	source, access := a.load()
	a.mu.Lock()
	defer a.mu.Unlock()
	if source == nil || access == a.access {
		return false
	}
	a.stored, a.access, a.handler = source, access, nil
	return true
}

// obtain asks for a grant, once for all requests that were refused.
func (a *Authorization) obtain(req *http.Request, resp *http.Response) error {
	if a.opts.Authorize == nil {
		_ = resp.Body.Close()
		return &Error{fmt.Errorf("HTTP %d, and nobody is here to authorize; give it a header with a token, or authorize it where a person is", resp.StatusCode)}
	}
	a.mu.Lock()
	if a.flow == nil {
		flow := &grant{done: make(chan struct{})}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(req.Context()), personTime)
		stop := context.AfterFunc(a.opts.Lifetime, cancel)
		begun := a.opts.Background(func() {
			defer cancel()
			defer stop()
			flow.err = a.authorize(ctx, req.Clone(ctx), resp)
			a.mu.Lock()
			a.flow, a.page = nil, ""
			a.mu.Unlock()
			close(flow.done)
		})
		if !begun {
			a.mu.Unlock()
			cancel()
			_ = resp.Body.Close()
			return &Error{errors.New("the client was closed")}
		}
		a.flow = flow
	} else {
		_ = resp.Body.Close()
	}
	flow := a.flow
	a.mu.Unlock()
	select {
	case <-flow.done:
		if flow.err != nil {
			return &Error{flow.err}
		}
		return nil
	case <-req.Context().Done():
		return &Error{Expected(a.Page())}
	}
}

// Page returns the authorization page that waits for the user, or "".
func (a *Authorization) Page() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.page
}

// Expected returns the error of a caller that would have to wait for the user.
func Expected(page string) error {
	return fmt.Errorf("a person is expected at %s; call again after that", page)
}

// authorize runs the flow of the SDK with the receiver of this package.
func (a *Authorization) authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	if err := a.checkChallenge(resp); err != nil {
		_ = resp.Body.Close()
		return err
	}
	receiver, err := a.receiver()
	if err != nil {
		_ = resp.Body.Close()
		return err
	}
	defer receiver.close()
	handler, err := a.handlerFor(receiver)
	if err != nil {
		_ = resp.Body.Close()
		return err
	}
	return handler.Authorize(context.WithValue(ctx, receiverKey{}, receiver), req, resp)
}

type receiverKey struct{}

// handlerFor returns the handler, which remembers the scopes of earlier grants.
func (a *Authorization) handlerFor(receiver *receiver) (*auth.AuthorizationCodeHandler, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.handler != nil && a.port == receiver.port {
		return a.handler, nil
	}
	redirect := receiver.url()
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, Client: a.client, RequestRefreshToken: true,
		AuthorizationCodeFetcher: a.showPage, NewTokenSource: a.saveGrant, InitialTokenSource: a.stored,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "gongu", RedirectURIs: []string{redirect},
			GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
	}
	if a.opts.MetadataURL != "" {
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: a.opts.MetadataURL}
	}
	if a.opts.ClientID != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: a.opts.ClientID, Issuer: a.opts.Issuer}
		if a.opts.ClientSecret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: a.opts.ClientSecret}
		}
	}
	if len(a.opts.Scopes) > 0 {
		config.ScopeFilter = func([]string) []string { return a.opts.Scopes }
	}
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return nil, fmt.Errorf("oauth of %s: %w", a.opts.URL, err)
	}
	a.handler, a.port = handler, receiver.port
	return handler, nil
}

// showPage shows the page to the user and waits for the redirect of the browser.
func (a *Authorization) showPage(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	receiver, ok := ctx.Value(receiverKey{}).(*receiver)
	if !ok {
		return nil, errors.New("no receiver for the answer of the browser")
	}
	page, err := url.Parse(args.URL)
	if err != nil {
		return nil, fmt.Errorf("the authorization page: %w", err)
	}
	receiver.state.Store(page.Query().Get("state"))
	a.mu.Lock()
	a.page = args.URL
	a.mu.Unlock()
	if err := a.opts.Authorize(ctx, args.URL); err != nil {
		return nil, fmt.Errorf("open the authorization page: %w", err)
	}
	return receiver.wait(ctx)
}

// RoundTripper adds the token to requests, and asks for one where the server
// wants it, once for each request.
func (a *Authorization) RoundTripper(base http.RoundTripper) http.RoundTripper {
	return &roundTripper{base, a}
}

type roundTripper struct {
	base http.RoundTripper
	auth *Authorization
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" {
		return t.base.RoundTrip(req)
	}
	used, resp, err := t.send(req, true)
	if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return resp, err
	}
	if skip := t.auth.opts.Skip; skip != nil && skip(req) {
		return resp, nil
	}
	if current, err := t.auth.token(req.Context()); err != nil || current == nil || current.AccessToken == used {
		if err := t.auth.obtain(req, resp); err != nil {
			return nil, err
		}
	} else {
		_ = resp.Body.Close() // another request has got a token meanwhile
	}
	_, resp, err = t.send(req, false)
	return resp, err
}

// send makes one attempt. The request itself is used where it needs no token
// and its body is still there.
func (t *roundTripper) send(req *http.Request, first bool) (used string, resp *http.Response, err error) {
	token, err := t.auth.token(req.Context())
	if err != nil {
		return "", nil, &Error{fmt.Errorf("renew the token: %w", err)}
	}
	if token == nil && first {
		resp, err = t.base.RoundTrip(req)
		return "", resp, err
	}
	attempt := req.Clone(req.Context())
	if req.GetBody != nil {
		if attempt.Body, err = req.GetBody(); err != nil {
			return "", nil, err
		}
	}
	if token != nil {
		used = token.AccessToken
		attempt.Header.Set("Authorization", "Bearer "+used)
	}
	resp, err = t.base.RoundTrip(attempt)
	return used, resp, err
}
