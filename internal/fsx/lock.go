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

// ErrLocked means that somebody else held a lock for as long as we waited.
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
// system lets go of it when the holder dies, however it dies.
type Lock struct{ file *os.File }

// TakeLock waits for the lock that a file stands for, until the context ends.
// Two files are made when they are missing, and are never removed: whoever
// removed one would let a waiter lock a file that nobody else can see.
//
// Whoever wants the lock first takes the second file and keeps it until it has
// the lock. So a holder that lets go and comes back at once finds somebody
// before it, and among many writers none waits for ever.
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
			// Somebody removed the file that we waited for.
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

// pause takes uneven steps, so that waiters that began together do not stay
// together.
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

// Release lets the next one in.
func (l *Lock) Release() error {
	return errors.Join(unlockFile(l.file), l.file.Close())
}
