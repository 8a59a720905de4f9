package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/statedir"
)

// consentedMain is the program of the tests. With CONSENT=auto it first consents
// to the bundle that the command line chooses, as a person would have: most tests
// are about something else. The shipped program has no such variable.
func consentedMain() {
	if args := os.Args[1:]; os.Getenv("CONSENT") == "auto" && len(args) > 0 && !isChild(args) &&
		slices.Contains([]string{"tools", "call", "serve", "search", "sources", "pins", "requests", "cad", "doctor", "mcp", "connect"}, args[0]) {
		grantConsent(chosen(args, "-b", "--bundle"), chosen(args, "--state-root"))
	}
	// Without ACCOUNT_HOME the user of a test has no account, so that the
	// environment counts.
	start(func() statedir.Account { return statedir.Account{Home: os.Getenv("ACCOUNT_HOME")} })
}

// chosen is the value of a flag on a command line.
func chosen(args []string, names ...string) string {
	for i, arg := range args {
		for _, name := range names {
			if value, ok := strings.CutPrefix(arg, name+"="); ok {
				return value
			}
			if arg == name && i+1 < len(args) {
				return args[i+1]
			}
		}
	}
	return ""
}

// grantConsent consents to a bundle as it is. What cannot be consented to is left
// to the program to report.
func grantConsent(dir, stateRoot string) {
	if dir == "" {
		if !bundle.Present(".") {
			return
		}
		dir = "."
	}
	records := host.Consents{}
	if config := os.Getenv("GONGU_CONFIG_DIR"); config != "" {
		records.Dir, _ = filepath.Abs(filepath.Join(config, "trust"))
	}
	p, err := host.Propose(dir, &host.Options{StateRoot: stateRoot, Consent: &host.ConsentOptions{Records: records}})
	if err == nil && p.Needed() {
		_ = p.Grant("test", true)
	}
}

// consentHere consents to a bundle for a test that runs the program inside of its
// own process, and returns the variables that the program needs then.
func consentHere(t *testing.T, dir string) func(string) string {
	t.Helper()
	t.Setenv("GONGU_CONFIG_DIR", t.TempDir())
	t.Setenv("GONGU_STATE_ROOT", t.TempDir())
	grantConsent(dir, "")
	return os.Getenv
}

// consent consents to a bundle while programs run: consent DIR.
func consent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: consent DIR")
	}
	records := host.Consents{Dir: filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "gongu", "trust")}
	p, err := host.Propose(ts.MkAbs(args[0]), &host.Options{StateRoot: ts.Getenv("GONGU_STATE_ROOT"), Consent: &host.ConsentOptions{Records: records}})
	ts.Check(err)
	ts.Check(p.Grant("test", true))
}
