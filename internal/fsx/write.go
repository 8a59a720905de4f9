package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Append adds to the end of a file, which is made when it is not there.
func (p *Place) Append(data []byte) (size int64, err error) {
	if err := p.parents(); err != nil {
		return 0, err
	}
	f, _, err := p.open(os.O_WRONLY|os.O_APPEND|os.O_CREATE, p.narrow(0o644))
	if err != nil {
		return 0, err
	}
	return finish(f, data)
}

// Write replaces the content of a file atomically: a reader sees all of the old
// content or all of the new, also after a crash. The mode of an
// existing file is kept. A link is written through, which is the one case that
// is not one step.
func (p *Place) Write(data []byte) (size int64, err error) {
	if err := p.parents(); err != nil {
		return 0, err
	}
	if link, err := p.root.Lstat(p.name); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		f, _, err := p.open(os.O_WRONLY|os.O_TRUNC|os.O_CREATE, p.narrow(0o644))
		if err != nil {
			return 0, err
		}
		return finish(f, data)
	}
	// A rename does not check whether the old file is writable; opening does.
	old, info, err := p.open(os.O_WRONLY, 0)
	switch {
	case err == nil:
		_ = old.Close() // nothing was written
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	}
	temp, err := p.writeTemp(data, info, 0)
	if err != nil {
		return 0, err
	}
	if err := p.root.Rename(temp, p.name); err != nil {
		_ = p.root.Remove(temp) // the first error counts
		return 0, plain(err)
	}
	p.syncDir()
	return int64(len(data)), nil
}

// finish writes and closes. The data is on the disk before a rename makes it
// the content of the file.
func finish(f *os.File, data []byte) (size int64, err error) {
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	var info fs.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// narrow leaves out the permissions that the directory that bounds the place does
// not give: below a private directory, all that is made is private.
func (p *Place) narrow(mode fs.FileMode) fs.FileMode {
	if info, err := p.root.Stat("."); err == nil {
		mode &= info.Mode().Perm() | privateDir
	}
	return mode
}

func (p *Place) parents() error {
	return plain(p.root.MkdirAll(filepath.Dir(p.name), p.narrow(0o755)))
}

// Mkdir makes a directory and says whether it was not there before.
func (p *Place) Mkdir(parents bool) (created bool, err error) {
	info, err := p.Stat()
	switch {
	case err == nil && !info.IsDir():
		return false, &fs.PathError{Op: "mkdir", Path: p.Path, Err: fs.ErrExist}
	case err == nil && parents:
		return false, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if parents {
		err = p.root.MkdirAll(p.name, p.narrow(0o755))
	} else {
		err = p.root.Mkdir(p.name, p.narrow(0o755))
	}
	return err == nil, plain(err)
}
