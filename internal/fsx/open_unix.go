//go:build unix

package fsx

import (
	"io/fs"
	"os"
	"syscall"
)

// nonblock keeps the opening of a pipe from waiting for its other end. It
// changes nothing for regular files.
const nonblock = syscall.O_NONBLOCK

// keepOwner gives a new file the owner of the old one, where we may: root
// editing a user's file must not change its owner.
func keepOwner(f *os.File, info fs.FileInfo) {
	if old, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(old.Uid), int(old.Gid)) // only root may, others own it anyway
	}
}
