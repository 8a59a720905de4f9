package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/serve"
)

// serveFlags are the flags of gongu serve.
type serveFlags struct {
	openFlags
	address          string
	stdio            bool
	mode             string
	noAuth, sampling bool
	dev              bool
	legacySSE        bool
	offer, allow     []string
	client           string
	hosts, origins   []string
	issuer, audience string
	issuerManage     bool
	tokenFile        string
	publicURL        string
	tokenless        bool // there was no token at the start
	grace            time.Duration
	audit            string
}

const defaultAddress = "127.0.0.1:7410"

// The values of --audit.
const (
	auditOn       = "on"
	auditRequired = "required"
)

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [-b DIR] [--http ADDR | --stdio] [--mode auto|direct|search|code]",
		Short: lang.CLIServeShort.In(a.lang),
		Long:  lang.CLIServeLong.In(a.lang),
		Example: "  gongu serve\n" +
			"  gongu serve -b my-bundle --offer 'file-system__*'\n" +
			"  gongu serve --stdio -b my-bundle --agent assistant",
		Args: a.noArguments,
	}
	a.openFlags(cmd, &f.openFlags)
	flags := cmd.Flags()
	flags.StringVar(&f.address, "http", defaultAddress, lang.CLIFlagHTTP.In(a.lang))
	flags.BoolVar(&f.stdio, "stdio", false, lang.CLIFlagStdio.In(a.lang))
	flags.StringVar(&f.mode, "mode", serve.ModeAuto, lang.CLIFlagMode.In(a.lang))
	flags.BoolVar(&f.noAuth, "no-auth", false, lang.CLIFlagNoAuth.In(a.lang))
	flags.StringArrayVar(&f.offer, "offer", nil, lang.CLIFlagOffer.In(a.lang))
	flags.StringArrayVar(&f.allow, "allow", nil, lang.CLIFlagAllow.In(a.lang))
	a.permissionFlag(cmd, &f.permission)
	flags.StringVar(&f.client, "client", "", lang.CLIFlagClient.In(a.lang))
	flags.StringArrayVar(&f.hosts, "host", nil, lang.CLIFlagHost.In(a.lang))
	flags.StringVar(&f.publicURL, "public-url", "", lang.CLIFlagPublicURL.In(a.lang))
	flags.StringArrayVar(&f.origins, "origin", nil, lang.CLIFlagOrigin.In(a.lang))
	flags.StringVar(&f.issuer, "issuer", "", lang.CLIFlagIssuer.In(a.lang))
	flags.StringVar(&f.audience, "audience", "", lang.CLIFlagAudience.In(a.lang))
	flags.BoolVar(&f.issuerManage, "issuer-manage", false, lang.CLIFlagIssuerManage.In(a.lang))
	flags.StringVar(&f.tokenFile, "token-file", "", lang.CLIFlagTokenFile.In(a.lang))
	flags.BoolVar(&f.legacySSE, "legacy-sse", false, lang.CLIFlagLegacySSE.In(a.lang))
	flags.BoolVar(&f.dev, "dev", false, lang.CLIFlagDev.In(a.lang))
	flags.BoolVar(&f.sampling, "sampling", false, lang.CLIFlagSampling.In(a.lang))
	flags.StringVar(&f.audit, "audit", auditOn, lang.CLIFlagServeAudit.In(a.lang))
	flags.DurationVar(&f.grace, "grace", 30*time.Second, lang.CLIFlagGrace.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.serve(cmd, &f) }
	return cmd
}

func (a *app) serve(cmd *cobra.Command, f *serveFlags) error {
	switch f.mode {
	case serve.ModeAuto, serve.ModeDirect, serve.ModeSearch, serve.ModeCode:
	default:
		return a.misuse(cmd, lang.CLIUseOneOf.In(a.lang, "auto, direct, search, code"), lang.CLIFlagBadValue, "mode", f.mode)
	}
	if f.audit != auditOn && f.audit != auditRequired {
		return a.misuse(cmd, lang.CLIUseOneOf.In(a.lang, auditOn+", "+auditRequired), lang.CLIFlagBadValue, "audit", f.audit)
	}
	if err := a.notEmpty(cmd, "http", "issuer", "audience", "token-file", "public-url"); err != nil {
		return err
	}
	var err error
	if f.offer, err = a.offerFlags(cmd, f.offer, f.allow); err != nil {
		return err
	}
	if err := a.checkPermission(cmd, f.permission, f.stdio); err != nil {
		return err
	}
	switch {
	case f.stdio && cmd.Flags().Changed("http"):
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "stdio", "http")
	case f.stdio && f.tokenFile != "":
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "stdio", "token-file")
	case f.stdio && f.publicURL != "":
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "stdio", "public-url")
	case f.noAuth && f.publicURL != "":
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "no-auth", "public-url")
	case f.noAuth && f.tokenFile != "":
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "no-auth", "token-file")
	case !f.stdio && f.client != "":
		return a.misuse(cmd, "", lang.CLIFlagNeedsFlag, "client", "stdio")
	case f.stdio && f.dev:
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "stdio", "dev")
	case f.dev && !atTerminal():
		return a.misuse(cmd, "", lang.CLIDevNeeds)
	case f.issuer == "" && f.audience != "":
		return a.misuse(cmd, "", lang.CLIFlagNeedsFlag, "audience", "issuer")
	case f.issuer == "" && f.issuerManage:
		return a.misuse(cmd, "", lang.CLIFlagNeedsFlag, "issuer-manage", "issuer")
	case f.stdio:
		return a.serveStdio(cmd, f)
	}
	return a.serveHTTP(cmd, f)
}

