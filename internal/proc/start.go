package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/gongu-ai/gongu/internal/sandbox"
)

// Spec is a program to start.
type Spec struct {
	// Argv is the program and its arguments.
	Argv []string
	Dir  string
	// Env is the whole environment of the child, except [Mark]; nothing is
	// inherited.
	Env []string
	// Input makes the child's standard input a pipe. Without it the child
	// reads the null device.
	Input bool
	// Channel adds two pipes beside the standard ones: the child reads from
	// descriptor 3 and writes to descriptor 4.
	Channel bool
	// Sandbox confines the child; nil does not.
	Sandbox *sandbox.Policy
}

// Mark is a variable in the environment of every started program, with a value for
// each. The commands with which a person decides refuse to run where it is set: a
// model could run them.
const Mark = "GONGU_CHILD"

// Process is a started child. It leads a new session, which has no controlling
// terminal, and so a new process group. The caller closes the
// parent's ends of its pipes with [Process.Close].
type Process struct {
	// Stdin is nil without [Spec.Input].
	Stdin, Stdout, Stderr *os.File
	// Send and Receive are the pipes of [Spec.Channel], else nil.
	Send, Receive *os.File

	cmd    *exec.Cmd
	exited chan struct{}
	mark   string // value of [Mark]
}

// Start starts a program, inside its sandbox. It is the only place that does.
//
// Start makes the pipes itself instead of leaving them to os/exec, which has
// one deadline for both "the child has ended" and "the call is over".
func Start(s Spec) (*Process, error) {
	p, err := start(s)
	if err == nil {
		go func() {
			<-p.exited
			family.over(p.mark)
		}()
	}
	return p, err
}

// start is [Start]; the caller says when the program is over.
func start(s Spec) (*Process, error) {
	if len(s.Argv) == 0 {
		return nil, errors.New("start a program: the command is empty")
	}
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	p := &Process{cmd: cmd, exited: make(chan struct{}), mark: family.begin()}
	cmd.Dir, cmd.Env = s.Dir, append(slices.Clone(s.Env), Mark+"="+p.mark)
	Group(cmd)
	theirs, err := p.connect(&s)
	if err == nil {
		family.starting.RLock()
		if err = s.Sandbox.Start(cmd); err == nil {
			family.note(p.PID(), p.mark)
		}
		family.starting.RUnlock()
	}
	closeAll(theirs...)
	if err != nil {
		family.over(p.mark)
		p.Close()
		return nil, err
	}
	go func() {
		_ = cmd.Wait() // how the child ended is read from its state
		family.waited(p.PID())
		close(p.exited)
	}()
	return p, nil
}

// connect makes the pipes and returns the child's ends of them, also when it
// fails.
func (p *Process) connect(s *Spec) (theirs []*os.File, err error) {
	pipe := func(ours **os.File, childReads bool) *os.File {
		if err != nil {
			return nil
		}
		var r, w *os.File
		if r, w, err = os.Pipe(); err != nil {
			err = fmt.Errorf("make a pipe: %w", err)
			return nil
		}
		their := w
		*ours = r
		if childReads {
			their, *ours = r, w
		}
		theirs = append(theirs, their)
		return their
	}
	stdout, stderr := pipe(&p.Stdout, false), pipe(&p.Stderr, false)
	p.cmd.Stdout, p.cmd.Stderr = stdout, stderr
	if s.Input {
		stdin := pipe(&p.Stdin, true)
		p.cmd.Stdin = stdin
	}
	if s.Channel {
		p.cmd.ExtraFiles = []*os.File{pipe(&p.Send, true), pipe(&p.Receive, false)}
	}
	return theirs, err
}

// Exited is closed when the child has ended. Processes that it started may
// still run and hold its pipes.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// PID is the number of the child and of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Status describes how the child ended, such as "exit status 1"; it is empty
// while the child runs.
func (p *Process) Status() string {
	select {
	case <-p.exited:
		return p.cmd.ProcessState.String()
	default:
		return ""
	}
}

// Terminate asks the group of the child to end. An error means that nothing of
// it was left.
func (p *Process) Terminate() error { return Terminate(p.cmd) }

// Kill ends the group of the child, also after the child itself has ended. An
// error means that nothing of it was left.
//
// The leader may have been waited for by then, so its number could in theory
// belong to a new group. The kernel gives no number twice while a group carries
// it, and otherwise goes through all the others first.
func (p *Process) Kill() error { return Kill(p.cmd) }

// Stop ends the child and its group: it closes the child's input and waits for
// leave, asks the group to end and waits for term, then kills what is left and
// waits for kill. A wait of zero leaves its step out.
func (p *Process) Stop(leave, term, kill time.Duration) {
	closeAll(p.Stdin)
	if !within(p.exited, leave) && term > 0 {
		_ = p.Terminate() // it may just have ended
		within(p.exited, term)
	}
	_ = p.Kill() // what is left of the group
	within(p.exited, kill)
}

// Close closes the parent's ends of the pipes. It does not end the child.
func (p *Process) Close() { closeAll(p.Stdin, p.Stdout, p.Stderr, p.Send, p.Receive) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // nothing was buffered
		}
	}
}

// within reports whether done was closed in time.
func within(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
