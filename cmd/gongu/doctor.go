package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [-b DIR] [--json]",
		Short: lang.CLIDoctorShort.In(a.lang),
		Long:  lang.CLIDoctorLong.In(a.lang),
		Args:  a.noArguments,
		RunE:  func(*cobra.Command, []string) error { return a.doctor() },
	}
}

// The states of a check. A missing item is optional; a problem is not.
const (
	checkOK      = "ok"
	checkMissing = "missing"
	checkProblem = "problem"
	checkNote    = "note" // a risk that is the user's own choice
)

// check is the result of one check of gongu doctor.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	// Next is what to do about it.
	Next string `json:"next,omitempty"`
}

// examination is what gongu doctor --json prints.
type examination struct {
	OK     bool    `json:"ok"`
	Checks []check `json:"checks"`
}

func (a *app) doctor() error {
	found := examination{OK: true, Checks: a.checkMachine()}
	found.Checks = append(found.Checks, a.checkFolders()...)
	found.Checks = append(found.Checks, a.checkSandbox()...)
	read := a.readDoctored()
	found.Checks = append(found.Checks, a.checkBundle(read)...)
	found.Checks = append(found.Checks, a.checkRuntimes(read.bundle)...)
	found.Checks = append(found.Checks, a.checkLosses()...)
	found.Checks = append(found.Checks, a.checkSources(read)...)
	problems := 0
	for _, c := range found.Checks {
		if c.Status == checkProblem {
			problems++
		}
	}
	found.OK = problems == 0
	if err := a.printExamination(found, problems); err != nil {
		return fmt.Errorf("print what was found: %w", err)
	}
	if problems > 0 {
		return errReported
	}
	return nil
}

// doctored is the bundle that the other commands would use.
type doctored struct {
	dir string
	// present is false when there is none; bundle is nil when it has errors.
	present     bool
	bundle      *bundle.Bundle
	diagnostics bundle.Diagnostics
}

// readDoctored reads the bundle once for all checks.
func (a *app) readDoctored() doctored {
	d := doctored{dir: a.folder(nil)}
	d.present = a.bundle != "" || bundle.Present(d.dir)
	if d.present {
		d.bundle, d.diagnostics = a.read(d.dir)
	}
	return d
}

func (a *app) printExamination(found examination, problems int) error {
	if a.json {
		return a.writeJSON(found)
	}
	var rows [][]string
	for _, c := range found.Checks {
		rows = append(rows, []string{a.statusWord(c.Status), c.Name, visible(c.Detail)})
	}
	paint := a.painter(a.stdout)
	colours := map[string]string{checkOK: green, checkMissing: yellow, checkProblem: red, checkNote: yellow}
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(table(rows), "\n"), "\n") {
		c := found.Checks[i]
		word := a.statusWord(c.Status)
		fmt.Fprintln(&b, paint(colours[c.Status], word)+strings.TrimPrefix(line, word))
		if c.Next != "" {
			fmt.Fprintln(&b, "    "+visible(c.Next))
		}
	}
	summary := lang.CLIDoctorAllGood.In(a.lang)
	if problems > 0 {
		summary = a.count(problems, lang.CLIDoctorOne, lang.CLIDoctorMany)
	}
	_, err := fmt.Fprintf(a.stdout, "%s\n%s\n", b.String(), summary)
	return err
}

func (a *app) statusWord(status string) string {
	switch status {
	case checkProblem:
		return lang.CLIDoctorProblem.In(a.lang)
	case checkMissing:
		return lang.CLIDoctorMissing.In(a.lang)
	case checkNote:
		return lang.CLIDoctorNote.In(a.lang)
	}
	return lang.CLIDoctorOK.In(a.lang)
}
