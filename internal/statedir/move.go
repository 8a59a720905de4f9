package statedir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// Moved is what [Move] did, by paths relative to the old folder.
type Moved struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Moved are the folders that are in the state root now.
	Moved []string `json:"moved"`
	// Left are those that were not moved: the state root has them already, or
	// they decide what is allowed, and a bundle must not bring that along.
	Left []string `json:"left,omitempty"`
}

// movable returns the folders of work and of caches. Tokens, logins, records of
// servers, approved scripts and consents are decisions and are made again.
func movable() []string { return []string{"instances", "cache"} }

// Plan says what [Move] would do.
func Plan(bundle, root string) (Moved, error) {
	old, there := Old(bundle)
	m := Moved{From: old, To: root, Moved: []string{}}
	if !there {
		return m, fs.ErrNotExist
	}
	entries, err := os.ReadDir(old)
	if err != nil {
		return m, err
	}
	for _, entry := range entries {
		if !entry.IsDir() || !slices.Contains(movable(), entry.Name()) {
			m.Left = append(m.Left, entry.Name())
			continue
		}
		inside, err := os.ReadDir(filepath.Join(old, entry.Name()))
		if err != nil {
			return m, err
		}
		for _, one := range inside {
			name := filepath.Join(entry.Name(), one.Name())
			if _, err := os.Lstat(filepath.Join(root, name)); err == nil || !one.IsDir() {
				m.Left = append(m.Left, name)
				continue
			}
			m.Moved = append(m.Moved, name)
		}
	}
	return m, nil
}

// Move moves the work of an old state folder in a bundle to the state root. It is
// the only function that reads that folder, and a person asks for it. Links are
// not moved: they could lead anywhere.
func Move(bundle, root string) (Moved, error) {
	m, err := Plan(bundle, root)
	if err != nil {
		return m, err
	}
	if err := Use(root, bundle); err != nil {
		return m, err
	}
	for i, name := range m.Moved {
		from, to := filepath.Join(m.From, name), filepath.Join(root, name)
		temp := to + ".moving"
		err := errors.Join(fsx.PrivateDir(filepath.Dir(to)), os.RemoveAll(temp))
		if err == nil {
			err = copyTree(from, temp)
		}
		if err == nil {
			err = os.Rename(temp, to)
		}
		if err == nil {
			err = os.RemoveAll(from)
		}
		if err != nil {
			m.Moved = m.Moved[:i]
			return m, fmt.Errorf("move %s: %w", from, errors.Join(err, os.RemoveAll(temp)))
		}
	}
	for _, name := range movable() {
		_ = os.Remove(filepath.Join(m.From, name)) // only when it is empty
	}
	_ = os.Remove(m.From) // likewise
	return m, nil
}

// copyTree copies folders and regular files, private to this user.
func copyTree(from, to string) error {
	source, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	return fs.WalkDir(source.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		target := filepath.Join(to, filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return fsx.PrivateDir(target)
		case !entry.Type().IsRegular():
			return nil
		}
		return copyFile(source, name, target)
	})
}

func copyFile(source *os.Root, name, target string) (err error) {
	in, err := source.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err // replaced since it was listed
	}
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|info.Mode()&0o100)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
