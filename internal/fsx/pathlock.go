package fsx

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// pathStripes is how many locks there are: files share them by the hash of
// their paths, so that the folder of locks does not grow.
const pathStripes = 256

// PathLocks are locks for changing files, in this process and among processes
// that use the same folder.
type PathLocks struct {
	dir string
	// inside exclude each other in this process, also where the system has no
	// locks.
	inside [pathStripes]chan struct{}
}

// NewPathLocks makes locks in a folder. An empty name is a folder that all
// processes of the user have in common.
func NewPathLocks(dir string) *PathLocks {
	p := &PathLocks{dir: cmp.Or(dir, lockDir())}
	for i := range p.inside {
		p.inside[i] = make(chan struct{}, 1)
	}
	return p
}

func lockDir() string {
	if cache, err := os.UserCacheDir(); err == nil {
		return filepath.Join(cache, "gongu", "locks")
	}
	return filepath.Join(os.TempDir(), "gongu-locks-"+strconv.Itoa(os.Getuid()))
}

// TakeUserLock is [TakeLock] for a file in a folder that others may enter, such as
// a bundle. The lock lies in a private folder of the user, where no other user can
// hold it.
func TakeUserLock(ctx context.Context, path string) (*Lock, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dir := lockDir()
	if err := PrivateDir(dir); err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(Resolve(absolute)))
	return TakeLock(ctx, filepath.Join(dir, "file-"+hex.EncodeToString(sum[:8])+".lock"))
}

// Lock waits for some files, named by their real paths, until the context ends.
// Where the folder of locks cannot be used, only this process is kept out:
// [Staged.Commit] still notices what another one changed.
func (p *PathLocks) Lock(ctx context.Context, paths ...string) (release func(), err error) {
	var stripes []int
	for _, path := range paths {
		sum := sha256.Sum256([]byte(path))
		stripes = append(stripes, int(sum[0])%pathStripes)
	}
	slices.Sort(stripes) // one order for all avoids deadlocks
	var held []func()
	release = func() {
		for _, let := range slices.Backward(held) {
			let()
		}
	}
	for _, stripe := range slices.Compact(stripes) {
		let, err := p.lockStripe(ctx, stripe)
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, let)
	}
	return release, nil
}

func (p *PathLocks) lockStripe(ctx context.Context, stripe int) (func(), error) {
	select {
	case p.inside[stripe] <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	inside := func() { <-p.inside[stripe] }
	err := PrivateDir(p.dir)
	var lock *Lock
	if err == nil {
		lock, err = TakeLock(ctx, filepath.Join(p.dir, strconv.Itoa(stripe)+".lock"))
	}
	switch {
	case errors.Is(err, ErrLocked):
		inside()
		return nil, cmp.Or(ctx.Err(), err)
	case err != nil:
		return inside, nil
	}
	return func() {
		_ = lock.Release() // closing the file releases it as well
		inside()
	}, nil
}
