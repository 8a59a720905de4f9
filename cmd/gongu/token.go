package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
)

func (a *app) tokenCommand() *cobra.Command {
	return a.group(&cobra.Command{
		Use:   "token",
		Short: lang.CLITokenShort.In(a.lang),
		Long:  lang.CLITokenLong.In(a.lang),
		Example: "  gongu token new --name laptop\n" +
			"  gongu token new --name ci --agent reviewer --tools 'file-system__*'\n" +
			"  gongu token new --name docs --resources 'github:repo://docs/*'\n" +
			"  gongu token list\n" +
			"  gongu token revoke laptop\n" +
			"  gongu token new --name kim --manage all --expires 12h",
	}, a.tokenNew(), a.tokenList(), a.tokenRevoke(), a.tokenLogin())
}

func (a *app) tokenNew() *cobra.Command {
	var n auth.NewToken
	cmd := &cobra.Command{
		Use:   "new [--name N] [--tools GLOB] [--agent A] [--expires D]",
		Short: lang.CLITokenNewShort.In(a.lang),
		Long:  lang.CLITokenNewLong.In(a.lang),
		Args:  a.noArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&n.Name, "name", "", lang.CLIFlagTokenName.In(a.lang))
	flags.StringArrayVar(&n.Agents, "agent", nil, lang.CLIFlagTokenAgent.In(a.lang))
	flags.StringArrayVar(&n.Tools, "tools", nil, lang.CLIFlagTokenTools.In(a.lang))
	flags.StringArrayVar(&n.Ask, "ask", nil, lang.CLIFlagTokenAsk.In(a.lang))
	flags.StringArrayVar(&n.Resources, "resources", nil, lang.CLIFlagTokenResources.In(a.lang))
	flags.StringArrayVar(&n.Prompts, "prompts", nil, lang.CLIFlagTokenPrompts.In(a.lang))
	flags.StringArrayVar(&n.Logs, "logs", nil, lang.CLIFlagTokenLogs.In(a.lang))
	flags.BoolVar(&n.Sampling, "sampling", false, lang.CLIFlagTokenSampling.In(a.lang))
	flags.BoolVar(&n.Attended, "attended", false, lang.CLIFlagTokenAttended.In(a.lang))
	flags.DurationVar(&n.Lifetime, "expires", 0, lang.CLIFlagTokenExpires.In(a.lang))
	flags.StringVar(&n.Manage, "manage", "", lang.CLIFlagTokenManage.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.notEmpty(cmd, "name", "manage"); err != nil {
			return err
		}
		if flags.Changed("expires") && n.Lifetime <= 0 {
			return a.misuse(cmd, lang.AuthBadLifetimeHint.In(a.lang), lang.CLIFlagBadValue, "expires", n.Lifetime.String())
		}
		tokens, err := a.tokens()
		if err != nil {
			return err
		}
		n.Grant = n.WithDefault()
		if err := n.Check(); err != nil {
			return a.tokenFailed(cmd, err)
		}
		question := lang.CLIDecideToken
		if n.Manage != "" {
			question = lang.CLIDecideTokenManage
		}
		if err := a.decided(a.tokenText(n) + question.In(a.lang)); err != nil {
			return err
		}
		secret, made, err := tokens.Create(cmd.Context(), n)
		if err != nil {
			return a.tokenFailed(cmd, err)
		}
		a.recordDecision(cmd.Context(), "token.new", made.Name, "")
		return a.printToken(secret, made)
	}
	return cmd
}

// tokenText shows what a new token allows.
func (a *app) tokenText(n auth.NewToken) string {
	expires := "-"
	if n.Lifetime > 0 {
		expires = n.Lifetime.String()
	}
	return table([][]string{
		{
			lang.CLIColumnName.In(a.lang), lang.CLIColumnAgents.In(a.lang), lang.CLIColumnAllowed.In(a.lang), lang.CLIColumnAlso.In(a.lang),
			lang.CLIColumnManages.In(a.lang), lang.CLIColumnExpires.In(a.lang),
		},
		{visible(n.Name), a.those(n.Agents), a.toolsOf(n.Grant), also(n.Grant), cmp.Or(n.Manage, "-"), expires},
	})
}

// printToken shows a secret, this once.
func (a *app) printToken(secret string, made auth.Token) error {
	if made.Manage != "" {
		// Also where only a program reads the token: a person reads the log.
		fmt.Fprintln(a.stderr, lang.CLITokenManages.In(a.lang))
	}
	if a.json {
		return a.writeExactJSON(struct {
			auth.Token
			Secret string `json:"token"`
		}{made, secret})
	}
	if err := a.printExact(secret + "\n"); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, lang.CLITokenMade.In(a.lang, made.Name))
	if made.Manage == "" {
		fmt.Fprintln(a.stderr, lang.CLITokenUse.In(a.lang))
	}
	return nil
}

