package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/toolrequest"
)

// daemon is a bundle that is being served.
type daemon struct {
	host      *host.Host
	server    *serve.Server
	api       *httpapi.API
	metrics   *httpapi.Metrics
	telemetry *httpapi.Telemetry
	logger    *slog.Logger
	tokens    *auth.Tokens
	logins    *auth.Logins
	// instance is what the server calls itself; it is no secret.
	instance string
	// secret is that of the first token, to be shown once.
	secret string
}

// startDaemon opens the bundle with everything that counts and traces calls.
func (a *app) startDaemon(cmd *cobra.Command, f *serveFlags) (*daemon, error) {
	d := &daemon{
		logger:   slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelInfo})),
		instance: rand.Text(),
	}
	number := thisBuild().Version
	var err error
	if d.telemetry, err = httpapi.NewTelemetry(cmd.Context(), number); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	if d.metrics, err = httpapi.NewMetrics(&httpapi.MetricsOptions{Version: number, Telemetry: d.telemetry}); err != nil {
		return nil, err
	}
	d.host, err = a.openWith(cmd, &f.openFlags, func(o *host.Options) {
		o.Logger, o.Watch = d.logger, true
		o.Code = o.Code || f.mode == serve.ModeCode
		o.Executor = gongu.ExecutorOptions{
			AgentName: "mcp", Begin: d.metrics.Begin, Audit: d.metrics.Audit,
		}
		if d.telemetry.Traces() {
			o.Executor.Middleware = []gongu.Middleware{d.telemetry.Middleware}
		}
	})
	if err != nil {
		return nil, err
	}
	served := &backend{d.host}
	d.server, err = serve.New(serve.Options{
		Backend: served, Who: mcpCaller, Upstreams: served, Agents: served.Agents, Agent: f.agent, Mode: f.mode, Allow: f.allow, Sampling: f.sampling, LegacySSE: f.legacySSE,
		Lang: string(a.lang), Logger: d.logger, Version: number,
	})
	if err != nil {
		return nil, errors.Join(err, d.host.Close())
	}
	d.metrics.Collect(d.gauges)
	return d, nil
}

// close ends the bundle and sends what telemetry still holds.
func (d *daemon) close() {
	if err := d.host.Close(); err != nil {
		d.logger.Warn("closing the bundle", "error", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := d.telemetry.Shutdown(ctx); err != nil {
		d.logger.Warn("telemetry was not flushed", "error", err)
	}
}

// followHangups lists all sources again at each SIGHUP.
func (d *daemon) followHangups(ctx context.Context) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, hangup)
	go func() {
		defer signal.Stop(hangups)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				if err := d.host.RefreshSources(ctx); err != nil {
					d.logger.Warn("sources were not all listed again", "error", err)
				}
			}
		}
	}()
}

// front is what stands at the address: the gate, and behind it MCP, the API
// and the status page.
func (a *app) front(ctx context.Context, d *daemon, f *serveFlags, address string) (http.Handler, error) {
	var err error
	d.api, err = httpapi.New(httpapi.Options{
		Backend: &backend{d.host}, Who: apiCaller, Allow: f.allow, Metrics: d.metrics, LostVMs: func() int { return int(d.host.ScriptStats().Lost) },
		URL: attach.LocalURL(address), Lang: string(a.lang), Version: thisBuild().Version, Logger: d.logger,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp/", d.server.MCP())
	if f.legacySSE {
		mux.Handle("/sse", d.server.SSE())
		mux.Handle("/sse/", d.server.SSE())
	}
	mux.Handle(httpapi.Prefix+"/", d.api.Handler())
	mux.Handle("/healthz", d.api.Health())
	mux.Handle("/readyz", attach.WithInstance(d.instance, d.api.Ready()))
	mux.Handle("/metrics", d.api.Metrics())
	mux.Handle("/", d.api.Page())
	opts := auth.Options{
		Addr: address, Hosts: f.hosts, Origins: f.origins, Public: []string{"/healthz", "/readyz"},
		Agent: agentOfPath, NoAuth: f.noAuth, Logger: d.logger, Lang: string(a.lang),
	}
	if !f.noAuth {
		if err := a.authenticate(ctx, d, f, &opts); err != nil {
			return nil, err
		}
	}
	return auth.New(opts, httpapi.Trace(d.telemetry, straight("/mcp", d.server.MCP(), mux)))
}

// straight leads to a path that nearly all requests are for, which a mux would
// look for among the others each time.
func straight(path string, to, others http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			others.ServeHTTP(w, r)
			return
		}
		r.Pattern = path // as a mux would say
		to.ServeHTTP(w, r)
	})
}

// authenticate says whose tokens are good.
func (a *app) authenticate(ctx context.Context, d *daemon, f *serveFlags, opts *auth.Options) error {
	var err error
	if d.tokens, err = a.tokens(); err != nil {
		return err
	}
	if d.secret, err = d.tokens.EnsureDefault(ctx); err != nil {
		return a.tokenFailed(nil, err)
	}
	if d.logins, err = a.logins(); err != nil {
		return err
	}
	opts.Tokens, opts.Logins = d.tokens, d.logins
	if f.issuer != "" {
		if opts.JWT, err = auth.NewJWT(auth.JWTOptions{Issuer: f.issuer, Audience: audiences(f.audience)}); err != nil {
			return a.tokenFailed(nil, err)
		}
	}
	return nil
}

