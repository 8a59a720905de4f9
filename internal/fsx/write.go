package fsx

import (
	"errors"
	"io/fs"
	"os"
)

// Append adds to the end of a file, which is made when it is not there.
func (p *Place) Append(data []byte) (size int64, err error) {
	t, err := p.target(true)
	if err != nil {
		return 0, err
	}
	defer t.close()
	f, _, err := t.openExisting(os.O_WRONLY | os.O_APPEND)
	if errors.Is(err, fs.ErrNotExist) {
		// Exclusively, so that no link that appears now is followed.
		f, err = t.dir.OpenFile(t.base, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, p.narrow(0o644))
	}
	if err != nil {
		return 0, plain(err)
	}
	return finish(f, data)
}

// Write replaces the content of a file atomically: a reader sees all of the old
// content or all of the new, also after a crash. The mode of an
// existing file is kept. A link is written through: [Space.At] has followed it.
// A link that leads nowhere is replaced.
func (p *Place) Write(data []byte) (size int64, err error) {
	t, err := p.target(true)
	if err != nil {
		return 0, err
	}
	defer t.close()
	// A rename does not check whether the old file is writable; opening does.
	old, info, err := t.openExisting(os.O_WRONLY)
	switch {
	case err == nil:
		_ = old.Close() // nothing was written
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	}
	temp, err := t.writeTemp(data, info, 0)
	if err != nil {
		return 0, err
	}
	if err := t.dir.Rename(temp, t.base); err != nil {
		_ = t.dir.Remove(temp) // the first error counts
		return 0, plain(err)
	}
	t.syncDir()
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
	t, err := p.target(parents)
	if err != nil {
		return false, err
	}
	defer t.close()
	err = t.dir.Mkdir(t.base, p.narrow(0o755))
	if parents && errors.Is(err, fs.ErrExist) {
		return false, nil // made by another in the meantime
	}
	return err == nil, plain(err)
}
