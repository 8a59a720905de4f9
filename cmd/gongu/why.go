package main

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/serve"
)

// whyFlags are the flags of gongu why.
type whyFlags struct {
	openFlags
	as string
}

func (a *app) whyCommand() *cobra.Command {
	var f whyFlags
	cmd := &cobra.Command{
		Use:   "why [-b DIR] NAME [JSON|-] [--as PRINCIPAL] [--agent A] [--json]",
		Short: lang.CLIWhyShort.In(a.lang),
		Long:  lang.CLIWhyLong.In(a.lang),
		Example: "  gongu why file-system__write\n" +
			`  gongu why bash__run '{"command":"rm -r build"}'` + "\n" +
			"  gongu why -b my-bundle github__create_issue --as claude\n" +
			"  gongu why wait__seconds --as token:laptop --json",
	}
	cmd.Flags().StringVar(&f.agent, "agent", "", lang.CLIFlagAgent.In(a.lang))
	cmd.Flags().StringVar(&f.as, "as", "", lang.CLIFlagAs.In(a.lang))
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 || args[0] == "":
			return a.misuse(cmd, lang.CLIResultListTools.In(a.lang, a.again("tools", &f.openFlags)), lang.CLIWhyNeedsName)
		case len(args) > 2:
			return a.misuse(cmd, lang.CLICallQuote.In(a.lang), lang.CLIWhyTooMany, len(args))
		}
		return a.notEmpty(cmd, "as")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.why(cmd, &f, args) }
	return cmd
}

// why asks about a call and makes none. It records nothing.
func (a *app) why(cmd *cobra.Command, f *whyFlags, args []string) error {
	request := host.WhyRequest{Name: args[0], Agent: f.agent, Command: a.whyRemedy}
	if len(args) > 1 {
		given, err := a.readArguments(cmd, args[1:])
		if err != nil {
			return err
		}
		if !json.Valid(given) {
			return a.misuse(cmd, lang.CLICallQuote.In(a.lang), lang.CLIWhyBadJSON)
		}
		request.Args = given
	}
	var err error
	if request.Principal, err = a.principalNamed(cmd, f.as); err != nil {
		return err
	}
	h, err := a.openToAsk(cmd, f, request.Principal)
	if err != nil {
		return err
	}
	defer a.close(h)
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	view := serve.View{}
	request.Original = view.Original
	request.Shown = func(c *gongu.Catalog, name string) string { return view.Text(c, name, string(a.lang)) }
	answer, err := h.Why(ctx, request)
	if err != nil {
		return err
	}
	if a.json {
		err = a.writeJSON(answer)
	} else {
		err = a.print(a.texts().Why(answer))
	}
	if err == nil && answer.Effect == policy.Deny {
		err = errReported
	}
	return err
}

// whyRemedy is a command that changes an answer, to copy.
func (a *app) whyRemedy(words ...string) string { return a.againWords(words...) }

// openToAsk opens the bundle without writing anything, also one that waits for
// consent.
func (a *app) openToAsk(cmd *cobra.Command, f *whyFlags, p *gongu.Principal) (*host.Host, error) {
	dir, opts, err := a.hostOptions(cmd, &f.openFlags)
	if err != nil {
		return nil, err
	}
	opts.ReadOnly, opts.Logger = true, slog.New(slog.DiscardHandler)
	opts.Consent.Ask, opts.Consent.Wait = nil, true
	var h *host.Host
	if p.Kind != "cli" {
		opts.Executor.AgentName = "mcp"
		if opts.Access, err = gateway.NewAccess(access.Options{Logger: opts.Logger}, func() *host.Host { return h }); err != nil {
			return nil, err
		}
	}
	h, err = host.Open(cmd.Context(), dir, opts)
	if err != nil {
		return nil, a.openFailed(dir, fmt.Errorf("open the bundle: %w", err))
	}
	if err := a.checkAgent(cmd, h, f.agent); err != nil {
		a.close(h)
		return nil, err
	}
	return h, nil
}
