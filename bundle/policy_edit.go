package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/policy"
)

// PolicyEdit is a change of a policy file that is not written yet, so that it can
// be shown first.
type PolicyEdit struct {
	Path string
	// Before and After are the whole text.
	Before, After string
	// Set is the policy that is changed, Rule the name of the rule.
	Set, Rule string
	// Text is the rule as it is written in the file.
	Text string
}

// The reasons why a rule is not removed.
var (
	ErrNoRule       = errors.New("there is no rule of this name")
	ErrSeveralRules = errors.New("several policies have a rule of this name")
)

// AddRule adds a rule at the end of the policy with the name set. If that is
// missing, it becomes the first of the file, so that its rules come before those
// that are there. Comments and everything else stay as they are. Language is that
// of the comment that begins a new file.
func AddRule(path, set string, r policy.Rule, language string) (*PolicyEdit, error) {
	e, policies, err := openEdit(path)
	if err != nil {
		return nil, err
	}
	e.Set, e.Rule = set, r.Name
	want := rulesBySet(policies)
	want[set] = append(want[set], r)
	node, err := ruleNode(&r)
	if err == nil {
		e.Text, err = encodeNode(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{node}})
	}
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(policies, func(p *Policy) bool { return p.Name == set })
	if i < 0 {
		if e.Before == "" {
			e.After = "# " + lang.PolicyFileHeader.In(lang.Of(language)) + "\n"
		}
		e.After += newPolicy(set, e.Text, e.Before)
		return e, e.verify(want)
	}
	if rules := blockRules(policies[i]); rules != nil {
		lines := strings.SplitAfter(e.Before, "\n")
		_, end := itemLines(lines, rules, len(rules.Content)-1)
		e.After = strings.Join(lines[:end], "")
		if !strings.HasSuffix(e.After, "\n") {
			e.After += "\n"
		}
		e.After += indented(e.Text, rules.Column-1) + strings.Join(lines[end:], "")
		if e.verify(want) == nil {
			return e, nil
		}
	}
	return e, e.reencode(want, policies[i].Meta, func(rules *yaml.Node) { rules.Content = append(rules.Content, node) })
}

// RemoveRule removes a rule by its name, or by its number as in "rule 3" if it has
// none. Set is the name of its policy, and may be empty if no other policy of the
// file has a rule of this name. Comments right above the rule go with it.
func RemoveRule(path, set, name string) (*PolicyEdit, error) {
	e, policies, err := openEdit(path)
	if err != nil {
		return nil, err
	}
	var owner *Policy
	index := -1
	for _, p := range policies {
		for i := range p.Spec.Rules {
			if (set != "" && p.Name != set) || policy.RuleName(i, p.Spec.Rules[i].Name) != name {
				continue
			}
			if owner != nil {
				return nil, ErrSeveralRules
			}
			owner, index = p, i
		}
	}
	if owner == nil {
		return nil, ErrNoRule
	}
	e.Set, e.Rule = owner.Name, name
	want := rulesBySet(policies)
	want[owner.Name] = slices.Delete(want[owner.Name], index, index+1)
	if rules := blockRules(owner); rules != nil {
		lines := strings.SplitAfter(e.Before, "\n")
		start, end := itemLines(lines, rules, index)
		e.Text = strings.Join(lines[start:end], "")
		e.After = strings.Join(lines[:start], "") + strings.Join(lines[end:], "")
		if e.verify(want) == nil {
			return e, nil
		}
	}
	return e, e.reencode(want, owner.Meta, func(rules *yaml.Node) {
		removed := slices.Clone(rules.Content[index : index+1])
		rules.Content = slices.Delete(rules.Content, index, index+1)
		e.Text, _ = encodeNode(&yaml.Node{Kind: yaml.SequenceNode, Content: removed}) // only shown
	})
}

// Write replaces the file, which then only this user can read. It fails with
// [ErrChanged] when the file is not as it was.
func (e *PolicyEdit) Write(ctx context.Context) error {
	path := fsx.Resolve(e.Path) // a link stays
	if err := fsx.PrivateDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write the policy file: %w", err)
	}
	lock, err := fsx.TakeLock(ctx, filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock"))
	if err != nil {
		return fmt.Errorf("write the policy file: %w", err)
	}
	now, err := readPolicyFile(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
	case string(now) != e.Before:
		err = fmt.Errorf("%s: %w", e.Path, ErrChanged)
	default:
		err = fsx.ReplacePrivate(path, []byte(e.After))
	}
	return errors.Join(err, lock.Release())
}

