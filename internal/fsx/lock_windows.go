package fsx

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

const lockFlags = 0

const (
	lockfileFailImmediately = 1
	lockfileExclusiveLock   = 2
	errorLockViolation      = syscall.Errno(33)
	allBytes                = uintptr(^uint32(0))
)

func kernel32(name string) *syscall.LazyProc {
	return syscall.NewLazyDLL("kernel32.dll").NewProc(name)
}

// lockFile does not wait. The system lets go when the last handle is closed,
// also when it closes the handles of a process that ended.
func lockFile(f *os.File) (bool, error) {
	var place syscall.Overlapped
	ok, _, err := kernel32("LockFileEx").Call(f.Fd(), lockfileExclusiveLock|lockfileFailImmediately, 0,
		allBytes, allBytes, uintptr(unsafe.Pointer(&place)))
	switch {
	case ok != 0:
		return true, nil
	case errors.Is(err, errorLockViolation), errors.Is(err, syscall.ERROR_IO_PENDING):
		return false, nil
	}
	return false, err
}

func unlockFile(f *os.File) error {
	var place syscall.Overlapped
	ok, _, err := kernel32("UnlockFileEx").Call(f.Fd(), 0, allBytes, allBytes, uintptr(unsafe.Pointer(&place)))
	if ok != 0 {
		return nil
	}
	return err
}
