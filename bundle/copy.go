package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrChanged means that a file is not as it was when the cover was made.
var ErrChanged = errors.New("the bundle was changed meanwhile")

// Copy writes the covered files into a new folder, readable by this user alone.
// Each file is read once: what is written has the digest of the cover, or the
// error is [ErrChanged].
func (c *Cover) Copy(dir string) error {
	root, err := os.OpenRoot(c.root)
	if err != nil {
		return fmt.Errorf("open the bundle: %w", err)
	}
	defer func() { _ = root.Close() }() // it was only read
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for _, e := range c.entries {
		to := filepath.Join(dir, filepath.FromSlash(e.Label))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if e.Kind != EntryLink {
			if err := copyEntry(root, e, to); err != nil {
				return err
			}
		}
	}
	// Links are made last, so that no file is written through one.
	for _, e := range c.entries {
		if e.Kind == EntryLink {
			if err := os.Symlink(filepath.FromSlash(e.Content), filepath.Join(dir, filepath.FromSlash(e.Label))); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyEntry(root *os.Root, e Entry, to string) error {
	mode := fs.FileMode(0o400)
	if e.Kind == EntryProgram {
		mode = 0o500
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	copied, err := readEntry(root, e.Label, out, func(int64) error { return nil })
	if err == nil && copied != e {
		err = fmt.Errorf("%s: %w", e.Label, ErrChanged)
	}
	return errors.Join(err, out.Close())
}

// CopyDigest returns the digest of everything in a folder that [Cover.Copy] wrote.
// It is another one when a file was changed, added or removed since.
func CopyDigest(dir string) (string, error) {
	c, err := readCopy(dir)
	if err != nil {
		return "", err
	}
	return c.Digest(), nil
}

func readCopy(dir string) (*Cover, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it was only read
	c := &Cover{root: dir}
	files := 2 * maxCoverFiles // with folders
	err = fs.WalkDir(root.FS(), ".", func(label string, d fs.DirEntry, err error) error {
		if files--; files < 0 {
			return errors.New("the copy has too many files")
		}
		switch {
		case err != nil || d.IsDir():
			return err
		case d.Type()&fs.ModeSymlink != 0:
			target, err := root.Readlink(filepath.FromSlash(label))
			c.entries = append(c.entries, Entry{label, EntryLink, filepath.ToSlash(target)})
			return err
		}
		e, err := readEntry(root, label, io.Discard, func(int64) error { return nil })
		c.entries = append(c.entries, e)
		return err
	})
	slices.SortFunc(c.entries, byLabel)
	return c, err
}
