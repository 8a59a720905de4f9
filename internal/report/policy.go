package report

import (
	"fmt"
	"strings"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
)

// Policy is what gongu policy list --json prints, strongest tier first.
type Policy struct {
	Tiers   []PolicyTier      `json:"tiers"`
	BuiltIn []policy.TableRow `json:"builtIn"`
	Modes   []policy.Mode     `json:"modes"`
}

// PolicyTier is where the rules of one tier are.
type PolicyTier struct {
	Tier string `json:"tier"`
	// Path is the file or the bundle.
	Path   string       `json:"path"`
	Exists bool         `json:"exists"`
	Rules  []PolicyRule `json:"rules"`
	// Error is why the file cannot be used.
	Error string `json:"error,omitempty"`
}

// PolicyRule is a rule, or the default of a policy.
type PolicyRule struct {
	Policy string `json:"policy"`
	policy.Rule
	// Selects is which calls the rule is about, for people.
	Selects string `json:"selects"`
	// Unused means that no person has agreed to the rule.
	Unused bool `json:"unused,omitempty"`
}

// policyRules lists a set. Agreed means that rules which allow calls count.
func policyRules(s policy.Set, agreed bool) []PolicyRule {
	var list []PolicyRule
	for i, r := range s.Rules {
		r.Name = policy.RuleName(i, r.Name)
		list = append(list, PolicyRule{Policy: s.Name, Rule: r, Selects: r.Selects(), Unused: !agreed && r.Effect == policy.Allow})
	}
	if s.Default != "" {
		r := policy.Rule{Name: policy.DefaultName, Effect: s.Default}
		list = append(list, PolicyRule{Policy: s.Name, Rule: r, Selects: r.Selects(), Unused: !agreed && r.Effect == policy.Allow})
	}
	return list
}

// Policy lists the rules of each tier. Folder is the bundle at hand.
func (x *Texts) Policy(r *Policy, folder string) string {
	var b strings.Builder
	for _, t := range r.Tiers {
		fmt.Fprintf(&b, "%s: %s", t.Tier, terminal.Visible(t.Path))
		switch {
		case t.Error != "":
			fmt.Fprintf(&b, "\n  %s", terminal.Visible(t.Error))
		case !t.Exists:
			b.WriteString(" " + lang.CLIPolicyNoFile.In(x.Lang))
		case len(t.Rules) == 0:
			b.WriteString(" " + lang.CLIPolicyNoRules.In(x.Lang))
		}
		b.WriteByte('\n')
		var rows [][]string
		for _, rule := range t.Rules {
			selects := terminal.Visible(terminal.OneLine(rule.Selects))
			if rule.Unused {
				selects += " " + lang.CLIPolicyUnused.In(x.Lang, x.On("trust", folder))
			}
			rows = append(rows, []string{"  " + terminal.Visible(rule.Policy) + "/" + terminal.Visible(rule.Name), string(rule.Effect), selects})
		}
		b.WriteString(terminal.Table(rows))
	}
	fmt.Fprintln(&b, lang.CLIPolicyBuiltIn.In(x.Lang))
	rows := [][]string{{"  " + lang.CLIPolicyCaller.In(x.Lang), lang.CLIPolicyReads.In(x.Lang), lang.CLIPolicyOther.In(x.Lang)}}
	for _, row := range r.BuiltIn {
		rows = append(rows, []string{"  " + row.Caller, string(row.ReadOnly), string(row.Other)})
	}
	b.WriteString(terminal.Table(rows))
	fmt.Fprintln(&b, lang.CLIPolicyModes.In(x.Lang))
	return b.String()
}

// PolicyTest is what gongu policy test --json prints.
type PolicyTest struct {
	Cases  int               `json:"cases"`
	Failed []host.FailedCase `json:"failed"`
}

// PolicyTest says which cases failed, and the rules that were tried.
func (x *Texts) PolicyTest(r *PolicyTest) string {
	var b strings.Builder
	for _, f := range r.Failed {
		fmt.Fprintf(&b, "%s:%d: ", terminal.Visible(f.File), f.Line)
		fmt.Fprintln(&b, lang.CLIPolicyCase.In(x.Lang, terminal.Visible(f.Case), terminal.Visible(f.Expect), string(f.Effect), terminal.Visible(f.Rule)))
		b.WriteString(terminal.Table(x.stepRows(f.Steps)))
	}
	fmt.Fprintln(&b, lang.CLIPolicyCases.In(x.Lang, r.Cases, len(r.Failed)))
	return b.String()
}

func (x *Texts) stepRows(steps []host.CaseStep) [][]string {
	var rows [][]string
	for _, s := range steps {
		found := lang.CLIPolicyNoMatch.In(x.Lang)
		switch {
		case s.Failed != "":
			found = lang.CLIPolicyCondition.In(x.Lang, terminal.Visible(terminal.OneLine(s.Failed)))
		case s.Matched:
			found = lang.CLIPolicyMatched.In(x.Lang)
		}
		rows = append(rows, []string{"  " + string(s.Effect), terminal.Visible(s.Rule), found})
	}
	return rows
}

// PoliciesOf lists the rules of policy files and of gongu.
func PoliciesOf(files []host.PolicyFile) *Policy {
	found := &Policy{BuiltIn: policy.Table(), Modes: policy.Modes()}
	for _, f := range files {
		t := PolicyTier{Tier: f.Tier.String(), Path: f.Path, Exists: fsx.IsFile(f.Path), Rules: []PolicyRule{}}
		if f.Err != nil {
			t.Error = f.Err.Error()
		}
		for _, p := range f.Policies {
			t.Rules = append(t.Rules, policyRules(p.Set(f.Tier), true)...)
		}
		found.Tiers = append(found.Tiers, t)
	}
	return found
}

// AddBundle adds the rules of a bundle. Agreed means that rules which allow calls
// count.
func (r *Policy) AddBundle(b *bundle.Bundle, path string, agreed bool) {
	t := PolicyTier{Tier: policy.Bundle.String(), Path: path, Exists: true, Rules: []PolicyRule{}}
	for _, s := range host.BundleRules(b, true) {
		t.Rules = append(t.Rules, policyRules(s, agreed)...)
	}
	r.Tiers = append(r.Tiers, t)
}
