package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/internal/terminal"
)

func (a *app) validateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate [DIR] [--strict] [--fix] [--json]",
		Short: lang.CLIValidateShort.In(a.lang),
		Long:  lang.CLIValidateLong.In(a.lang),
		Example: "  gongu validate\n" +
			"  gongu validate --strict my-bundle\n" +
			"  gongu validate --json | jq .diagnostics",
		Args: a.oneFolder,
	}
	strict := cmd.Flags().Bool("strict", false, lang.CLIFlagStrict.In(a.lang))
	fix := cmd.Flags().Bool("fix", false, lang.CLIFlagFix.In(a.lang))
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		return a.validate(a.folder(args), *strict, *fix)
	}
	return cmd
}

// validation is what gongu validate --json prints.
type validation struct {
	Valid       bool               `json:"valid"`
	Errors      int                `json:"errors"`
	Warnings    int                `json:"warnings"`
	Diagnostics bundle.Diagnostics `json:"diagnostics"`
	Resources   map[string]int     `json:"resources"`
	Fixed       []string           `json:"fixed,omitempty"`
}

func (a *app) validate(path string, strict, fix bool) error {
	opts := a.bundleOptions()
	opts.Strict, opts.Env = strict, os.LookupEnv
	b, diagnostics := bundle.Load(path, opts)
	var fixed []string
	if fix {
		var err error
		if fixed, err = bundle.Fix(path, diagnostics); err != nil {
			return a.fail(err.Error(), lang.CLIHintWritable.In(a.lang))
		}
		if len(fixed) > 0 {
			b, diagnostics = bundle.Load(path, opts)
		}
	}
	diagnostics = append(bundle.Diagnostics{}, diagnostics...)
	if b != nil {
		diagnostics = append(diagnostics, b.UnmatchedRules(host.OwnTools(), string(a.lang))...)
		diagnostics = append(diagnostics, b.NotChecked(string(a.lang))...)
	}
	found := validation{
		Valid:       b != nil,
		Errors:      len(diagnostics.Only(bundle.SeverityError)),
		Warnings:    len(diagnostics.Only(bundle.SeverityWarning)),
		Diagnostics: diagnostics,
		Resources:   kindCounts(b),
		Fixed:       fixed,
	}
	if err := a.printValidation(path, b, found); err != nil {
		return fmt.Errorf("print what was found: %w", err)
	}
	if !found.Valid {
		return errReported
	}
	return nil
}

func (a *app) printValidation(path string, b *bundle.Bundle, found validation) error {
	if a.json {
		return a.writeJSON(found)
	}
	files := report.OpenFiles(path)
	defer files.Close()
	for _, file := range found.Fixed {
		fmt.Fprintln(a.stdout, lang.CLIFixed.In(a.lang, visible(files.Path(file))))
	}
	a.printDiagnostics(a.stdout, path, found.Diagnostics)
	if len(found.Diagnostics) > 0 {
		fmt.Fprintln(a.stdout)
	}
	failures, warnings := a.countErrors(found.Errors), lang.Count(a.lang, found.Warnings, lang.CLIOneWarning, lang.CLIManyWarnings)
	paint := a.painter(a.stdout)
	summary := ""
	if found.Valid {
		summary = paint(terminal.Green, lang.CLIValid.In(a.lang, failures, warnings, b.Contents(string(a.lang))))
	} else {
		summary = paint(terminal.Red, lang.CLIInvalid.In(a.lang, failures, warnings))
	}
	return a.print(summary + "\n")
}

func (a *app) printDiagnostics(w io.Writer, path string, list bundle.Diagnostics) {
	a.texts().WriteDiagnostics(w, path, list, a.painter(w))
}

func (a *app) countErrors(n int) string {
	return lang.Count(a.lang, n, lang.CLIOneError, lang.CLIManyErrors)
}

// kindCounts counts the resources of a bundle.
func kindCounts(b *bundle.Bundle) map[string]int {
	counts := map[string]int{}
	if b != nil {
		for _, item := range b.Items() {
			counts[item.Head().Kind]++
		}
	}
	return counts
}
