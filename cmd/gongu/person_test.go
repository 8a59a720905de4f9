package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// prompt is the end of a question: the keys that can be typed, or the value of an
// argument that can be replaced.
var prompt = regexp.MustCompile(`\[[a-zA-Z?/]+\] |\((?:now|현재) [^\n]*\): `)

// person runs a program as a person at a terminal does: with a controlling
// terminal, where each question gets its answer, and those after them the last.
// Standard input is empty. The file "terminal" has what the terminal showed.
//
//	person ANSWER[,ANSWER...] COMMAND [ARGUMENT...]
func person(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: person ANSWER[,ANSWER...] COMMAND [ARGUMENT...]")
	}
	s := ts.Value(serversKey{}).(*servers)
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, variable := range s.names {
		cmd.Env = append(cmd.Env, variable+"="+ts.Getenv(variable))
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	shown, err := asPerson(cmd, args[0])
	_, writeErr := ts.Stdout().Write(stdout.Bytes())
	ts.Check(writeErr)
	_, writeErr = ts.Stderr().Write(stderr.Bytes())
	ts.Check(writeErr)
	ts.Check(os.WriteFile(ts.MkAbs("terminal"), []byte(shown), 0o600))
	if (err != nil) != neg {
		ts.Fatalf("person: %v\n%s", err, shown)
	}
}

// asPerson runs a command with a controlling terminal and answers each question
// that appears there. It returns what the terminal showed.
func asPerson(cmd *exec.Cmd, answer string) (shown string, err error) {
	pty, tty, err := openPTY()
	if err != nil {
		return "", err
	}
	controlledBy(cmd, tty)
	err = cmd.Start()
	_ = tty.Close() // the child has its own
	if err != nil {
		return "", err
	}
	var reading sync.WaitGroup
	var text strings.Builder
	reading.Go(func() {
		answers, answered := strings.Split(answer, ","), 0
		buf := make([]byte, 4096)
		for {
			n, err := pty.Read(buf)
			text.Write(buf[:n])
			if asked := len(prompt.FindAllString(text.String(), -1)); asked > answered {
				answered = asked
				_, _ = pty.WriteString(answers[min(asked, len(answers))-1] + "\n") // the program may have ended
			}
			if err != nil {
				return // the last process closed the terminal
			}
		}
	})
	err = cmd.Wait()
	reading.Wait()
	_ = pty.Close()
	return strings.ReplaceAll(text.String(), "\r\n", "\n"), err
}
