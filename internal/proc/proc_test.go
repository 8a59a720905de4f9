//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// promise is how long after its timeout a call may take.
const promise = time.Second

// inTime lets a machine that is busy with other things try again: what holds a
// call does so every time.
func inTime(t *testing.T, limit time.Duration, run func() time.Duration) {
	t.Helper()
	var took []time.Duration
	for range 3 {
		last := run()
		if last <= limit {
			return
		}
		took = append(took, last)
	}
	t.Errorf("took %v, at most %s was promised", took, limit)
}

// shell runs a command line; its output begins with the number of its group.
func shell(t *testing.T, ctx context.Context, timeout time.Duration, line string) (Exit, string, int, time.Duration, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	began := time.Now()
	exit, err := Run(ctx, Command{
		Argv: []string{"/bin/sh", "-c", "echo $$; " + line},
		Env:  []string{"PATH=" + os.Getenv("PATH")}, Stdout: &stdout, Stderr: &stderr, Timeout: timeout,
	})
	took := time.Since(began)
	first, rest, _ := strings.Cut(stdout.String(), "\n")
	group, _ := strconv.Atoi(first)
	return exit, rest + stderr.String(), group, took, err
}

// wantDead waits until no process of a group runs. A process that was ended but
// not yet waited for by the system's first process does not count as running.
func wantDead(t *testing.T, group int) {
	t.Helper()
	if group <= 1 {
		t.Fatalf("group %d is not known", group)
	}
	deadline := time.Now().Add(5 * time.Second)
	for syscall.Kill(-group, 0) == nil && len(members(group)) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("processes %v of group %d still run", members(group), group)
		}
		time.Sleep(pollEvery)
	}
}

// members are the running processes of a group. Where there is no /proc it is
// the group itself.
func members(group int) []string {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		return []string{strconv.Itoa(group)}
	}
	var found []string
	for _, name := range stats {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		var state string
		var parent, pgrp int
		_, rest, _ := strings.Cut(string(raw), ") ")
		if _, err := fmt.Sscan(rest, &state, &parent, &pgrp); err == nil && pgrp == group && state != "Z" && state != "X" {
			found = append(found, name)
		}
	}
	return found
}

