package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/report"
	"github.com/gongu-ai/gongu/policy"
)

func (a *app) policyTest() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "test FILE [-b DIR] [--json]",
		Short:   lang.CLIPolicyTestShort.In(a.lang),
		Long:    lang.CLIPolicyTestLong.In(a.lang),
		Example: "  gongu policy test cases.yaml\n  gongu policy test cases.yaml -b my-bundle",
		Args:    a.oneFile,
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.testPolicy(cmd.Context(), args[0]) }
	return cmd
}

func (a *app) testPolicy(ctx context.Context, file string) error {
	test, diagnostics, err := bundle.ReadPolicyTest(file, a.bundleOptions())
	if err == nil {
		err = diagnostics.Err()
	}
	if err != nil {
		return a.policyFailed(err)
	}
	var b *bundle.Bundle
	sets := test.Rules
	if folder := cmp.Or(test.Bundle, a.bundle); folder != "" {
		if b, err = a.load(folder); err != nil {
			return err
		}
		sets = append(sets, host.BundleRules(b, true)...)
	}
	rules, err := policy.New(sets...)
	if err != nil {
		return a.policyFailed(err)
	}
	failed, err := host.RunPolicyCases(ctx, rules, host.PolicyTools(b), test.Cases)
	if unknown, ok := errors.AsType[*host.UnknownToolError](err); ok {
		return a.fail(lang.CLIPolicyNoTool.In(a.lang, visible(unknown.At), visible(unknown.Name)),
			strings.TrimSpace(a.didYouMean(unknown.Name, unknown.Known)+" "+lang.CLIPolicyNoToolHint.In(a.lang, visible(unknown.Name))))
	}
	if err != nil {
		return err
	}
	return a.printPolicyTest(&report.PolicyTest{Cases: len(test.Cases), Failed: failed})
}

func (a *app) printPolicyTest(r *report.PolicyTest) error {
	if a.json {
		if err := a.writeJSON(r); err != nil {
			return err
		}
	} else {
		if err := a.print(a.texts().PolicyTest(r)); err != nil {
			return err
		}
	}
	if len(r.Failed) > 0 {
		return errReported
	}
	return nil
}
