package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/telemetry"
)

// exchange is one request and its response.
type exchange struct {
	api   *API
	route *route
	w     http.ResponseWriter
	r     *http.Request
	lang  lang.Lang
	who   *gongu.Principal
	// about names the subject of a decision, for the log.
	about []string
}

// mux serves the routes. http.ServeMux only finds the path: it would answer a
// wrong path or method in plain text.
func (a *API) mux(routes []route) http.Handler {
	byPath := map[string][]*route{}
	for i := range routes {
		r := &routes[i]
		byPath[r.path] = append(byPath[r.path], r)
	}
	mux := http.NewServeMux()
	for path, methods := range byPath {
		mux.HandleFunc(Prefix+path, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, methods) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.reject(w, r, fail(CodeNotFound, lang.APINoPath.With(clip(r.URL.Path)), lang.APINoPathHint.With(Prefix+"/openapi.json")))
	})
	// A page of another site must not post here with the browser's cookies.
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.reject(w, r, fail(CodeForbidden, lang.APICrossOrigin.With(), lang.APICrossOriginHint.With()))
	}))
	return guard.Handler(mux)
}

// reject answers a request that no route takes.
func (a *API) reject(w http.ResponseWriter, r *http.Request, why *failure) {
	a.exchange(w, r, nil).run(func(*exchange) (any, error) { return nil, why })
}

func (a *API) exchange(w http.ResponseWriter, r *http.Request, found *route) *exchange {
	r, who := withPrincipal(r)
	return &exchange{api: a, route: found, w: w, r: r, lang: a.langOf(r), who: who}
}

// withPrincipal returns the principal of a request. One without any, where
// nothing authenticates requests, is anonymous: it may read and call, but not
// decide.
func withPrincipal(r *http.Request) (*http.Request, *gongu.Principal) {
	if who := gongu.PrincipalOf(r.Context()); who != nil {
		return r, who
	}
	who := &gongu.Principal{Kind: "anonymous"}
	return r.WithContext(gongu.WithPrincipal(r.Context(), who)), who
}

// serve picks the route of a method.
func (a *API) serve(w http.ResponseWriter, r *http.Request, methods []*route) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	i := slices.IndexFunc(methods, func(m *route) bool { return m.method == method })
	if i >= 0 {
		a.exchange(w, r, methods[i]).run(methods[i].serve)
		return
	}
	var allowed []string
	for _, m := range methods {
		allowed = append(allowed, m.method)
		if m.method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	a.reject(w, r, fail(CodeMethod, lang.APIBadMethod.With(clip(r.Method)), lang.APIBadMethodHint.With(strings.Join(allowed, ", "))))
}

// run writes the result of serve. A panic is an internal error without details.
func (x *exchange) run(serve func(*exchange) (any, error)) {
	if x.api.opts.Metrics != nil {
		counted := &telemetry.StatusWriter{ResponseWriter: x.w}
		x.w = counted
		defer func() { x.api.opts.Metrics.CountRequest(x.route.operation(), counted.Status) }()
	}
	header := x.w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Vary", "Accept-Language")
	header.Set("Content-Language", string(x.lang))
	reply, err := x.recovered(serve)
	if err == nil {
		err = x.write(reply)
	}
	if err != nil {
		x.writeProblem(err)
	}
}

func (x *exchange) recovered(serve func(*exchange) (any, error)) (reply any, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			x.api.opts.Logger.Error("an HTTP handler panicked", "path", x.r.URL.Path, "panic", thrown, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", thrown)
		}
	}()
	if x.route != nil {
		if err := x.authorize(); err != nil {
			return nil, err
		}
	}
	reply, err = serve(x)
	if x.route != nil && x.route.access == AccessDecide && err == nil {
		x.api.opts.Logger.Info("decision over HTTP", "operation", x.route.id, "about", x.about, "by", x.reviewer())
	}
	return reply, err
}

// authorize checks the access of the route and the query, before anything is
// done.
func (x *exchange) authorize() error {
	if access.ApprovalsOnly(x.who) && !x.route.approvals {
		return fail(CodeForbidden, lang.APIApprovalsOnly.With(), lang.APIApprovalsOnlyHint.With())
	}
	x.api.see(x.r.Context(), x.who)
	switch x.route.access {
	case AccessDecide, AccessManage:
		if access.Decide(x.who, x.route.id) != nil {
			return fail(CodeForbidden, lang.APINotManager.With(), lang.APINotManagerHint.With())
		}
	case AccessHistory: // the route shows a principal what it may see
	case AccessServer:
		if access.Whole(x.who) != nil {
			return fail(CodeForbidden, lang.APINotWhole.With(), lang.APINotWholeHint.With())
		}
	case AccessRequests:
		if access.Requests(x.who) != nil {
			return fail(CodeForbidden, lang.APINotWhole.With(), lang.APINotWholeHint.With())
		}
	}
	return x.checkQuery()
}

// document is an encoded reply.
type document []byte

// write sends a reply. A list has an entity tag, so that a client that polls
// gets it only when it has changed.
func (x *exchange) write(reply any) error {
	if _, done := reply.(streamed); done {
		return nil
	}
	accepted, later := reply.(acceptedReply)
	if later {
		reply = accepted.body
	}
	raw, ready := reply.(document)
	if !ready {
		var err error
		if raw, err = encode(reply); err != nil {
			return fmt.Errorf("encode the response: %w", err)
		}
	}
	if x.route.access != AccessCall { // the executor redacts the errors of a call
		raw = document(x.api.opts.Secrets.RedactJSON(json.RawMessage(raw)))
	}
	header := x.w.Header()
	header.Set("Content-Type", "application/json")
	if !x.route.list {
		header.Set("Cache-Control", "no-store")
		if later {
			header.Set("Location", accepted.location)
			x.w.WriteHeader(http.StatusAccepted)
		}
		x.w.Write(raw) // the client may have disconnected
		return nil
	}
	header.Set("Cache-Control", "private, no-cache")
	header.Set("ETag", tagOf(raw, string(x.lang)))
	http.ServeContent(x.w, x.r, "", time.Time{}, bytes.NewReader(raw)) // compares the tag with If-None-Match
	return nil
}

func tagOf(raw []byte, language string) string {
	sum := sha256.Sum256(raw)
	return `"` + hex.EncodeToString(sum[:12]) + "-" + language + `"`
}

// clip shortens a text of a request for a message.
func clip(text string) string { return lang.Clip(text, 120) }
