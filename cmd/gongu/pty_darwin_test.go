package main

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func unlockPTY(pty *os.File) (name string, err error) {
	var path [128]byte
	for _, request := range []uintptr{unix.TIOCPTYGRANT, unix.TIOCPTYUNLK, unix.TIOCPTYGNAME} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, pty.Fd(), request, uintptr(unsafe.Pointer(&path[0]))); errno != 0 {
			return "", errno
		}
	}
	return unix.ByteSliceToString(path[:]), nil
}
