package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/gateway"
	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/clients"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
)

func modeNames() []string {
	var names []string
	for _, mode := range policy.Modes() {
		names = append(names, string(mode))
	}
	return names
}

// permissionFlag adds --permission. A bundle, a request and the environment cannot set
// the mode: a person who types the command does.
func (a *app) permissionFlag(cmd *cobra.Command, value *string) {
	cmd.Flags().StringVar(value, "permission", "", lang.CLIFlagPermission.In(a.lang))
}

// checkPermission checks the value of --permission, and warns of a mode that asks less
// than the rules. Such a mode is refused to programs that gongu started. On stdio it
// is left out and not refused: the client would not start.
func (a *app) checkPermission(cmd *cobra.Command, value string, stdio bool) error {
	if err := a.notEmpty(cmd, "permission"); err != nil || value == "" {
		return err
	}
	if !slices.Contains(modeNames(), value) {
		return a.misuse(cmd, lang.CLIUseOneOf.In(a.lang, strings.Join(modeNames(), ", ")), lang.CLIFlagBadValue, "permission", value)
	}
	switch mode := policy.Mode(value); {
	case mode == policy.Plan || mode == policy.Default || stdio:
	case terminal.Descendant():
		return a.fail(lang.CLIPermissionDescendant.In(a.lang, value), lang.CLIDecideDescendantHint.In(a.lang))
	case mode == policy.Edits:
		fmt.Fprintln(a.stderr, lang.CLIPermissionEdits.In(a.lang))
	default:
		fmt.Fprintln(a.stderr, lang.CLIPermissionBypass.In(a.lang))
	}
	return nil
}

// clientBook has the entries that gongu connect has written.
func (a *app) clientBook() *clients.Book {
	dir, err := a.configFolder()
	if err != nil {
		return nil // no client is known
	}
	return clients.Open(dir)
}

// said is what a client on stdio says about itself by its flags.
func (f *serveFlags) said() attach.Client {
	return attach.Client{ID: f.client, Permission: f.permission, Started: terminal.Descendant()}
}

// stdioPrincipal is the client that started this program.
func (a *app) stdioPrincipal(f *serveFlags) *gongu.Principal {
	var entry *clients.Entry
	if book := a.clientBook(); book != nil && f.client != "" {
		var err error
		if entry, err = book.Find(f.client, a.bundleFolder()); err != nil {
			a.complain(visible(err.Error()))
		}
	}
	p := gateway.StdioPrincipal(entry, f.said())
	switch {
	case entry == nil && f.client != "":
		fmt.Fprintln(a.stderr, lang.CLIClientUnknown.In(a.lang, command("connect", "CLIENT", "-b", absolutePath(a.bundleFolder()))))
	case f.permission != "" && p.Permission != f.permission:
		fmt.Fprintln(a.stderr, lang.CLIPermissionStdio.In(a.lang, f.permission, p.Permission, f.permission))
	}
	return p
}

// sayAttached says whose flags count for a client of a server that runs already.
func (a *app) sayAttached(f *serveFlags, running *attach.Server) {
	url := running.URL
	if f.agent != "" {
		url += "/" + f.agent
	}
	fmt.Fprintln(a.stderr, lang.CLIAttached.In(a.lang, url, running.PID))
}
