package main

import (
	"errors"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/terminal"
)

// personSays shows what is to be decided on the controlling terminal of this
// process and reports whether the answer typed there is yes. Standard input and
// flags cannot answer, because a script or a model may provide them. Without a
// terminal, and in a process that gongu started for a tool or a server, it
// prints who can decide and fails.
func (a *app) personSays(question string) (bool, error) {
	tty, err := terminal.Open()
	if err != nil {
		return false, a.cannotAsk(err)
	}
	defer tty.Close()
	text := strings.TrimRight(question, "\n") + " " + lang.CLIYesNo.In(a.lang) + " "
	return tty.Ask(text, &terminal.Writer{Secrets: a.secrets, Colour: a.colour})
}

// decided asks like personSays and turns a no into an error that is printed.
func (a *app) decided(question string) error {
	yes, err := a.personSays(question)
	if err == nil && !yes {
		a.complain(lang.CLIDecideNo.In(a.lang))
		err = errReported
	}
	return err
}

// cannotAsk prints why the question cannot be asked, and who can decide.
func (a *app) cannotAsk(err error) error {
	if errors.Is(err, terminal.ErrDescendant) {
		return a.fail(lang.CLIDecideDescendant.In(a.lang), lang.CLIDecideDescendantHint.In(a.lang))
	}
	return a.fail(lang.CLIDecideNoTerminal.In(a.lang), lang.CLIDecideNoTerminalHint.In(a.lang))
}

// atTerminal reports whether a person can be asked.
func atTerminal() bool { return terminal.Attended() }
