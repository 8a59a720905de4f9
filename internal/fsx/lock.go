package fsx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"
)

// ErrLocked means that another owner held the lock until the context ended.
var ErrLocked = errors.New("is locked by another process")

// How long to wait between two attempts at a lock. An attempt is one call of
// the system.
const (
	firstLockDelay = 100 * time.Microsecond
	maxLockDelay   = time.Millisecond
)

// nextSuffix is the end of the name of a lock's second file.
const nextSuffix = ".next"

// Lock is held by one owner at a time, among processes and inside one. The
// system releases it when the process of the holder ends.
type Lock struct{ file *os.File }

// TakeLock waits for the lock of a file, until the context ends. It creates two
// files when they are missing, and never removes them: a waiter could lock a
// removed file while others lock its successor.
//
// A waiter first locks the second file and keeps it until it has the first. So a
// holder that releases the lock and takes it again queues behind a waiter, and
// no writer starves.
func TakeLock(ctx context.Context, path string) (*Lock, error) {
	turn, err := waitFor(ctx, path+nextSuffix)
	if err != nil {
		return nil, err
	}
	lock, err := waitFor(ctx, path)
	if released := turn.Release(); err == nil && released != nil {
		return nil, errors.Join(released, lock.Release())
	}
	return lock, err
}

// waitFor tries until it has the file.
func waitFor(ctx context.Context, path string) (*Lock, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	for delay := firstLockDelay; ; delay = min(2*delay, maxLockDelay) {
		locked, err := lockFile(file)
		if locked && stillThere(file, path) {
			return &Lock{file}, nil
		}
		if err == nil && locked {
			// The file was removed meanwhile.
			_ = file.Close() // nothing was written
			if file, err = openLock(path); err != nil {
				return nil, err
			}
		}
		if err == nil {
			err = pause(ctx, delay)
		}
		if err != nil {
			_ = file.Close() // nothing was written
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
	}
}

// pause waits with jitter, so that waiters do not stay in step.
func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay/2 + rand.N(delay))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrLocked, context.Cause(ctx))
	case <-timer.C:
		return nil
	}
}

func openLock(path string) (*os.File, error) {
	const flags = os.O_CREATE | lockFlags
	file, err := os.OpenFile(path, os.O_RDWR|flags, 0o644)
	if errors.Is(err, fs.ErrPermission) {
		// The file of another user: reading is enough for a lock.
		if shared, again := os.OpenFile(path, os.O_RDONLY|lockFlags, 0); again == nil {
			return shared, nil
		}
	}
	return file, err
}

func stillThere(file *os.File, path string) bool {
	mine, err := file.Stat()
	if err != nil {
		return false
	}
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, now)
}

// Release releases the lock.
func (l *Lock) Release() error {
	return errors.Join(unlockFile(l.file), l.file.Close())
}
