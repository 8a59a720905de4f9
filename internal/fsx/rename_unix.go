//go:build unix

package fsx

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// renameAt renames between two directories that are held open.
func renameAt(from, to *target) (err error) {
	a, err := from.dir.Open(".")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	b, err := to.dir.Open(".")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := unix.Renameat(int(a.Fd()), from.base, int(b.Fd()), to.base); err != nil {
		return &fs.PathError{Op: "rename", Path: from.place.Path, Err: err}
	}
	return nil
}
