package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/internal/lang"
)

// principalNamed finds the caller that --as names; see [gateway.Callers].
func (a *app) principalNamed(cmd *cobra.Command, name string) (*gongu.Principal, error) {
	callers := gateway.Callers{User: a.userName(), Bundle: a.bundleFolder(), Clients: a.clientBook()}
	if name == "" {
		name = "terminal"
	}
	var err error
	if callers.Tokens, err = a.tokens(); err != nil {
		return nil, err
	}
	p, names, err := callers.Named(name)
	switch {
	case errors.Is(err, gateway.ErrNoCaller):
		return nil, a.misuse(cmd, a.oneOf(name, names), lang.CLIWhyNoPrincipal, name)
	case errors.Is(err, gateway.ErrTwoCallers):
		return nil, a.misuse(cmd, lang.CLIUseOneOf.In(a.lang, "token:"+visible(name)+", client:"+visible(name)), lang.CLIWhyTwo, name)
	case errors.Is(err, gateway.ErrExpiredCaller):
		return nil, a.fail(lang.CLIWhyExpired.In(a.lang, visible(name)), lang.CLIWhyExpiredHint.In(a.lang, a.againWords("token", "list")))
	case err != nil:
		return nil, a.tokenFailed(cmd, err)
	}
	return p, nil
}
