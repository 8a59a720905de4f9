package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/doctor"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
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

func (a *app) doctor() error {
	folder := a.folder(nil)
	report := doctor.Run(&doctor.Options{
		Lang: a.lang, Logger: a.logger(), Secrets: a.secrets, Version: thisBuild().Version, Child: childProgram(),
		Bundle: folder, Folder: a.bundleFolder(), Named: a.bundle != "", StateRoot: a.stateRoot,
		State: a.statePath, Config: a.configFolder, Load: a.read,
		Consent: func() (*host.ConsentOptions, error) { return a.consentOptions("") },
		Commands: doctor.Commands{
			Validate: a.commandOn("validate", folder), Trust: a.commandOn("trust", folder),
			StateMove: a.againWords("state", "move"), PinsDiff: a.againWords("pins", "diff"),
		},
	})
	if err := a.printReport(&report); err != nil {
		return fmt.Errorf("print what was found: %w", err)
	}
	if !report.OK {
		return errReported
	}
	return nil
}

func (a *app) printReport(report *doctor.Report) error {
	if a.json {
		return a.writeJSON(report)
	}
	var rows [][]string
	for _, c := range report.Checks {
		rows = append(rows, []string{a.statusWord(c.Status), c.Name, visible(c.Detail)})
	}
	paint := a.painter(a.stdout)
	colours := map[string]string{doctor.OK: terminal.Green, doctor.Missing: terminal.Yellow, doctor.Problem: terminal.Red, doctor.Note: terminal.Yellow}
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(table(rows), "\n"), "\n") {
		c := report.Checks[i]
		word := a.statusWord(c.Status)
		fmt.Fprintln(&b, paint(colours[c.Status], word)+strings.TrimPrefix(line, word))
		if c.Next != "" {
			fmt.Fprintln(&b, "    "+visible(c.Next))
		}
	}
	summary := lang.CLIDoctorAllGood.In(a.lang)
	if problems := report.Problems(); problems > 0 {
		summary = lang.Count(a.lang, problems, lang.CLIDoctorOne, lang.CLIDoctorMany)
	}
	_, err := fmt.Fprintf(a.stdout, "%s\n%s\n", b.String(), summary)
	return err
}

func (a *app) statusWord(status string) string {
	switch status {
	case doctor.Problem:
		return lang.CLIDoctorProblem.In(a.lang)
	case doctor.Missing:
		return lang.CLIDoctorMissing.In(a.lang)
	case doctor.Note:
		return lang.CLIDoctorNote.In(a.lang)
	}
	return lang.CLIDoctorOK.In(a.lang)
}
