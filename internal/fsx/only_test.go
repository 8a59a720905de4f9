package fsx_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// P6: a place that was bound to a file changes no other one, though a folder on the
// way to it becomes a link in the meantime.
func TestP6_OnlyThisFile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p, err := fsx.Space{Workdir: dir}.At("a/f")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	p.Only(p.Real())
	if _, err := p.Write([]byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b", filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"write":  func() error { _, err := p.Write([]byte("2")); return err },
		"append": func() error { _, err := p.Append([]byte("2")); return err },
		"mkdir":  func() error { _, err := p.Mkdir(true); return err },
		"stage":  func() error { _, err := p.Stage([]byte("2"), fsx.StageOptions{}); return err },
	} {
		if err := change(); !errors.Is(err, fsx.ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if found, err := os.ReadDir(filepath.Join(dir, "b")); err != nil || len(found) > 0 {
		t.Errorf("the other folder has %v, %v", found, err)
	}
}
