package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Permissions of what gongu keeps for its user.
const (
	privateDir  fs.FileMode = 0o700
	privateFile fs.FileMode = 0o600
)

// ErrForeign means that a path belongs to another user, who could change what is
// there.
var ErrForeign = errors.New("belongs to another user")

// PrivateDir makes a folder that only this user can enter, with the missing
// folders above it, whatever the umask. It narrows the permissions of an existing
// folder, and refuses one of another user.
func PrivateDir(path string) error {
	err := os.Mkdir(path, privateDir)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		if err := makeAbove(filepath.Dir(path)); err != nil {
			return err
		}
		err = os.Mkdir(path, privateDir)
	}
	switch {
	case err == nil:
		return restrict(path) // the umask, or an inherited list, may differ
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	info, err := CheckPrivate(path)
	if err == nil && isWide(info) {
		err = restrict(path)
	}
	return err
}

// makeAbove makes the folders above a private one. Existing ones are left as they
// are: a home folder is not ours to change.
func makeAbove(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	return PrivateDir(path)
}

// CheckPrivate describes an existing folder that must belong to this user. It
// changes nothing.
func CheckPrivate(path string) (fs.FileInfo, error) {
	link, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotDir}
	case !Owned(link) || !Owned(info):
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrForeign}
	}
	return info, nil
}

// OpenPrivate opens a file that only this user can read, and narrows the
// permissions of an existing one. flags are those of [os.OpenFile].
func OpenPrivate(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, flags, privateFile)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err == nil && !Owned(info):
		err = &fs.PathError{Op: "open", Path: path, Err: ErrForeign}
	case err == nil && isWide(info):
		err = file.Chmod(privateFile)
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}

// ReplacePrivate is [Replace] for a file that only this user can read, in a
// private folder that it makes.
func ReplacePrivate(path string, data []byte) error {
	if err := PrivateDir(filepath.Dir(path)); err != nil {
		return err
	}
	return replace(path, data, privateFile, nil)
}

// Writable reports why nothing can be written at a path: it checks the nearest
// folder that exists, and makes nothing.
func Writable(path string) error {
	for dir := path; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		switch {
		case err == nil && !info.IsDir():
			return &fs.PathError{Op: "open", Path: dir, Err: ErrNotDir}
		case err == nil:
			return mayWrite(dir)
		case !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir:
			return fmt.Errorf("look for %s: %w", path, err)
		}
	}
}