func (a *app) tokenList() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [--json]",
		Short: lang.CLITokenListShort.In(a.lang),
		Args:  a.noArguments,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		tokens, err := a.tokens()
		if err != nil {
			return err
		}
		list, err := tokens.List()
		if err != nil {
			return a.tokenFailed(cmd, err)
		}
		if a.json {
			return a.writeJSON(list)
		}
		if len(list) == 0 {
			a.complain(lang.CLITokenNone.In(a.lang, visible(tokens.Path())))
			fmt.Fprintln(a.stderr, lang.CLITokenNoneHint.In(a.lang))
			return nil
		}
		return a.print(a.tokenTable(list))
	}
	return cmd
}

func (a *app) tokenTable(list []auth.Token) string {
	rows := [][]string{{
		lang.CLIColumnName.In(a.lang), lang.CLIColumnAgents.In(a.lang), lang.CLIColumnAllowed.In(a.lang), lang.CLIColumnAlso.In(a.lang), lang.CLIColumnManages.In(a.lang),
		lang.CLIColumnMade.In(a.lang), lang.CLIColumnExpires.In(a.lang), lang.CLIColumnLastUsed.In(a.lang),
	}}
	for _, t := range list {
		expires := report.When(t.Expires)
		if t.Expired(time.Now()) {
			expires = lang.CLITokenExpired.In(a.lang, expires)
		}
		rows = append(rows, []string{
			t.Name, a.those(t.Agents), a.toolsOf(t.Grant), also(t.Grant), cmp.Or(t.Manage, "-"), report.When(t.Created), expires, report.When(t.LastUsed),
		})
	}
	return table(rows)
}

// toolsOf are the tools that a token is for.
func (a *app) toolsOf(g auth.Grant) string {
	if !g.ReadOnly {
		return a.those(g.Tools)
	}
	return visible(strings.Join(append([]string{lang.CLITokenReadOnly.In(a.lang)}, g.Tools...), ","))
}

// also is what a token has beside tools, in the words of the flags.
func also(g auth.Grant) string {
	var words []string
	for _, list := range []struct {
		name  string
		items []string
	}{{"ask", g.Ask}, {"resources", g.Resources}, {"prompts", g.Prompts}, {"logs", g.Logs}} {
		if len(list.items) > 0 {
			words = append(words, list.name+"="+strings.Join(list.items, ","))
		}
	}
	if g.Sampling {
		words = append(words, "sampling")
	}
	if g.Attended {
		words = append(words, "attended")
	}
	return cmp.Or(visible(strings.Join(words, " ")), "-")
}

// those are what a token is for; no list is everything, an empty one nothing.
func (a *app) those(list []string) string {
	switch {
	case list == nil:
		return lang.CLITokenAll.In(a.lang)
	case len(list) == 0:
		return lang.CLITokenNothing.In(a.lang)
	}
	return visible(strings.Join(list, ","))
}

func (a *app) tokenRevoke() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "revoke NAME",
		Short: lang.CLITokenRevokeShort.In(a.lang),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return a.misuse(cmd, "", lang.CLITokenNeedName)
			}
			return nil
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		tokens, err := a.tokens()
		if err != nil {
			return err
		}
		ended, err := tokens.Revoke(cmd.Context(), args[0])
		if err != nil {
			return a.tokenFailed(cmd, err)
		}
		a.recordDecision(cmd.Context(), "token.revoke", ended.Name, "")
		if a.json {
			return a.writeJSON(ended)
		}
		return a.print(lang.CLITokenRevoked.In(a.lang, ended.Name) + "\n")
	}
	return cmd
}

// tokens are those of the server of the same bundle and state root.
func (a *app) tokens() (*auth.Tokens, error) {
	state, err := a.statePath()
	if err != nil {
		return nil, err
	}
	shared, err := a.sharedRows()
	if err != nil {
		return nil, err
	}
	var tokens *auth.Tokens
	if opts := (&auth.TokensOptions{Logger: a.logger()}); shared != nil {
		tokens, err = auth.OpenTokenRows(shared, opts)
	} else {
		tokens, err = auth.OpenTokens(filepath.Join(state, auth.TokensName), opts)
	}
	if err != nil {
		return nil, a.tokenFailed(nil, err)
	}
	return tokens, nil
}

// tokenFailed words an error of the tokens for a person. A name or glob that
// breaks a rule is a misuse of the command.
func (a *app) tokenFailed(cmd *cobra.Command, err error) error {
	e, ok := errors.AsType[*auth.Error](err)
	if !ok {
		return err
	}
	message, hint := visible(e.Message(string(a.lang))), visible(e.Hint(string(a.lang)))
	if cmd != nil && errors.Is(err, auth.ErrInvalid) {
		return &usageError{message: message, hints: []string{hint, lang.CLISeeHelp.In(a.lang, cmd.CommandPath())}}
	}
	return a.fail(message, hint)
}