func TestRun(t *testing.T) {
	cases := map[string]Exit{
		"true":              {},
		"exit 3":            {Code: 3},
		"kill -TERM $$":     {Code: -1, Signal: "SIGTERM"},
		"kill -KILL $$":     {Code: -1, Signal: "SIGKILL"},
		"kill -USR1 $$":     {Code: -1, Signal: "SIGUSR1"},
		"cat; exit 4":       {Code: 4}, // the input is empty
		"sleep 60 & exit 5": {Code: 5, TimedOut: true},
	}
	if runtime.GOOS == "linux" {
		cases["kill -40 $$"] = Exit{Code: -1, Signal: "SIG40"} // has no name
	}
	for line, want := range cases {
		t.Run(line, func(t *testing.T) {
			timeout := 10 * time.Second
			if want.TimedOut {
				timeout = time.Second
			}
			got, _, group, _, err := shell(t, t.Context(), timeout, line)
			if err != nil || got != want {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
			wantDead(t, group)
		})
	}
}

// TestGoondanW7_GroupsDie: a call returns soon after its timeout, and nothing it
// started is left.
func TestGoondanW7_GroupsDie(t *testing.T) {
	for name, line := range map[string]string{
		"obeys":                    "sleep 60",
		"ignores TERM":             "trap '' TERM; sleep 60",
		"ignores TERM, in a loop":  "trap '' TERM; while :; do sleep 1; done",
		"child ignores TERM":       "(trap '' TERM; sleep 60) & wait",
		"child holds the pipe":     "sleep 60 & sleep 60 & exit 0",
		"stopped":                  "kill -STOP $$",
		"writes without end":       "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done",
		"a child of a child":       "sh -c 'sh -c \"sleep 60\" & wait' & wait",
		"detached, without a pipe": "sh -c \"trap '' TERM; sleep 60\" >/dev/null 2>&1 & sleep 60",
	} {
		t.Run(name, func(t *testing.T) {
			const timeout = 200 * time.Millisecond
			inTime(t, timeout+promise, func() time.Duration {
				exit, _, group, took, err := shell(t, t.Context(), timeout, line)
				if err != nil || !exit.TimedOut || took < timeout {
					t.Errorf("%+v, %v after %s, want a timeout", exit, err, took)
				}
				if group == 0 {
					return timeout + 2*promise // too busy even to begin
				}
				wantDead(t, group)
				return took
			})
		})
	}
}

// TestGoondanW7_NothingOutlivesItsCall: a program that ends well leaves nothing, too.
func TestGoondanW7_NothingOutlivesItsCall(t *testing.T) {
	exit, _, group, took, err := shell(t, t.Context(), 30*time.Second, "sleep 60 >/dev/null 2>&1 & exit 0")
	if err != nil || exit != (Exit{}) || took > 10*time.Second {
		t.Errorf("%+v, %v after %s", exit, err, took)
	}
	wantDead(t, group)
}

func TestGraceIsUsed(t *testing.T) {
	exit, out, _, _, err := shell(t, t.Context(), time.Second, "trap 'echo cleaned; exit 7' TERM; while :; do :; done")
	if err != nil || exit != (Exit{Code: 7, TimedOut: true}) || out != "cleaned\n" {
		t.Errorf("%+v, %q, %v", exit, out, err)
	}
}

// TestEscapedChild: a process with a session of its own cannot be ended from
// here, but it does not hold the call.
func TestEscapedChild(t *testing.T) {
	if _, err := os.Stat("/usr/bin/setsid"); err != nil {
		t.Skip("no setsid") //rules:skip macOS has no such program
	}
	const timeout = time.Second
	inTime(t, timeout+promise, func() time.Duration {
		exit, out, _, took, err := shell(t, t.Context(), timeout, "setsid sh -c 'echo $$; exec sleep 60' & sleep 60")
		if err != nil || !exit.TimedOut {
			t.Errorf("%+v, %v", exit, err)
		}
		if pid, err := strconv.Atoi(strings.TrimSpace(out)); err == nil && pid > 1 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		} else {
			t.Errorf("output %q has no pid", out)
		}
		return took
	})
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := &onWrite{do: cancel}
	began := time.Now()
	_, err := Run(ctx, Command{Argv: []string{"/bin/sh", "-c", "trap '' TERM; echo $$; sleep 60"}, Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: started})
	if !errors.Is(err, context.Canceled) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	group, _ := strconv.Atoi(strings.TrimSpace(started.String()))
	wantDead(t, group)

	if _, err := Run(ctx, Command{Argv: []string{"/bin/sh"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was over has run: %v", err)
	}
}

// onWrite does something when the program has written.
type onWrite struct {
	mu sync.Mutex
	bytes.Buffer
	do func()
}

func (w *onWrite) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.do()
	return w.Buffer.Write(p)
}

func (w *onWrite) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Buffer.String()
}

// TestStuckWriter: whoever takes the output and never returns does not hold
// the call either.
func TestStuckWriter(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	inTime(t, 200*time.Millisecond+promise, func() time.Duration {
		began := time.Now()
		exit, err := Run(t.Context(), Command{
			Argv: []string{"/bin/sh", "-c", "echo hi"}, Timeout: 200 * time.Millisecond,
			Stdout: &onWrite{do: func() { <-release }},
		})
		if err != nil || !exit.TimedOut {
			t.Errorf("%+v, %v", exit, err)
		}
		return time.Since(began)
	})
}

// TestNoEnvironment: what is not given is not inherited. Every child has the mark
// by which decisions are refused to it (P7).
func TestNoEnvironment(t *testing.T) {
	t.Setenv("SECRET_KEY", "s3cret")
	var out bytes.Buffer
	if _, err := Run(t.Context(), Command{Argv: []string{"/usr/bin/env"}, Stdout: &out}); err != nil || !regexp.MustCompile("^"+Mark+"=[0-9A-Z]{26}\n$").MatchString(out.String()) {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestPipesAreClosed, however a call ends.
func TestPipesAreClosed(t *testing.T) {
	before := descriptors(t)
	for i := range 40 {
		line, timeout := "true", time.Duration(0)
		if i%4 == 0 {
			line, timeout = "sleep 60 &", 10*time.Millisecond
		}
		if _, _, _, _, err := shell(t, t.Context(), timeout, line); err != nil {
			t.Fatal(err)
		}
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

func TestStartErrors(t *testing.T) {
	before := descriptors(t)
	for range 20 {
		if _, err := Run(t.Context(), Command{Argv: []string{"/no/such/program"}}); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("error %v", err)
		}
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	for _, end := range []error{Kill(newCommand()), Terminate(newCommand())} {
		if !errors.Is(end, errNotStarted) {
			t.Errorf("ending what was not started: %v", end)
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func newCommand() *exec.Cmd { return exec.Command("/bin/true") }
