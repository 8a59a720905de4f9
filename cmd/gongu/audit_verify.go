package main

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/audit"
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
			err = a.print(a.texts().Verified(report))
		}
		if err != nil || report.Found == 0 {
			return err
		}
		return a.fail(lang.CLIAuditProblems.In(a.lang, report.Found), lang.CLIAuditWrongHint.In(a.lang, a.againWords("state", "backup", "FILE")))
	}
	return cmd
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
		if *format != "jsonl" && *format != "csv" {
			return a.misuse(cmd, lang.CLIUseOneOf.In(a.lang, "jsonl, csv"), lang.CLIFlagBadValue, "format", *format)
		}
		store, err := a.auditStore(cmd.Context())
		if err != nil {
			return err
		}
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		return audit.Export(ctx, store, a.stdout, audit.ExportOptions{CSV: *format == "csv", Payloads: *payloads, Filter: f.filter, Limit: f.limit})
	}
	return cmd
}
