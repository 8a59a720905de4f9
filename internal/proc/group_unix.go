//go:build unix

package proc

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Groups says whether this system has process groups and POSIX shells.
const Groups = true

// Group makes the command the leader of a new session, and so of a new process
// group. A session without a controlling terminal cannot answer the questions
// that gongu asks a person. Call it before Start.
func Group(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
}

// Terminate asks the whole group of a started command to end (SIGTERM).
func Terminate(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGTERM) }

// Kill ends the whole group of a started command (SIGKILL). An error means
// that there was nothing left to end.
func Kill(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGKILL) }

// alive reports whether anything of the group is left. A process that ended
// and that its parent has not waited for counts.
func alive(cmd *exec.Cmd) bool { return signal(cmd, 0) == nil }

func signal(cmd *exec.Cmd, sig syscall.Signal) error {
	// A pid of 0 would be the group of this process and -1 all processes.
	if cmd.Process == nil || cmd.Process.Pid <= 1 {
		return errNotStarted
	}
	return syscall.Kill(-cmd.Process.Pid, sig)
}

// interrupt asks one process to end.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

func exitOf(state *os.ProcessState) Exit {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		signal := status.Signal()
		return Exit{Code: -1, Signal: cmp.Or(unix.SignalName(signal), fmt.Sprintf("SIG%d", int(signal)))}
	}
	return Exit{Code: state.ExitCode()}
}
