package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/limit"
)

// Options configure authentication. One of Tokens, JWT, NoAuth and Proven must be
// set.
type Options struct {
	// Addr is the address that the server listens on.
	Addr string
	// Hosts are further accepted Host headers, such as gongu.example.com, with
	// a port or for every port. The loopback names and the address of the
	// connection are always accepted.
	Hosts []string
	// Origins are accepted origins of web pages other than the server's own,
	// such as https://console.example.com.
	Origins []string

	// Tokens are the bearer tokens of a file.
	Tokens *Tokens
	// JWT checks the tokens of a team's issuer.
	JWT *JWT
	// Logins authenticate browsers with one-time codes; nil allows none.
	Logins *Logins
	// NoAuth accepts all requests as anonymous. It works on loopback only and
	// excludes the three above (V3).
	NoAuth bool

	// Proven returns the principal of a request on a listener whose connections
	// have authenticated themselves before the first request. It excludes the
	// four above.
	Proven func(ctx context.Context) *gongu.Principal

	// PublicURL is the address at which people elsewhere reach the server; see
	// [ParsePublicURL]. Its host and origin are accepted, and requests for it
	// count as https if it is.
	PublicURL string
	// Pages are the paths, with those below them, at which a browser without a
	// session gets a page that says how to log in.
	Pages []string
	// Public lists the paths that need no token, such as /healthz.
	Public []string
	// Agent returns the agent that the path of a request names, "" for all
	// tools. ok is false for other paths. Nil is false for all.
	Agent func(r *http.Request) (agent string, ok bool)

	// Resource is the public address of the server, such as
	// https://gongu.example.com (default: the Host of the request).
	Resource string
	// AuthorizationServers issue tokens for it (default: the
	// issuer of JWT).
	AuthorizationServers []string

	// Limits bound the resources that callers can use.
	Limits Limits
	// Logger logs rejected requests and panics (default: slog's).
	Logger *slog.Logger
	// Lang is the language of error responses: "en" or "ko".
	Lang string
}

type authenticator struct {
	opts        Options
	next        http.Handler
	hosts       hostRules
	origins     map[origin]bool
	public      origin
	resource    *url.URL
	limits      Limits
	running     *limit.Limiter // all requests, before they are authenticated
	runningEach *limit.Limiter // requests of each principal
	crossOrigin *http.CrossOriginProtection
	anonymous   *gongu.Principal // all callers with NoAuth
	logger      *slog.Logger
	lang        lang.Lang
}

// New returns a handler that authenticates requests and passes them to next.
func New(opts Options, next http.Handler) (http.Handler, error) {
	g := &authenticator{
		opts: opts, next: next, limits: opts.Limits.withDefaults(), logger: opts.Logger, lang: lang.Of(opts.Lang),
		hosts:       hostRules{map[string]bool{}, map[hostPort]bool{}},
		origins:     map[origin]bool{},
		crossOrigin: http.NewCrossOriginProtection(),
		anonymous:   &gongu.Principal{Name: anonymousName, Kind: KindAnonymous},
	}
	g.running = limit.New(limit.Options{Total: g.limits.Running})
	g.runningEach = limit.New(limit.Options{PerKey: g.limits.RunningEach})
	if g.logger == nil {
		g.logger = slog.Default()
	}
	if next == nil {
		return nil, errors.New("auth: the next handler is nil")
	}
	if err := g.checkAuth(); err != nil {
		return nil, err
	}
	if err := g.readOptions(); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *authenticator) checkAuth() error {
	o := &g.opts
	asks := o.Tokens != nil || o.JWT != nil
	switch {
	case o.Proven != nil && (asks || o.NoAuth || o.Logins != nil):
		return lang.NewError(ErrInvalid, lang.AuthBothAuth.With(), lang.AuthBothAuthHint.With())
	case o.Proven != nil:
		return nil
	case o.NoAuth && (asks || o.Logins != nil):
		return lang.NewError(ErrInvalid, lang.AuthBothAuth.With(), lang.AuthBothAuthHint.With())
	case !o.NoAuth && !asks:
		return lang.NewError(ErrInvalid, lang.AuthNoWay.With(), lang.AuthNoWayHint.With())
	case o.NoAuth:
		return CheckBind(o.Addr, false)
	}
	return nil
}

