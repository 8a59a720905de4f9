package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
)

func (a *app) trustCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust [DIR] [--show | --revoke | --list] [--json]",
		Short: lang.CLITrustShort.In(a.lang),
		Long:  lang.CLITrustLong.In(a.lang),
		Example: "  gongu trust --show\n" +
			"  gongu trust\n" +
			"  gongu trust --list\n" +
			"  gongu trust --revoke",
		Args: a.oneFolder,
	}
	revoke := cmd.Flags().Bool("revoke", false, lang.CLIFlagRevoke.In(a.lang))
	show := cmd.Flags().Bool("show", false, lang.CLIFlagShow.In(a.lang))
	list := cmd.Flags().Bool("list", false, lang.CLIFlagTrustList.In(a.lang))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		folder := a.folder(args)
		switch {
		case *revoke && *show:
			return a.misuse(cmd, "", lang.CLIFlagsConflict, "revoke", "show")
		case *list && (*revoke || *show):
			return a.misuse(cmd, "", lang.CLIFlagsConflict, "list", "show, --revoke")
		case *list:
			return a.listConsents()
		case *revoke:
			return a.revoke(folder)
		}
		return a.trustBundle(cmd.Context(), folder, *show)
	}
	return cmd
}

// consents are where the consents of the user are recorded.
func (a *app) consents() (host.Consents, error) {
	shared, err := a.sharedRows()
	if err != nil || shared != nil {
		return host.Consents{Rows: shared}, err
	}
	dir := a.getenv("GONGU_CONFIG_DIR")
	if dir == "" {
		return host.Consents{}, nil
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return host.Consents{}, fmt.Errorf("GONGU_CONFIG_DIR %s: %w", dir, err)
	}
	return host.Consents{Dir: filepath.Join(absolute, "trust")}, nil
}

var trustDigest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// consentOptions are how a command uses what a person consented to. Trust is the
// flag; without it GONGU_TRUST counts.
func (a *app) consentOptions(trust string) (*host.ConsentOptions, error) {
	records, err := a.consents()
	if err != nil {
		return nil, err
	}
	name := "--trust"
	if trust == "" {
		name, trust = "GONGU_TRUST", a.getenv("GONGU_TRUST")
	}
	if trust != "" && trust != host.TrustFolder && !trustDigest.MatchString(trust) {
		return nil, &usageError{message: lang.CLITrustValue.In(a.lang, name, trust), hints: []string{lang.CLITrustValueHint.In(a.lang)}}
	}
	return &host.ConsentOptions{Records: records, Trust: trust, Ask: a.askConsent}, nil
}

// askConsent shows what a bundle can do and asks at the terminal whether it may.
// Without a terminal it refuses.
func (a *app) askConsent(_ context.Context, p *host.Proposal) error {
	a.complain(lang.CLIUntrusted.In(a.lang, visible(p.Bundle.Path())))
	if !atTerminal() {
		fmt.Fprint(a.stderr, a.texts().Proposal(p))
	} else if yes, err := a.agrees(p); yes || err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, lang.CLIHintTrust.In(a.lang, a.commandOn("trust", a.folder(nil))))
	return errReported
}

// agrees asks the questions about a bundle and grants what a person agreed to.
func (a *app) agrees(p *host.Proposal) (bool, error) {
	if problems := p.Problems(); len(problems) > 0 {
		for _, problem := range problems {
			a.complain(problem.Resource.Identity() + ": " + visible(problem.In(a.lang)))
		}
		return false, errReported
	}
	if p.Decided() {
		if yes, err := a.personSays(a.texts().Proposal(p) + a.environmentText() + lang.CLITrustAsk.In(a.lang)); err != nil || !yes {
			return false, err
		}
	}
	rules := false
	if believes := p.Bundle.Beliefs(); len(believes) > 0 {
		var err error
		if rules, err = a.personSays(a.texts().Beliefs(believes) + lang.CLITrustRulesAsk.In(a.lang)); err != nil {
			return false, err
		}
	}
	if !rules && !p.Decided() {
		return false, nil
	}
	return true, a.grant(p, "trust", rules)
}

// propose reads a bundle and the consent to it. Loaded is the bundle when it was
// read already, else nil.
func (a *app) propose(folder string, loaded *bundle.Bundle) (*host.Proposal, error) {
	consent, err := a.consentOptions("")
	if err != nil {
		return nil, err
	}
	p, err := host.Propose(folder, &host.Options{Lang: string(a.lang), StateRoot: a.stateRoot, Rows: consent.Records.Rows, Consent: consent, Logger: a.logger(), Loaded: loaded})
	if err != nil {
		return nil, a.openFailed(folder, err)
	}
	return p, nil
}

