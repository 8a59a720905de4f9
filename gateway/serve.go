package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
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

// run serves until ctx is done, and then drains and shuts down. A server of the
// socket, which may be nil, begins and ends with it.
func (g *Gateway) run(ctx context.Context, l net.Listener, handler http.Handler, socket *attach.Socket) error {
	running, cancelCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelCalls()
	ended := make(chan error, 2)
	var all servers
	begin := func(l net.Listener, handler http.Handler, of func(context.Context, net.Conn) context.Context) {
		server := auth.NewServer(handler, &auth.ServerOptions{Logger: g.opts.Logger})
		server.BaseContext = func(net.Listener) context.Context { return running }
		server.ConnContext = of
		all = append(all, server)
		go func() { ended <- server.Serve(l) }()
	}
	if socket != nil {
		local, err := g.attached()
		if err != nil {
			return err
		}
		begin(socket, local, attach.WithClient)
	}
	begin(auth.LimitConnections(l, g.opts.Auth.Limits, g.opts.Logger), handler, nil)
	resumed := g.resumeCalls(ctx, running)
	defer func() {
		cancelCalls()
		<-resumed
	}()
	select {
	case err := <-ended:
		return errors.Join(fmt.Errorf("serve: %w", err), all.close())
	case <-ctx.Done():
	}
	g.api.Drain() // not ready any more
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), g.opts.Grace)
	defer cancel()
	err := g.mcp.Drain(closing)
	if err == nil {
		err = waitFor(closing, resumed)
	}
	if err == nil {
		err = all.shutdown(closing)
	}
	if err == nil {
		return nil
	}
	// Cancelled calls have some time to answer.
	g.opts.Logger.Warn("cancelling the calls that still run", "error", err)
	cancelCalls()
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelledTime)
	defer cancel()
	if all.shutdown(leaving) != nil {
		return all.close()
	}
	return nil
}

// servers begin and end together.
type servers []*http.Server

func (s servers) shutdown(ctx context.Context) error {
	var failed []error
	for _, server := range s {
		failed = append(failed, server.Shutdown(ctx))
	}
	return errors.Join(failed...)
}

func (s servers) close() error {
	var failed []error
	for _, server := range s {
		failed = append(failed, server.Close())
	}
	return errors.Join(failed...)
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
	mux.Handle(httpapi.ApprovalsPath, g.api.ApprovalPages())
	mux.Handle(httpapi.ApprovalsPath+"/", g.api.ApprovalPages())
	mux.Handle("/", g.api.Page())
	return g.instruments.trace(mux)
}

// openAuth opens the tokens and logins below the state root, or the tokens of a
// store that several hosts share, where the options bring none.
func (g *Gateway) openAuth() error {
	o := &g.opts.Auth
	o.Public, o.Agent = []string{"/healthz", "/readyz"}, agentOfPath
	o.Pages = []string{"/", httpapi.ApprovalsPath}
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
	if g.opts.Store != nil {
		if shared := g.opts.Store.Shared(); shared != nil {
			o.Tokens, err = auth.OpenTokenRows(shared, &auth.TokensOptions{Logger: g.opts.Logger})
			return err
		}
	}
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

// leaveRecords lets other processes of the user find the server: it opens a socket
// for clients on stdio and notes who listens at the address. The socket is nil where
// none can be opened; such clients then start the bundle themselves. The returned
// function ends both.
func (g *Gateway) leaveRecords(ctx context.Context, s *Started) (socket *attach.Socket, remove func(), err error) {
	bundle, err := filepath.Abs(baseOf(g.opts.Bundle))
	if err != nil {
		return nil, nil, err
	}
	s.URL = attach.LocalURL(s.Address) + "/mcp"
	r := attach.Record{PID: os.Getpid(), Bundle: bundle, URL: s.URL, Public: g.opts.Auth.PublicURL, Instance: g.instance, NoAuth: g.opts.Auth.NoAuth}
	file, err := attach.ListenerFile(s.Address)
	if err == nil {
		err = r.Write(file)
	}
	if err != nil {
		g.opts.Logger.Info("the record of the address was not written", "error", err)
	}
	if socket, err = attach.Listen(ctx, g.state, r); err != nil {
		g.opts.Logger.Warn("clients on stdio cannot attach to this server and start the bundle themselves", "error", err)
	} else {
		socket.Keep(g.secrets)
	}
	return socket, func() {
		r.Remove(file)
		if socket != nil {
			_ = socket.Close() // the server may have closed it already
		}
	}, nil
}

// attached returns the handler of the socket. Its clients are programs of the user,
// like one on stdio, and have proven it by the secret of the state root.
func (g *Gateway) attached() (http.Handler, error) {
	o := g.opts.Auth
	return auth.New(auth.Options{
		Addr: anyLoopback, Proven: g.attachedPrincipal,
		Agent: agentOfPath, Public: o.Public, Limits: o.Limits, Logger: o.Logger, Lang: o.Lang,
	}, g.routes)
}
