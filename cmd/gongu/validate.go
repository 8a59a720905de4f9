package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
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
		if fixed, err = fixFiles(path, diagnostics); err != nil {
			return a.fail(err.Error(), lang.CLIHintWritable.In(a.lang))
		}
		if len(fixed) > 0 {
			b, diagnostics = bundle.Load(path, opts)
		}
	}
	diagnostics = append(bundle.Diagnostics{}, diagnostics...)
	if b != nil {
		diagnostics = append(diagnostics, a.unchecked(b)...)
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
	files := openSources(path)
	defer files.close()
	for _, file := range found.Fixed {
		fmt.Fprintln(a.stdout, lang.CLIFixed.In(a.lang, visible(files.shown(file))))
	}
	a.printDiagnostics(a.stdout, path, found.Diagnostics)
	if len(found.Diagnostics) > 0 {
		fmt.Fprintln(a.stdout)
	}
	failures, warnings := a.countErrors(found.Errors), a.count(found.Warnings, lang.CLIOneWarning, lang.CLIManyWarnings)
	paint := a.painter(a.stdout)
	summary := ""
	if found.Valid {
		summary = paint(green, lang.CLIValid.In(a.lang, failures, warnings, a.kindList(b)))
	} else {
		summary = paint(red, lang.CLIInvalid.In(a.lang, failures, warnings))
	}
	return a.print(summary + "\n")
}

// codeNotChecked marks what only running the module could find out, which
// checking a bundle must not do.
const codeNotChecked = "I_CONFIG_NOT_CHECKED"

// unchecked says which checks of seed 001 §15 were not made: what a script
// exports is known only once it is loaded.
func (a *app) unchecked(b *bundle.Bundle) bundle.Diagnostics {
	var notes bundle.Diagnostics
	note := func(m *bundle.Meta, message string) {
		at := m.Position
		notes = append(notes, bundle.Diagnostic{
			Code: codeNotChecked, Severity: bundle.SeverityInfo, Message: message,
			Path: at.Path, File: at.File, Line: at.Line, Column: at.Column,
			Suggestion: lang.CLIHintNotChecked.In(a.lang),
		})
	}
	for _, item := range b.Items() {
		switch r := item.(type) {
		case *bundle.Tool:
			if r.Module.Builtin == "" {
				var names []string
				for _, export := range r.Spec.Exports {
					names = append(names, export.Name)
				}
				note(&r.Meta, lang.CLINotChecked.In(a.lang, r.Module.Path, strings.Join(names, ", ")))
			}
		case *bundle.Extension:
			if r.Module.Builtin == "" {
				note(&r.Meta, lang.CLINotCheckedExt.In(a.lang, r.Module.Path))
			}
		}
	}
	return notes
}

// fixFiles adds the apiVersion to the files of the bundle that lack it, and
// says which those were. Installed packages are not touched.
func fixFiles(path string, diagnostics bundle.Diagnostics) ([]string, error) {
	dir := path
	if !isDir(path) {
		dir = filepath.Dir(path)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("fix %s: %w", path, err)
	}
	var fixed []string
	for _, d := range diagnostics {
		if d.Code != bundle.CodeUnsupportedAPIVersion || slices.Contains(fixed, d.File) {
			continue
		}
		changed, err := fixFile(dir, d.File)
		if err != nil {
			return fixed, fmt.Errorf("fix %s: %w", d.File, err)
		}
		if changed {
			fixed = append(fixed, d.File)
		}
	}
	return fixed, nil
}

func fixFile(dir, name string) (changed bool, err error) {
	place, err := fsx.Space{Workdir: dir}.At(filepath.FromSlash(name))
	if err != nil {
		return false, err
	}
	defer func() { _ = place.Close() }() // what was written is whole by then
	if _, err := place.Stat(); os.IsNotExist(err) {
		return false, nil // of a package
	}
	raw, _, more, err := place.Head(maxShownFile)
	if err != nil || more {
		return false, err
	}
	raw, changed = bundle.AddAPIVersion(raw)
	if !changed {
		return false, nil
	}
	_, err = place.Write(raw)
	return err == nil, err
}