// agentOfPath is the agent of /mcp/NAME, and of /sse/NAME.
func agentOfPath(r *http.Request) (string, bool) {
	for _, path := range []string{"/mcp", "/sse"} {
		if rest, ok := strings.CutPrefix(r.URL.Path, path); ok && (rest == "" || rest[0] == '/') {
			return strings.TrimPrefix(rest, "/"), true
		}
	}
	return "", false
}

// mcpCaller and apiCaller tell in the words of each part who is calling. A
// model's token never decides about requests and pins; a person's does.
func mcpCaller(ctx context.Context) (serve.Principal, bool) {
	id, known := auth.IdentityOf(ctx)
	return serve.Principal{Name: id.Name, Agents: id.Agents, Allow: rules(id.Allow)}, known
}

func apiCaller(ctx context.Context) (httpapi.Principal, bool) {
	id, known := auth.IdentityOf(ctx)
	return httpapi.Principal{Name: id.Name, Agents: id.Agents, Allow: rules(id.Allow), Manage: id.Manage}, known
}

// rules are globs as a catalog takes them. None at all is not the same as an
// empty list, which allows nothing.
func rules(globs []string) []gongu.Rule {
	if globs == nil {
		return nil
	}
	allow := make([]gongu.Rule, 0, len(globs))
	for _, glob := range globs {
		allow = append(allow, gongu.Rule{Name: glob})
	}
	return allow
}

// gauges are the figures of the MCP server for /metrics.
func (d *daemon) gauges(emit func(httpapi.Sample)) {
	c := d.server.Counters()
	for name, value := range map[string]float64{
		"gongu_mcp_requests_total": float64(c.Requests), "gongu_mcp_passed_total": float64(c.Passed),
		"gongu_mcp_encoded_total": float64(c.Encoded), "gongu_mcp_call_errors_total": float64(c.CallErrors),
		"gongu_mcp_list_hits_total": float64(c.ListHits), "gongu_mcp_list_builds_total": float64(c.ListBuilds),
		"gongu_mcp_refused_total": float64(c.Refused), "gongu_mcp_running": float64(c.Running),
		"gongu_mcp_sessions": float64(c.Sessions), "gongu_mcp_streams": float64(c.Streams),
		"gongu_mcp_waiting": float64(c.Waiting), "gongu_mcp_tasks": float64(c.Tasks),
	} {
		emit(httpapi.Sample{Name: name, Help: mcpHelp[name], Value: value, Counter: strings.HasSuffix(name, "_total")})
	}
}

// mcpHelp says what the figures are.
var mcpHelp = map[string]string{
	"gongu_mcp_requests_total":    "Messages that want an answer.",
	"gongu_mcp_passed_total":      "Calls whose result went from an upstream to the client byte for byte.",
	"gongu_mcp_encoded_total":     "Calls whose result was written here.",
	"gongu_mcp_call_errors_total": "Calls that ended in an error result.",
	"gongu_mcp_list_hits_total":   "Lists of tools answered from encoded bytes.",
	"gongu_mcp_list_builds_total": "Lists of tools that were encoded.",
	"gongu_mcp_refused_total":     "Requests turned away by a limit.",
	"gongu_mcp_running":           "Requests that run now.",
	"gongu_mcp_sessions":          "Sessions of the older revisions.",
	"gongu_mcp_streams":           "Streams that are open.",
	"gongu_mcp_waiting":           "Calls that wait for an answer of their client.",
	"gongu_mcp_tasks":             "Tasks that are kept.",
}

// backend is the host as the servers see it.
type backend struct{ *host.Host }

// Step is one step of an agent, under the trace of the request and with the
// processes of who calls.
func (b *backend) Step(ctx context.Context, agent string, core func(ctx context.Context, x *gongu.Executor) error) error {
	return b.Host.Step(onBehalf(ctx), agent, core)
}

// onBehalf tells the host who calls.
func onBehalf(ctx context.Context) context.Context {
	name := auth.NameOf(ctx)
	if p, ok := serve.PrincipalOf(ctx); ok { // on pipes there is no gate
		name = p.Name
	}
	if name == "" {
		return ctx
	}
	if capabilities, ok := serve.SessionOf(ctx); ok {
		return host.WithSession(ctx, name, capabilities)
	}
	return host.WithPrincipal(ctx, name)
}

// Agents are the names of the agents.
func (b *backend) Agents() []string {
	resources := b.Bundle()
	if resources == nil {
		return nil
	}
	var names []string
	for _, agent := range resources.Agents() {
		names = append(names, agent.Name)
	}
	return names
}

// Approve decides for a request.
func (b *backend) Approve(ctx context.Context, id, reviewer, reason string, macro json.RawMessage) error {
	_, err := b.Host.Approve(ctx, id, toolrequest.Decision{Reviewer: reviewer, Reason: reason}, macro, "")
	return err
}

// For are the MCP servers behind an agent.
func (b *backend) For(ctx context.Context, _, agent string) []serve.Upstream {
	var out []serve.Upstream
	for _, client := range b.Servers(onBehalf(ctx), agent) {
		out = append(out, client)
	}
	return out
}

// Watch hears what these servers say of their own accord.
func (b *backend) Watch(fn func(server, method string, params json.RawMessage)) (stop func()) {
	return b.WatchServers(func(method string, params json.RawMessage) { fn("", method, params) })
}

var (
	_ serve.Backend   = (*backend)(nil)
	_ serve.Upstreams = (*backend)(nil)
	_ httpapi.Backend = (*backend)(nil)
)

// audiences is the list that the verifier wants.
func audiences(one string) []string {
	if one == "" {
		return nil
	}
	return []string{one}
}
