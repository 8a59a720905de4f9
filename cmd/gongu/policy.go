package main

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
)

func (a *app) policyCommand() *cobra.Command {
	return a.group(&cobra.Command{
		Use:     "policy",
		Short:   lang.CLIPolicyShort.In(a.lang),
		Long:    lang.CLIPolicyLong.In(a.lang),
		Example: "  gongu policy list -b my-bundle\n  gongu policy test cases.yaml\n  gongu policy remove no-rm",
	}, a.policyList(), a.policyTest(), a.policyRemove())
}

func (a *app) policyList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list [-b DIR] [--json]",
		Short:   lang.CLIPolicyListShort.In(a.lang),
		Long:    lang.CLIPolicyListLong.In(a.lang),
		Example: "  gongu policy list\n  gongu policy list -b my-bundle --json",
		Args:    a.noArguments,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		report, err := a.readPolicies(cmd.Context())
		if err != nil {
			return err
		}
		if a.json {
			return a.writeJSON(report)
		}
		return a.print(a.texts().Policy(report, a.folder(nil)))
	}
	return cmd
}

func (a *app) readPolicies(ctx context.Context) (*report.Policy, error) {
	dir := a.findBundle()
	consent, err := a.consentOptions("")
	if err != nil {
		return nil, err
	}
	consent.Ask = nil
	rules, err := a.policyOptions()
	if err != nil {
		return nil, err
	}
	o := &host.Options{
		Policy: rules, Lang: string(a.lang), StateRoot: a.stateRoot, Rows: consent.Records.Rows, Consent: consent,
		Logger: slog.New(slog.DiscardHandler), Secrets: a.secrets, Inspect: true,
	}
	h, err := host.Open(ctx, dir, o)
	unconsented := errors.Is(err, host.ErrNoConsent)
	if unconsented { // the files of the other tiers are still shown
		h, err = host.Open(ctx, "", o)
	}
	if err != nil {
		return nil, a.openFailed(dir, err)
	}
	defer a.close(h)
	found := report.PoliciesOf(h.PolicyFiles())
	if dir == "" {
		return found, nil
	}
	b, agreed := h.Bundle(), false
	if unconsented {
		if b, err = a.load(dir); err != nil {
			return nil, err
		}
	} else if given, ok := h.Consented(); ok {
		agreed = given.Rules
	}
	found.AddBundle(b, absolutePath(dir), agreed)
	return found, nil
}

func (a *app) policyRemove() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "remove NAME [--json]",
		Short:   lang.CLIPolicyRemoveShort.In(a.lang),
		Long:    lang.CLIPolicyRemoveLong.In(a.lang),
		Example: "  gongu policy remove no-rm\n  gongu policy remove mine/no-rm",
		Args:    a.oneRule,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.removeRule(cmd.Context(), args[0]) }
	return cmd
}

func (a *app) oneRule(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] != "" {
		return nil
	}
	return a.misuse(cmd, lang.CLIPolicyNoRuleHint.In(a.lang), lang.CLIPolicyOneRule, cmd.Name())
}

func (a *app) removeRule(ctx context.Context, name string) error {
	file, err := a.userPolicy()
	if err != nil {
		return err
	}
	edit, err := bundle.RemoveRule(file, "", name)
	if set, rule, both := strings.Cut(strings.TrimPrefix(name, "user/"), "/"); errors.Is(err, bundle.ErrNoRule) && both {
		edit, err = bundle.RemoveRule(file, set, rule)
	}
	switch {
	case errors.Is(err, bundle.ErrNoRule):
		return a.fail(lang.CLIPolicyNoRule.In(a.lang, visible(file), visible(name)), lang.CLIPolicyNoRuleHint.In(a.lang))
	case errors.Is(err, bundle.ErrSeveralRules):
		return a.fail(lang.CLIPolicySeveral.In(a.lang, visible(name)), lang.CLIPolicySeveralHint.In(a.lang, visible(name)))
	case err != nil:
		return a.policyFailed(err)
	}
	if err := a.decided(visible(file) + "\n" + report.Indented(edit.Text) + "\n" + lang.CLIPolicyRemoveAsk.In(a.lang)); err != nil {
		return err
	}
	if err := edit.Write(ctx); err != nil {
		return a.policyFailed(err)
	}
	a.recordDecision(ctx, "policy.remove", edit.Set+"/"+edit.Rule, "")
	if a.json {
		return a.writeJSON(map[string]string{"file": file, "policy": edit.Set, "rule": edit.Rule})
	}
	return a.print(lang.CLIPolicyRemoved.In(a.lang, visible(edit.Set+"/"+edit.Rule), visible(file)) + "\n")
}

// policyFailed prints what is wrong with a policy file.
func (a *app) policyFailed(err error) error {
	diagnostics, ok := errors.AsType[bundle.Diagnostics](err)
	if !ok {
		return err
	}
	for _, d := range diagnostics.Only(bundle.SeverityError) {
		file := d.File
		d.File, d.Path = filepath.Base(file), strings.TrimPrefix(d.Path, filepath.ToSlash(filepath.Dir(file))+"/")
		a.printDiagnostics(a.stderr, file, bundle.Diagnostics{d})
	}
	return errReported
}
