package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/lang"
)

// callerNamed is a caller that needs no entry and no token.
func (a *app) callerNamed(name string) (*gongu.Principal, bool) {
	switch name {
	case "", "terminal":
		return &gongu.Principal{Name: a.userName(), Kind: "cli", Person: true}, true
	case "script":
		return &gongu.Principal{Name: a.userName(), Kind: "cli"}, true
	case "stdio":
		return &gongu.Principal{Name: "stdio", Kind: "stdio"}, true
	case "anonymous":
		return &gongu.Principal{Name: "anonymous", Kind: "anonymous"}, true
	case "session":
		return &gongu.Principal{Name: "session", Kind: "session", Person: true, Manage: access.ManageAll}, true
	case "agent":
		return &gongu.Principal{Name: "agent", Kind: "agent"}, true
	}
	return nil, false
}

// callerNames are the names that callerNamed knows.
func callerNames() []string {
	return []string{"terminal", "script", "stdio", "anonymous", "session", "agent"}
}

// principalNamed finds the caller that --as names: one of callerNames, a token or a
// connected client. token:NAME and client:NAME say which.
func (a *app) principalNamed(cmd *cobra.Command, name string) (*gongu.Principal, error) {
	if p, ok := a.callerNamed(name); ok {
		return p, nil
	}
	kind, bare, said := strings.Cut(name, ":")
	if !said || kind != "token" {
		kind, bare = "", name
	}
	names := callerNames()
	tokens, err := a.tokens()
	if err != nil {
		return nil, err
	}
	list, err := tokens.List()
	if err != nil {
		return nil, a.tokenFailed(cmd, err)
	}
	for _, token := range list {
		names = append(names, token.Name)
		if token.Name != bare {
			continue
		}
		if token.Expired(time.Now()) {
			return nil, a.fail(lang.CLIWhyExpired.In(a.lang, visible(bare)), lang.CLIWhyExpiredHint.In(a.lang, a.againWords("token", "list")))
		}
		return token.Principal(), nil
	}
	slices.Sort(names)
	return nil, a.misuse(cmd, a.oneOf(name, slices.Compact(names)), lang.CLIWhyNoPrincipal, name)
}
