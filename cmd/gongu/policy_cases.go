package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
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

// policyTestReport is what gongu policy test --json prints.
type policyTestReport struct {
	Cases  int            `json:"cases"`
	Failed []failedPolicy `json:"failed"`
}

// failedPolicy is a case whose outcome is not the expected one.
type failedPolicy struct {
	File   string        `json:"file"`
	Line   int           `json:"line"`
	Case   string        `json:"case"`
	Expect string        `json:"expect"`
	Effect policy.Effect `json:"effect"`
	Rule   string        `json:"rule"`
	Steps  []policyStep  `json:"steps"`
}

// policyStep is one rule that was tried.
type policyStep struct {
	Rule    string        `json:"rule"`
	Effect  policy.Effect `json:"effect"`
	Matched bool          `json:"matched"`
	Failed  string        `json:"failed,omitempty"`
}

func (a *app) testPolicy(ctx context.Context, file string) error {
	test, diagnostics, err := bundle.ReadPolicyTest(file, a.bundleOptions())
	if err == nil {
		err = diagnostics.Err()
	}
	if err != nil {
		return a.policyFailed(err)
	}
	sets := test.Rules
	tools := make(map[string]gongu.Tool)
	for _, list := range host.Builtins() {
		for _, t := range list {
			tools[t.Name] = t
		}
	}
	if folder := cmp.Or(test.Bundle, a.bundle); folder != "" {
		b, err := a.load(folder)
		if err != nil {
			return err
		}
		sets = append(sets, host.BundleRules(b, true)...)
		clear(tools)
		for _, t := range host.Definitions(b) {
			tools[t.Name] = t
		}
	}
	for _, t := range ownTools() {
		tools[t.Name] = t
	}
	rules, err := policy.New(sets...)
	if err != nil {
		return a.policyFailed(err)
	}
	report := policyTestReport{Failed: []failedPolicy{}}
	for i := range test.Cases {
		failed, err := a.testCase(ctx, rules, tools, &test.Cases[i])
		if err != nil {
			return err
		}
		report.Cases++
		if failed != nil {
			report.Failed = append(report.Failed, *failed)
		}
	}
	return a.printPolicyTest(&report)
}

// testCase decides about the call of a case; nil means that it is as expected.
func (a *app) testCase(ctx context.Context, rules *policy.Policy, tools map[string]gongu.Tool, c *bundle.PolicyCase) (*failedPolicy, error) {
	tool, known := tools[c.Tool.Name]
	if c.Tool.Described {
		tool = describedTool(&c.Tool)
	} else if !known {
		var names []string
		for name := range tools {
			names = append(names, name)
		}
		slices.Sort(names)
		at := fmt.Sprintf("%s:%d:%d", c.Position.File, c.Position.Line, c.Position.Column)
		return nil, a.fail(lang.CLIPolicyNoTool.In(a.lang, visible(at), visible(c.Tool.Name)),
			strings.TrimSpace(a.didYouMean(c.Tool.Name, names)+" "+lang.CLIPolicyNoToolHint.In(a.lang, visible(c.Tool.Name))))
	}
	args := c.Args
	if args == nil {
		args = json.RawMessage("{}")
	}
	d := rules.Decide(ctx, &policy.Request{
		Tool: &tool, Agent: c.Agent, Principal: c.Principal.Principal(), Call: gongu.Call{ID: "case", Name: tool.Name, Args: args},
		Mode: policy.Mode(c.Mode), InWorkdir: func() bool { return c.Workdir }, Now: time.Now(),
	})
	rule := d.Rule.String()
	named := c.Rule == "" || c.Rule == rule || c.Rule == d.Rule.Name || c.Rule == d.Rule.Set+"/"+d.Rule.Name
	if string(d.Effect) == c.Expect && named {
		return nil, nil
	}
	failed := &failedPolicy{File: c.Position.File, Line: c.Position.Line, Case: cmp.Or(c.Name, c.Tool.Name), Expect: c.Expect, Effect: d.Effect, Rule: rule}
	if c.Rule != "" {
		failed.Expect += " " + c.Rule
	}
	for _, s := range d.Steps {
		failed.Steps = append(failed.Steps, policyStep{Rule: s.Rule.String(), Effect: s.Effect, Matched: s.Matched, Failed: s.Failed})
	}
	return failed, nil
}

// describedTool makes the tool that a case describes.
func describedTool(t *bundle.PolicyCaseTool) gongu.Tool {
	tool := gongu.Tool{Name: t.Name, Domain: t.Domain, Annotations: gongu.Annotations(t.Hints)}
	kinds := map[string]string{"Tool": "config", "McpServer": "mcp", "ToolCommand": "command", "Macro": "macro", "Extension": "extension", "Go": "go"}
	kind, name, _ := strings.Cut(t.Source, "/")
	tool.Source = gongu.Source{Type: cmp.Or(kinds[kind], kind), Name: name}
	return tool
}

func (a *app) printPolicyTest(r *policyTestReport) error {
	if a.json {
		if err := a.writeJSON(r); err != nil {
			return err
		}
	} else {
		var b strings.Builder
		for _, f := range r.Failed {
			fmt.Fprintf(&b, "%s:%d: ", visible(f.File), f.Line)
			fmt.Fprintln(&b, lang.CLIPolicyCase.In(a.lang, visible(f.Case), visible(f.Expect), string(f.Effect), visible(f.Rule)))
			b.WriteString(table(a.stepRows(f.Steps)))
		}
		fmt.Fprintln(&b, lang.CLIPolicyCases.In(a.lang, r.Cases, len(r.Failed)))
		if err := a.print(b.String()); err != nil {
			return err
		}
	}
	if len(r.Failed) > 0 {
		return errReported
	}
	return nil
}

func (a *app) stepRows(steps []policyStep) [][]string {
	var rows [][]string
	for _, s := range steps {
		found := lang.CLIPolicyNoMatch.In(a.lang)
		switch {
		case s.Failed != "":
			found = lang.CLIPolicyCondition.In(a.lang, visible(oneLine(s.Failed)))
		case s.Matched:
			found = lang.CLIPolicyMatched.In(a.lang)
		}
		rows = append(rows, []string{"  " + string(s.Effect), visible(s.Rule), found})
	}
	return rows
}
