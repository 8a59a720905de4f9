// Package fsx reaches files below a working directory and a few declared
// roots, and nowhere else. Every access goes through [os.Root], which holds the
// directory open and refuses a way out by "..", by an absolute path or by a
// link, also when the tree changes while we look.
//
// This stops mistakes and misled models. It does not stop a program that runs as
// the same user, which can open the files itself.
package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What can be wrong with a place, beside the errors of package io/fs.
var (
	// ErrOutside means that a path, or a link on it, leaves the space.
	ErrOutside = errors.New("outside of the working directory and the declared roots")
	// ErrClosed means that a path leads into a closed directory.
	ErrClosed = errors.New("in a directory that is closed to tools")
	// ErrIrregular means that there is neither a file nor a directory: a
	// pipe, a socket or a device, which could block on opening.
	ErrIrregular = errors.New("neither a file nor a directory")
	// ErrIsDir and ErrNotDir mean that the other one was expected.
	ErrIsDir  = errors.New("is a directory")
	ErrNotDir = errors.New("is not a directory")
)

// Space is where files may be reached.
type Space struct {
	// Workdir is absolute, is made on demand, and is where relative paths
	// begin.
	Workdir string
	// Roots are further directories, which must exist.
	Roots []string
	// Closed are directories that cannot be entered, though the space reaches
	// around them. A working directory or root that lies in one is open.
	Closed []string
	// Protected are files that can be read and not changed, whether they exist
	// or not, under any spelling and any other name.
	Protected []string
	// Look makes nothing: a working directory that does not exist is not made.
	// Its places are for looking at what is there.
	Look bool
}

// Place is one path inside a space. Close it after use.
type Place struct {
	// Path is absolute, for people to read and for a child to start in.
	Path string

	root      *os.Root
	name      string // relative to root
	closed    []string
	protected []string // as in [Space]
	only      string   // see [Place.Only]
}

// At finds the place of a path. The path need not exist; the directory that
// bounds it must, and the working directory is made when it does not.
func (s Space) At(path string) (*Place, error) {
	if strings.ContainsRune(path, 0) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	if !s.Look {
		if err := s.MakeWorkdir(); err != nil {
			return nil, fmt.Errorf("make the working directory: %w", err)
		}
	}
	absolute := filepath.Clean(path)
	if !filepath.IsAbs(absolute) {
		absolute = filepath.Join(s.Workdir, path)
	}
	dir, name, ok := s.bound(Resolve(absolute))
	if !ok {
		dir, name, ok = s.bound(absolute)
	}
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: absolute, Err: ErrOutside}
	}
	if closed(s.Closed, dir, name) {
		return nil, &fs.PathError{Op: "open", Path: absolute, Err: ErrClosed}
	}
	root, err := os.OpenRoot(dir)
	if s.Look && errors.Is(err, fs.ErrNotExist) {
		above := existing(dir)
		name = filepath.Join(strings.TrimPrefix(dir[len(above):], string(filepath.Separator)), name)
		root, err = os.OpenRoot(above)
	}
	if err != nil {
		return nil, err
	}
	return &Place{Path: absolute, root: root, name: name, closed: s.Closed, protected: s.Protected}, nil
}

// MakeWorkdir makes the working directory. One that lies in a closed directory is
// private, like all that gongu keeps there.
func (s Space) MakeWorkdir() error {
	for _, closed := range s.Closed {
		if relative, err := filepath.Rel(closed, s.Workdir); err == nil && filepath.IsLocal(relative) {
			return PrivateDir(s.Workdir)
		}
	}
	return os.MkdirAll(s.Workdir, 0o755)
}

// closed reports whether the way from a directory that bounds the space to a
// name enters a closed one. One that is spelled differently is the same; one
// that does not exist yet is known by its name.
func closed(all []string, dir, name string) bool {
	for _, one := range all {
		about, err := os.Stat(one)
		real := Resolve(one)
		for at := name; at != "."; at = filepath.Dir(at) {
			full := filepath.Join(dir, at)
			if Resolve(full) == real {
				return true
			}
			if info, found := os.Stat(full); err == nil && found == nil && os.SameFile(info, about) {
				return true
			}
		}
	}
	return false
}

// Resolve follows the links of a path as far as it exists, also one that leads to
// what does not exist yet. os.Root refuses every absolute link; with the real
// path, a link from one place of the space to another works, and whatever happens
// to the tree meanwhile, os.Root decides.
func Resolve(absolute string) string { return resolveLinks(absolute, maxDangling) }

// maxDangling is how many links that lead nowhere are followed.
const maxDangling = 8

func resolveLinks(absolute string, left int) string {
	for at := existing(absolute); ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, absolute[len(at):])
		}
		if to, err := os.Readlink(at); err == nil && left > 0 {
			if !filepath.IsAbs(to) {
				to = filepath.Join(resolveLinks(filepath.Dir(at), left-1), to)
			}
			return resolveLinks(filepath.Join(to, absolute[len(at):]), left-1)
		}
		if at == filepath.Dir(at) {
			return absolute
		}
	}
}

// existing is the part of a clean path that exists, a link that leads nowhere
// included. It is looked for from the top: a path can have thousands of parts
// that do not exist, and each would be followed from the top otherwise.
func existing(absolute string) string {
	volume := len(filepath.VolumeName(absolute))
	end := min(volume+1, len(absolute)) // with the root
	for end < len(absolute) {
		next := len(absolute)
		if i := strings.IndexByte(absolute[end+1:], filepath.Separator); i >= 0 {
			next = end + 1 + i
		}
		if _, err := os.Lstat(absolute[:next]); err != nil {
			break
		}
		end = next
	}
	return absolute[:end]
}

// Only makes every change through the place fail with [ErrChanged] unless it is of
// the file with this real path, whatever links lead there by then.
func (p *Place) Only(real string) { p.only = real }

// IsRoot reports whether the place is the directory that bounds it.
func (p *Place) IsRoot() bool { return p.name == "." }

// Close closes the directory that bounds the place.
func (p *Place) Close() error { return p.root.Close() }

// bound finds the directory of the space that an absolute path lies in, the
// innermost where several do. Where the space is named through a link, such as
// /tmp on macOS, the path may be written either way.
func (s Space) bound(absolute string) (dir, name string, ok bool) {
	for _, candidate := range append([]string{s.Workdir}, s.Roots...) {
		full, err := filepath.Abs(candidate)
		if err != nil {
			continue
		}
		spellings := []string{full}
		if real, err := filepath.EvalSymlinks(full); err == nil && real != full {
			spellings = append(spellings, real)
		}
		for _, spelling := range spellings {
			relative, err := filepath.Rel(spelling, absolute)
			if err == nil && filepath.IsLocal(relative) && (!ok || len(relative) < len(name)) {
				dir, name, ok = full, relative, true
			}
		}
	}
	return dir, name, ok
}

// Stat describes what is at the place, behind links that stay inside.
func (p *Place) Stat() (fs.FileInfo, error) {
	info, err := p.root.Stat(p.name)
	return info, plain(err)
}

// Dir checks that the place is a directory that exists.
func (p *Place) Dir() error {
	info, err := p.Stat()
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "open", Path: p.Path, Err: ErrNotDir}
	}
	return err
}

// plain names the refusal of os.Root.
func plain(err error) error {
	if Escapes(err) {
		return fmt.Errorf("%w: %w", ErrOutside, err)
	}
	return err
}

// Escapes reports whether os.Root refused a path that leads out of it. os has
// no exported error for that, so this is the one place that reads its text.
func Escapes(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if err.Error() == "path escapes from parent" {
			return true
		}
	}
	return false
}
