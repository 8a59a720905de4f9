package fsx

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Entry is one thing in a directory.
type Entry struct {
	Name string
	// Path is absolute.
	Path string
	Info fs.FileInfo
}

// Walk bounds a listing.
type Walk struct {
	Recursive bool
	// Keep chooses what to list; directories are entered all the same.
	Keep func(fs.FileInfo) bool
	// Max is how many entries to list, Scan how many to look at.
	Max, Scan int
}

// List lists a directory, sorted by path, and says whether it is all there is.
// Links are listed and not followed. A directory that cannot be read or is
// closed is listed without what is in it, unless it is the one asked for.
func (p *Place) List(ctx context.Context, w Walk) (entries []Entry, complete bool, err error) {
	if err := p.Dir(); err != nil {
		return nil, false, err
	}
	l := &lister{place: p, walk: w, complete: true}
	for _, dir := range p.closed {
		if info, err := os.Stat(dir); err == nil {
			l.closed = append(l.closed, info)
		}
	}
	if err := l.enter(ctx, "."); err != nil {
		return nil, false, err
	}
	slices.SortFunc(l.entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return l.entries, l.complete, nil
}

type lister struct {
	place    *Place
	walk     Walk
	entries  []Entry
	scanned  int
	full     bool
	complete bool
	closed   []fs.FileInfo
}

// enter lists a directory, named from the place.
func (l *lister) enter(ctx context.Context, dir string) error {
	found, err := l.read(dir)
	if err != nil {
		return err
	}
	for _, item := range found {
		if err := ctx.Err(); err != nil {
			return err
		}
		info, err := item.Info()
		if err != nil {
			continue // gone since its directory was read
		}
		name := filepath.Join(dir, item.Name())
		if l.walk.Keep(info) {
			if len(l.entries) == l.walk.Max {
				l.complete, l.full = false, true
				return nil
			}
			l.entries = append(l.entries, Entry{Name: item.Name(), Path: filepath.Join(l.place.Path, name), Info: info})
		}
		if l.walk.Recursive && info.IsDir() && !l.isClosed(info) {
			if err := l.enter(ctx, name); err != nil && ctx.Err() != nil {
				return err
			}
		}
		if l.full {
			return nil
		}
	}
	return nil
}

// isClosed knows a closed directory by itself: the way to it was looked at
// before, and links are not followed.
func (l *lister) isClosed(dir fs.FileInfo) bool {
	return slices.ContainsFunc(l.closed, func(one fs.FileInfo) bool { return os.SameFile(one, dir) })
}

// read takes the names of one directory, as many as there is still room for.
func (l *lister) read(dir string) ([]fs.DirEntry, error) {
	f, err := l.place.root.OpenFile(filepath.Join(l.place.name, dir), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, plain(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	// ReadDir with a count of 0 would mean all of them.
	room := l.walk.Scan - l.scanned
	found, err := f.ReadDir(room + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(found) > room {
		found, l.complete = found[:room], false
	}
	l.scanned += len(found)
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return found, nil
}
