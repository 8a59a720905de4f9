// Package gateway is gongu's server as a value: a bundle served over MCP and
// over the HTTP API, with authentication, metrics and traces. The command gongu
// serve is flags and printing around it.
//
//	g, err := gateway.New(ctx, &gateway.Options{Bundle: "my-bundle"})
//	if err != nil { … }
//	defer g.Close()
//	listener, err := net.Listen("tcp", "127.0.0.1:7410")
//	if err != nil { … }
//	err = g.Serve(ctx, listener)
//
// Serve returns when ctx ends, after the calls that run have finished.
package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/shellword"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/state"

	"github.com/gongu-ai/gongu/internal/statedir"

	"github.com/gongu-ai/gongu/internal/clients"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Options configure a gateway. Nil and zero values are fine: they serve the
// starter tools to clients with a token of the file below the state root.
type Options struct {
	// Bundle is a folder or a file of resources; empty is the starter tools.
	Bundle string
	// Host changes how the bundle is opened. Lang, Logger and Version default
	// to those below.
	Host host.Options
	// Serve changes how tools are served. The gateway sets Backend, Agents,
	// Upstreams and Events.
	Serve serve.Options
	// Access selects the tools that clients are offered, over MCP and HTTP
	// (default: what the bundle says, else all). The discovery tools are always
	// offered. Which calls run is the policy's decision.
	Access access.Options
	// Auth configures authentication. The gateway sets Public and Agent.
	// Without Tokens and NoAuth, it uses the tokens and logins below the state
	// root, or the tokens of a Store on PostgreSQL, and Serve makes the first
	// token. Addr defaults to the address of
	// the listener.
	Auth auth.Options
	// Store keeps records: waiting calls and tasks, the history of calls, and events. The gateway does not
	// close it. Nil keeps none.
	Store *state.Store
	// Audit changes how calls are recorded in the Store. The gateway sets Secrets,
	// and Lang and Logger default to those below.
	Audit audit.Options
	// NoFirstToken makes Serve make no token where there is none: nobody would
	// see its secret.
	NoFirstToken bool
	// Clients has the clients on stdio that gongu connect made entries for; nil
	// knows none.
	Clients *clients.Book
	// Observers observe every call, after those of the gateway.
	Observers []gongu.Observer
	// Grace is how long running calls may take to finish after the context of
	// Serve or ServeStdio has ended (default 30 seconds).
	Grace time.Duration
	// Waiting is what clients are told while the bundle waits for consent; see
	// [host.ConsentOptions].
	Waiting string
	// Started is called by Serve when clients can find the server, before it
	// answers the first one. Its error ends Serve.
	Started func(Started) error

	Logger *slog.Logger
	// Lang is the language of texts: en (default) or ko.
	Lang string
	// Version is the version of the program, which clients and servers get.
	Version string
}

// Started describes a server that has started.
type Started struct {
	// Address is that of the listener, URL the MCP endpoint for programs on
	// this machine.
	Address, URL string
	// FirstToken is the secret of the token that was made because there was
	// none, else empty. It is not stored anywhere.
	FirstToken string
	// Logins make links for browsers; nil when requests are not authenticated.
	Logins *auth.Logins
	// Offered counts the tools that are known; those of Unlisted sources are not
	// known yet.
	Offered  host.Offered
	Unlisted int
}

// Gateway is an open bundle with the servers for it. Make one with [New].
type Gateway struct {
	opts        Options
	state       string // the state root
	secrets     *secret.Vault
	access      *access.Access
	host        *host.Host
	mcp         *serve.Server
	api         *httpapi.API
	instruments *instruments
	recorder    *audit.Recorder // nil without a store
	// routes serves authenticated requests; handler authenticates them first.
	routes, handler http.Handler
	// instance is the random name of the server at /readyz.
	instance string
	// base is where people reach the server, once it listens.
	base  atomic.Pointer[string]
	stdio stdioPrincipals
	// ownTokens means that the tokens are those below the state root.
	ownTokens bool
	closing   sync.Once
	closed    error
}

