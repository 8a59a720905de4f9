//go:build unix

package fsx_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/secondid"
)

// K1: folders are 0700 and files 0600 under every umask, also those that were wider.
func TestK1_PrivateUnderEveryUmask(t *testing.T) {
	for _, mask := range []int{0o000, 0o022, 0o077} {
		t.Run(fmt.Sprintf("%03o", mask), func(t *testing.T) {
			defer syscall.Umask(syscall.Umask(mask))
			top := filepath.Join(t.TempDir(), "top")
			dir := filepath.Join(top, "a", "b")
			file := filepath.Join(dir, "file")
			if err := fsx.ReplacePrivate(file, []byte("x")); err != nil {
				t.Fatal(err)
			}
			wide := filepath.Join(dir, "wide")
			if err := errors.Join(os.Mkdir(wide, 0o777), os.Chmod(wide, 0o777), os.WriteFile(filepath.Join(wide, "log"), nil, 0o666), os.Chmod(filepath.Join(wide, "log"), 0o666)); err != nil {
				t.Fatal(err)
			}
			if err := fsx.PrivateDir(wide); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{filepath.Join(wide, "log"), filepath.Join(wide, "new")} {
				f, err := fsx.OpenPrivate(path, os.O_CREATE|os.O_WRONLY)
				if err != nil {
					t.Fatal(err)
				}
				_ = f.Close()
			}
			// Below a private folder, what tools and plain replacements make is private.
			space := fsx.Space{Workdir: filepath.Join(top, "work", "space"), Closed: []string{top}}
			p, err := space.At("deep/note")
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if _, err := p.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
			if err := fsx.Replace(filepath.Join(dir, "plain"), nil, nil); err != nil {
				t.Fatal(err)
			}
			lock, err := fsx.TakeLock(t.Context(), filepath.Join(dir, ".lock"))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = lock.Release() }()
			allPrivate(t, top)
		})
	}
}

// allPrivate wants every folder below a path to be 0700 and every file 0600.
func allPrivate(t *testing.T, top string) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s is %04o, want %04o", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// K1: what belongs to another user is refused and not changed.
func TestK1_ForeignIsRefused(t *testing.T) {
	if !secondid.Here(t) {
		return
	}
	dir := t.TempDir()
	folder, file := filepath.Join(dir, "folder"), filepath.Join(dir, "file")
	if err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(file, nil, 0o644), os.Chown(folder, 65534, 65534), os.Chown(file, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if err := fsx.PrivateDir(folder); !errors.Is(err, fsx.ErrForeign) {
		t.Errorf("%v", err)
	}
	if _, err := fsx.OpenPrivate(file, os.O_RDWR); !errors.Is(err, fsx.ErrForeign) {
		t.Errorf("%v", err)
	}
	if _, err := fsx.TakeLock(t.Context(), file); !errors.Is(err, fsx.ErrForeign) {
		t.Errorf("%v", err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// attack 13: a lock that is held is waited for in bounded time, and the error names
// the file and the process.
func TestAttack13_LockErrorNamesTheHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	lock, err := fsx.TakeLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = fsx.TakeLock(ctx, path)
	if !errors.Is(err, fsx.ErrLocked) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("%v", err)
	}
}

// attack 13: the lock of a file in a folder that others can enter does not lie
// there.
func TestAttack13_UserLockLiesInAPrivateFolder(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	shared := t.TempDir()
	lock, err := fsx.TakeUserLock(t.Context(), filepath.Join(shared, "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	if left, err := os.ReadDir(shared); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := os.Symlink(shared, shared+"-link"); err != nil {
		t.Fatal(err)
	}
	if _, err := fsx.TakeUserLock(ctx, filepath.Join(shared+"-link", "file")); !errors.Is(err, fsx.ErrLocked) {
		t.Errorf("another spelling of the file has another lock: %v", err)
	}
}

func TestWritable(t *testing.T) {
	dir := t.TempDir()
	if err := fsx.Writable(filepath.Join(dir, "not", "yet")); err != nil {
		t.Error(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if fsx.Writable(filepath.Join(file, "x")) == nil {
		t.Error("a file takes files")
	}
}
