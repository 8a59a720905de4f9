package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/clients"
	"github.com/gongu-ai/gongu/internal/connect"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
)

// connectChoices checks the flags with which the user chooses what a client may do,
// and returns the items of its offer. Only a person chooses: gongu refuses its own
// descendants, and asks at the terminal before a mode that asks less than the rules.
func (a *app) connectChoices(cmd *cobra.Command, f *connectFlags) ([]string, error) {
	offer, err := a.offerFlags(cmd, f.offer, f.allow)
	if err == nil {
		err = a.notEmpty(cmd, "ask", "permission")
	}
	if err != nil {
		return nil, err
	}
	if words := []string{clients.AskClient, clients.AskGongu}; f.ask != "" && !slices.Contains(words, f.ask) {
		return nil, a.misuse(cmd, lang.CLIUseOneOf.In(a.lang, strings.Join(words, ", ")), lang.CLIFlagBadValue, "ask", f.ask)
	}
	if f.permission != "" && !slices.Contains(modeNames(), f.permission) {
		return nil, a.misuse(cmd, lang.CLIUseOneOf.In(a.lang, strings.Join(modeNames(), ", ")), lang.CLIFlagBadValue, "permission", f.permission)
	}
	for _, name := range []string{"ask", "permission", "offer", "allow"} {
		if f.http && cmd.Flags().Changed(name) {
			return nil, a.misuse(cmd, lang.CLIConnectTokenHint.In(a.lang), lang.CLIFlagsConflict, "http", name)
		}
	}
	if f.print || f.undo {
		return offer, nil
	}
	if terminal.Descendant() {
		return nil, a.fail(lang.CLIDecideDescendant.In(a.lang), lang.CLIDecideDescendantHint.In(a.lang))
	}
	if mode := policy.Mode(f.permission); mode == policy.Edits || mode == policy.Bypass {
		return offer, a.decided(lang.CLIConnectMode.In(a.lang, f.permission))
	}
	return offer, nil
}

// choicesText says what was chosen for a client, and what it is offered.
func (a *app) choicesText(b *strings.Builder, c *connect.Connection, r *connect.Report) {
	line := func(text lang.Text, args ...any) { fmt.Fprintln(b, text.In(a.lang, args...)) }
	if e := r.Choices; e != nil {
		if e.Ask == clients.AskGongu {
			line(lang.ConnectGonguAsks, command("approvals", "list", "-b", r.Import.Path))
		} else {
			line(lang.ConnectClientAsks, r.Client, command("connect", c.Client, "--ask", clients.AskGongu))
		}
		if e.Permission != "" && e.Permission != string(policy.Default) {
			line(lang.ConnectMode, e.Permission)
		}
	}
	switch {
	case r.Printed || r.Tools+r.Unlisted == 0:
	case r.Unlisted > 0:
		line(lang.CLIServeUnlisted, r.Offered, r.Tools, r.Unlisted)
	default:
		line(lang.CLIServeOffers, r.Offered, r.Tools)
	}
}
