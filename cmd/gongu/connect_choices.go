package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/clients"
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
