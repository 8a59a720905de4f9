// Package proc runs a child process so that nothing of it outlives the call:
// the child leads a new session and process group, and the whole group is ended, not only
// its leader. A child that ignores the request to end, or whose own children
// keep its pipes open, does not block the caller.
//
// A process that starts a new session (setsid) leaves the group and is not
// ended, unless its sandbox has a PID namespace. Windows has no such groups:
// there only the child itself ends.
package proc

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/sandbox"
)

// How long the steps of ending a group may take. Together they stay well below
// a second, which is what a caller is promised after its timeout.
const (
	defaultGrace = 200 * time.Millisecond // from the request to end to the kill
	killWait     = 300 * time.Millisecond // for the kernel to finish a killed child
	goneWait     = 50 * time.Millisecond  // for a killed group to be gone
	drainWait    = 100 * time.Millisecond // for what is still in the pipes
	pollEvery    = 5 * time.Millisecond
)

// Command is a program to run to its end.
type Command struct {
	// Argv is the program and its arguments.
	Argv []string
	Dir  string
	// Env is the whole environment of the child; nothing is inherited.
	Env []string
	// Stdin is what the child can read, and then its end. A child may leave it
	// unread.
	Stdin []byte
	// Stdout and Stderr get what the child writes, each from a goroutine of
	// its own. Their errors are ignored: a child must not block on them.
	Stdout, Stderr io.Writer
	// Timeout ends the group; zero or less means never.
	Timeout time.Duration
	// Grace is the time between asking the group to end and killing it
	// (default 200 ms).
	Grace time.Duration
	// Sandbox confines the child; nil does not.
	Sandbox *sandbox.Policy
}

// Exit says how a child ended.
type Exit struct {
	// Code is the exit code, or -1 when a signal ended the child.
	Code int
	// Signal is the name of that signal, such as SIGKILL.
	Signal   string
	TimedOut bool
}

// Run starts the child and waits until it has ended and all holders have closed
// its pipes. At the timeout, or when ctx is done, it ends the group and does not
// wait for processes that resist. An error means that the child could not be
// started or that ctx was done, not that the child failed.
func Run(ctx context.Context, c Command) (Exit, error) {
	if err := ctx.Err(); err != nil {
		return Exit{}, err
	}
	p, err := start(Spec{Argv: c.Argv, Dir: c.Dir, Env: c.Env, Input: len(c.Stdin) > 0, Sandbox: c.Sandbox})
	if err != nil {
		return Exit{}, err
	}
	child := &running{Process: p, drained: make(chan struct{})}
	child.feed(c.Stdin)
	child.follow(c.Stdout, c.Stderr)
	timedOut, cause := child.wait(ctx, c.Timeout)
	if timedOut || cause != nil {
		child.end(cmp.Or(max(c.Grace, 0), defaultGrace))
	}
	child.sweep()
	if cause != nil {
		return Exit{}, cause
	}
	exit := child.exit()
	exit.TimedOut = timedOut
	return exit, nil
}

// running is a process whose output is being read.
type running struct {
	*Process
	drained chan struct{} // closed when both pipes have ended
}

// feed writes the input while the child runs. The child may close its end, or
// be killed with the rest unread.
func (r *running) feed(data []byte) {
	if r.Stdin == nil {
		return
	}
	go func() {
		_, _ = r.Stdin.Write(data)
		_ = r.Stdin.Close()
	}()
}

func (r *running) follow(stdout, stderr io.Writer) {
	go func() {
		var readers sync.WaitGroup
		readers.Go(func() { drain(stdout, r.Stdout) })
		readers.Go(func() { drain(stderr, r.Stderr) })
		readers.Wait()
		close(r.drained)
	}()
}

// drain reads to the end whatever the writer thinks of it.
func drain(dst io.Writer, src *os.File) {
	if dst == nil {
		dst = io.Discard
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			_, _ = dst.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// wait returns when the child is done with everything, or when it must end.
func (r *running) wait(ctx context.Context, timeout time.Duration) (timedOut bool, cause error) {
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	for _, done := range []chan struct{}{r.exited, r.drained} {
		select {
		case <-done:
		case <-expired:
			return true, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return false, nil
}

// end asks the group to end, and gives it the grace to do so.
func (r *running) end(grace time.Duration) {
	_ = r.Terminate() // it may have ended by itself
	r.awaitGone(grace)
}

// sweep kills what is left of the group, also of one whose leader has ended
// well, and closes the pipes. After it nothing of the call is left, but for a
// process that the kernel cannot end and, without [AdoptStrays] or a sandbox, one
// that left the group.
func (r *running) sweep() {
	if r.Kill() == nil {
		r.awaitGone(goneWait)
	}
	within(r.exited, killWait)
	within(r.drained, drainWait)
	// Closing wakes a reader, or the writer, whose pipe another process holds.
	r.Close()
	within(r.drained, drainWait)
	family.over(r.mark)
}

func (r *running) awaitGone(limit time.Duration) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline) && alive(r.cmd); {
		<-tick.C
	}
}

// exit is how the leader ended. One that the kernel has not finished yet counts
// as killed: that is what will become of it.
func (r *running) exit() Exit {
	select {
	case <-r.exited:
		return exitOf(r.cmd.ProcessState)
	default:
		return Exit{Code: -1, Signal: "SIGKILL"}
	}
}

// errNotStarted is for callers of the group functions.
var errNotStarted = errors.New("the process was not started")
