package fsx

import (
	"errors"
	"io/fs"
	"os"
)

// Cause returns an error of the file system without the path and the operation
// that it repeats, for messages that name the path themselves.
func Cause(err error) error {
	if problem, ok := errors.AsType[*fs.PathError](err); ok {
		return problem.Err
	}
	if problem, ok := errors.AsType[*os.LinkError](err); ok {
		return problem.Err
	}
	return err
}

// IsDir reports whether a path is a folder.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// IsFile reports whether a path is a regular file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
