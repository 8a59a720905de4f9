package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/policy"
)

// P11: a rule is added and removed with the rest of the file untouched, for every
// way in which people write it.
func TestP11_EditPolicyFile(t *testing.T) {
	no := false
	full := policy.Rule{
		Name: "remember: git status", Effect: policy.Ask, When: "principal.kind == \"cli\" &&\nargs.command == \"git status\"", Message: "a: b # c",
		Approvers: []string{"*@example.com"},
		Match: policy.Match{
			Tools: []string{"bash__*"}, Domains: []string{"bash"}, Sources: []string{"McpServer/*"}, Agents: []string{"yes"}, Principals: []string{"007"},
			Hints: policy.Hints{ReadOnly: &no},
		},
		Limits: policy.Limits{Rate: policy.Rate{Calls: 10, In: time.Minute}, Concurrent: 2, Timeout: 90 * time.Second, Output: 1 << 16},
	}
	head := "# my rules\napiVersion: gongu/v1\nkind: Policy\nmetadata: {name: mine} # here\nspec:\n"
	for name, before := range map[string]string{
		"none": "", "comment": "# nothing yet\n", "no newline": strings.TrimSuffix(head, "\n") + "\n  default: ask",
		"other policy": strings.Replace(head, "mine", "other", 1) + "  default: deny\n",
		"indented":     head + "  rules:\n    # one\n    - name: a\n      effect: ask # why\n\n    # two\n    - {name: b, effect: deny}\n\n  # last\n  default: ask\n---\n" + strings.Replace(head, "mine", "z", 1) + "  default: ask\n",
		"not indented": head + "  rules:\n  - name: a\n    when: |\n      true\n      || false\n    effect: ask\n",
		"dash alone":   head + "  rules:\n    -\n      name: a\n      effect: ask\n  default: deny\n",
		"flow":         head + "  rules: [{name: a, effect: ask}, # one\n    {name: b, effect: deny}]\n  default: deny\n",
		"odd flow":     head + "  rules:\n    - {name: a,\n effect: ask}\n",
		"empty list":   head + "  rules: []\n",
		"null":         head + "  rules:\n  default: ask\n",
		"all flow":     "{apiVersion: gongu/v1, kind: Policy, metadata: {name: mine}, spec: {rules: [{effect: deny}]}}\n",
		"crlf":         strings.ReplaceAll(head+"  rules:\n    - name: a\n      effect: ask\n", "\n", "\r\n"),
	} {
		file := filepath.Join(t.TempDir(), "gongu", "policy.yaml")
		if before != "" {
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		edit, err := AddRule(file, "mine", full, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := edit.Write(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for line := range strings.Lines(before) {
			if _, comment, has := strings.Cut(line, "#"); has && !strings.Contains(edit.After, strings.TrimSpace(comment)) {
				t.Errorf("%s: the comment %q is lost in\n%s", name, comment, edit.After)
			}
		}
		policies, ds, err := ReadPolicies(file, nil)
		if err != nil || ds.HasErrors() {
			t.Fatalf("%s: %v %v", name, ds, err)
		}
		found := false
		for _, p := range policies {
			rules := p.Set(policy.User).Rules
			found = found || p.Name == "mine" && reflect.DeepEqual(rules[len(rules)-1], full)
		}
		if !found {
			t.Errorf("%s: the rule is not there:\n%s", name, edit.After)
		}
		if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
		back, err := RemoveRule(file, "", full.Name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		exact := name == "indented" || name == "not indented" || name == "dash alone"
		if err := back.Write(t.Context()); err != nil || exact && back.After != before || !strings.Contains(back.Text, full.Name) {
			t.Errorf("%s: %v\n%s\nwas\n%s", name, err, back.After, before)
		}
	}
}

// P5: which rule is removed must be clear; a file that changed meanwhile or has
// errors is left alone.
func TestP5_RemoveRule(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	doc := func(name string) string {
		return "apiVersion: gongu/v1\nkind: Policy\nmetadata: {name: " + name + "}\nspec:\n  rules:\n    # about same\n    - {name: same, effect: ask}\n    - {effect: deny}\n"
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := RemoveRule(file, "", "same"); !errors.Is(err, ErrNoRule) {
		t.Error(err)
	}
	write(doc("a") + "---\n" + doc("b"))
	if _, err := RemoveRule(file, "", "same"); !errors.Is(err, ErrSeveralRules) {
		t.Error(err)
	}
	if _, err := RemoveRule(file, "c", "same"); !errors.Is(err, ErrNoRule) {
		t.Error(err)
	}
	edit, err := RemoveRule(file, "b", "same")
	if err != nil || edit.After != doc("a")+"---\n"+strings.Replace(doc("b"), "    # about same\n    - {name: same, effect: ask}\n", "", 1) {
		t.Errorf("%v\n%s", err, edit.After)
	}
	write(doc("a"))
	if err := edit.Write(t.Context()); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
	if edit, err := RemoveRule(file, "", "rule 2"); err != nil || strings.Contains(edit.After, "deny") {
		t.Error(edit, err)
	}
	write(doc("a") + "    - {name: same, effect: ask}\n")
	if _, err := RemoveRule(file, "", "same"); err == nil {
		t.Error("a broken file is changed")
	}
	if _, err := AddRule(file, "a", policy.Rule{Name: "x", Effect: policy.Deny}, ""); err == nil {
		t.Error("a broken file is changed")
	}
}
