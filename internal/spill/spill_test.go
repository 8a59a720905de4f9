package spill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func put(t *testing.T, s *Store, owner, text string) string {
	t.Helper()
	file, err := s.Create(owner, "output-*.json", int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// K12, attack 8: each principal has a folder of its own, whatever its name, and
// the names of the files cannot be guessed.
func TestK12Folders(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "spill"), nil)
	defer s.Close()
	dirs := map[string]string{}
	for _, owner := range []string{"token:kim", "oidc:kim", "token:../kim", "token:KIM", "token:a/b", "token:a-b", ":", "", "program", "..", "cli:user"} {
		dir := s.Dir(owner)
		if other, taken := dirs[dir]; taken || filepath.Dir(dir) != s.dir {
			t.Errorf("%q has the folder %s, as %q", owner, dir, other)
		}
		dirs[dir] = owner
	}
	names := map[string]bool{}
	for range 100 {
		path := put(t, s, "token:kim", "x")
		random := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "output-"), ".json")
		if len(random) < 26 || names[random] {
			t.Fatalf("the name %s can be guessed", path)
		}
		names[random] = true
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v, %v", info.Mode(), err)
		}
	}
}

// K12: an output ends after a day, also when no other one is made.
func TestK12Age(t *testing.T) {
	now := time.Now()
	s := New(filepath.Join(t.TempDir(), "spill"), &Options{Now: func() time.Time { return now }})
	defer s.Close()
	old := put(t, s, "token:kim", "old")
	now = now.Add(MaxAge - time.Minute)
	s.Sweep()
	if !exists(old) {
		t.Fatal("removed before its time")
	}
	fresh := put(t, s, "token:lee", "fresh")
	if err := os.Chtimes(fresh, now, now); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * time.Minute)
	s.Sweep()
	if exists(old) || !exists(fresh) {
		t.Errorf("after a day: old %t, fresh %t", exists(old), exists(fresh))
	}
	if s.timer == nil {
		t.Error("nothing will remove the other one")
	}
}

// K12: all outputs together have a size; the oldest make room, whoever they
// belong to.
func TestK12Total(t *testing.T) {
	now := time.Now()
	s := New(filepath.Join(t.TempDir(), "spill"), &Options{MaxTotal: 100, Now: func() time.Time { return now }})
	defer s.Close()
	var paths []string
	for i := range 10 {
		path := put(t, s, fmt.Sprint("token:p", i%3), strings.Repeat("x", 30))
		at := now.Add(time.Duration(i-10) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for i, path := range paths {
		if exists(path) != (i >= 7) {
			t.Errorf("output %d of 10 is there: %t", i, exists(path))
		}
	}
	if s.opts.MaxTotal != 100 || New("", nil).opts.MaxTotal != 1<<30 || New("", nil).opts.MaxAge != 24*time.Hour {
		t.Error("the limits are others")
	}
}
