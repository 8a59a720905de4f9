package fsx

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// What is closed cannot be reached, however it is spelled, nor made.
func TestClosed(t *testing.T) {
	work := t.TempDir()
	state := filepath.Join(work, ".state")
	spill := filepath.Join(state, "spill")
	put(t, filepath.Join(state, "tokens.json"), "secret")
	put(t, filepath.Join(spill, "large"), "large")
	put(t, filepath.Join(work, ".statement"), "open")
	if err := os.Symlink(".state", filepath.Join(work, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(state, "tokens.json"), filepath.Join(work, "file")); err != nil {
		t.Fatal(err)
	}
	s := Space{Workdir: work, Roots: []string{spill}, Closed: []string{state}}
	for _, path := range []string{
		".state", ".state/tokens.json", ".state/new/file", "./x/../.state/tokens.json", state, filepath.Join(state, "tokens.json"),
		"link", "link/tokens.json", "link/new", "file", ".state/spill/../tokens.json",
	} {
		if _, err := s.At(path); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{".", ".statement", "new", ".state/spill/large", filepath.Join(spill, "large"), "link/spill/large"} {
		at(t, s, path)
	}
	// From inside it is open: the working directories of agents lie there.
	inside := Space{Workdir: filepath.Join(state, "work"), Closed: []string{state}}
	at(t, inside, "file")
	// One that is not there yet is closed as well.
	s.Closed = []string{filepath.Join(work, "later")}
	if _, err := s.At("later/file"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// A list says that there is something closed, and not what is in it.
func TestClosedIsNotListed(t *testing.T) {
	work := t.TempDir()
	put(t, filepath.Join(work, "a", ".state", "tokens.json"), "secret")
	put(t, filepath.Join(work, "a", "b"), "open")
	s := Space{Workdir: work, Closed: []string{filepath.Join(work, "a", ".state")}}
	for _, from := range []string{".", "a"} {
		found, _, err := at(t, s, from).List(context.Background(), Walk{Recursive: true, Keep: func(fs.FileInfo) bool { return true }, Max: 100, Scan: 100})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, entry := range found {
			names = append(names, entry.Name)
		}
		want := []string{".state", "b"}
		if from == "." {
			want = append([]string{"a"}, want...)
		}
		if len(names) != len(want) {
			t.Errorf("%s: %q, want %q", from, names, want)
		}
	}
}
