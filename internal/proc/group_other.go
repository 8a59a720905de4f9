//go:build !unix

package proc

import (
	"os"
	"os/exec"
)

// Groups says whether this system has process groups and POSIX shells.
const Groups = false

// Group does nothing here: there are no process groups.
func Group(*exec.Cmd) {}

// Terminate ends the command itself; there is no way to ask it to.
func Terminate(cmd *exec.Cmd) error { return Kill(cmd) }

// Kill ends the command itself. Processes it started live on.
func Kill(cmd *exec.Cmd) error {
	if cmd.Process == nil {
		return errNotStarted
	}
	return cmd.Process.Kill()
}

// alive returns false: remaining processes cannot be found here, so there is
// nothing to wait for.
func alive(*exec.Cmd) bool { return false }

// interrupt ends one process; there is no way to ask it to.
func interrupt(p *os.Process) error { return p.Kill() }

func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
