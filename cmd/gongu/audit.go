package main

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
)

func (a *app) auditCommand() *cobra.Command {
	return a.group(&cobra.Command{
		Use:   "audit",
		Short: lang.CLIAuditShort.In(a.lang),
		Long:  lang.CLIAuditLong.In(a.lang),
		Example: "  gongu audit list --tool bash__run --since 24h\n" +
			"  gongu audit show 42\n" +
			"  gongu audit head\n" +
			"  gongu audit verify --head HEAD\n" +
			"  gongu audit export --format csv > audit.csv",
	}, a.auditList(), a.auditShow(), a.auditVerify(), a.auditHead(), a.auditExport(), a.auditErase())
}

// auditStore opens the store to read it. A file that is not there is not made.
func (a *app) auditStore(ctx context.Context) (*state.Store, error) {
	at, err := a.locateStore()
	if err != nil {
		return nil, err
	}
	if at.file != "" && !isFile(at.file) {
		return nil, a.noAudit()
	}
	return a.openStore(ctx)
}

func (a *app) noAudit() error {
	return a.fail(lang.CLIAuditEmpty.In(a.lang), lang.CLIAuditEmptyHint.In(a.lang, a.againWords("call", "wait__seconds", `{"seconds":0}`)))
}

// auditFlags are the filters of gongu audit list and export.
type auditFlags struct {
	filter       state.AuditFilter
	since, until string
	limit        int
}

func (a *app) auditFilter(cmd *cobra.Command, f *auditFlags) {
	flags := cmd.Flags()
	flags.StringVar(&f.filter.Tool, "tool", "", lang.CLIFlagAuditTool.In(a.lang))
	flags.StringVar(&f.filter.Principal, "principal", "", lang.CLIFlagAuditPrincipal.In(a.lang))
	flags.StringVar(&f.filter.Agent, "agent", "", lang.CLIFlagAuditAgent.In(a.lang))
	flags.StringVar(&f.filter.Status, "status", "", lang.CLIFlagAuditStatus.In(a.lang))
	flags.StringVar(&f.filter.Kind, "kind", "", lang.CLIFlagAuditKind.In(a.lang))
	flags.StringVar(&f.filter.Trace, "trace", "", lang.CLIFlagAuditTrace.In(a.lang))
	flags.StringVar(&f.filter.Call, "call", "", lang.CLIFlagAuditCall.In(a.lang))
	flags.StringVar(&f.since, "since", "", lang.CLIFlagAuditSince.In(a.lang))
	flags.StringVar(&f.until, "until", "", lang.CLIFlagAuditUntil.In(a.lang))
	flags.IntVar(&f.limit, "limit", 0, lang.CLIFlagAuditLimit.In(a.lang))
}

// readAuditFilter checks the flags.
func (a *app) readAuditFilter(cmd *cobra.Command, f *auditFlags) error {
	if err := a.notEmpty(cmd, "tool", "principal", "agent", "status", "kind", "trace", "call", "since", "until"); err != nil {
		return err
	}
	if f.limit < 0 {
		return a.misuse(cmd, "", lang.CLIFlagBadValue, "limit", strconv.Itoa(f.limit))
	}
	for _, t := range []struct {
		flag, text string
		into       *int64
	}{{"since", f.since, &f.filter.Since}, {"until", f.until, &f.filter.Until}} {
		at, ok := audit.Moment(t.text)
		if !ok {
			return a.misuse(cmd, "", lang.CLIFlagBadValue, t.flag, t.text)
		}
		*t.into = at
	}
	return nil
}

const defaultAuditRows = 50

func (a *app) auditList() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "list [--tool T] [--principal P] [--status S] [--since T] [--limit N] [--json]",
		Short: lang.CLIAuditListShort.In(a.lang),
		Args:  a.noArguments,
	}
	a.auditFilter(cmd, &f)
	cmd.Flags().Int64Var(&f.filter.Before, "cursor", 0, lang.CLIFlagAuditCursor.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.readAuditFilter(cmd, &f); err != nil {
			return err
		}
		store, err := a.auditStore(cmd.Context())
		if err != nil {
			return err
		}
		rows, next, err := audit.Rows(cmd.Context(), store, f.filter, cmp.Or(f.limit, defaultAuditRows))
		if err != nil {
			return err
		}
		if a.json {
			list := auditListView{Rows: []audit.View{}, Next: next}
			for _, r := range rows {
				list.Rows = append(list.Rows, audit.ViewOf(r, false))
			}
			return a.writeJSON(list)
		}
		return a.printAudit(cmd, rows, next)
	}
	return cmd
}

// auditListView is what gongu audit list --json prints.
type auditListView struct {
	Rows []audit.View `json:"rows"`
	// Next is the --cursor of the next list; 0 is the end.
	Next int64 `json:"next"`
}

func (a *app) printAudit(cmd *cobra.Command, rows []*state.AuditRow, next int64) error {
	if len(rows) == 0 {
		a.complain(lang.CLIAuditNone.In(a.lang))
		return nil
	}
	text := a.texts().AuditRows(rows)
	if next > 0 {
		words := []string{"audit", "list"}
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if f.Name != "cursor" && cmd.Root().PersistentFlags().Lookup(f.Name) == nil {
				words = append(words, "--"+f.Name, f.Value.String())
			}
		})
		words = append(words, "--cursor", strconv.FormatInt(next, 10))
		text += lang.CLIAuditNext.In(a.lang, visible(a.againWords(words...))) + "\n"
	}
	return a.print(text)
}

func (a *app) auditShow() *cobra.Command {
	return a.auditRow("show ID [--json]", lang.CLIAuditShowShort, func(_ context.Context, _ *state.Store, rows []*state.AuditRow) error {
		if a.json {
			views := []audit.View{}
			for _, r := range rows {
				views = append(views, audit.ViewOf(r, true))
			}
			return a.writeJSON(views)
		}
		return a.print(a.texts().Audit(rows))
	})
}

// auditRow is a command about the rows of one call or decision.
func (a *app) auditRow(use string, short lang.Text, work func(context.Context, *state.Store, []*state.AuditRow) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short.In(a.lang),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return a.misuse(cmd, "", lang.CLIAuditNeedsID)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := a.auditStore(cmd.Context())
			if err != nil {
				return err
			}
			rows, err := audit.Find(cmd.Context(), store, args[0])
			if errors.Is(err, state.ErrNotFound) || err == nil && len(rows) == 0 {
				return a.fail(lang.CLIAuditNoRow.In(a.lang, visible(args[0])), lang.CLIAuditNoRowHint.In(a.lang, a.againWords("audit", "list")))
			}
			if err != nil {
				return err
			}
			return work(cmd.Context(), store, rows)
		},
	}
}
