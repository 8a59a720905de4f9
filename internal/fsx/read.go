package fsx

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Head reads the beginning of a file, at most limit bytes. It says how large
// the file is and whether there is more.
func (p *Place) Head(limit int) (data []byte, size int64, more bool, err error) {
	f, info, err := p.open(os.O_RDONLY, 0)
	if err != nil {
		return nil, 0, false, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	// One byte beyond the limit tells whether there is more; the size does
	// not for files that grow, or that say 0 as those of /proc do.
	data, err = io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return nil, 0, false, err
	}
	if len(data) > limit {
		data, more = data[:limit], true
	}
	return data, max(info.Size(), int64(len(data))), more, nil
}

// ErrTooLarge means that a file has more bytes than it may.
var ErrTooLarge = errors.New("is too large")

// ReadAll reads a whole file of at most limit bytes, and says which file it
// was, for [Place.Stage].
func (p *Place) ReadAll(limit int) ([]byte, fs.FileInfo, error) {
	f, info, err := p.open(os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info.Size() > int64(limit) {
		return nil, nil, &fs.PathError{Op: "read", Path: p.Path, Err: ErrTooLarge}
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := data.ReadFrom(io.LimitReader(f, int64(limit)+1)); err != nil {
		return nil, nil, err
	}
	if data.Len() > limit {
		return nil, nil, &fs.PathError{Op: "read", Path: p.Path, Err: ErrTooLarge}
	}
	return data.Bytes(), info, nil
}

// Open opens a regular file for reading.
func (p *Place) Open() (*os.File, fs.FileInfo, error) { return p.open(os.O_RDONLY, 0) }

// Real is the path of the place behind all links, which two names of one file
// have in common.
func (p *Place) Real() string { return Resolve(filepath.Join(p.root.Name(), p.name)) }

// open opens a regular file. It looks before it opens, because opening alone
// can block (a pipe) or act (a device), and again afterwards, because the file
// may have been replaced in between.
func (p *Place) open(flag int, mode fs.FileMode) (*os.File, fs.FileInfo, error) {
	before, err := p.Stat()
	switch {
	case err == nil:
		if err := p.regular(before); err != nil {
			return nil, nil, err
		}
	case flag&os.O_CREATE == 0:
		return nil, nil, err
	}
	f, err := p.root.OpenFile(p.name, flag|nonblock, mode)
	if err != nil {
		return nil, nil, plain(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = p.regular(info)
	}
	if err != nil {
		_ = f.Close() // the reason counts
		return nil, nil, err
	}
	return f, info, nil
}

func (p *Place) regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &fs.PathError{Op: "open", Path: p.Path, Err: ErrIsDir}
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "open", Path: p.Path, Err: ErrIrregular}
	}
	return nil
}
