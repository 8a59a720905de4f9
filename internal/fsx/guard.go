package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// ErrProtected means that a file, or a directory on the way to it, is not for
// tools to change.
var ErrProtected = errors.New("is not changed by tools")

// target is the directory of a place, held open, and the name in it. What is
// decided about a target stays true while others swap links and rename
// directories on the way to it.
type target struct {
	place *Place
	dir   *os.Root
	base  string
	// protected are the files as they were named, and where links lead.
	protected []string
	named     []namedFile
}

// CheckChange returns the error that a change of the file, or of one that is to be
// made here, would have because of the place: it leaves the space, it is closed or
// protected, or the file may not be written. It changes nothing.
func (p *Place) CheckChange() error {
	t, err := p.target(false)
	if err == nil {
		defer t.close()
		err = t.writable()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// target opens the directory of the place step by step, makes those that are
// missing when it may, and refuses closed directories and protected names.
func (p *Place) target(create bool) (*target, error) {
	t := &target{place: p, base: filepath.Base(p.name)}
	for _, file := range p.protected {
		if folder, name, ok := strings.Cut(file, anywhere); ok {
			t.named = append(t.named, namedFile{folder, name})
			continue
		}
		t.protected = append(t.protected, file)
		if real := Resolve(file); real != file {
			t.protected = append(t.protected, real)
		}
	}
	var err error
	if t.dir, err = p.root.OpenRoot("."); err != nil {
		return nil, plain(err)
	}
	if dir := filepath.Dir(p.name); dir != "." {
		for part := range strings.SplitSeq(dir, string(filepath.Separator)) {
			if err := t.enter(part, create); err != nil {
				t.close()
				return nil, plain(err)
			}
		}
	}
	err = t.check(t.base)
	if err == nil && p.only != "" && t.real() != p.only {
		err = &fs.PathError{Op: "write", Path: p.Path, Err: ErrChanged}
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// close closes the directory; nothing was written to it.
func (t *target) close() { _ = t.dir.Close() }

// enter goes one directory down.
func (t *target) enter(part string, create bool) error {
	next, err := t.dir.OpenRoot(part)
	if errors.Is(err, fs.ErrNotExist) && create {
		if err := t.check(part); err != nil {
			return err
		}
		if err := t.dir.Mkdir(part, t.place.narrow(0o755)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		next, err = t.dir.OpenRoot(part)
	}
	if err != nil {
		return err
	}
	_ = t.dir.Close() // it was only looked at
	t.dir = next
	about, err := next.Stat(".")
	if err != nil {
		return err
	}
	for _, one := range t.place.closed {
		if info, err := os.Stat(one); err == nil && os.SameFile(info, about) {
			return &fs.PathError{Op: "open", Path: t.place.Path, Err: ErrClosed}
		}
	}
	return nil
}

func (t *target) refuse() error {
	return &fs.PathError{Op: "write", Path: t.place.Path, Err: ErrProtected}
}

// check refuses a name in the directory that is a protected file, by any
// spelling, or another name of one.
func (t *target) check(name string) error {
	if len(t.protected) == 0 && len(t.named) == 0 {
		return nil
	}
	if slices.ContainsFunc(t.folders(), func(folder string) bool { return t.names(folder, name) }) {
		return t.refuse()
	}
	about, err := t.dir.Stat(".")
	if err != nil {
		return plain(err)
	}
	there, _ := t.dir.Lstat(name) // a file that is not there has no identity
	parents := make(map[string]fs.FileInfo)
	for _, file := range t.protected {
		parent := filepath.Dir(file)
		info, known := parents[parent]
		if !known {
			info, _ = os.Stat(parent) // nil: nothing can be in it
			parents[parent] = info
		}
		if info != nil && os.SameFile(info, about) && sameName(name, filepath.Base(file)) {
			return t.refuse()
		}
	}
	return t.checkIdentity(there)
}

// checkIdentity refuses a file that is a protected one under another name.
func (t *target) checkIdentity(found fs.FileInfo) error {
	if found == nil || !found.Mode().IsRegular() {
		return nil
	}
	for _, file := range t.protected {
		if info, err := os.Stat(file); err == nil && os.SameFile(info, found) {
			return t.refuse()
		}
	}
	return nil
}

// checkTree refuses to move or remove a directory that a protected file or a
// closed directory is in, and to put something else in its place.
func (t *target) checkTree(name string) error {
	about, err := t.dir.Stat(".")
	if err != nil {
		return plain(err)
	}
	there, _ := t.dir.Lstat(name) // it may be missing
	for _, file := range append(slices.Clip(t.protected), t.place.closed...) {
		for at := Resolve(file); at != filepath.Dir(at); at = filepath.Dir(at) {
			if info, err := os.Stat(at); err == nil && there != nil && os.SameFile(info, there) {
				return t.refuse()
			}
			if info, err := os.Stat(filepath.Dir(at)); err == nil && os.SameFile(info, about) && sameName(name, filepath.Base(at)) {
				return t.refuse()
			}
		}
	}
	return nil
}

// sameName reports whether some file system takes two names for one: those
// that ignore case, forms of Unicode, invisible characters, trailing dots and
// spaces, or that have streams after a colon.
func sameName(a, b string) bool { return strings.EqualFold(plainName(a), plainName(b)) }

func plainName(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(name))
	return strings.TrimRight(name, ". ")
}

// openExisting opens a regular file for writing in place, which is not a
// protected one under another name. It does not cut it.
func (t *target) openExisting(flag int) (*os.File, fs.FileInfo, error) {
	before, err := t.dir.Stat(t.base)
	if err != nil {
		return nil, nil, plain(err)
	}
	if err := t.place.regular(before); err != nil {
		return nil, nil, err
	}
	f, err := t.dir.OpenFile(t.base, flag|nonblock, 0)
	if err != nil {
		return nil, nil, plain(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = t.place.regular(info)
	}
	if err == nil {
		err = t.checkIdentity(info)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, err
	}
	return f, info, nil
}

// Remove removes a file, or a directory with all that is in it.
func (p *Place) Remove(recursive bool) error {
	t, err := p.target(false)
	if err != nil {
		return err
	}
	defer t.close()
	info, err := t.dir.Lstat(t.base)
	switch {
	case err != nil:
		return plain(err)
	case !info.IsDir():
		return plain(t.dir.Remove(t.base))
	case !recursive:
		return &fs.PathError{Op: "remove", Path: p.Path, Err: ErrIsDir}
	}
	if err := t.checkTree(t.base); err != nil {
		return err
	}
	return plain(t.removeTree(t.dir, t.base, info))
}

// removeTree removes a directory that was looked at. One that took its place
// in the meantime is left alone.
func (t *target) removeTree(parent *os.Root, name string, seen fs.FileInfo) error {
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // it was only read
	if now, err := dir.Stat("."); err != nil || !os.SameFile(now, seen) {
		return errors.Join(err, &fs.PathError{Op: "remove", Path: t.place.Path, Err: ErrChanged})
	}
	list, err := dir.Open(".")
	if err != nil {
		return err
	}
	names, err := list.Readdirnames(-1)
	_ = list.Close() // it was only read
	if err != nil {
		return err
	}
	for _, inner := range names {
		info, err := dir.Lstat(inner)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && info.IsDir():
			err = t.removeTree(dir, inner, info)
		case err == nil:
			err = dir.Remove(inner)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return parent.Remove(name)
}

// Rename gives a file or directory another name, which may be taken by a file.
func Rename(from, to *Place) error {
	source, err := from.target(false)
	if err != nil {
		return err
	}
	defer source.close()
	dest, err := to.target(false)
	if err != nil {
		return err
	}
	defer dest.close()
	for _, t := range []*target{source, dest} {
		if err := t.checkTree(t.base); err != nil {
			return err
		}
	}
	if info, err := source.dir.Lstat(source.base); err == nil && info.IsDir() {
		if err := dest.checkArrival(source.dir, source.base); err != nil {
			return err
		}
	}
	return plain(renameAt(source, dest))
}
