package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/attach"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/state"
)

// recordCommands are the commands of gongu state for the store of records.
func (a *app) recordCommands() []*cobra.Command {
	return []*cobra.Command{
		{
			Use: "backup FILE [-b DIR] [--store URL] [--json]", Short: lang.CLIStateBackupShort.In(a.lang), Long: lang.CLIStateBackupLong.In(a.lang), Args: a.oneFile,
			RunE: func(cmd *cobra.Command, args []string) error { return a.backupRecords(cmd.Context(), args[0]) },
		},
		{
			Use: "restore FILE [-b DIR] [--store URL] [--json]", Short: lang.CLIStateRestoreShort.In(a.lang), Long: lang.CLIStateRestoreLong.In(a.lang), Args: a.oneFile,
			RunE: func(cmd *cobra.Command, args []string) error { return a.restoreRecords(cmd.Context(), args[0]) },
		},
		{
			Use: "check [-b DIR] [--store URL] [--json]", Short: lang.CLIStateCheckShort.In(a.lang), Long: lang.CLIStateCheckLong.In(a.lang), Args: a.noArguments,
			RunE: func(cmd *cobra.Command, _ []string) error { return a.checkRecords(cmd.Context()) },
		},
	}
}

// oneFile is for commands that take the name of a file.
func (a *app) oneFile(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] != "" {
		return nil
	}
	return a.misuse(cmd, "", lang.CLIStateOneFile, cmd.Name())
}

// existingRecords opens a store that is there: a backup or a check of an empty one
// that was just made would say nothing.
func (a *app) existingRecords(ctx context.Context) (*state.Store, storeAt, error) {
	at, err := a.locateStore()
	if err != nil {
		return nil, at, err
	}
	if at.file != "" {
		if _, err := os.Stat(at.file); errors.Is(err, fs.ErrNotExist) {
			return nil, at, a.fail(lang.CLIStateNoRecords.In(a.lang, visible(at.shown)), lang.CLIStateNoRecordsHint.In(a.lang))
		}
	}
	store, err := a.openStore(ctx)
	return store, at, err
}

func (a *app) backupRecords(ctx context.Context, file string) error {
	store, at, err := a.existingRecords(ctx)
	if err != nil {
		return err
	}
	if err := store.Backup(ctx, file); err != nil {
		return a.recordsFailed(err)
	}
	if a.json {
		return a.writeJSON(map[string]string{"store": at.shown, "file": absolutePath(file)})
	}
	return a.print(lang.CLIStateBackedUp.In(a.lang, visible(at.shown), visible(file)) + "\n")
}

// restoreRecords replaces the records after a person agreed: a backup can contain
// tokens and decisions of other people.
func (a *app) restoreRecords(ctx context.Context, file string) error {
	at, err := a.locateStore()
	if err != nil {
		return err
	}
	if at.own {
		if running := attach.Servers(ctx, filepath.Dir(at.file)); len(running) > 0 {
			return a.fail(lang.CLIStateServed.In(a.lang, strconv.Itoa(running[0].PID)), lang.CLIStateServedHint.In(a.lang))
		}
	}
	if _, err := os.Stat(file); err != nil {
		return a.fail(lang.StoreNoBackup.In(a.lang, visible(file), err), lang.StoreNoBackupHint.In(a.lang))
	}
	if !a.asked(lang.CLIStateRestoreAsk.In(a.lang, visible(at.shown), visible(file))) {
		return a.fail(lang.CLIStateNotAsked.In(a.lang), lang.CLIStateRestoreHint.In(a.lang))
	}
	if at.own {
		if err := statedir.Use(filepath.Dir(at.file), a.bundleFolder()); err != nil {
			return err
		}
	}
	if err := state.Restore(ctx, at.url, file, &state.Options{Space: a.space(), Logger: a.secrets.Logger(a.logger())}); err != nil {
		return a.recordsFailed(err)
	}
	if a.json {
		return a.writeJSON(map[string]string{"store": at.shown, "file": absolutePath(file)})
	}
	return a.print(lang.CLIStateRestored.In(a.lang, visible(at.shown), visible(file)) + "\n")
}

func (a *app) checkRecords(ctx context.Context) error {
	store, at, err := a.existingRecords(ctx)
	if err != nil {
		return err
	}
	problems, err := store.Check(ctx)
	if err != nil {
		return a.recordsFailed(err)
	}
	if a.json {
		if problems == nil {
			problems = []state.Problem{}
		}
		if err := a.writeJSON(map[string]any{"store": at.shown, "problems": problems}); err != nil {
			return err
		}
	} else {
		var b strings.Builder
		for _, p := range problems {
			fmt.Fprintf(&b, "%s: %s\n", visible(p.Kind), visible(p.Text))
		}
		if len(problems) == 0 {
			fmt.Fprintln(&b, lang.CLIStateSound.In(a.lang, visible(at.shown)))
		}
		if err := a.print(b.String()); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return a.fail(lang.CLIStateProblems.In(a.lang, len(problems)), lang.CLIStateProblemsHint.In(a.lang))
	}
	return nil
}

// recordsFailed prints an error of the store with what to do.
func (a *app) recordsFailed(err error) error {
	if e, ok := errors.AsType[*lang.Error](err); ok {
		return a.fail(visible(a.secrets.Redact(e.Message(string(a.lang)))), visible(e.Hint(string(a.lang))))
	}
	return err
}
