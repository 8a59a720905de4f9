// Package doctor checks a machine and a bundle for what gongu needs, and says what
// to do about what is missing. It starts and connects to nothing.
package doctor

import (
	"log/slog"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
)

// The states of a check. A missing item is optional; a problem is not.
const (
	OK      = "ok"
	Missing = "missing"
	Problem = "problem"
	Note    = "note" // a risk that the user has chosen
)

// Check is the result of one check.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	// Next is what to do about it.
	Next string `json:"next,omitempty"`
}

// Report is the result of all checks.
type Report struct {
	OK     bool    `json:"ok"`
	Checks []Check `json:"checks"`
}

// Problems counts the checks that found a problem.
func (r *Report) Problems() int {
	n := 0
	for _, c := range r.Checks {
		if c.Status == Problem {
			n++
		}
	}
	return n
}

// Options are the bundle and the folders that the other commands would use.
type Options struct {
	Lang    lang.Lang
	Logger  *slog.Logger
	Secrets *secret.Vault
	// Version is that of this program.
	Version string
	// Child starts this program as a child process that runs scripts.
	Child []string
	// Bundle is the folder or the file of the bundle, Folder its folder. Named
	// means that the user named it.
	Bundle, Folder string
	Named          bool
	// StateRoot is the option of that name; State returns the state root that
	// follows from it, and Config the folder of the user's configuration.
	StateRoot     string
	State, Config func() (string, error)
	Load          func(path string) (*bundle.Bundle, bundle.Diagnostics)
	Consent       func() (*host.ConsentOptions, error)
	Commands      Commands
}

// Commands are the commands that the advice names, for the same bundle.
type Commands struct {
	Validate, Trust, StateMove, PinsDiff string
}

// found is the bundle that was read.
type found struct {
	// present is false when there is none; bundle is nil when it has errors.
	present     bool
	bundle      *bundle.Bundle
	diagnostics bundle.Diagnostics
}

// Run makes all checks. It reads the bundle once.
func Run(o *Options) Report {
	checks := o.checkMachine()
	checks = append(checks, o.checkFolders()...)
	checks = append(checks, o.checkSandbox()...)
	var read found
	if read.present = o.Named || bundle.Present(o.Bundle); read.present {
		read.bundle, read.diagnostics = o.Load(o.Bundle)
	}
	checks = append(checks, o.checkBundle(read)...)
	checks = append(checks, o.checkRuntimes(read.bundle)...)
	checks = append(checks, o.checkLosses()...)
	checks = append(checks, o.checkSources(read)...)
	report := Report{Checks: checks}
	report.OK = report.Problems() == 0
	return report
}
