package main

import (
	"fmt"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
)

// offerFlags returns the items of --offer and of its old name --offer, nil without
// any.
func (a *app) offerFlags(cmd *cobra.Command, offer, allow []string) ([]string, error) {
	if len(allow) > 0 {
		fmt.Fprintln(a.stderr, lang.CLIAllowIsOld.In(a.lang))
	}
	for name, items := range map[string][]string{"offer": offer, "allow": allow} {
		for _, item := range items {
			if _, err := path.Match(item, ""); err != nil || item == "" {
				return nil, a.misuse(cmd, "", lang.CLIFlagBadValue, name, item)
			}
		}
	}
	return slices.Concat(offer, allow), nil
}

// tellOffered prints below a whole list of tools how many of them gongu serve offers
// by what the bundle says.
func (a *app) tellOffered(h *host.Host, f *toolsFlags) error {
	if a.json || f.cost || f.dialect != "" || f.domain != "" || f.source != "" || f.agent != "" || len(f.names) > 0 {
		return nil
	}
	counted, err := h.Offered(nil)
	if err != nil {
		return err
	}
	return a.print("\n" + lang.CLIToolsOffered.In(a.lang, counted.Offered, counted.Tools) + "\n")
}