// memoryGoal is the size of memory near which garbage is collected at once. A
// server needs a third of it; what an upstream floods it with is garbage soon.
const memoryGoal = 176 << 20

// collectLater makes garbage collections rarer, unless GOGC is set: the heap of a
// server is small, so the default would collect several times a second. Near
// memoryGoal they are as frequent as needed, unless GOMEMLIMIT is set.
func collectLater() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(150)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryGoal)
	}
}

// serveHTTP serves until a signal ends it.
func (a *app) serveHTTP(cmd *cobra.Command, f *serveFlags) error {
	if err := auth.CheckBind(f.address, !f.noAuth); err != nil {
		return a.tokenFailed(cmd, err)
	}
	listener, err := net.Listen("tcp", f.address)
	if err != nil {
		return a.cannotListen(cmd.Context(), f.address, err)
	}
	defer listener.Close() // Serve closes it first
	options := auth.Options{Hosts: f.hosts, Origins: f.origins, NoAuth: f.noAuth, PublicURL: f.publicURL}
	if f.publicURL != "" {
		if _, err := auth.ParsePublicURL(f.publicURL); err != nil {
			return a.tokenFailed(cmd, err)
		}
	}
	if f.issuer != "" {
		if options.JWT, err = auth.NewJWT(auth.JWTOptions{Issuer: f.issuer, Audience: audiences(f.audience), Manage: f.issuerManage}); err != nil {
			return a.tokenFailed(nil, err)
		}
	}
	if f.tokenless, err = a.tokenless(f); err != nil {
		return err
	}
	file, err := secret.OpenFile(f.tokenFile)
	if err != nil {
		return a.fail(lang.CLITokenFile.In(a.lang, visible(f.tokenFile), err), lang.CLITokenFileHint.In(a.lang))
	}
	defer file.Close()
	g, err := a.openGateway(cmd, f, options, file)
	if err != nil {
		return err
	}
	defer a.closeGateway(g)
	collectLater()
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	a.followHangups(ctx, g)
	if f.dev {
		go a.followHeld(ctx, g.Host())
		go a.watchDev(ctx, g.Host())
	}
	return a.tokenFailed(nil, g.Serve(ctx, listener))
}

// openGateway opens the bundle that the flags name, to serve it.
func (a *app) openGateway(cmd *cobra.Command, f *serveFlags, options auth.Options, file *secret.File) (*gateway.Gateway, error) {
	if f.records = true; f.stdio {
		a.ignoreStore()
	}
	dir, opened, err := a.hostOptions(cmd, &f.openFlags)
	if err != nil {
		return nil, err
	}
	logger := slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	opened.Logger, opened.Watch, opened.Executor = logger, true, gongu.ExecutorOptions{}
	opened.Consent.Dev = f.dev
	if f.stdio { // its client has a mode of its own
		opened.Policy.Mode = policy.Default
	}
	if f.stdio {
		a.waitForConsent(opened.Consent)
	}
	a.warnUnsealed(opened.Store)
	g, err := gateway.New(cmd.Context(), &gateway.Options{
		Bundle: dir, Host: *opened, Auth: options, Store: opened.Store, Audit: audit.Options{Required: f.audit == auditRequired},
		Serve: serve.Options{
			Agent: f.agent, Mode: f.mode, LegacySSE: f.legacySSE,
			Sampling: f.sampling,
		},
		Clients: a.clientBook(),
		Access:  access.Options{Offer: access.OfferRules(f.offer)},
		Waiting: lang.CLIServeWaiting.In(a.lang, dir, a.commandOn("trust", absolutePath(dir))),
		// A secret in a log stays there: without a terminal the first token goes
		// to a file, or is not made.
		NoFirstToken: file == nil && !terminal.IsTerminal(a.output),
		Started:      func(s gateway.Started) error { return a.printStarted(f, s, file) },
		Grace:        f.grace, Logger: logger, Lang: string(a.lang), Version: thisBuild().Version,
	})
	if err != nil {
		return nil, a.tokenFailed(nil, a.openFailed(dir, err))
	}
	if err := a.checkAgent(cmd, g.Host(), f.agent); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	if err := opened.Store.KeepWithin(nil); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func (a *app) closeGateway(g *gateway.Gateway) {
	if err := g.Close(); err != nil {
		a.logger().Warn("closing the bundle", "error", err)
	}
}

// followHangups lists all sources again at each SIGHUP, which Windows never sends.
func (a *app) followHangups(ctx context.Context, g *gateway.Gateway) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		defer signal.Stop(hangups)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				if err := g.Host().Sources().Refresh(ctx); err != nil {
					a.logger().Warn("sources were not all listed again", "error", err)
				}
			}
		}
	}()
}

