package host_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/policy"
)

const policyHead = "apiVersion: gongu/v1\nkind: Policy\nmetadata: {name: p}\nspec:\n"

func putFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// decision is what the rules of a host say about a call of a program.
func decision(t *testing.T, h *host.Host, tool string) policy.Decision {
	t.Helper()
	found, ok := h.Registry().Get(tool)
	if !ok {
		t.Fatalf("no tool %s", tool)
	}
	return h.Policy().Decide(t.Context(), &policy.Request{Tool: &found, Call: gongu.Call{ID: "1", Name: tool, Args: []byte("{}")}, Now: time.Now()})
}

// eventually waits for a decision; a host reads changes within 250 ms.
func eventually(t *testing.T, h *host.Host, tool, want string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		d := decision(t, h, tool)
		if got := string(d.Effect) + " " + d.Rule.String(); got == want {
			return
		} else if time.Now().After(end) {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

const policyBundle = "apiVersion: gongu/v1\nkind: Tool\nmetadata: {name: file-system}\nspec: {entry: \"builtin:file-system\", exports: [{name: read}, {name: write}]}\n---\n"

// P2: administrator, user, program and bundle; a deny of each wins.
func TestP2_HostTiers(t *testing.T) {
	dir, config := t.TempDir(), t.TempDir()
	admin, user := filepath.Join(config, "admin.yaml"), filepath.Join(config, "policy.yaml")
	rule := func(effect, glob string) string {
		return policyHead + "  rules: [{name: r, match: {tools: [" + glob + "]}, effect: " + effect + "}]\n"
	}
	for _, c := range []struct{ admin, user, bundle, want string }{
		{"", "", "", "allow built-in/the program itself"},
		{"", "", rule("ask", "'*'"), "ask bundle/p/r"},
		{"", rule("allow", "file-system__*"), rule("ask", "'*'"), "allow user/p/r"},
		{rule("ask", "'*write'"), rule("allow", "'*'"), "", "ask admin/p/r"},
		{rule("allow", "'*'"), rule("allow", "'*'"), rule("deny", "'*'"), "deny bundle/p/r"},
		{rule("allow", "'*'"), rule("deny", "'*'"), "", "deny user/p/r"},
		{rule("allow", "other"), policyHead + "  default: ask\n", rule("allow", "'*'"), "ask user/p/default"},
	} {
		putFile(t, admin, c.admin)
		putFile(t, user, c.user)
		putFile(t, filepath.Join(dir, "gongu.yaml"), policyBundle+c.bundle)
		h, err := host.Open(t.Context(), dir, &host.Options{StateRoot: t.TempDir(), Policy: host.PolicyOptions{Admin: admin, User: user}})
		if err != nil {
			t.Fatal(err)
		}
		d := decision(t, h, "file-system__write")
		if got := string(d.Effect) + " " + d.Rule.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// P2: a change of a policy file counts soon; a broken one keeps the last good
// rules, and is shown.
func TestP2_HostReadsAgain(t *testing.T) {
	user := filepath.Join(t.TempDir(), "policy.yaml")
	h, err := host.Open(t.Context(), "", &host.Options{
		StateRoot: t.TempDir(), Watch: true, Logger: slog.New(slog.DiscardHandler), Policy: host.PolicyOptions{User: user},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	const tool = "wait__seconds"
	none, deny := "allow built-in/read-only tools", "deny user/p/no"
	eventually(t, h, tool, none)
	changed := make(chan struct{}, 8)
	events := h.Events(t.Context())
	go func() {
		for e := range events {
			if e.Kind == "policy" {
				changed <- struct{}{}
			}
		}
	}()
	putFile(t, user, policyHead+"  rules: [{name: no, match: {tools: ['wait*']}, effect: deny}]\n")
	eventually(t, h, tool, deny)
	<-changed // what is hidden changed
	putFile(t, user, policyHead+"  rules: [{name: no, match: {tools: ['wait*']}, effect: dny}]\n")
	for end := time.Now().Add(20 * time.Second); h.PolicyFiles()[0].Err == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the broken file is not noticed")
		}
	}
	if text := h.PolicyFiles()[0].Err.Error(); !strings.HasPrefix(text, user+":5:") {
		t.Error(text)
	}
	eventually(t, h, tool, deny)
	putFile(t, user, policyHead+"  rules: [{name: no, match: {tools: ['wait*']}, effect: ask}]\n")
	eventually(t, h, tool, "ask user/p/no")
	if err := h.PolicyFiles()[0].Err; err != nil {
		t.Error(err)
	}
	// A second change within the resolution of the file's time counts, too.
	later := time.Now().Add(time.Hour)
	for _, effect := range []string{"ask ", "deny", "ask "} {
		putFile(t, user, policyHead+"  rules: [{name: no, match: {tools: ['wait*']}, effect: "+effect+"}]\n")
		if err := os.Chtimes(user, later, later); err != nil {
			t.Fatal(err)
		}
		eventually(t, h, tool, strings.TrimSpace(effect)+" user/p/no")
	}
	settled := h.Policy()
	time.Sleep(300 * time.Millisecond)
	if h.Policy() != settled {
		t.Error("the rules are replaced without a change")
	}
	if err := os.Remove(user); err != nil {
		t.Fatal(err)
	}
	eventually(t, h, tool, none)
}

// P2: a host does not open with a policy file that is broken, came with the bundle
// or can be written by others.
func TestP2_HostRefusesFiles(t *testing.T) {
	dir := t.TempDir()
	putFile(t, filepath.Join(dir, "gongu.yaml"), policyBundle)
	open := func(o host.PolicyOptions) error {
		h, err := host.Open(t.Context(), dir, &host.Options{StateRoot: t.TempDir(), Policy: o})
		if err == nil {
			err = h.Close()
		}
		return err
	}
	file := filepath.Join(t.TempDir(), "policy.yaml")
	putFile(t, file, policyHead+"  rules: [{match: 'tool.name == 1 +', effect: deny}]\n")
	for _, o := range []host.PolicyOptions{{User: file}, {Admin: file}} {
		if err := open(o); err == nil || !strings.Contains(err.Error(), file+":5:") {
			t.Error(err)
		}
	}
	putFile(t, file, policyHead+"  rules: [{match: 'tool.readOnly', effect: deny}]\n")
	if err := open(host.PolicyOptions{User: file}); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := open(host.PolicyOptions{User: file}); err == nil || !strings.Contains(err.Error(), "other users") {
		t.Error(err)
	}
	if err := os.Chmod(file, 0o660); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(file, os.Getuid(), 1); err == nil { // root only
		if err := open(host.PolicyOptions{Admin: file}); err == nil || !strings.Contains(err.Error(), "other users") {
			t.Error(err)
		}
	}
	if err := host.CheckAdminFile(file); (err == nil) != (os.Geteuid() == 0) {
		t.Error(err)
	}
	// A link counts by where it is and by where it leads.
	private, open2 := t.TempDir(), filepath.Join(t.TempDir(), "open")
	if err := errors.Join(os.Mkdir(open2, 0o700), os.Chmod(open2, 0o777), os.Chmod(file, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ link, target string }{{filepath.Join(open2, "policy.yaml"), file}, {filepath.Join(private, "policy.yaml"), filepath.Join(open2, "policy.yaml")}} {
		if err := os.Symlink(c.target, c.link); err != nil {
			t.Fatal(err)
		}
		if err := open(host.PolicyOptions{User: c.link}); err == nil || !strings.Contains(err.Error(), "other users") {
			t.Errorf("%s: %v", c.link, err)
		}
	}
	inside := filepath.Join(dir, "policy.yaml")
	putFile(t, inside, policyHead+"  default: allow\n")
	if err := open(host.PolicyOptions{User: inside}); err == nil || !strings.Contains(err.Error(), "came along") {
		t.Error(err)
	}
}

// P2: the rules of the program are compiled with the others; K4 keeps them apart.
func TestP2_HostProgramRules(t *testing.T) {
	set := policy.Set{Tier: policy.User, Name: "program", Rules: []policy.Rule{{Name: "no", Effect: policy.Deny}}}
	h, err := host.Open(t.Context(), "", &host.Options{StateRoot: t.TempDir(), Policy: host.PolicyOptions{Rules: []policy.Set{set}}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if d := decision(t, h, "wait__seconds"); d.Rule.String() != "user/program/no" {
		t.Error(d)
	}
	set.Rules[0].When = "nope"
	if _, err := host.Open(t.Context(), "", &host.Options{StateRoot: t.TempDir(), Policy: host.PolicyOptions{Rules: []policy.Set{set}}}); err == nil {
		t.Error("a rule that does not compile is accepted")
	}
}
