//go:build unix

package fsx

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Owned reports whether a file belongs to this user.
func Owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// isWide reports whether others have any permission.
func isWide(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// Private reports whether a file belongs to this user alone.
func Private(info fs.FileInfo) bool { return Owned(info) && !isWide(info) }

func restrict(path string) error { return os.Chmod(path, privateDir) }

func mayWrite(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write", Path: dir, Err: err}
	}
	return nil
}
