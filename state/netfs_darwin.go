package state

import (
	"os"

	"golang.org/x/sys/unix"
)

// networkFileSystem returns the kind of network file system that a path is on,
// or nothing.
func networkFileSystem(path string) (kind string, err error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return "", &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	if stat.Flags&unix.MNT_LOCAL != 0 {
		return "", nil
	}
	return unix.ByteSliceToString(stat.Fstypename[:]), nil
}
