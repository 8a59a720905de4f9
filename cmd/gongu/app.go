package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/gongu-ai/gongu/internal/lang"
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
	// terminal is true when a person can answer a question.
	terminal bool
}

// app is one run of the program.
type app struct {
	environment
	lang lang.Lang
	json bool
	// bundle and stateRoot are flags of every command.
	bundle, stateRoot string
	// unused means that a command has changed a bundle and the change is held.
	unused bool
}

// run is the whole program; it returns the exit status.
func run(args []string, env environment) int {
	if env.getenv == nil {
		env.getenv = func(string) string { return "" }
	}
	a := &app{environment: env, lang: languageOf(args, env.language)}
	root := a.rootCommand()
	root.SetArgs(args)
	err := root.Execute()
	var misuse *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitError
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

// fail prints an error and what to do next, and returns errReported.
func (a *app) fail(message, hint string) error {
	a.complain(message)
	fmt.Fprintln(a.stderr, hint)
	return errReported
}

func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
