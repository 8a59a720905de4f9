package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/gongu-ai/gongu/script"
)

// childCommand starts this program as a child process that runs scripts. It is
// internal: the help does not list it, and it reads and writes a protocol on
// standard input and output.
const childCommand = "script-child"

// isChild reports whether this process was started by childProgram.
func isChild(args []string) bool { return len(args) == 1 && args[0] == childCommand }

// childProgram returns the command line of the child process for scripts. It is
// empty when the path of the executable is unknown.
func childProgram() []string {
	path, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{path, childCommand}
}

// runChild runs the child process and returns the exit status.
func runChild(in io.Reader, out, stderr io.Writer) int {
	if err := script.ChildMain(context.Background(), in, out); err != nil {
		fmt.Fprintln(stderr, err)
		return exitError
	}
	return exitOK
}