// openEdit reads a file. One with errors is not changed.
func openEdit(path string) (*PolicyEdit, []*Policy, error) {
	raw, err := readPolicyFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read the policy file %s: %w", path, err)
	}
	policies, diagnostics := ParsePolicies(path, raw, nil)
	return &PolicyEdit{Path: path, Before: string(raw)}, policies, diagnostics.Err()
}

func rulesBySet(policies []*Policy) map[string][]policy.Rule {
	all := map[string][]policy.Rule{}
	for _, p := range policies {
		all[p.Name] = p.Set(policy.User).Rules
	}
	return all
}

// verify reads the changed text and compares the rules with those that are wanted.
func (e *PolicyEdit) verify(want map[string][]policy.Rule) error {
	policies, diagnostics := ParsePolicies(e.Path, []byte(e.After), nil)
	if err := diagnostics.Err(); err != nil {
		return fmt.Errorf("change the policy file: %w", err)
	}
	got := rulesBySet(policies)
	for set, rules := range want {
		if !slices.EqualFunc(got[set], rules, func(a, b policy.Rule) bool { return reflect.DeepEqual(a, b) }) {
			return fmt.Errorf("the rules of policy %s in %s cannot be changed as they are written: write each on its own lines, after \"- \"", set, e.Path)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%s has other policies than expected", e.Path)
	}
	return nil
}

// reencode changes the rules of a policy that are not written as a list of lines.
// The other documents stay as they are, but for their layout.
func (e *PolicyEdit) reencode(want map[string][]policy.Rule, m Meta, change func(rules *yaml.Node)) error {
	spec := m.spec.value()
	rules := deref(field(spec, "rules"))
	if rules == nil {
		rules = &yaml.Node{Kind: yaml.SequenceNode}
		for i := 0; i+1 < len(spec.Content); i += 2 {
			if spec.Content[i].Value == "rules" { // with a null
				spec.Content = slices.Delete(spec.Content, i, i+2)
				break
			}
		}
		spec.Content = append(spec.Content, textNode("rules"), rules)
	}
	spec.Style &^= yaml.FlowStyle
	rules.Style &^= yaml.FlowStyle
	change(rules)
	var out bytes.Buffer
	dec := yaml.NewDecoder(strings.NewReader(e.Before))
	for i := 0; ; i++ {
		var root yaml.Node
		if decodeNode(dec, &root) != nil {
			break
		}
		if i == m.place.doc.index {
			root.Content[0] = m.place.node
		}
		text, err := encodeNode(&root)
		if err != nil {
			return err
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.WriteString(text)
	}
	e.After = out.String()
	return e.verify(want)
}

// blockRules returns the list of rules if each begins on a line with "- ".
func blockRules(p *Policy) *yaml.Node {
	n := field(p.spec.value(), "rules")
	if n == nil || n.Kind != yaml.SequenceNode || n.Style&yaml.FlowStyle != 0 || len(n.Content) == 0 {
		return nil
	}
	return n
}

// itemLines returns the lines of an item of a list: from the comments right above
// it to the last line that is indented more than its "-".
func itemLines(lines []string, list *yaml.Node, i int) (start, end int) {
	indent := list.Column - 1
	start = list.Content[i].Line - 1
	for start > 0 && !strings.HasPrefix(strings.TrimLeft(lines[start], " "), "-") {
		start--
	}
	end = start + 1
	for n := end; n < len(lines); n++ {
		text := strings.TrimSpace(lines[n])
		if text != "" && len(lines[n])-len(strings.TrimLeft(lines[n], " ")) <= indent {
			break
		}
		if text != "" {
			end = n + 1
		}
	}
	for start > 0 && strings.HasPrefix(strings.TrimSpace(lines[start-1]), "#") && len(lines[start-1])-len(strings.TrimLeft(lines[start-1], " ")) == indent {
		start--
	}
	return start, end
}

func indented(text string, by int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.Repeat(" ", by))
		}
		b.WriteString(line)
	}
	return b.String()
}

// newPolicy returns a document with one rule, followed by a text.
func newPolicy(set, rule, after string) string {
	var b strings.Builder
	name, err := encodeNode(textNode(set))
	if err != nil {
		name = set
	}
	fmt.Fprintf(&b, "apiVersion: %s\nkind: Policy\nmetadata:\n  name: %s\nspec:\n  rules:\n%s", APIVersion, strings.TrimSpace(name), indented(rule, 4))
	if strings.TrimSpace(after) != "" && !strings.HasPrefix(after, "---") {
		b.WriteString("---\n")
	}
	b.WriteString(after)
	return b.String()
}
