package fsx

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

const (
	lockFlags = 0
	allBytes  = ^uint32(0)
)

// lockFile does not wait. The system releases the lock when the last handle is
// closed, also when it closes the handles of a process that ended.
func lockFile(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, allBytes, allBytes, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, allBytes, allBytes, &windows.Overlapped{})
}
