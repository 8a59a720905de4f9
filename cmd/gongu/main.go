// Gongu is the command line of gongu, the tool system for LLM agents. It lists
// the tools that an agent can use and calls them the way a model does.
//
//	gongu tools                                  list the tools
//	gongu tools --dialect anthropic              the same, as a provider wants it
//	gongu call text-transform__case '{"text":"hello","to":"upper"}'
//	gongu call --dry-run NAME -                  every check, nothing run
//	gongu init, validate, trust                  bundles: write, check, trust
//	gongu doctor                                 check this machine
//
// The tools are those of a bundle (-b DIR, or the current folder's), of one of
// its agents (--agent), or the starter tools.
//
// The exit status is 0 on success, 1 when the tool reported an error or the
// bundle has one, and 2 when the command line is wrong. Results go to standard
// output, errors to standard error, and --json prints results as JSON.
package main

import (
	"fmt"
	"os"

	"github.com/gongu-ai/gongu/internal/proc"
	"github.com/gongu-ai/gongu/internal/sandbox"
	"github.com/gongu-ai/gongu/internal/statedir"
)

// version and believed are set by the linker.
var (
	version = "dev"
	// believed makes --stdio believe an environment of another home folder. Only
	// the end-to-end tests, whose users have no account, are built with it.
	believed string
)

func main() {
	account := statedir.SystemAccount
	if believed != "" {
		account = nil
	}
	start(account)
}

func start(account func() statedir.Account) {
	if isChild(os.Args[1:]) {
		os.Exit(runChild(os.Stdin, os.Stdout, os.Stderr))
	}
	// Programs of the same user must not read tokens from /proc/PID/environ.
	if err := sandbox.HideProcess(); err != nil {
		fmt.Fprintln(os.Stderr, "gongu: hide this process from others:", err)
	}
	sandbox.KeepDescriptors()
	if err := proc.AdoptStrays(); err != nil {
		fmt.Fprintln(os.Stderr, "gongu: end what programs leave behind:", err)
	}
	os.Exit(run(os.Args[1:], environment{
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		language: os.Getenv("GONGU_LANG"),
		getenv:   os.Getenv,
		account:  account,
	}))
}
