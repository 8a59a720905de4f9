//go:build linux || darwin

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// openPTY makes a terminal: what is written to one end is typed at the other.
func openPTY() (pty, tty *os.File, err error) {
	pty, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	name, err := unlockPTY(pty)
	if err == nil {
		tty, err = os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		_ = pty.Close()
		return nil, nil, err
	}
	return pty, tty, nil
}

// controlledBy makes the terminal the controlling one of a new session.
func controlledBy(cmd *exec.Cmd, tty *os.File) {
	cmd.ExtraFiles = []*os.File{tty}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
}

// leaveTerminal gives up the controlling terminal, if there is one.
func leaveTerminal() { _, _ = syscall.Setsid() } // a leader of a group keeps it