func (g *authenticator) readOptions() error {
	o := &g.opts
	if p, ok := parseHostPort(o.Addr); ok && !p.addr.IsUnspecified() {
		p.port = "" // a forwarded port is another one
		g.hosts.add(p)
	}
	for _, host := range o.Hosts {
		p, ok := parseHostPort(host)
		if !ok {
			return lang.NewError(ErrInvalid, lang.AuthBadHost.With(host), lang.AuthBadHostHint.With())
		}
		g.hosts.add(p)
	}
	for _, text := range o.Origins {
		from, ok := parseOrigin(text)
		if !ok {
			return lang.NewError(ErrInvalid, lang.AuthBadOrigin.With(text), lang.AuthBadOriginHint.With())
		}
		g.origins[from] = true
	}
	if err := g.readPublicURL(); err != nil {
		return err
	}
	for _, path := range o.Public {
		if !strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") {
			return lang.NewError(ErrInvalid, lang.AuthBadPublic.With(path), lang.AuthBadPublicHint.With())
		}
	}
	if o.Resource != "" {
		u, err := url.Parse(o.Resource)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return lang.NewError(ErrInvalid, lang.AuthBadResource.With(o.Resource), lang.AuthBadResourceHint.With())
		}
		u.Path = strings.TrimSuffix(u.Path, "/")
		g.resource = u
	}
	if len(o.AuthorizationServers) == 0 && o.JWT != nil {
		o.AuthorizationServers = []string{o.JWT.opts.Issuer}
	}
	return nil
}

// ServeHTTP rejects a request or passes it to the next handler.
func (g *authenticator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := &requestContext{Context: r.Context(), requestID: [1]string{rand.Text()}}
	out := &p.writer
	out.begin(w, r, g.limits.WriteTime)
	out.Header()[requestIDHeader] = p.requestID[:]
	r = r.WithContext(p) // a copy, which may be changed
	r.Body = boundBody(w, r, &g.limits)
	defer out.finish()
	defer g.recoverPanic(out, r)
	if !g.checkHostAndOrigin(out, r) {
		return
	}
	switch {
	case r.ContentLength > g.limits.Body:
		g.refuse(out, r, tooLarge(g.limits.Body))
	case isMetadata(r.URL.Path):
		g.metadata(out, r)
	case slices.Contains(g.opts.Public, r.URL.Path):
		g.strip(r)
		g.next.ServeHTTP(out, r)
	case !g.running.TryAcquire(""):
		out.Header().Set("Retry-After", "1")
		g.refuse(out, r, problem{status: http.StatusServiceUnavailable, code: "busy", text: lang.AuthFull.With(), hint: lang.AuthFullHint.With()})
	default:
		defer g.running.Release("")
		g.authenticate(p, r)
	}
}

const requestIDHeader = "X-Request-Id"

// checkHostAndOrigin checks the Host and Origin headers. When it returns false
// it has written the response.
func (g *authenticator) checkHostAndOrigin(w http.ResponseWriter, r *http.Request) bool {
	host, ok := parseHostPort(r.Host)
	if !ok || !g.hosts.allows(host, localAddr(r)) {
		g.refuse(w, r, problem{status: http.StatusForbidden, code: "host_refused", text: lang.AuthHostRefused.With(shorten(r.Host)), hint: lang.AuthHostHint.With()})
		return false
	}
	if g.opts.NoAuth {
		if at, known := addrOf(localAddr(r)); known && !at.IsLoopback() {
			g.refuse(w, r, problem{status: http.StatusForbidden, code: "auth_needed", text: lang.AuthNotLoopback.With(), hint: lang.AuthNotLoopbackHint.With()})
			return false
		}
	}
	values := r.Header["Origin"]
	if len(values) == 0 {
		return true
	}
	from, ok := parseOrigin(values[0])
	switch {
	case ok && len(values) == 1 && from.isOf(host):
		return true
	case ok && len(values) == 1 && g.origins[from]:
		return !g.allowOrigin(w, r)
	}
	g.refuse(w, r, problem{status: http.StatusForbidden, code: "origin_refused", text: lang.AuthOriginRefused.With(shorten(values[0])), hint: lang.AuthOriginHint.With()})
	return false
}

