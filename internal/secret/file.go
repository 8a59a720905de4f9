package secret

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// File is a file for a new secret. It is opened before the secret is made: one that
// cannot be stored would be lost.
type File struct {
	file *os.File
	// made is true when the file is new, used when the secret is in it.
	made, used bool
}

var (
	errFileKind = errors.New("it is not a regular file")
	errFileMode = errors.New("others may read or write it")
)

// OpenFile makes a file that only its owner may read. One that exists must
// be a regular file that others cannot read or write. For an empty path the file is
// nil.
func OpenFile(path string) (*File, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return &File{file: file, made: true}, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	link, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !link.Mode().IsRegular() {
		return nil, errFileKind
	}
	file, err = os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	opened, err := file.Stat()
	switch {
	case err != nil:
	case !os.SameFile(link, opened): // it was replaced by a link
		err = errFileKind
	case runtime.GOOS != "windows" && opened.Mode().Perm()&0o077 != 0:
		err = errFileMode
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &File{file: file}, nil
}

// Write replaces the content of the file.
func (f *File) Write(secret string) error {
	f.used = true
	if err := f.file.Truncate(0); err != nil {
		return err
	}
	_, err := f.file.WriteString(secret + "\n")
	return errors.Join(err, f.file.Sync())
}

// Close closes the file, and removes it when OpenFile made it and no secret was
// written. A nil file may be closed.
func (f *File) Close() {
	if f == nil {
		return
	}
	_ = f.file.Close() // Write reports what matters
	if f.made && !f.used {
		_ = os.Remove(f.file.Name())
	}
}
