package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func unlockPTY(pty *os.File) (name string, err error) {
	fd := int(pty.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return "", err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	return fmt.Sprintf("/dev/pts/%d", number), err
}
