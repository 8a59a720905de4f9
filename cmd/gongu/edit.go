package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/edit"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/jsonlines"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// maxEdited is the largest file that is edited.
const maxEdited = jsonlines.MaxEdit

// editFlags are those of gongu edit.
type editFlags struct {
	old, new, sha      string
	all, dryRun, jsonl bool
	near               int
}

func (a *app) editCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "edit FILE --old S --new S [--all] [--near-line N] [--dry-run]",
		Short: lang.CLIEditShort.In(a.lang),
		Long:  lang.CLIEditLong.In(a.lang),
		Example: "  gongu edit main.go --old 'return nil' --new 'return err'\n" +
			"  gongu edit main.go --old @old.txt --new @new.txt --dry-run\n" +
			"  gongu edit main.go --old foo --new bar --all --json",
	}
	var f editFlags
	flags := cmd.Flags()
	flags.StringVar(&f.old, "old", "", lang.CLIFlagEditOld.In(a.lang))
	flags.StringVar(&f.new, "new", "", lang.CLIFlagEditNew.In(a.lang))
	flags.BoolVar(&f.all, "all", false, lang.CLIFlagEditAll.In(a.lang))
	flags.IntVar(&f.near, "near-line", 0, lang.CLIFlagEditNear.In(a.lang))
	flags.StringVar(&f.sha, "expected-sha", "", lang.CLIFlagEditSHA.In(a.lang))
	flags.BoolVar(&f.dryRun, "dry-run", false, lang.CLIFlagEditDryRun.In(a.lang))
	flags.BoolVar(&f.jsonl, "jsonl", false, lang.CLIFlagEditJSONL.In(a.lang))
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case f.jsonl:
			return a.noArguments(cmd, args)
		case len(args) != 1:
			return a.misuse(cmd, "", lang.CLIEditOneFile, len(args))
		case !flags.Changed("old") || !flags.Changed("new"):
			return a.misuse(cmd, "", lang.CLIEditNeedsText)
		case f.old == "-" && f.new == "-":
			return a.misuse(cmd, "", lang.CLIEditOneStdin)
		case f.near < 0:
			return a.misuse(cmd, "", lang.CLIFlagBadValue, "near-line", fmt.Sprint(f.near))
		}
		return a.notEmpty(cmd, "expected-sha")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := untilInterrupted(cmd.Context())
		defer stop()
		if f.jsonl {
			return a.answerEdits(ctx, cmd)
		}
		return a.editFile(ctx, cmd, args[0], &f)
	}
	return cmd
}

// answerEdits answers the requests of standard input.
func (a *app) answerEdits(ctx context.Context, cmd *cobra.Command) error {
	err := jsonlines.Edits(ctx, a.stdin, a.writeJSONLine, a.lang)
	if failed, ok := errors.AsType[*jsonlines.ReadError](err); ok {
		return a.stdinFailed(cmd, failed, jsonlines.MaxEdit)
	}
	return err
}

// textOf is the value of --old or --new.
func (a *app) textOf(cmd *cobra.Command, flag, value string) (string, error) {
	name, isFile := strings.CutPrefix(value, "@")
	switch {
	case value == "-":
		raw, err := io.ReadAll(io.LimitReader(a.stdin, maxEdited+1))
		if err != nil {
			return "", a.misuse(cmd, "", lang.CLIStdinFailed, err)
		}
		if len(raw) > maxEdited {
			return "", a.misuse(cmd, "", lang.CLIStdinTooLarge, maxEdited)
		}
		return string(raw), nil
	case strings.HasPrefix(name, "@"):
		return name, nil
	case isFile:
		raw, err := os.ReadFile(name)
		if err != nil {
			return "", a.misuse(cmd, "", lang.CLIFlagBadValue, flag, value)
		}
		return string(raw), nil
	}
	return value, nil
}

