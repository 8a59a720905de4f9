package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/limit"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
	"github.com/gongu-ai/gongu/state"
	"github.com/gongu-ai/gongu/telemetry"
	"github.com/gongu-ai/gongu/toolrequest"
)

// Prefix is the path prefix of the API.
const Prefix = "/api/v1"

// Backend provides the tools, agents and requests that the API serves.
type Backend interface {
	// Step runs core in one step of an agent, "" being the whole bundle, with
	// an executor that has the catalog of the step, narrowed to what the
	// principal of ctx may use.
	Step(ctx context.Context, agent string, core func(ctx context.Context, x *gongu.Executor) error) error
	Registry() *gongu.Registry
	// Prepare is called before a list, with "", and before a call, with the
	// name of the tool: a backend whose tools come from elsewhere waits here
	// until they are known (S1).
	Prepare(ctx context.Context, tool string)
	// Agents are the names of the agents.
	Agents() []string
	// Requests is the queue of tool requests; nil when there is none.
	Requests() toolrequest.Store
	// Approve approves a request. It installs a macro, when there is one, under
	// the name of the request first, and refuses a request whose digest is not
	// that of the decision.
	Approve(ctx context.Context, id string, d toolrequest.Decision, macro json.RawMessage) error
}

// Sources are the programs and servers that tools come from. *host.Sources is
// one.
type Sources interface {
	Status() []source.Status
	// Refresh lists sources again, by name or all of them.
	Refresh(ctx context.Context, names ...string) error
	// Pins lists every tool that is pinned or was listed.
	Pins() ([]pin.Verdict, error)
	// AcceptPins pins tools as they were listed last; no name is all that are
	// held back.
	AcceptPins(ctx context.Context, names ...string) ([]pin.Verdict, error)
}

// Options of an API. Backend and Sources are required.
type Options struct {
	Backend Backend
	Sources Sources
	// Bundle reports which state of the bundle runs; nil reports nothing.
	Bundle func() BundleStatus
	// Metrics counts the requests and reports the state of the backend; nil
	// counts nothing and serves none.
	Metrics *telemetry.Metrics
	// LostVMs returns the number of lost script VMs; nil is none.
	LostVMs func() int
	// MaxCalls is how many calls may run at once (default 256), and
	// MaxWaiting how many more may wait, for an approval for example (default
	// 1024). A call that waits does not count as running.
	MaxCalls, MaxWaiting int
	// Store has the history of calls, the audit and the events; nil has none.
	Store *state.Store
	// Approvals are the questions about calls that people decide; nil has none.
	Approvals Approvals
	// Rules says what decides about calls; nil says nothing.
	Rules Rules
	// Principal returns a principal as it is now, for a call that it made at a
	// time and that is resumed: nil if this host does not know it, ErrGone if it
	// may not make calls any more. Nil takes it as it was until it expires.
	Principal func(ctx context.Context, was *gongu.Principal, at time.Time) (*gongu.Principal, error)
	// ApprovalURL returns the address of the page of an approval, or "" if there
	// is none; nil is none.
	ApprovalURL func(id string) string
	// Queue returns what the recorder of calls has written; nil if it is not
	// known.
	Queue func() audit.Stats
	// VerifyTime is how long a check of the audit may take (default 30 seconds).
	VerifyTime time.Duration
	// MaxStreams is how many streams of events may be open (default 256), and
	// MaxStreamsEach how many of one principal (default 16).
	MaxStreams, MaxStreamsEach int
	// Lang is the language of texts: en (default) or ko. A request may prefer
	// another with Accept-Language.
	Lang    string
	Version string
	// Secrets are removed from every answer but the output of a call, which is
	// the tool's own; nil has none.
	Secrets *secret.Vault
	Logger  *slog.Logger
}

// API serves a backend. Make one with [New].
type API struct {
	opts    Options
	lang    lang.Lang
	handler http.Handler
	page    *statusPage

	approvals *approvalPages
	present   presence
	openapi   map[lang.Lang][]byte
	index     explore.Index
	running   *limit.Limiter
	waiting   *limit.Limiter
	streams   *limit.Limiter

	verifying *limit.Limiter
	draining  atomic.Bool
	ending    chan struct{} // closed by Drain
	shown     shownRequests
}

// New checks the options and returns an API.
func New(opts Options) (*API, error) {
	if opts.Backend == nil || opts.Sources == nil {
		return nil, errors.New("httpapi: options need a backend and its sources")
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	opts.Version = cmp.Or(opts.Version, "dev")
	opts.MaxCalls = cmp.Or(max(opts.MaxCalls, 0), defaultMaxCalls)
	opts.MaxWaiting = cmp.Or(max(opts.MaxWaiting, 0), defaultMaxWaiting)
	opts.MaxStreams = cmp.Or(max(opts.MaxStreams, 0), defaultMaxStreams)
	opts.MaxStreamsEach = cmp.Or(max(opts.MaxStreamsEach, 0), defaultMaxStreamsEach)
	opts.VerifyTime = cmp.Or(max(opts.VerifyTime, 0), verifyTime)
	a := &API{
		verifying: limit.New(limit.Options{Total: 1}),

		opts:    opts,
		streams: limit.New(limit.Options{Total: opts.MaxStreams, PerKey: opts.MaxStreamsEach}),
		ending:  make(chan struct{}),
		running: limit.New(limit.Options{Total: opts.MaxCalls, Queue: opts.MaxWaiting}),
		waiting: limit.New(limit.Options{Total: opts.MaxWaiting}),
	}
	a.lang, _ = lang.Parse(opts.Lang)
	var err error
	if a.page, err = newStatusPage(); err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	if a.approvals, err = newApprovalPages(); err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	routes := a.routes()
	if a.openapi, err = documents(routes, opts.Version); err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	a.handler = a.mux(routes)
	if opts.Metrics != nil {
		opts.Metrics.Collect(a.gauges)
	}
	return a, nil
}

const (
	defaultMaxCalls   = 256
	defaultMaxWaiting = 1024

	defaultMaxStreams     = 256
	defaultMaxStreamsEach = 16
)

// Handler serves everything below [Prefix]. A browser on another site cannot
// change anything through it, whatever cookies it has.
func (a *API) Handler() http.Handler { return a.handler }

// Drain makes [API.Ready] answer 503, so that load balancers send no new
// requests, and ends the streams of events. Requests that arrive are still served.
func (a *API) Drain() {
	if !a.draining.Swap(true) {
		close(a.ending)
	}
}

// langOf returns the supported language that a request prefers.
func (a *API) langOf(r *http.Request) lang.Lang {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, quality, _ := strings.Cut(part, ";")
		if strings.Trim(strings.TrimPrefix(strings.TrimSpace(quality), "q="), "0.") == "" && quality != "" {
			continue
		}
		if l, known := lang.Parse(strings.TrimSpace(tag)); known {
			return l
		}
	}
	return a.lang
}

// principal returns the principal of a call that is resumed.
func (a *API) principal(ctx context.Context, was *gongu.Principal, at time.Time) (*gongu.Principal, error) {
	if !was.Expires.IsZero() && !time.Now().Before(was.Expires) {
		return nil, ErrGone
	}
	if a.opts.Principal == nil {
		return was, nil
	}
	return a.opts.Principal(ctx, was, at)
}
