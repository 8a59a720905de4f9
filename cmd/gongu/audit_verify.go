package main

import (
	"context"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/state"
)

func (a *app) auditHead() *cobra.Command {
	return &cobra.Command{
		Use:   "head [--json]",
		Short: lang.CLIAuditHeadShort.In(a.lang),
		Args:  a.noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.auditStore(cmd.Context())
			if err != nil {
				return err
			}
			if _, err := store.SealAudit(cmd.Context()); err != nil {
				return err
			}
			seal, err := store.AuditHead(cmd.Context())
			if err != nil {
				return err
			}
			if seal == nil {
				return a.noAudit()
			}
			later, err := store.AuditAfter(cmd.Context(), seal.Last, 1)
			if err != nil {
				return err
			}
			return a.printHead(seal, len(later) > 0)
		},
	}
}

func (a *app) printHead(seal *state.Seal, later bool) error {
	digest := hex.EncodeToString(seal.Digest)
	if a.json {
		return a.writeJSON(struct {
			Digest string    `json:"digest"`
			Seal   int64     `json:"seal"`
			Last   int64     `json:"last"`
			Time   time.Time `json:"time"`
		}{digest, seal.Number, seal.Last, time.UnixMicro(seal.Time).UTC()})
	}
	if err := a.print(digest + "\n"); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, lang.CLIAuditStoreHead.In(a.lang, seal.Last))
	if later {
		fmt.Fprintln(a.stderr, lang.CLIAuditNotSealed.In(a.lang, seal.Last))
	}
	return nil
}

func (a *app) auditVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify [--head X] [--json]",
		Short: lang.CLIAuditVerifyShort.In(a.lang),
		Long:  lang.CLIAuditVerifyLong.In(a.lang),
		Args:  a.noArguments,
	}
	head := cmd.Flags().String("head", "", lang.CLIFlagAuditHead.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.notEmpty(cmd, "head"); err != nil {
			return err
		}
		if raw, err := hex.DecodeString(*head); *head != "" && (err != nil || len(raw) != 32) {
			return a.misuse(cmd, "", lang.CLIAuditBadHead, *head)
		}
		store, err := a.auditStore(cmd.Context())
		if err != nil {
			return err
		}
		report, err := store.VerifyAudit(cmd.Context(), strings.ToLower(*head))
		if err != nil {
			return err
		}
		if a.json {
			err = a.writeJSON(report)
		} else {
			err = a.print(a.verifyText(report))
		}
		if err != nil || report.Found == 0 {
			return err
		}
		return a.fail(lang.CLIAuditProblems.In(a.lang, report.Found), lang.CLIAuditWrongHint.In(a.lang, a.againWords("state", "backup", "FILE")))
	}
	return cmd
}

func (a *app) verifyText(r *state.AuditReport) string {
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(a.lang, args...)) }
	line(lang.CLIAuditChecked, r.Rows, r.Seals, r.Unsealed)
	if r.Removed > 0 {
		line(lang.CLIAuditRemoved, r.Removed)
	}
	if r.Erased > 0 {
		line(lang.CLIAuditErasedN, r.Erased)
	}
	texts := map[string]lang.Text{
		state.ProblemHead: lang.CLIAuditProblemHead, state.ProblemSeal: lang.CLIAuditProblemSeal, state.ProblemRows: lang.CLIAuditProblemRows,
		state.ProblemPayload: lang.CLIAuditProblemPayload, state.ProblemErased: lang.CLIAuditProblemErased, state.ProblemRemoved: lang.CLIAuditProblemRemoved,
		state.ProblemLeft: lang.CLIAuditProblemLeft, state.ProblemGap: lang.CLIAuditProblemGap,
	}
	for _, p := range r.Problems {
		switch p.Kind {
		case state.ProblemHead:
			line(texts[p.Kind])
		case state.ProblemPayload, state.ProblemErased, state.ProblemGap:
			line(texts[p.Kind], p.Row)
		default:
			line(texts[p.Kind], p.Seal)
		}
	}
	switch {
	case r.Head == "":
		line(lang.CLIAuditUnheaded, a.againWords("audit", "head"))
	case r.Found == 0:
		line(lang.CLIAuditProven, r.Proven, r.HeadSeal)
		if r.Rows > r.Proven {
			line(lang.CLIAuditUnproven)
		}
	}
	return b.String()
}

