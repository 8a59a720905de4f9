package fsx

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// files lists a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func content(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != want || err != nil {
		t.Errorf("%s is %q, %v, want %q", path, got, err, want)
	}
}

// TestStage: nothing changes before Commit, and nothing is left but the change.
func TestStage(t *testing.T) {
	s, _ := newSpace(t)
	path := filepath.Join(s.Workdir, "f")
	put(t, path, "old")
	p := at(t, s, "f")
	data, old, err := p.ReadAll(100)
	if string(data) != "old" || err != nil {
		t.Fatalf("%q, %v", data, err)
	}
	staged, err := p.Stage([]byte("new"), StageOptions{Old: old})
	if err != nil {
		t.Fatal(err)
	}
	content(t, path, "old")
	if err := staged.Commit(false); err != nil {
		t.Fatal(err)
	}
	content(t, path, "new")
	if err := staged.Close(); err != nil || len(files(t, s.Workdir)) != 1 {
		t.Errorf("%v, %q", err, files(t, s.Workdir))
	}
	// The file that was read is gone by now.
	if staged, err = p.Stage([]byte("newer"), StageOptions{Old: old}); err != nil {
		t.Fatal(err)
	}
	if err := staged.Commit(false); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if err := staged.Close(); err != nil || len(files(t, s.Workdir)) != 1 {
		t.Errorf("%v, %q", err, files(t, s.Workdir))
	}
	content(t, path, "new")
}

// TestStageNew: directories are made, and taken away again when nothing came of
// it; a file that appears meanwhile is not replaced.
func TestStageNew(t *testing.T) {
	s, _ := newSpace(t)
	p := at(t, s, "a/b/f")
	staged, err := p.Stage([]byte("x"), StageOptions{Mode: 0o700})
	if err != nil {
		t.Fatal(err)
	}
	if err := staged.Close(); err != nil || len(files(t, s.Workdir)) != 0 {
		t.Errorf("%v, %q", err, files(t, s.Workdir))
	}
	if staged, err = p.Stage([]byte("x"), StageOptions{}); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(s.Workdir, "a", "b", "f"), "theirs")
	if err := staged.Commit(false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if err := staged.Close(); err != nil {
		t.Error(err)
	}
	content(t, filepath.Join(s.Workdir, "a", "b", "f"), "theirs")
}

// TestUndo: each kind of change is taken back.
func TestUndo(t *testing.T) {
	s, _ := newSpace(t)
	put(t, filepath.Join(s.Workdir, "changed"), "old")
	put(t, filepath.Join(s.Workdir, "removed"), "old")
	var all []*Staged
	for _, name := range []string{"changed", "removed", "dir/made"} {
		p := at(t, s, name)
		_, old, err := p.ReadAll(100)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		var staged *Staged
		if name == "removed" {
			staged, err = p.StageRemoval(old)
		} else {
			staged, err = p.Stage([]byte("new"), StageOptions{Old: old})
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := staged.Commit(true); err != nil {
			t.Fatal(err)
		}
		all = append(all, staged)
	}
	content(t, filepath.Join(s.Workdir, "changed"), "new")
	content(t, filepath.Join(s.Workdir, "dir", "made"), "new")
	if _, err := os.Stat(filepath.Join(s.Workdir, "removed")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for _, staged := range all {
		if err := errors.Join(staged.Undo(), staged.Close()); err != nil {
			t.Error(err)
		}
	}
	content(t, filepath.Join(s.Workdir, "changed"), "old")
	content(t, filepath.Join(s.Workdir, "removed"), "old")
	if got := files(t, s.Workdir); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestReadAllIsBounded(t *testing.T) {
	s, _ := newSpace(t)
	put(t, filepath.Join(s.Workdir, "f"), "12345")
	p := at(t, s, "f")
	if data, _, err := p.ReadAll(5); string(data) != "12345" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, _, err := p.ReadAll(4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

// TestPathLocks: who has other locks of the same folder waits, also for one of
// several files, and a waiter goes when its context ends.
func TestPathLocks(t *testing.T) {
	dir := t.TempDir()
	first, second := NewPathLocks(dir), NewPathLocks(dir)
	release, err := first.Lock(t.Context(), "/a", "/b", "/a")
	if err != nil {
		t.Fatal(err)
	}
	for _, locks := range []*PathLocks{first, second} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := locks.Lock(ctx, "/b"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		cancel()
	}
	got := make(chan error)
	go func() {
		let, err := second.Lock(t.Context(), "/b", "/a")
		if err == nil {
			let()
		}
		got <- err
	}()
	release()
	if err := <-got; err != nil {
		t.Error(err)
	}
	// A folder that cannot be made keeps only this process out.
	put(t, filepath.Join(dir, "file"), "")
	none := NewPathLocks(filepath.Join(dir, "file", "sub"))
	if release, err = none.Lock(t.Context(), "/a"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := none.Lock(ctx, "/a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	release()
}
