package fsx

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Find returns the place of a file that a person names, behind links, so that it can
// be replaced in one step. With create the file need not exist.
func Find(path string, create bool) (*Place, error) {
	real, err := filepath.EvalSymlinks(path)
	if create && errors.Is(err, fs.ErrNotExist) {
		real, err = path, nil
	}
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, err
	}
	return Space{Workdir: filepath.Dir(real)}.At(filepath.Base(real))
}

// Replace replaces the file in one step. It fails when the file is not the one that
// info was read from; nil means that there was none.
func (p *Place) Replace(content []byte, info fs.FileInfo) error {
	staged, err := p.Stage(content, StageOptions{Old: info})
	if err != nil {
		return err
	}
	defer func() { _ = staged.Close() }() // at worst a temporary file stays
	return staged.Commit(false)
}
