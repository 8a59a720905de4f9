package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/gongu-ai/gongu/script"
)

// childCommand makes this program a process that runs scripts for another one
// of it. It is no command for people: it is not in the help, and speaks a
// protocol on standard input and output.
const childCommand = "script-child"

// isChild holds for a program that was started by childProgram.
func isChild(args []string) bool { return len(args) == 1 && args[0] == childCommand }

// childProgram is how this program starts itself for scripts; empty when it
// does not know its own file.
func childProgram() []string {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{path, childCommand}
}

// runChild is the whole program then; it returns the exit status.
func runChild(in io.Reader, out, stderr io.Writer) int {
	if err := script.ChildMain(context.Background(), in, out); err != nil {
		fmt.Fprintln(stderr, err)
		return exitError
	}
	return exitOK
}
