package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/gongu-ai/gongu/audit"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/secret"
	"github.com/gongu-ai/gongu/internal/statedir"
	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/state"
)

// The exit statuses. Scripts rely on them.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// environment is what a run of the program has from outside.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	language       string
	// getenv looks up the other variables; nil has none.
	getenv func(string) string
	// account is the user as the system knows them; without one the environment
	// is believed.
	account func() statedir.Account
}

// app is one run of the program.
type app struct {
	environment
	// output is standard output itself; stdout and stderr escape what is written.
	output io.Writer
	// secrets are those of everything that the run opens.
	secrets *secret.Vault
	// colour begins each colour; see [terminal.Writer].
	colour string
	lang   lang.Lang
	json   bool
	// shownHeld is the digest of the held change that a person saw last.
	shownHeld atomic.Pointer[string]
	// bundle and stateRoot are flags of every command.
	bundle, stateRoot string
	// store is the flag; ownStore uses the store in the state root in any case.
	store    string
	keyFile  string
	ownStore bool
	// records is the open store and recorder writes calls to it; both may be nil.
	records  *state.Store
	recorder *audit.Recorder
	// stateUsed is the state root that the command has asked for, or empty.
	stateUsed string
	// unused means that a command has changed a bundle and the change is held.
	unused bool
}

// run is the whole program; it returns the exit status.
func run(args []string, env environment) int {
	if env.getenv == nil {
		env.getenv = func(string) string { return "" }
	}
	if env.account == nil {
		env.account = func() statedir.Account { return statedir.Account{} }
	}
	a := &app{
		environment: env, lang: languageOf(args, env.language), output: env.stdout, secrets: &secret.Vault{}, colour: "\x1b" + rand.Text() + "[",
	}
	a.stdout, a.stderr = &terminal.Writer{Out: env.stdout, Secrets: a.secrets, Colour: a.colour}, &terminal.Writer{Out: env.stderr, Secrets: a.secrets, Colour: a.colour}
	root := a.rootCommand()
	root.SetArgs(args)
	err := root.Execute()
	a.closeStore()
	if a.stateUsed != "" {
		statedir.Used(a.stateUsed, a.bundleFolder())
	}
	var misuse *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitError
	case errors.Is(err, statedir.ErrUnusable):
		a.complainOfState(err)
		return exitUsage
	case errors.As(err, &misuse):
		a.complain(misuse.message)
		for _, hint := range misuse.hints {
			fmt.Fprintln(a.stderr, hint)
		}
		return exitUsage
	default:
		a.complain(err.Error())
		return exitError
	}
}

// errReported ends a command whose error is already printed.
var errReported = errors.New("already reported")

// usageError is a wrong command line: what is wrong, and what to do.
type usageError struct {
	message string
	hints   []string
}

func (e *usageError) Error() string { return e.message }

func (a *app) complain(message string) {
	fmt.Fprintln(a.stderr, lang.CLIError.In(a.lang, message))
}

// complainOfState prints why the state root cannot be used, and what to do.
func (a *app) complainOfState(err error) {
	if e, ok := errors.AsType[*lang.Error](err); ok {
		a.complain(visible(e.Message(string(a.lang))))
		fmt.Fprintln(a.stderr, visible(e.Hint(string(a.lang))))
		return
	}
	a.complain(err.Error())
}

// fail prints an error and what to do next, and returns errReported.
func (a *app) fail(message, hint string) error {
	a.complain(message)
	fmt.Fprintln(a.stderr, hint)
	return errReported
}

func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
