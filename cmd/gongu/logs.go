package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/httpapi"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/state"
)

// logsFlags are the flags of gongu logs.
type logsFlags struct {
	follow bool
	since  string
	limit  int
	filter state.AuditFilter
}

func (a *app) logsCommand() *cobra.Command {
	var f logsFlags
	cmd := &cobra.Command{
		Use:   "logs [--follow] [--instance K | --trace ID | --call ID] [--tool T] [--since D] [--json]",
		Short: lang.CLILogsShort.In(a.lang),
		Long:  lang.CLILogsLong.In(a.lang),
		Example: "  gongu logs --follow\n" +
			"  gongu logs --tool file-system__write --since 24h\n" +
			"  gongu logs --call call_1",
		Args: a.noArguments,
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.follow, "follow", "f", false, lang.CLIFlagFollow.In(a.lang))
	flags.StringVar(&f.filter.Instance, "instance", "", lang.CLIFlagLogInstance.In(a.lang))
	flags.StringVar(&f.filter.Trace, "trace", "", lang.CLIFlagTrace.In(a.lang))
	flags.StringVar(&f.filter.Call, "call", "", lang.CLIFlagCall.In(a.lang))
	flags.StringVar(&f.filter.Tool, "tool", "", lang.CLIFlagLogTool.In(a.lang))
	flags.StringVar(&f.since, "since", "", lang.CLIFlagSince.In(a.lang))
	flags.IntVarP(&f.limit, "lines", "n", 100, lang.CLIFlagLines.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.logs(cmd, &f) }
	return cmd
}

func (a *app) logs(cmd *cobra.Command, f *logsFlags) error {
	if err := a.notEmpty(cmd, "instance", "trace", "call", "tool", "since"); err != nil {
		return err
	}
	if f.limit < 0 {
		return a.misuse(cmd, "", lang.CLIFlagBadValue, "lines", fmt.Sprint(f.limit))
	}
	if f.follow && f.filter.Call != "" {
		return a.misuse(cmd, "", lang.CLIFlagsConflict, "follow", "call")
	}
	var err error
	if f.filter.Since, err = a.sinceOf(cmd, f.since); err != nil {
		return err
	}
	at, err := a.locateStore()
	if err != nil {
		return err
	}
	if _, err := os.Stat(at.file); at.own && errors.Is(err, fs.ErrNotExist) && !f.follow {
		return a.noLogs(f)
	}
	ctx, stop := untilInterrupted(cmd.Context())
	defer stop()
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	if f.filter.Call != "" {
		return a.logCall(ctx, store, f.filter.Call)
	}
	return a.printLogs(ctx, store, f)
}

// sinceOf reads how long ago, or when.
func (a *app) sinceOf(cmd *cobra.Command, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return time.Now().Add(-ago).UnixMicro(), nil
	}
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0, a.misuse(cmd, lang.CLISinceHint.In(a.lang), lang.CLIFlagBadValue, "since", text)
	}
	return max(when.UnixMicro(), 1), nil
}

// noLogs is the answer where nothing was recorded.
func (a *app) noLogs(f *logsFlags) error {
	if f.filter.Call != "" {
		return a.fail(lang.CLINoCall.In(a.lang, visible(f.filter.Call)), lang.CLINoCallHint.In(a.lang, a.againWords("logs")))
	}
	if !a.json {
		a.complain(lang.CLILogsNone.In(a.lang))
	}
	return nil
}

// printLogs prints the newest rows, the newest last, and those that follow.
func (a *app) printLogs(ctx context.Context, store *state.Store, f *logsFlags) error {
	last, err := store.AuditLast(ctx)
	if err != nil {
		return err
	}
	rows, err := audit.Newest(ctx, store, f.filter, last, f.limit)
	if err != nil {
		return err
	}
	if len(rows) == 0 && !f.follow {
		return a.noLogs(f)
	}
	if !a.json {
		if err := a.print(a.texts().LogHead()); err != nil {
			return err
		}
	}
	if err := a.printRows(rows); err != nil || !f.follow {
		return err
	}
	return audit.Follow(ctx, store, f.filter, last, a.printRows)
}

func (a *app) printRows(rows []*state.AuditRow) error {
	var b strings.Builder
	for _, r := range rows {
		view := httpapi.ViewEvent(r)
		if a.json {
			raw, err := encodeJSON(view, false)
			if err := a.printJSON(a.secrets.RedactJSON(raw), err); err != nil {
				return err
			}
			continue
		}
		b.WriteString(report.LogRow(&view))
	}
	return a.print(b.String())
}

// logCall prints one call with all that is kept of it.
func (a *app) logCall(ctx context.Context, store *state.Store, id string) error {
	found, err := httpapi.FindCall(ctx, store, id, "")
	switch {
	case errors.Is(err, state.ErrNotFound):
		return a.noLogs(&logsFlags{filter: state.AuditFilter{Call: id}})
	case err != nil:
		return err
	case a.json:
		return a.writeJSON(found)
	}
	return a.print(a.texts().Call(found))
}
