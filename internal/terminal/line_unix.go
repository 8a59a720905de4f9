//go:build linux || darwin

package terminal

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pendingLine has nothing: a read ends with its question.
type pendingLine struct{}

func (t *Terminal) forget() { t.pending = pendingLine{} }

// readByte waits for a byte that was typed.
func (t *Terminal) readByte(ctx context.Context) (byte, error) {
	for {
		ready, err := readable(int(t.In.Fd()), pollEvery)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return 0, err
		}
		if !ready {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			continue
		}
		var next [1]byte
		n, err := t.In.Read(next[:])
		if n == 0 && err == nil {
			err = io.EOF
		}
		return next[0], err
	}
}

// Foreground reports whether this process may read what is typed. The system
// stops a process in the background that tries.
func (t *Terminal) Foreground() bool {
	group, err := unix.IoctlGetInt(int(t.In.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}

// Keep returns a function that restores the settings that the terminal has now,
// for after a program that changes them.
func (t *Terminal) Keep() func() {
	fd := int(t.In.Fd())
	settings, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, settings) } // the terminal may be gone
}

func columnsOf(file *os.File) int {
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