const defaultGrace = 30 * time.Second

// New opens the bundle and makes the servers. Nothing listens yet.
func New(ctx context.Context, o *Options) (*Gateway, error) {
	g := &Gateway{instance: rand.Text()}
	if o != nil {
		g.opts = *o
	}
	if g.opts.Logger == nil {
		g.opts.Logger = slog.Default()
	}
	if g.secrets = g.opts.Host.Secrets; g.secrets == nil {
		g.secrets = &secret.Vault{}
	}
	g.opts.Logger = g.secrets.Logger(g.opts.Logger)
	g.opts.Grace = cmp.Or(g.opts.Grace, defaultGrace)
	var err error
	if g.state, err = host.StateRoot(g.opts.Host.StateRoot, baseOf(g.opts.Bundle)); err != nil {
		return nil, err
	}
	if old, there := statedir.Old(baseOf(g.opts.Bundle)); there {
		g.opts.Logger.Warn(lang.StateOldFolder.In(lang.Of(g.opts.Lang), old, shellword.Join("gongu", "state", "move", "-b", baseOf(g.opts.Bundle))))
	}
	if err := g.openAuth(); err != nil {
		return nil, err
	}
	if g.access, err = g.newAccess(); err != nil {
		return nil, err
	}
	if g.instruments, err = newInstruments(ctx, g.opts.Version); err != nil {
		return nil, err
	}
	g.recordCalls()
	if g.host, err = host.Open(ctx, g.opts.Bundle, g.hostOptions()); err != nil {
		return nil, errors.Join(fmt.Errorf("open the bundle: %w", err), g.closeRecorder(), g.instruments.close())
	}
	if err := g.makeServers(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// baseOf returns the folder of a bundle.
func baseOf(bundle string) string {
	if bundle == "" {
		return "."
	}
	if info, err := os.Stat(bundle); err == nil && !info.IsDir() {
		return filepath.Dir(bundle)
	}
	return bundle
}

func (g *Gateway) newAccess() (*access.Access, error) {
	o := g.opts.Access
	if o.Bundle == nil {
		o.Bundle = func() *access.Offers {
			if g.host == nil {
				return nil // it is being opened
			}
			return g.host.Offers()
		}
	}
	if o.Hidden == nil {
		o.Hidden = func(p *gongu.Principal, agent string) (func(*gongu.Tool) bool, any) {
			if g.host == nil {
				return nil, nil // it is being opened
			}
			return g.host.Hidden(p, agent)
		}
	}
	o.Always = append(slices.Clone(o.Always), explore.Rule())
	if o.Logger == nil {
		o.Logger = g.opts.Logger
	}
	return access.New(o)
}

func (g *Gateway) hostOptions() *host.Options {
	o := g.opts.Host
	o.Access, o.Secrets = g.access, g.secrets
	o.Lang, o.Version = cmp.Or(o.Lang, g.opts.Lang), cmp.Or(o.Version, g.opts.Version)
	if o.Logger == nil {
		o.Logger = g.opts.Logger
	}
	if o.Store == nil {
		o.Store = g.opts.Store
	}
	o.Code = o.Code || g.opts.Serve.Mode == serve.ModeCode
	o.Executor.AgentName = cmp.Or(o.Executor.AgentName, "mcp")
	o.Executor.Observers = slices.Concat(g.instruments.observers(), o.Executor.Observers, g.opts.Observers)
	o.Recorder = g.recorder
	return &o
}

// recordCalls starts the recorder of calls.
func (g *Gateway) recordCalls() {
	if g.opts.Store == nil {
		return
	}
	o := g.opts.Audit
	o.Secrets, o.Lang, o.Seal = g.secrets, cmp.Or(o.Lang, g.opts.Lang), true
	if o.Logger == nil {
		o.Logger = g.opts.Logger
	}
	g.recorder = audit.New(g.opts.Store, &o)
	g.instruments.collectAudit(g.recorder)
}

func (g *Gateway) closeRecorder() error {
	if g.recorder == nil {
		return nil
	}
	return g.recorder.Close()
}

func (g *Gateway) makeServers() error {
	served := &backend{g.host}
	o := g.opts.Serve
	o.Backend, o.Agents, o.Upstreams, o.Events = served, served.Agents, served, served.Events
	o.Lang, o.Version = cmp.Or(o.Lang, g.opts.Lang), cmp.Or(o.Version, g.opts.Version)
	if o.Logger == nil {
		o.Logger = g.opts.Logger
	}
	if o.Pending == nil && g.opts.Store != nil {
		o.Pending = g.opts.Store
	}
	if held := g.host.Held(); held != nil && held.Waiting {
		o.Instructions = g.opts.Waiting
	}
	var err error
	if g.mcp, err = serve.New(o); err != nil {
		return err
	}
	g.instruments.collect(g.mcp)
	var queue func() audit.Stats
	if g.recorder != nil {
		queue = g.recorder.Stats
	}
	g.api, err = httpapi.New(httpapi.Options{
		Backend: served, Sources: g.host.Sources(), Bundle: func() httpapi.BundleStatus { return BundleStatus(g.host, g.opts.Bundle) }, Metrics: g.instruments.metrics, LostVMs: func() int { return int(g.host.ScriptStats().Lost) },
		Lang: g.opts.Lang, Version: g.opts.Version, Logger: g.opts.Logger, Secrets: g.secrets, Store: g.opts.Store, Queue: queue,
		Approvals: g.approvals(), ApprovalURL: g.ApprovalURL,
	})
	if err != nil {
		return err
	}
	g.routes = g.mount()
	g.handler, err = g.authenticated(cmp.Or(g.opts.Auth.Addr, anyLoopback))
	return err
}

// Host returns the open bundle.
func (g *Gateway) Host() *host.Host { return g.host }

// Handler returns everything that the gateway serves over HTTP, for a server of
// the caller's own; see [auth.NewServer]. It makes no first token.
func (g *Gateway) Handler() http.Handler { return g.handler }

// ServeStdio serves one client on a pair of pipes until in ends or ctx is done.
// Such a client is the user and is not authenticated.
func (g *Gateway) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	go g.host.Sources().Load(ctx)
	err := g.mcp.ServeStdio(ctx, in, out)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.opts.Grace)
	defer cancel()
	err = errors.Join(err, g.mcp.Drain(closing))
	if ctx.Err() != nil {
		return nil // the caller ended it
	}
	return err
}

