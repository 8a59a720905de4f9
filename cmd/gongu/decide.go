package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/proc"
)

// The reasons why no person can be asked.
var (
	errNoTerminal = errors.New("no controlling terminal")
	errDescendant = errors.New("started by gongu")
)

// personSays shows what is to be decided on the controlling terminal of this
// process and reports whether the answer typed there is yes. Standard input and
// flags cannot answer, because a script or a model may provide them. Without a
// terminal, and in a process that gongu started for a tool or a server, it
// prints who can decide and fails.
func (a *app) personSays(question string) (bool, error) {
	tty, err := openPerson()
	if err != nil {
		return false, a.cannotAsk(err)
	}
	defer tty.Close()
	if err := tty.discardInput(); err != nil {
		return false, fmt.Errorf("ask at the terminal: %w", err)
	}
	shown := &screen{out: tty.out, secrets: a.secrets, colour: a.colour}
	if _, err := fmt.Fprintf(shown, "%s %s ", strings.TrimRight(question, "\n"), lang.CLIYesNo.In(a.lang)); err != nil {
		return false, fmt.Errorf("ask at the terminal: %w", err)
	}
	return readYes(tty.in, tty.out), nil
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
	if errors.Is(err, errDescendant) {
		return a.fail(lang.CLIDecideDescendant.In(a.lang), lang.CLIDecideDescendantHint.In(a.lang))
	}
	return a.fail(lang.CLIDecideNoTerminal.In(a.lang), lang.CLIDecideNoTerminalHint.In(a.lang))
}

// atTerminal reports whether a person can be asked.
func atTerminal() bool {
	tty, err := openPerson()
	if err != nil {
		return false
	}
	tty.Close()
	return true
}

// openPerson opens the terminal at which a person can be asked. The error is
// errDescendant or errNoTerminal.
func openPerson() (*terminal, error) {
	if startedByGongu() {
		return nil, errDescendant
	}
	tty, err := openTerminal()
	if err != nil {
		return nil, errNoTerminal
	}
	return tty, nil
}

// terminal is the controlling terminal of this process.
type terminal struct {
	in, out *os.File
}

// Close closes the terminal; nothing was buffered.
func (t *terminal) Close() {
	_ = t.in.Close()
	if t.out != t.in {
		_ = t.out.Close()
	}
}

// startedByGongu reports whether this process descends from a program that gongu
// started. Three things tell: the mark in the environment of every such program,
// the same mark in an ancestor's environment, and an ancestor that is gongu
// itself, since a program can remove variables but not its ancestors.
func startedByGongu() bool {
	if os.Getenv(proc.Mark) != "" {
		return true
	}
	own, err := os.Executable()
	if err != nil {
		own = ""
	}
	names := []string{"gongu", programName(own)}
	return slices.ContainsFunc(ancestors(), func(p ancestor) bool {
		return p.marked || p.program != "" && slices.Contains(names, programName(p.program))
	})
}

// ancestor is a process above this one.
type ancestor struct {
	program string // its executable
	marked  bool   // has proc.Mark in its environment
}

// programName is the name of an executable, also of one that was replaced while
// it ran.
func programName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), " (deleted)")
	return strings.TrimSuffix(name, ".exe")
}

// maxAncestors is far above the depth of any real tree of processes.
const maxAncestors = 1000

// readYes reads the answer to a question: one line, and no byte after it,
// because the rest of the input may be for a tool.
func readYes(in io.Reader, echo io.Writer) bool {
	var line []byte
	next := make([]byte, 1)
	for len(line) < 64 {
		n, err := in.Read(next)
		if n == 1 && next[0] == '\n' {
			break
		}
		line = append(line, next[:n]...)
		if err != nil {
			if errors.Is(err, io.EOF) {
				fmt.Fprintln(echo) // ends the line of the question
			}
			return false
		}
	}
	answer := strings.ToLower(string(bytes.TrimSpace(line)))
	return slices.Contains([]string{"y", "yes", "예", "네"}, answer)
}
