package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/serve"
)

// serveFlags are the flags of gongu serve.
type serveFlags struct {
	openFlags
	address          string
	stdio            bool
	mode             string
	noAuth, sampling bool
	legacySSE        bool
	allow            []string
	hosts, origins   []string
	issuer, audience string
	grace            time.Duration
}

const defaultAddress = "127.0.0.1:7410"

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [-b DIR] [--http ADDR | --stdio] [--mode auto|direct|search|code]",
		Short: lang.CLIServeShort.In(a.lang),
		Long:  lang.CLIServeLong.In(a.lang),
		Example: "  gongu serve\n" +
			"  gongu serve -b my-bundle --allow 'file-system__*'\n" +
			"  gongu serve --stdio -b my-bundle --agent assistant",
		Args:                  a.noArguments,
		DisableFlagsInUseLine: true,
	}
	a.openFlags(cmd, &f.openFlags)
	flags := cmd.Flags()
	flags.StringVar(&f.address, "http", defaultAddress, lang.CLIFlagHTTP.In(a.lang))
	flags.BoolVar(&f.stdio, "stdio", false, lang.CLIFlagStdio.In(a.lang))
	flags.StringVar(&f.mode, "mode", serve.ModeAuto, lang.CLIFlagMode.In(a.lang))
	flags.BoolVar(&f.noAuth, "no-auth", false, lang.CLIFlagNoAuth.In(a.lang))
	flags.StringArrayVar(&f.allow, "allow", nil, lang.CLIFlagAllow.In(a.lang))
	flags.StringArrayVar(&f.hosts, "host", nil, lang.CLIFlagHost.In(a.lang))
	flags.StringArrayVar(&f.origins, "origin", nil, lang.CLIFlagOrigin.In(a.lang))
	flags.StringVar(&f.issuer, "issuer", "", lang.CLIFlagIssuer.In(a.lang))
	flags.StringVar(&f.audience, "audience", "", lang.CLIFlagAudience.In(a.lang))
	flags.BoolVar(&f.legacySSE, "legacy-sse", false, lang.CLIFlagLegacySSE.In(a.lang))
	flags.BoolVar(&f.sampling, "sampling", false, lang.CLIFlagSampling.In(a.lang))
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
	if err := a.notEmpty(cmd, "http", "issuer", "audience"); err != nil {
		return err
	}
	switch {
	case f.stdio && cmd.Flags().Changed("http"):
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "stdio", "http")
	case f.issuer == "" && f.audience != "":
		return a.misuse(cmd, "", lang.CLIFlagNeedsFlag, "audience", "issuer")
	case f.stdio:
		return a.serveStdio(cmd, f)
	}
	return a.serveHTTP(cmd, f)
}

// collectLater lets half as much garbage again pile up before it is collected.
// The heap of a server is small, and what a call leaves behind would have it
// gone through several times a second. GOGC says otherwise.
func collectLater() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(150)
	}
}

// serveHTTP serves until it is told to end, and then lets running calls finish
// within the grace.
func (a *app) serveHTTP(cmd *cobra.Command, f *serveFlags) error {
	if err := auth.CheckBind(f.address, !f.noAuth); err != nil {
		return a.tokenFailed(cmd, err)
	}
	listener, err := net.Listen("tcp", f.address)
	if err != nil {
		return a.cannotListen(cmd.Context(), f.address, err)
	}
	defer listener.Close() // a second time does no harm
	d, err := a.startDaemon(cmd, f)
	if err != nil {
		return err
	}
	defer d.close()
	collectLater()
	address := listener.Addr().String()
	handler, err := a.front(cmd.Context(), d, f, address)
	if err != nil {
		return err
	}
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	forget, err := a.announce(ctx, d, f, address)
	if err != nil {
		return err
	}
	defer forget()
	d.followHangups(ctx)
	go d.host.LoadSources(ctx) // the first list need not wait then
	server := auth.NewServer(handler, &auth.ServerOptions{Logger: d.logger})
	running, cutOff := context.WithCancel(context.WithoutCancel(ctx))
	defer cutOff()
	server.BaseContext = func(net.Listener) context.Context { return running }
	ended := make(chan error, 1)
	front := auth.Listen(server, listener)
	go func() { ended <- server.Serve(front) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	d.api.Drain()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.grace)
	defer cancel()
	err = d.server.Drain(closing)
	shutdown := func(ctx context.Context) error { return errors.Join(server.Shutdown(ctx), front.Wait(ctx)) }
	if err == nil {
		err = shutdown(closing)
	}
	if err == nil {
		return nil
	}
	// What still runs is cancelled, and its callers are told so.
	d.logger.Warn("calls were cut off", "error", err)
	cutOff()
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if shutdown(leaving) != nil {
		return server.Close()
	}
	return nil
}

// lastWords is how long cancelled calls have to be answered.
const lastWords = 2 * time.Second

// cannotListen says who holds the address, where that is known.
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
	if running, ok := a.runningServer(ctx); ok {
		url := running.URL
		if f.agent != "" {
			url += "/" + f.agent
		}
		// What that server was started with holds, not the flags given here.
		fmt.Fprintln(a.stderr, lang.CLIAttached.In(a.lang, url, running.PID))
		return attach.Run(ctx, &attach.Options{URL: url, Token: running.Token, Lang: a.lang}, a.stdin, a.stdout)
	}
	d, err := a.startDaemon(cmd, f)
	if err != nil {
		return err
	}
	defer d.close()
	d.followHangups(ctx)
	go d.host.LoadSources(ctx)
	err = d.server.ServeStdio(ctx, a.stdin, a.stdout)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), f.grace)
	defer cancel()
	err = errors.Join(err, d.server.Drain(closing))
	if ctx.Err() != nil {
		return nil // it was asked to end
	}
	return err
}