// Serve serves HTTP on a listener until ctx is done. Then it stops being ready,
// lets running calls finish within the grace, cancels the others and returns.
// A gateway serves one listener, once.
func (g *Gateway) Serve(ctx context.Context, l net.Listener) error {
	defer l.Close() // the server may have closed it already
	address := l.Addr().String()
	started := Started{Address: address}
	g.setBase(address)
	if err := statedir.Use(g.state, baseOf(g.opts.Bundle)); err != nil {
		return err
	}
	handler, err := g.handlerAt(address)
	if err != nil {
		return err
	}
	if started.FirstToken, err = g.firstToken(ctx); err != nil {
		return err
	}
	started.Logins = g.opts.Auth.Logins
	if started.Offered, err = g.host.Offered(g.access); err != nil {
		return err
	}
	started.Unlisted = g.unlisted()
	socket, remove, err := g.leaveRecords(ctx, &started)
	if err != nil {
		return err
	}
	defer remove()
	if g.opts.Started != nil {
		if err := g.opts.Started(started); err != nil {
			return err
		}
	}
	go g.loadSources(ctx, started.Unlisted > 0)
	return g.run(ctx, l, handler, socket)
}

// Close closes the bundle and flushes telemetry. It does not wait for calls that
// run: end Serve first.
func (g *Gateway) Close() error {
	g.closing.Do(func() { g.closed = errors.Join(g.host.Close(), g.closeRecorder(), g.instruments.close()) })
	return g.closed
}
