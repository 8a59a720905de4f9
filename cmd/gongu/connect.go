package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/connect"
	"github.com/gongu-ai/gongu/internal/lang"
)

// connectFlags are the flags of gongu connect.
type connectFlags struct {
	print, undo, force, replace, http, noCount bool
	scope, config, url, name                   string
	offer, allow                               []string
	ask, permission                            string
	timeout                                    time.Duration
}

func (a *app) connectCommand() *cobra.Command {
	var f connectFlags
	names := connect.ClientNames()
	cmd := &cobra.Command{
		Use:   "connect " + strings.Join(names, "|") + " [--print | --undo]",
		Short: lang.CLIConnectShort.In(a.lang),
		Long:  lang.CLIConnectLong.In(a.lang),
		Example: "  gongu connect claude --print\n" +
			"  gongu connect claude\n" +
			"  gongu connect codex --http\n" +
			"  gongu connect vscode --scope project\n" +
			"  gongu connect cursor --ask gongu --offer 'github__*'\n" +
			"  gongu connect claude --undo",
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
	flags.StringVar(&f.scope, "scope", connect.ScopeUser, lang.CLIFlagConnectScope.In(a.lang))
	flags.StringVar(&f.config, "config", "", lang.CLIFlagConnectConfig.In(a.lang))
	flags.StringVar(&f.url, "url", "http://127.0.0.1:7410/mcp", lang.CLIFlagConnectURL.In(a.lang))
	flags.StringVar(&f.name, "name", "gongu", lang.CLIFlagConnectName.In(a.lang))
	flags.StringArrayVar(&f.offer, "offer", nil, lang.CLIFlagConnectOffer.In(a.lang))
	flags.StringArrayVar(&f.allow, "allow", nil, lang.CLIFlagAllow.In(a.lang))
	flags.StringVar(&f.ask, "ask", "", lang.CLIFlagConnectAsk.In(a.lang))
	flags.StringVar(&f.permission, "permission", "", lang.CLIFlagConnectPermission.In(a.lang))
	flags.DurationVar(&f.timeout, "timeout", 20*time.Second, lang.CLIFlagConnectTimeout.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// The client starts gongu serve --stdio, which ignores other stores: what
		// it needs is the consent in this user's files.
		a.ownStore = true
		c, err := a.openConnection(cmd, &f, args[0])
		if err != nil {
			return err
		}
		if f.undo {
			return a.undoConnect(cmd.Context(), c, f.force)
		}
		return a.connect(cmd.Context(), c)
	}
	return cmd
}

// openConnection checks the flags and finds the file that they name.
func (a *app) openConnection(cmd *cobra.Command, f *connectFlags, client string) (*connect.Connection, error) {
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
	if scopes := connect.Scopes(client); !slices.Contains(scopes, f.scope) {
		return nil, a.misuse(cmd, a.oneOf(f.scope, scopes), lang.CLIFlagBadValue, "scope", f.scope)
	}
	if !f.undo && a.bundle != "" && !isDir(a.bundle) && !isFile(a.bundle) {
		return nil, a.fail(lang.CLINoFolder.In(a.lang, visible(a.bundle)), lang.CLIHintFolderExists.In(a.lang))
	}
	offer, err := a.connectChoices(cmd, f)
	if err != nil {
		return nil, err
	}
	opts, err := a.connectOptions()
	if err != nil {
		return nil, err
	}
	return connect.Open(opts, connect.Settings{
		Client: client, Scope: f.scope, File: f.config, Bundle: a.bundle, Name: f.name, HTTP: f.http, URL: f.url,
		Ask: f.ask, Permission: f.permission, Offer: offer, Replace: f.replace, Print: f.print, NoCount: f.noCount || !atTerminal(), Timeout: f.timeout,
	})
}

func (a *app) connectOptions() (*connect.Options, error) {
	config, err := a.configFolder()
	if err != nil {
		return nil, err
	}
	rules, err := a.policyOptions()
	return &connect.Options{
		Lang: a.lang, Getenv: a.getenv, ConfigDir: config, StateRoot: a.stateRoot, Policy: rules,
		Version: thisBuild().Version, Child: childProgram(), Load: a.load, Writing: a.connectWrites,
		Secrets: a.secrets, Accept: a.acceptReferences, Starting: a.sayStarting,
	}, err
}

// configFolder is the folder of the user's configuration of gongu.
func (a *app) configFolder() (string, error) {
	if dir := a.getenv("GONGU_CONFIG_DIR"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "gongu"), err
}

// acceptReferences asks the person at the terminal whether the servers of a file
// may have what they refer to. Without a terminal the answer is no.
func (a *app) acceptReferences(file string, references []string) bool {
	if !atTerminal() {
		return false
	}
	shown := lang.ConnectRefers.In(a.lang, visible(file)) + "\n"
	for _, reference := range references {
		shown += "  " + visible(reference) + "\n"
	}
	yes, err := a.personSays(shown + lang.ConnectRefersAsk.In(a.lang))
	return err == nil && yes
}

// sayStarting says which servers are started before they are.
func (a *app) sayStarting(servers []connect.Launch) {
	var rows [][]string
	for _, s := range servers {
		rows = append(rows, []string{"  " + visible(s.Name), visible(s.What)})
	}
	fmt.Fprint(a.stderr, lang.ConnectStarting.In(a.lang)+"\n"+table(rows))
}

// connectWrites consents to what connect writes into a bundle. Servers are listed
// only with a consent.
func (a *app) connectWrites(path string) func(...string) *host.ConsentOptions {
	w := a.beforeWriting(path, "connect")
	return func(wrote ...string) *host.ConsentOptions {
		a.unused = len(wrote) > 0 && !w.consent(wrote...)
		records, _ := a.consents() // without them nothing is listed
		return &host.ConsentOptions{Records: records}
	}
}

func (a *app) connect(ctx context.Context, c *connect.Connection) error {
	report, err := c.Connect(ctx)
	if err != nil {
		return a.connectFailed(err, lang.ConnectNothingChanged)
	}
	if err := a.printConnect(c, report); err != nil {
		return err
	}
	if len(report.Import.Refused) > 0 {
		return errReported
	}
	return nil
}

func (a *app) undoConnect(ctx context.Context, c *connect.Connection, force bool) error {
	done, err := c.Undo(ctx, force)
	switch {
	case errors.Is(err, connect.ErrNoUndo):
		return a.fail(lang.ConnectNoUndo.In(a.lang, visible(c.Path())), lang.ConnectNoUndoHint.In(a.lang))
	case errors.Is(err, connect.ErrEdited):
		return a.fail(lang.ConnectEdited.In(a.lang, visible(c.Path())), lang.ConnectEditedHint.In(a.lang))
	case err != nil:
		return a.connectFailed(err, lang.ConnectNothingChanged)
	}
	return a.printUndo(done)
}

// connectFailed prints why nothing was changed, and what to do when the file
// cannot be read.
func (a *app) connectFailed(err error, unreadable lang.Text) error {
	if failed, ok := errors.AsType[*connect.ReadError](err); ok {
		return a.fail(lang.ConnectCannotRead.In(a.lang, visible(failed.File), failed.Err), unreadable.In(a.lang))
	}
	if failed, ok := errors.AsType[*connect.WriteError](err); ok {
		return a.fail(lang.ConnectCannotWrite.In(a.lang, visible(failed.File), failed.Err), lang.ConnectNothingChanged.In(a.lang))
	}
	if taken, ok := errors.AsType[*connect.NameTakenError](err); ok {
		return a.fail(lang.ConnectNameTaken.In(a.lang, taken.Name, visible(taken.File)), lang.ConnectNameHint.In(a.lang))
	}
	return err
}

func (a *app) printConnect(c *connect.Connection, r *connect.Report) error {
	if a.json {
		return a.writeJSON(r)
	}
	return a.print(a.texts().Connected(c, r, a.unused))
}

func (a *app) printUndo(done *connect.Undone) error {
	if a.json {
		return a.writeJSON(done)
	}
	return a.print(a.texts().Undone(done))
}
