//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package fsx

import (
	"errors"
	"os"
	"syscall"
)

// lockFlags refuse a link and do not block on a pipe in the place of the lock.
const lockFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// lockFile does not wait. flock belongs to the open file: two openings in one
// process exclude each other, and closing the file releases the lock.
func lockFile(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		}
		return err == nil, err
	}
}

func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