// editFile makes one edit.
func (a *app) editFile(ctx context.Context, cmd *cobra.Command, path string, f *editFlags) error {
	old, err := a.textOf(cmd, "old", f.old)
	if err != nil {
		return err
	}
	new, err := a.textOf(cmd, "new", f.new)
	if err != nil {
		return err
	}
	place, err := a.findEdited(path, old == "")
	if err != nil {
		return err
	}
	defer func() { _ = place.Close() }() // what is written is closed already
	release, err := fsx.NewPathLocks("").Lock(ctx, place.Real())
	if err != nil {
		return errors.New(lang.CLIEditFailed.In(a.lang, visible(path), err))
	}
	defer release()
	content, info, err := a.readEdited(place, path, old == "")
	if err != nil {
		return err
	}
	out := edit.Apply(ctx, content, old, new, &edit.Options{ReplaceAll: f.all, NearLine: f.near, ExpectedSHA: f.sha})
	if out.OK && !f.dryRun {
		if err := place.Replace(out.Content, info); err != nil {
			return errors.New(lang.CLIEditFailed.In(a.lang, visible(path), err))
		}
	}
	return a.reportEdit(path, &out, f.dryRun)
}

// findEdited finds the file behind links, so that it can be replaced as one
// step.
func (a *app) findEdited(path string, create bool) (*fsx.Place, error) {
	place, err := fsx.Find(path, create)
	if !create && errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New(lang.FileMissing.In(a.lang, visible(path)))
	}
	if err != nil {
		return nil, errors.New(lang.CLIEditFailed.In(a.lang, visible(path), err))
	}
	return place, nil
}

// readEdited reads the file; one that is not there yet is nothing.
func (a *app) readEdited(place *fsx.Place, path string, create bool) ([]byte, fs.FileInfo, error) {
	content, info, err := place.ReadAll(maxEdited)
	switch {
	case create && errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case errors.Is(err, fsx.ErrTooLarge):
		return nil, nil, errors.New(lang.CLIEditTooLarge.In(a.lang, visible(path), maxEdited))
	case err != nil:
		return nil, nil, errors.New(lang.CLIEditFailed.In(a.lang, visible(path), err))
	}
	return content, info, nil
}

// editReport is the JSON of an edit.
type editReport struct {
	Path string `json:"path"`
	edit.Outcome
	Written bool       `json:"written"`
	Error   *editError `json:"error,omitempty"`
}

type editError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// reportEdit prints the result of an edit, and returns errReported when it was
// rejected.
func (a *app) reportEdit(path string, out *edit.Outcome, dryRun bool) error {
	message := out.Message(a.lang)
	if a.json {
		report := editReport{Path: path, Outcome: *out, Written: out.OK && !dryRun}
		if !out.OK {
			report.Error = &editError{cmp.Or(out.Code.ErrorCode(), "E_TOOL_CANCELLED"), message}
		}
		if err := a.writeExactJSON(report); err != nil {
			return fmt.Errorf("print the result: %w", err)
		}
	} else if !out.OK {
		a.complain(message)
	} else if dryRun {
		a.printDiff(path, out.Diff)
	} else {
		fmt.Fprintln(a.stdout, message)
	}
	if !out.OK {
		return errReported
	}
	return nil
}

// printDiff prints a diff, coloured on a terminal.
func (a *app) printDiff(path, diff string) {
	if !terminal.IsTerminal(a.output) {
		fmt.Fprintf(a.output, "--- %s\n+++ %s\n%s", path, path, diff)
		return
	}
	paint := a.painter(a.stdout)
	fmt.Fprintf(a.stdout, "%s\n%s\n", paint(terminal.Bold, "--- "+visible(path)), paint(terminal.Bold, "+++ "+visible(path)))
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "+"):
			line = paint(terminal.Green, line)
		case strings.HasPrefix(line, "-"):
			line = paint(terminal.Red, line)
		case strings.HasPrefix(line, "@@"):
			line = paint(terminal.Cyan, line)
		}
		fmt.Fprintln(a.stdout, line)
	}
}