// printStarted prints how to connect, in one write: programs that read the first
// line then find the rest.
func (a *app) printStarted(f *serveFlags, s gateway.Started, file *secret.File) error {
	lines := []string{lang.CLIServeAt.In(a.lang, s.URL)}
	if f.legacySSE {
		lines = append(lines, lang.CLIServeSSE.In(a.lang, strings.TrimSuffix(s.URL, "/mcp")+"/sse"))
	}
	if f.noAuth {
		fmt.Fprintln(a.stderr, auth.NoAuthNotice(s.Address, string(a.lang)))
	}
	token, err := a.firstToken(f, s, file)
	if err != nil {
		return err
	}
	if token != "" {
		lines = append(lines, token)
	}
	lines = append(lines, lang.CLIServeConnect.In(a.lang, a.againWords("connect", "claude")))
	if s.Logins != nil && terminal.IsTerminal(a.stdout) && atTerminal() {
		// Only a person at the terminal reads it; a log would keep it.
		link, _, err := a.loginLink(s.Logins, s.URL, access.ManageAll)
		if err != nil {
			return err
		}
		lines = append(lines, lang.CLIServeBrowser.In(a.lang, link))
	}
	offers := lang.CLIServeOffers.In(a.lang, s.Offered.Offered, s.Offered.Tools)
	if s.Unlisted > 0 {
		offers = lang.CLIServeUnlisted.In(a.lang, s.Offered.Offered, s.Offered.Tools, s.Unlisted)
	}
	lines = append(lines, offers)
	text := strings.Join(lines, "\n") + "\n"
	if s.FirstToken != "" && file == nil {
		return a.printExact(text) // on a terminal, where the token is shown
	}
	return a.print(text)
}

// audiences is the list that the verifier wants.
func audiences(one string) []string {
	if one == "" {
		return nil
	}
	return []string{one}
}

// cannotListen prints why the address cannot be used, with the process that uses
// it if that is a gongu.
func (a *app) cannotListen(ctx context.Context, address string, err error) error {
	if holder, ok := attach.Listener(ctx, address); ok {
		return a.fail(lang.CLIServeTaken.In(a.lang, address, holder.PID, visible(holder.Bundle)), lang.CLIServeTakenHint.In(a.lang))
	}
	return a.fail(lang.CLIServeListen.In(a.lang, address, err), lang.CLIServeListenHint.In(a.lang))
}

// serveStdio serves the client that started this program. When the bundle is
// being served already, it only passes messages on: its tools run once.
func (a *app) serveStdio(cmd *cobra.Command, f *serveFlags) error {
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	if err := a.ignoreEnvironment(); err != nil {
		return err
	}
	if running, ok := a.runningServer(ctx); ok {
		a.sayAttached(f, running)
		return running.Run(ctx, &attach.Options{Agent: f.agent, Client: f.said(), Lang: a.lang}, a.stdin, a.output)
	}
	// A client on pipes needs no token, so the tokens are not opened.
	g, err := a.openGateway(cmd, f, auth.Options{NoAuth: true}, nil)
	if err != nil {
		return err
	}
	defer a.closeGateway(g)
	a.followHangups(ctx, g)
	ctx = gongu.WithPrincipal(ctx, a.stdioPrincipal(f))
	return g.ServeStdio(ctx, a.stdin, a.output)
}

// runningServer is one that serves this bundle now.
func (a *app) runningServer(ctx context.Context) (*attach.Server, bool) {
	state, err := a.statePath()
	if err != nil {
		return nil, false
	}
	server, found := attach.Find(ctx, state)
	if found {
		server.Keep(a.secrets)
	}
	return server, found
}
