package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/internal/lang"
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
		if err := a.decided(a.texts().NewToken(n) + question.In(a.lang)); err != nil {
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
		return a.print(a.texts().Tokens(list))
	}
	return cmd
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
