//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

// TestInterrupt sends Ctrl-C to a call that waits: the tool ends, and the
// result is printed all the same. The program starts with the signal ignored,
// so that one which comes before the program listens does no harm.
func TestInterrupt(t *testing.T) {
	began := time.Now()
	cmd := exec.Command("sh", "-c", `trap "" INT; exec gongu call --json wait__seconds '{"seconds":250}'`)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the exit status is looked at below
		close(ended)
	}()
	keepSending(cmd.Process, os.Interrupt, ended)
	var result gongu.Result
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		t.Fatalf("stdout %q: %v; stderr %q", stdout.String(), err, stderr.String())
	}
	if result.Error == nil || result.Error.Code != gongu.CodeCancelled || cmd.ProcessState.ExitCode() != exitError {
		t.Errorf("exit status %d, result %s; want %d and %s", cmd.ProcessState.ExitCode(), stdout.String(), exitError, gongu.CodeCancelled)
	}
	if passed := time.Since(began); passed > time.Minute {
		t.Errorf("ended after %s", passed)
	}
}

func keepSending(process *os.Process, sig os.Signal, ended <-chan struct{}) {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticker.C:
			_ = process.Signal(sig) // it may just have ended
		}
	}
}
