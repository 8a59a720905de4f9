package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
)

func (a *app) trustCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust [DIR] [--show | --revoke] [--json]",
		Short: lang.CLITrustShort.In(a.lang),
		Long:  lang.CLITrustLong.In(a.lang),
		Example: "  gongu trust --show\n" +
			"  gongu trust\n" +
			"  gongu trust --revoke",
		Args: a.oneFolder,
	}
	revoke := cmd.Flags().Bool("revoke", false, lang.CLIFlagRevoke.In(a.lang))
	show := cmd.Flags().Bool("show", false, lang.CLIFlagShow.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		folder := a.folder(args)
		switch {
		case *revoke && *show:
			return a.misuse(cmd, "", lang.CLIFlagsConflict, "revoke", "show")
		case *revoke:
			return a.revoke(folder)
		}
		return a.trustBundle(folder, *show)
	}
	return cmd
}

// trust is where trusted folders are remembered.
func (a *app) trust() (host.Trust, error) {
	dir := a.getenv("GONGU_CONFIG_DIR")
	if dir == "" {
		return host.Trust{}, nil
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return host.Trust{}, fmt.Errorf("GONGU_CONFIG_DIR %s: %w", dir, err)
	}
	return host.Trust{Dir: filepath.Join(absolute, "trust")}, nil
}

// mayRun accepts a bundle that runs nothing or is trusted. At a terminal it asks
// whether to trust any other; without one it refuses.
func (a *app) mayRun(b *bundle.Bundle) error {
	trust, err := a.trust()
	if err != nil {
		return err
	}
	needed, err := trust.Needed(b)
	if err != nil || !needed {
		return err
	}
	a.complain(lang.CLIUntrusted.In(a.lang))
	fmt.Fprint(a.stderr, a.runTable(runsOf(b)))
	if a.terminal {
		fmt.Fprint(a.stderr, lang.CLITrustAsk.In(a.lang))
		if a.saysYes() {
			return a.grant(trust, b)
		}
	}
	fmt.Fprintln(a.stderr, lang.CLIHintTrust.In(a.lang))
	fmt.Fprintln(a.stderr, lang.CLIHintConsent.In(a.lang))
	return errReported
}

// saysYes reads the answer to a question from standard input.
func (a *app) saysYes() bool { return readYes(a.stdin, a.stderr) }

// trustReport is what gongu trust --json prints.
type trustReport struct {
	Folder     string    `json:"folder"`
	Executable bool      `json:"executable"`
	Trusted    bool      `json:"trusted"`
	Digest     string    `json:"digest,omitempty"`
	Runs       []runPart `json:"runs"`
}

func (a *app) trustBundle(folder string, onlyShow bool) error {
	b, err := a.load(folder)
	if err != nil {
		return err
	}
	trust, err := a.trust()
	if err != nil {
		return err
	}
	report := trustReport{Folder: b.Dir(), Executable: b.Executable(), Runs: runsOf(b)}
	if report.Executable {
		if !onlyShow {
			if err := a.grant(trust, b); err != nil {
				return err
			}
		}
		needed, err := trust.Needed(b)
		if err != nil {
			return err
		}
		report.Trusted = !needed
		if report.Digest, err = b.TrustDigest(); err != nil {
			return err
		}
	}
	if a.json {
		return a.writeJSON(report)
	}
	return a.printTrust(folder, report, onlyShow)
}

func (a *app) printTrust(folder string, report trustReport, onlyShow bool) error {
	var b strings.Builder
	line := func(text lang.Text, args ...any) { fmt.Fprintln(&b, text.In(a.lang, args...)) }
	line(lang.CLITrustFolder, visible(report.Folder))
	if report.Executable {
		line(lang.CLITrustRuns)
		b.WriteString(a.runTable(report.Runs))
		line(lang.CLITrustDigest, report.Digest)
	}
	switch {
	case !report.Executable:
		line(lang.CLITrustNotNeeded)
	case !onlyShow:
		line(lang.CLITrusted)
	case report.Trusted:
		line(lang.CLITrustIs)
	default:
		line(lang.CLITrustIsNot, commandOn("trust", folder))
	}
	return a.print(b.String())
}

// grant remembers a bundle.
func (a *app) grant(trust host.Trust, b *bundle.Bundle) error {
	if err := trust.Grant(b); err != nil {
		return a.fail(err.Error(), lang.CLIDoctorConfigHint.In(a.lang))
	}
	return nil
}

// revoke works on a folder whose bundle is broken or gone, too.
func (a *app) revoke(folder string) error {
	trust, err := a.trust()
	if err != nil {
		return err
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	if isFile(folder) {
		folder = filepath.Dir(folder)
	}
	if err := trust.Revoke(folder); err != nil {
		return err
	}
	if a.json {
		return a.writeJSON(trustReport{Folder: folder, Runs: []runPart{}})
	}
	return a.print(lang.CLITrustRevoked.In(a.lang, visible(folder)) + "\n")
}