func (a *app) trustBundle(_ context.Context, folder string, onlyShow bool) error {
	p, err := a.propose(folder, nil)
	if err != nil {
		return err
	}
	if (p.Decided() || len(p.Bundle.Beliefs()) > 0) && !onlyShow {
		if !atTerminal() {
			fmt.Fprint(a.stderr, a.texts().Proposal(p))
			return a.fail(lang.CLITrustNobody.In(a.lang), lang.CLITrustNobodyHint.In(a.lang, p.Digest))
		}
		if yes, err := a.agrees(p); err != nil || !yes {
			return cmp.Or(err, errReported)
		}
	}
	if a.json {
		return a.writeJSON(report.TrustOf(p))
	}
	return a.print(a.texts().Trust(folder, p, onlyShow))
}

// grant records the consent to a bundle.
func (a *app) grant(p *host.Proposal, how string, rules bool) error {
	err := p.Grant(how, rules)
	switch {
	case errors.Is(err, bundle.ErrChanged):
		return a.fail(err.Error(), lang.CLITrustChanged.In(a.lang))
	case err != nil:
		return a.fail(err.Error(), lang.CLIDoctorConfigHint.In(a.lang))
	}
	a.acceptEnvironment()
	a.recordConsent(p.Bundle.Path(), "consent.grant", p.Digest)
	return nil
}

// revoke works on a folder whose bundle is broken or gone, too.
func (a *app) revoke(folder string) error {
	records, err := a.consents()
	if err != nil {
		return err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return fmt.Errorf("revoke a consent: %w", err)
	}
	_, there, err := records.Of(folder)
	if err == nil {
		err = records.Revoke(folder)
	}
	if err != nil {
		return err
	}
	if there {
		a.recordConsent(folder, "consent.revoke", "")
	}
	if a.json {
		return a.writeJSON(report.Trust{Folder: folder, Abilities: []report.Ability{}})
	}
	return a.print(lang.CLITrustRevoked.In(a.lang, visible(folder)) + "\n")
}

// listConsents prints all consents.
func (a *app) listConsents() error {
	records, err := a.consents()
	if err != nil {
		return err
	}
	all, err := records.List()
	if err != nil {
		a.complain(err.Error()) // the others are listed
	}
	if a.json {
		return a.writeJSON(append([]host.Consent{}, all...))
	}
	if len(all) == 0 {
		return a.print(lang.CLITrustNone.In(a.lang) + "\n")
	}
	var rows [][]string
	for _, c := range all {
		rows = append(rows, []string{c.At.Local().Format(time.DateTime), c.How, report.Short(c.Digest), visible(c.Folder)})
	}
	return a.print(table(rows))
}

// writing is a command that writes into a bundle.
type writing struct {
	app    *app
	folder string
	how    string
	before *host.Proposal // nil for a bundle that did not exist
	known  bool           // whether before could be read
}

// beforeWriting remembers a bundle that a command is about to change.
func (a *app) beforeWriting(folder, how string) *writing {
	w := &writing{app: a, folder: folder, how: how}
	if !isDir(folder) && !isFile(folder) {
		w.known = true
		return w
	}
	consent, err := a.consentOptions("")
	if err != nil {
		return w
	}
	p, err := host.Propose(folder, &host.Options{Lang: string(a.lang), StateRoot: a.stateRoot, Rows: consent.Records.Rows, Consent: consent, Logger: a.logger()})
	w.before, w.known = p, err == nil || !bundle.Present(folder)
	return w
}

// consent consents to exactly what the command wrote, when a person typed it and
// had consented to the rest. It reports whether the change is in use now.
func (w *writing) consent(wrote ...string) bool {
	a := w.app
	p, err := a.propose(w.folder, nil)
	switch {
	case err != nil:
		return false // gongu trust says what is wrong
	case !p.Needed():
		return true
	case !atTerminal() || !w.known || w.before != nil && w.before.Needed() || len(p.Problems()) > 0:
		return false
	}
	if !p.OnlyWrote(w.before, wrote...) || p.Grant(w.how, p.KeepsRules()) != nil {
		return false
	}
	a.acceptEnvironment()
	a.recordConsent(w.folder, "consent.grant", p.Digest)
	return true
}
