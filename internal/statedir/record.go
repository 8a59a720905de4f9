package statedir

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// recordName is the file that says which bundle a state root is for. Its time is
// that of the last use.
const recordName = "bundle.json"

// recordVersion is the newest form of the record that can be read.
const recordVersion = 1

// usedEvery is the precision of the time of the last use.
const usedEvery = time.Minute

type record struct {
	Version int    `json:"version"`
	Bundle  string `json:"bundle"`
}

// Use makes a state root, private to this user, and records the bundle or the
// folder that it is for.
func Use(root, bundle string) error {
	bundle, err := filepath.Abs(bundle)
	if err != nil {
		return unusable(root, err)
	}
	if err := fsx.PrivateDir(root); err != nil {
		return unusable(root, err)
	}
	file := filepath.Join(root, recordName)
	now := time.Now()
	if info, err := os.Lstat(file); err == nil && now.Sub(info.ModTime()) < usedEvery {
		return nil
	}
	if was, err := readRecord(file); err == nil && was.Bundle == bundle {
		_ = os.Chtimes(file, now, now) // only the time of the last use is at stake
		return nil
	}
	text, err := json.Marshal(record{recordVersion, bundle})
	if err == nil {
		err = fsx.ReplacePrivate(file, append(text, '\n'))
	}
	if err != nil && !errors.Is(err, fsx.ErrUnconfirmed) {
		return unusable(root, err)
	}
	return nil
}

// Used records the use of a state root that exists; it makes none. Only the list
// of state roots needs the record, so a failure is not reported.
func Used(root, bundle string) {
	if _, err := os.Lstat(root); err == nil {
		_ = Use(root, bundle)
	}
}

func readRecord(file string) (record, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return record{}, err
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		return record{}, err
	}
	if r.Version != recordVersion || !filepath.IsAbs(r.Bundle) {
		return record{}, errors.New("not a record of this version")
	}
	return r, nil
}

// Entry is one state root in the user's state folder.
type Entry struct {
	Path string `json:"path"`
	// Bundle is the path that it is for; empty if that is not known.
	Bundle string `json:"bundle,omitempty"`
	// Exists means that there still is something at that path.
	Exists bool      `json:"exists"`
	Bytes  int64     `json:"bytes"`
	Used   time.Time `json:"used,omitzero"`
}

// Abandoned means that the bundle of the state root is known and gone.
func (e *Entry) Abandoned() bool { return e.Bundle != "" && !e.Exists }

// List returns the state roots of the user, sorted by bundle.
func List() ([]Entry, error) {
	folder, err := Folder()
	if err != nil {
		return nil, err
	}
	if err := check(folder); err != nil {
		return nil, err
	}
	names, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unusable(folder, err)
	}
	entries := []Entry{}
	for _, name := range names {
		if !name.IsDir() || !isRootName(name.Name()) {
			continue
		}
		e := Entry{Path: filepath.Join(folder, name.Name())}
		file := filepath.Join(e.Path, recordName)
		// A record that does not fit the name was not written by us.
		if r, err := readRecord(file); err == nil && nameOf(r.Bundle) == name.Name() {
			e.Bundle = r.Bundle
			_, err := os.Stat(r.Bundle)
			e.Exists = !errors.Is(err, fs.ErrNotExist)
		}
		if info, err := os.Stat(file); err == nil {
			e.Used = info.ModTime().UTC()
		}
		e.Bytes = size(e.Path)
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return strings.Compare(a.Bundle+"\x00"+a.Path, b.Bundle+"\x00"+b.Path)
	})
	return entries, nil
}

func isRootName(name string) bool {
	i := strings.LastIndexByte(name, '-')
	return i > 0 && len(name)-i-1 == hashLength && strings.Trim(name[i+1:], "0123456789abcdef") == ""
}

// size counts the bytes of the files in a folder; what cannot be read counts
// nothing.
func size(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

// Remove removes an abandoned state root. It does not follow links.
func (e *Entry) Remove() error {
	if _, err := os.Stat(e.Bundle); !errors.Is(err, fs.ErrNotExist) {
		return errors.New("the bundle is there again")
	}
	return os.RemoveAll(e.Path)
}
