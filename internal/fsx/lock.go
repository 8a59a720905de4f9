package fsx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
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

// maxLockWait bounds the wait of a context without a deadline: a holder that
// hangs must not hang everyone else.
const maxLockWait = 30 * time.Second

// TakeLock waits for the lock of a file, until the context ends and at most 30
// seconds. It creates two files when they are missing, and never removes them: a
// waiter could lock a removed file while others lock its successor. The folder
// should be private ([PrivateDir]): a process that can open a lock file can hold it. An
// error names the file and, where it is known, the process that holds it.
//
// A waiter first locks the second file and keeps it until it has the first. So a
// holder that releases the lock and takes it again queues behind a waiter, and
// no writer starves.
func TakeLock(ctx context.Context, path string) (*Lock, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, maxLockWait)
		defer cancel()
	}
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
			name(file)
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
			if pid := holder(file); pid > 0 && errors.Is(err, ErrLocked) {
				err = fmt.Errorf("%w (process %d)", err, pid)
			}
			_ = file.Close() // nothing was written
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
	}
}

// name writes the number of this process into a lock file, for the errors of
// others. A disk that is full costs the number, not the lock.
func name(file *os.File) {
	text := strconv.Itoa(os.Getpid()) + "\n"
	if n, err := file.WriteAt([]byte(text), 0); err == nil {
		_ = file.Truncate(int64(n))
	}
}

// holder returns the process that holds a lock file, or 0 if it is not known.
func holder(file *os.File) int {
	text := make([]byte, 32)
	n, _ := file.ReadAt(text, 0) // Windows refuses it while the file is locked
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
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
	return OpenPrivate(path, os.O_RDWR|os.O_CREATE|lockFlags)
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
