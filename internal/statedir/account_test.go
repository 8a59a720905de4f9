package statedir_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/gongu-ai/gongu/internal/statedir"
)

// K3: what a person accepted at a terminal counts, value by value, and only from a
// file that other users could not have written.
func TestK3_AcceptedEnvironment(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the variables of other systems have other names") //rules:skip the variables are those of Linux
	}
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "GONGU_CONFIG_DIR", "GONGU_STATE_ROOT"} {
		t.Setenv(name, "")
	}
	a := statedir.Account{Home: t.TempDir()}
	t.Setenv("HOME", a.Home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(a.Home, ".config"))
	if got := a.Choices(""); len(got) != 0 {
		t.Fatalf("what is usual is a choice: %v", got)
	}
	t.Setenv("XDG_STATE_HOME", "/elsewhere")
	choices := a.Choices("some/root")
	if len(choices) != 2 || choices[0].Value != "/elsewhere" || !filepath.IsAbs(choices[1].Value) || len(a.Unaccepted(choices)) != 2 {
		t.Fatalf("%v", choices)
	}
	for range 2 { // the second time adds to the first
		if err := a.Accept(choices[:1]); err != nil {
			t.Fatal(err)
		}
		if err := a.Accept(choices[1:]); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", "/another")
	if got := a.Unaccepted(a.Choices("some/root")); len(got) != 1 || got[0].Name != "XDG_CACHE_HOME" {
		t.Errorf("%v", got)
	}
	if got := a.Unaccepted(a.Choices("other/root")); len(got) != 2 {
		t.Errorf("another value is accepted: %v", got)
	}
	file := filepath.Join(a.Home, ".config", "gongu", "environment.json")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := a.Unaccepted(choices); len(got) != 2 {
		t.Errorf("a file that others can read counts: %v", got)
	}
	if err := a.Accept(choices); err == nil {
		t.Error("a file that others can read was replaced without a word")
	}
	if err := os.WriteFile(file, []byte(`{"version":2,"accepted":[{"name":"XDG_STATE_HOME","value":"/elsewhere"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := a.Unaccepted(choices); len(got) != 2 {
		t.Errorf("another format counts: %v", got)
	}
	link := filepath.Join(t.TempDir(), "planted.json")
	if err := os.WriteFile(link, []byte(`{"version":1,"accepted":[{"name":"XDG_STATE_HOME","value":"/elsewhere"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(link, file); err != nil {
		t.Fatal(err)
	}
	if got := a.Unaccepted(choices); len(got) != 2 {
		t.Errorf("a link counts: %v", got)
	}
	// A user whom the database does not know has nothing but the environment.
	if got := (statedir.Account{}).Choices("some/root"); got != nil {
		t.Errorf("%v", got)
	}
	if err := (statedir.Account{}).Ignore(choices); err != nil || os.Getenv("XDG_STATE_HOME") != "/elsewhere" {
		t.Errorf("the environment of a user without an account was changed: %v", err)
	}
	if err := a.Ignore(choices); err != nil || os.Getenv("XDG_STATE_HOME") != "" || os.Getenv("HOME") != a.Home || os.Getenv("XDG_CACHE_HOME") != "/another" {
		t.Errorf("%v %v", err, os.Environ())
	}
	if home := statedir.SystemAccount().Home; home != "" && !filepath.IsAbs(home) {
		t.Errorf("%q", home)
	}
}
