package fsx

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrChanged means that a file is not the one that was read any more.
var ErrChanged = errors.New("has changed since it was read")

// Staged is a change of one file that is prepared and not made yet. What may
// fail for want of space or permission has happened by then; [Staged.Commit]
// only gives and takes names. Call [Staged.Close] in any case.
type Staged struct {
	*target
	// old is the file that is replaced or removed, nil for one that is new.
	old fs.FileInfo
	// temp holds the new content; it is empty for a removal.
	temp string
	// backup is the old file while the change can still be undone.
	backup string
	root   *os.Root
	// made are directories that did not exist, the outermost first.
	made      []string
	committed bool
	// stuck means that the backup is the only place of the old content.
	stuck bool
}

// StageOptions say what a staged file takes the place of.
type StageOptions struct {
	// Old is the file that was read: its mode and owner stay. It is nil when
	// there must be none.
	Old fs.FileInfo
	// Mode is that of a new file; 0 is 0644.
	Mode fs.FileMode
}

// Stage writes the new content of a file beside it, on the disk. Missing
// directories of a new file are made.
func (p *Place) Stage(data []byte, opts StageOptions) (_ *Staged, err error) {
	old := opts.Old
	s := &Staged{old: old}
	defer func() {
		if err != nil {
			_ = s.Close() // the first error counts
		}
	}()
	if old == nil {
		s.made = p.missingParents()
	}
	s.root = p.root
	if s.target, err = p.target(old == nil); err != nil {
		return nil, err
	}
	if old != nil {
		if err = s.writable(); err != nil {
			return nil, err
		}
	}
	if s.temp, err = s.writeTemp(data, old, opts.Mode); err != nil {
		return nil, err
	}
	return s, nil
}

// StageRemoval prepares the removal of a file that was read.
func (p *Place) StageRemoval(old fs.FileInfo) (*Staged, error) {
	t, err := p.target(false)
	if err != nil {
		return nil, err
	}
	if err := t.writable(); err != nil {
		t.close()
		return nil, err
	}
	return &Staged{target: t, root: p.root, old: old}, nil
}

// Commit makes the change in one step, if the file is still the one that was
// read. With undo it keeps what [Staged.Undo] needs.
func (s *Staged) Commit(undo bool) error {
	if err := s.unchanged(); err != nil {
		return err
	}
	if err := s.check(s.base); err != nil {
		return err
	}
	switch {
	case s.old == nil:
		if err := s.giveName(s.temp); err != nil {
			return err
		}
	case s.temp == "":
		backup := tempName()
		if err := s.dir.Rename(s.base, backup); err != nil {
			return plain(err)
		}
		s.backup = backup
	default:
		if undo {
			if err := s.keepOld(); err != nil {
				return err
			}
		}
		if err := s.dir.Rename(s.temp, s.base); err != nil {
			return plain(err)
		}
	}
	s.temp, s.committed = "", true
	s.syncDir()
	return nil
}

// giveName gives a new file its name unless the name is taken by now: a link
// fails where a rename would replace.
func (t *target) giveName(temp string) error {
	err := t.dir.Link(temp, t.base)
	if err == nil {
		_ = t.dir.Remove(temp) // the file has its name; a second one is only litter
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return plain(err)
	}
	// A file system without links: unchanged looked a moment ago.
	return plain(t.dir.Rename(temp, t.base))
}

// keepOld gives the old file a second name. Where there are no links, a copy
// does.
func (s *Staged) keepOld() error {
	backup := tempName()
	if err := s.dir.Link(s.base, backup); err == nil {
		s.backup = backup
		return nil
	}
	data, err := s.dir.ReadFile(s.base)
	if err == nil {
		s.backup, err = s.writeTemp(data, s.old, 0)
	}
	return plain(err)
}

// unchanged looks whether the file is the one that was read.
func (s *Staged) unchanged() error {
	now, err := s.dir.Lstat(s.base)
	switch {
	case s.old == nil && errors.Is(err, fs.ErrNotExist):
		return nil
	case s.old == nil && err == nil:
		return &fs.PathError{Op: "create", Path: s.place.Path, Err: fs.ErrExist}
	case errors.Is(err, fs.ErrNotExist), err == nil && !sameFile(s.old, now):
		return &fs.PathError{Op: "write", Path: s.place.Path, Err: ErrChanged}
	}
	return plain(err)
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Undo takes a change back that was made with undo.
func (s *Staged) Undo() error {
	if !s.committed {
		return nil
	}
	if s.old == nil {
		s.committed = false
		return plain(s.dir.Remove(s.base))
	}
	if err := s.dir.Rename(s.backup, s.base); err != nil {
		s.stuck = true
		return fmt.Errorf("the old content is in %s: %w", filepath.Join(filepath.Dir(s.place.Path), s.backup), plain(err))
	}
	s.backup, s.committed = "", false
	s.syncDir()
	return nil
}

// Close removes what the change no longer needs: all of it when the change was
// not made.
func (s *Staged) Close() error {
	if s.target == nil {
		return nil
	}
	defer s.close()
	var problems []error
	for _, name := range []*string{&s.temp, &s.backup} {
		if *name == "" || s.stuck {
			continue
		}
		if err := s.dir.Remove(*name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, plain(err))
		}
		*name = ""
	}
	if !s.committed {
		for _, dir := range slices.Backward(s.made) {
			if s.root.Remove(dir) != nil {
				break // it is in use by now
			}
		}
		s.made = nil
	}
	return errors.Join(problems...)
}

// writable checks the permission to write to a file, which a rename does not.
func (t *target) writable() error {
	f, _, err := t.openExisting(os.O_WRONLY)
	if err != nil {
		return err
	}
	return f.Close()
}

// missingParents are the directories above a place that do not exist.
func (p *Place) missingParents() (missing []string) {
	for dir := filepath.Dir(p.name); dir != "."; dir = filepath.Dir(dir) {
		if _, err := p.root.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
	}
	slices.Reverse(missing)
	return missing
}

func tempName() string { return ".gongu-" + rand.Text() + ".tmp" }

// writeTemp writes a file beside the place. old is whose mode and owner it
// takes, or nil for a new file of a given mode.
func (t *target) writeTemp(data []byte, old fs.FileInfo, mode fs.FileMode) (name string, err error) {
	name = tempName()
	f, err := t.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, t.place.narrow(cmp.Or(mode.Perm(), 0o644)))
	if err != nil {
		return "", plain(err)
	}
	if old != nil {
		keepOwner(f, old)
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		_, err = finish(f, data)
	} else {
		_ = f.Close() // the first error counts
	}
	if err != nil {
		_ = t.dir.Remove(name) // the first error counts
		return "", err
	}
	return name, nil
}

// syncDir brings a change of names to the disk. It is made already, and not
// every file system can; a failure changes nothing.
func (t *target) syncDir() {
	dir, err := t.dir.Open(".")
	if err != nil {
		return
	}
	_ = dir.Sync()
	_ = dir.Close()
}
