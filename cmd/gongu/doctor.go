package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/doctor"
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
	_, err := io.WriteString(a.stdout, a.texts().Doctor(report, a.painter(a.stdout)))
	return err
}
