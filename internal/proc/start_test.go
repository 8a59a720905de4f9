//go:build unix

package proc

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func startShell(t *testing.T, s Spec, line string) *Process {
	t.Helper()
	s.Argv = []string{"/bin/sh", "-c", line}
	if s.Env == nil {
		s.Env = []string{"PATH=" + os.Getenv("PATH")}
	}
	p, err := Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.Kill() // it may have ended
		<-p.Exited()
		p.Close()
	})
	return p
}

func readAll(t *testing.T, f *os.File) string {
	t.Helper()
	raw, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The child reads and writes the pipes it was given: the standard ones, and the
// two of the channel.
func TestStartPipes(t *testing.T) {
	p := startShell(t, Spec{Input: true, Channel: true}, "cat; echo problem >&2; read -r line <&3; echo \"got $line\" >&4; exit 3")
	for f, text := range map[*os.File]string{p.Stdin: "input", p.Send: "hello\n"} {
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		_ = f.Close() // the child sees the end
	}
	for f, want := range map[*os.File]string{p.Stdout: "input", p.Stderr: "problem\n", p.Receive: "got hello\n"} {
		if got := readAll(t, f); got != want {
			t.Errorf("the child wrote %q, want %q", got, want)
		}
	}
	<-p.Exited()
	if got := p.Status(); got != "exit status 3" {
		t.Errorf("status %q", got)
	}
}

func TestStartWithoutInputReadsNothing(t *testing.T) {
	p := startShell(t, Spec{}, "cat; echo end")
	if p.Stdin != nil || p.Send != nil || p.Receive != nil {
		t.Error("there are pipes that the spec does not have")
	}
	if got := readAll(t, p.Stdout); got != "end\n" {
		t.Errorf("the child wrote %q", got)
	}
}

func TestStartEmpty(t *testing.T) {
	if _, err := Start(Spec{}); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("error %v", err)
	}
}

// Stop ends a child at the first step that it obeys, and its group in any case.
func TestStop(t *testing.T) {
	const long, short = 10 * time.Second, 50 * time.Millisecond
	for name, c := range map[string]struct {
		line        string
		leave, term time.Duration
		want        string
	}{
		"input closed": {"echo; cat; exit 4", long, long, "exit status 4"},
		"asked":        {"trap 'exit 5' TERM; echo; while :; do sleep 0.01; done", short, long, "exit status 5"},
		"not asked":    {"trap 'exit 5' TERM; echo; while :; do sleep 0.01; done", short, 0, "signal: killed"},
		"killed":       {"trap '' TERM; echo; while :; do sleep 0.01; done", short, short, "signal: killed"},
		"group":        {"sleep 60 & echo; cat; exit 6", long, long, "exit status 6"},
	} {
		t.Run(name, func(t *testing.T) {
			p := startShell(t, Spec{Input: true}, c.line)
			if _, err := p.Stdout.Read(make([]byte, 1)); err != nil { // it has set its trap
				t.Fatal(err)
			}
			if p.Status() != "" {
				t.Errorf("status %q of a child that runs", p.Status())
			}
			p.Stop(c.leave, c.term, long)
			if got := p.Status(); got != c.want {
				t.Errorf("status %q, want %q", got, c.want)
			}
			wantDead(t, p.PID())
		})
	}
}