func (a *app) auditExport() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "export [--format jsonl|csv] [--payloads] [--tool T] [--since T] …",
		Short: lang.CLIAuditExportShort.In(a.lang),
		Args:  a.noArguments,
	}
	a.auditFilter(cmd, &f)
	format := cmd.Flags().String("format", "jsonl", lang.CLIFlagAuditFormat.In(a.lang))
	payloads := cmd.Flags().Bool("payloads", false, lang.CLIFlagAuditPayloads.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.readAuditFilter(cmd, &f); err != nil {
			return err
		}
		var write func(auditView) error
		finish := func() error { return nil }
		switch *format {
		case "jsonl":
			write = a.jsonLines()
		case "csv":
			w := csv.NewWriter(a.stdout)
			if err := w.Write(auditColumns(auditView{}, *payloads, true)); err != nil {
				return err
			}
			write = func(v auditView) error { return w.Write(auditColumns(v, *payloads, false)) }
			finish = func() error { w.Flush(); return w.Error() }
		default:
			return a.misuse(cmd, lang.CLIUseOneOf.In(a.lang, "jsonl, csv"), lang.CLIFlagBadValue, "format", *format)
		}
		store, err := a.auditStore(cmd.Context())
		if err != nil {
			return err
		}
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		if err := exportAudit(ctx, store, &f, func(r *state.AuditRow) error { return write(viewAudit(r, *payloads)) }); err != nil {
			return err
		}
		return finish()
	}
	return cmd
}

// jsonLines writes each row as a line of JSON.
func (a *app) jsonLines() func(auditView) error {
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	return func(v auditView) error { return encoder.Encode(v) }
}

// exportAudit hands on all rows that a filter selects, the oldest first.
func exportAudit(ctx context.Context, store *state.Store, f *auditFlags, write func(*state.AuditRow) error) error {
	const atOnce = 500
	for after, n := int64(0), 0; ; {
		rows, err := store.AuditAfter(ctx, after, atOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, r := range rows {
			after = r.Seq
			if !f.filter.Matches(r) {
				continue
			}
			if err := write(r); err != nil {
				return err
			}
			if n++; n == f.limit {
				return nil
			}
		}
	}
}

// auditColumns returns the columns of a row in CSV, or their names.
func auditColumns(v auditView, payloads, names bool) []string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	started := ""
	if !v.Started.IsZero() {
		started = v.Started.Format(time.RFC3339Nano)
	}
	columns := [][2]string{
		{"seq", number(v.Seq)}, {"time", v.Time.Format(time.RFC3339Nano)}, {"kind", v.Kind}, {"phase", v.Phase}, {"begins", number(v.Begins)},
		{"callId", v.CallID}, {"parentId", v.ParentID}, {"traceId", v.Trace}, {"principal", v.Principal}, {"principalKind", v.PrincipalKind},
		{"agent", v.Agent}, {"instance", v.Instance}, {"tool", v.Tool}, {"source", v.Source}, {"action", v.Action}, {"subject", v.Subject},
		{"status", v.Status}, {"code", v.Code}, {"rule", v.Rule}, {"approval", v.Approval}, {"started", started}, {"microseconds", number(v.Microseconds)},
		{"argsSize", number(v.ArgsSize)}, {"resultSize", number(v.ResultSize)}, {"argsDigest", v.ArgsDigest}, {"resultDigest", v.ResultDigest}, {"payloadDigest", v.PayloadDigest},
	}
	if payloads {
		columns = append(columns, [][2]string{{"salt", v.Salt}, {"args", v.Args}, {"result", v.Result}}...)
	}
	out := make([]string, len(columns))
	for i, c := range columns {
		if out[i] = plainCell(c[1]); names {
			out[i] = c[0]
		}
	}
	return out
}

// plainCell keeps a spreadsheet from running a text as a formula: names of tools
// and ids come from models.
func plainCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