// authenticate identifies the caller, checks the agent of the path and calls
// the next handler.
func (g *authenticator) authenticate(p *requestContext, r *http.Request) {
	w := &p.writer
	if g.opts.Logins != nil && r.URL.Path == loginPath {
		g.login(w, r)
		return
	}
	if g.opts.Logins != nil && r.URL.Path == logoutPath {
		g.logout(w, r)
		return
	}
	who, ok := g.identify(w, r)
	if !ok {
		return
	}
	if g.opts.Agent != nil {
		// V5: the path must be one that the token is for.
		agent, named := g.opts.Agent(r)
		switch {
		case named && (who.Person || who.Manage != ""):
			// An MCP client acts for a model, which could then approve its
			// own requests.
			g.refuse(w, r, problem{status: http.StatusForbidden, code: "manage_refused", text: lang.AuthManageRefused.With(who.Name), hint: lang.AuthManageHint.With(), who: who.Name})
			return
		case named && !who.MayUse(agent):
			w.Header().Set("WWW-Authenticate", g.challenge(r, "insufficient_scope"))
			g.refuse(w, r, problem{status: http.StatusForbidden, code: "agent_refused", text: lang.AuthAgentRefused.With(who.Name), hint: lang.AuthAgentHint.With(), who: who.Name})
			return
		}
	}
	if !g.runningEach.TryAcquire(who.Name) {
		w.Header().Set("Retry-After", "1")
		g.refuse(w, r, problem{status: http.StatusTooManyRequests, code: "too_many_requests", text: lang.AuthFullEach.With(g.limits.RunningEach), hint: lang.AuthFullHint.With(), who: who.Name})
		return
	}
	defer g.runningEach.Release(who.Name)
	ctx, end := g.untilRevoked(p, r, who)
	defer end()
	r = r.WithContext(gongu.WithPrincipal(ctx, who))
	g.strip(r)
	g.next.ServeHTTP(w, r)
}

// strip removes the credentials of a request. V5: inbound Authorization is never
// forwarded, so a handler that forwards headers or trailers must not see it.
func (g *authenticator) strip(r *http.Request) {
	r.Trailer = nil
	if len(r.Header["Authorization"])+len(r.Header["Proxy-Authorization"])+len(r.Header["Cookie"]) == 0 {
		return
	}
	r.Header = maps.Clone(r.Header) // the server keeps the original
	r.Header.Del("Authorization")
	r.Header.Del("Proxy-Authorization")
	if len(r.Header["Cookie"]) > 0 {
		g.dropSession(r)
	}
}

// dropSession removes the session cookie and keeps the others.
func (g *authenticator) dropSession(r *http.Request) {
	ours, given := g.cookieName(r), r.Cookies()
	if !slices.ContainsFunc(given, func(c *http.Cookie) bool { return c.Name == ours }) {
		return
	}
	r.Header.Del("Cookie")
	for _, cookie := range given {
		if cookie.Name != ours {
			r.AddCookie(cookie)
		}
	}
}

// recoverPanic answers 500 for a handler that panicked. It logs only the type
// of the value, which may hold the arguments of a call.
func (g *authenticator) recoverPanic(w *deadlineWriter, r *http.Request) {
	value := recover()
	if value == nil {
		return
	}
	if err, ok := value.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(http.ErrAbortHandler)
	}
	what := fmt.Sprintf("%T", value)
	if err, ok := value.(runtime.Error); ok {
		what = err.Error()
	}
	g.logger.Error("a handler panicked", "panic", what, "method", r.Method, "path", r.URL.Path, "request", RequestID(r.Context()), "stack", string(debug.Stack()))
	if w.started.Load() {
		panic(http.ErrAbortHandler) // a partial response must not look complete
	}
	clear(w.Header())
	w.Header().Set(requestIDHeader, RequestID(r.Context()))
	g.refuse(w, r, problem{status: http.StatusInternalServerError, code: "internal", text: lang.AuthPanicked.With(), hint: lang.AuthPanickedHint.With(RequestID(r.Context()))})
}
