package gateway

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/attach"
)

// anyLoopback is the address of a handler without a listener.
const anyLoopback = "127.0.0.1:0"

// cancelledTime is how long cancelled calls have to be answered.
const cancelledTime = 2 * time.Second

// run serves until ctx is done, and then drains and shuts down.
func (g *Gateway) run(ctx context.Context, l net.Listener, handler http.Handler) error {
	server := auth.NewServer(handler, &auth.ServerOptions{Logger: g.opts.Logger})
	running, cancelCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelCalls()
	server.BaseContext = func(net.Listener) context.Context { return running }
	ended := make(chan error, 1)
	l = auth.LimitConnections(l, g.opts.Auth.Limits, g.opts.Logger)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	g.api.Drain() // not ready any more
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.opts.Grace)
	defer cancel()
	err := g.mcp.Drain(closing)
	if err == nil {
		err = server.Shutdown(closing)
	}
	if err == nil {
		return nil
	}
	// Cancelled calls have some time to answer.
	g.opts.Logger.Warn("cancelling the calls that still run", "error", err)
	cancelCalls()
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelledTime)
	defer cancel()
	if server.Shutdown(leaving) != nil {
		return server.Close()
	}
	return nil
}

// mount puts MCP, the API and the status page at their paths.
func (g *Gateway) mount() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", g.mcp.MCP())
	mux.Handle("/mcp/", g.mcp.MCP())
	if g.opts.Serve.LegacySSE {
		mux.Handle("/sse", g.mcp.SSE())
		mux.Handle("/sse/", g.mcp.SSE())
	}
	mux.Handle(httpapi.Prefix+"/", g.api.Handler())
	mux.Handle("/healthz", g.api.Health())
	mux.Handle("/readyz", attach.WithInstance(g.instance, g.api.Ready()))
	mux.Handle("/metrics", g.api.Metrics())
	mux.Handle("/", g.api.Page())
	return g.instruments.trace(mux)
}

// openAuth opens the tokens and logins below the state root, where the options
// bring none.
func (g *Gateway) openAuth() error {
	o := &g.opts.Auth
	o.Public, o.Agent = []string{"/healthz", "/readyz"}, agentOfPath
	if o.Logger == nil {
		o.Logger = g.opts.Logger
	}
	if o.Lang == "" {
		o.Lang = g.opts.Lang
	}
	if o.NoAuth {
		return nil
	}
	if o.Logins == nil {
		o.Logins = auth.NewLogins(&auth.LoginOptions{Dir: filepath.Join(g.state, auth.LoginsName)})
	}
	if o.Tokens != nil {
		return nil
	}
	g.ownTokens = true
	var err error
	o.Tokens, err = auth.OpenTokens(filepath.Join(g.state, auth.TokensName), &auth.TokensOptions{Logger: g.opts.Logger})
	return err
}

// authenticated puts authentication before the routes.
func (g *Gateway) authenticated(address string) (http.Handler, error) {
	o := g.opts.Auth
	o.Addr = address
	return auth.New(o, g.routes)
}

// handlerAt returns the handler of a listener. A public address without
// authentication is an error.
func (g *Gateway) handlerAt(address string) (http.Handler, error) {
	if err := auth.CheckBind(address, !g.opts.Auth.NoAuth); err != nil {
		return nil, err
	}
	if g.opts.Auth.Addr != "" {
		return g.handler, nil
	}
	return g.authenticated(address)
}

// firstToken makes a token for all tools when there is none, and returns its
// secret. It does not add to the tokens of the options.
func (g *Gateway) firstToken(ctx context.Context) (string, error) {
	if !g.ownTokens || g.opts.NoFirstToken {
		return "", nil
	}
	return g.opts.Auth.Tokens.EnsureDefault(ctx)
}

// agentOfPath returns the agent of /mcp/NAME or /sse/NAME.
func agentOfPath(r *http.Request) (string, bool) {
	for _, path := range []string{"/mcp", "/sse"} {
		if rest, ok := strings.CutPrefix(r.URL.Path, path); ok && (rest == "" || rest[0] == '/') {
			return strings.TrimPrefix(rest, "/"), true
		}
	}
	return "", false
}

// attachLifetime is how long the token for attached clients is valid.
const attachLifetime = 30 * 24 * time.Hour

// attachName returns the name of the token for stdio clients, one for each
// server: two may serve the same bundle.
func attachName(pid int) string { return "local-attach-" + strconv.Itoa(pid) }

// writeRecords writes the records by which other processes of the user find the
// server. The returned function removes them.
func (g *Gateway) writeRecords(ctx context.Context, s *Started) (remove func(), err error) {
	bundle, err := filepath.Abs(baseOf(g.opts.Bundle))
	if err != nil {
		return nil, err
	}
	s.URL = attach.LocalURL(s.Address) + "/mcp"
	r := attach.Record{PID: os.Getpid(), Bundle: bundle, URL: s.URL, Instance: g.instance}
	var files []string
	if file, err := attach.ListenerFile(s.Address); err == nil && r.Write(file) == nil {
		files = append(files, file)
	}
	file := attach.RecordFile(g.state)
	if tokens := g.opts.Auth.Tokens; tokens != nil {
		if r.Token, err = attachToken(ctx, tokens, file); err != nil {
			return nil, err
		}
	}
	if err := r.Write(file); err != nil {
		return nil, fmt.Errorf("write %s: %w", file, err)
	}
	return func() {
		for _, file := range append(files, file) {
			r.Remove(file)
		}
		if r.Token != "" {
			_, _ = g.opts.Auth.Tokens.Revoke(context.WithoutCancel(ctx), attachName(r.PID))
		}
	}, nil
}

// attachToken makes the token for stdio clients, and revokes that of a killed
// server.
func attachToken(ctx context.Context, tokens *auth.Tokens, file string) (string, error) {
	if old, ok := attach.Read(file); ok && !old.Answers(ctx) {
		_, _ = tokens.Revoke(ctx, attachName(old.PID)) // it may be revoked already
	}
	name := attachName(os.Getpid())
	_, _ = tokens.Revoke(ctx, name) // of an earlier process with this number
	secret, _, err := tokens.Create(ctx, auth.NewToken{Name: name, Lifetime: attachLifetime})
	return secret, err
}
