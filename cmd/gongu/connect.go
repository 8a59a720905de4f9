package main

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
)

// connectFlags are the flags of gongu connect.
type connectFlags struct {
	print, undo, force, replace, http, noCount bool
	scope, config, url, name                   string
	allow                                      []string
	timeout                                    time.Duration
}

func (a *app) connectCommand() *cobra.Command {
	var f connectFlags
	names := clientNames()
	cmd := &cobra.Command{
		Use:   "connect " + strings.Join(names, "|") + " [--print | --undo]",
		Short: lang.CLIConnectShort.In(a.lang),
		Long:  lang.CLIConnectLong.In(a.lang),
		Example: "  gongu connect claude --print\n" +
			"  gongu connect claude\n" +
			"  gongu connect codex --http\n" +
			"  gongu connect vscode --scope project\n" +
			"  gongu connect claude --undo",
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return a.misuse(cmd, lang.CLIUseOneOf.In(a.lang, strings.Join(names, ", ")), lang.CLIConnectNeedsClient)
			}
			if !slices.Contains(names, args[0]) {
				return a.misuse(cmd, a.oneOf(args[0], names), lang.CLIConnectUnknownClient, args[0])
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.print, "print", false, lang.CLIFlagConnectPrint.In(a.lang))
	flags.BoolVar(&f.undo, "undo", false, lang.CLIFlagConnectUndo.In(a.lang))
	flags.BoolVar(&f.force, "force", false, lang.CLIFlagConnectForce.In(a.lang))
	flags.BoolVar(&f.replace, "replace", false, lang.CLIFlagImportReplace.In(a.lang))
	flags.BoolVar(&f.http, "http", false, lang.CLIFlagConnectHTTP.In(a.lang))
	flags.BoolVar(&f.noCount, "no-count", false, lang.CLIFlagConnectNoCount.In(a.lang))
	flags.StringVar(&f.scope, "scope", scopeUser, lang.CLIFlagConnectScope.In(a.lang))
	flags.StringVar(&f.config, "config", "", lang.CLIFlagConnectConfig.In(a.lang))
	flags.StringVar(&f.url, "url", "http://127.0.0.1:7410/mcp", lang.CLIFlagConnectURL.In(a.lang))
	flags.StringVar(&f.name, "name", "gongu", lang.CLIFlagConnectName.In(a.lang))
	flags.StringArrayVar(&f.allow, "allow", nil, lang.CLIFlagConnectAllow.In(a.lang))
	flags.DurationVar(&f.timeout, "timeout", 20*time.Second, lang.CLIFlagConnectTimeout.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := a.newConnection(cmd, &f, args[0])
		if err != nil {
			return err
		}
		if f.undo {
			return c.undo()
		}
		return c.connect(cmd.Context())
	}
	return cmd
}

func clientNames() []string {
	var names []string
	for _, c := range clients() {
		names = append(names, c.name)
	}
	return names
}

// connection is one run of gongu connect.
type connection struct {
	*app
	*connectFlags
	client  *client
	place   place
	project string
	// others are the places of the other scopes.
	others map[string]place
}

func (a *app) newConnection(cmd *cobra.Command, f *connectFlags, name string) (*connection, error) {
	if err := a.notEmpty(cmd, "scope", "config", "url", "name"); err != nil {
		return nil, err
	}
	if f.print && f.undo {
		return nil, a.misuse(cmd, "", lang.CLIFlagsConflict, "print", "undo")
	}
	if u, err := url.Parse(f.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, a.misuse(cmd, "", lang.CLIFlagBadValue, "url", f.url)
	}
	if f.timeout <= 0 {
		return nil, a.misuse(cmd, "", lang.CLIFlagBadValue, "timeout", f.timeout.String())
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	project, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(clients(), func(c *client) bool { return c.name == name })
	c := &connection{app: a, connectFlags: f, client: clients()[i], project: project}
	c.others = c.client.places(a, home, project)
	own, ok := c.others[f.scope]
	if !ok {
		var scopes []string
		for _, scope := range []string{scopeUser, scopeProject, scopeLocal} {
			if _, ok := c.others[scope]; ok {
				scopes = append(scopes, scope)
			}
		}
		return nil, a.misuse(cmd, a.oneOf(f.scope, scopes), lang.CLIFlagBadValue, "scope", f.scope)
	}
	delete(c.others, f.scope)
	if f.config != "" {
		if own.file, err = filepath.Abs(f.config); err != nil {
			return nil, err
		}
		c.others = nil
	}
	c.place = own
	return c, nil
}

// bundlePath is where the servers go: what was named, the bundle of the
// project, or the person's own, which is made.
func (c *connection) bundlePath() (string, error) {
	if c.bundle != "" {
		if !isDir(c.bundle) && !isFile(c.bundle) {
			return "", c.fail(lang.CLINoFolder.In(c.lang, visible(c.bundle)), lang.CLIHintFolderExists.In(c.lang))
		}
		return filepath.Abs(c.bundle)
	}
	if c.scope == scopeProject || bundle.Present(c.project) {
		return c.project, nil
	}
	config, err := c.configFolder()
	if err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(config, "bundle"))
}

// read is the file of the client; one that is not there is empty.
func (c *connection) read() (text []byte, existed bool, err error) {
	text, err = readSmall(c.place.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, c.unreadable(err)
	}
	return text, true, nil
}

func (c *connection) unreadable(err error) error {
	return c.fail(lang.ConnectCannotRead.In(c.lang, visible(c.place.file), reason(err)), lang.ConnectNothingChanged.In(c.lang))
}

func (c *connection) undo() error {
	kept, err := c.stepsOf(c.client.name, c.place.file)
	if err != nil {
		return err
	}
	last, err := kept.last()
	if err != nil {
		return err
	}
	if last == nil {
		return c.fail(lang.ConnectNoUndo.In(c.lang, visible(c.place.file)), lang.ConnectNoUndoHint.In(c.lang))
	}
	err = last.takeBack(c.force)
	if errors.Is(err, errEdited) {
		if err = c.putBack(last); err == nil {
			last.partly = true
		}
	}
	switch {
	case errors.Is(err, errEdited):
		return c.fail(lang.ConnectEdited.In(c.lang, visible(c.place.file)), lang.ConnectEditedHint.In(c.lang))
	case err != nil:
		return c.cannotChange(c.place.file, err)
	}
	return c.printUndo(last)
}
