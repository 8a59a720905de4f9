package fsx

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// at is the place of a path, closed with the test.
func at(t *testing.T, s Space, path string) *Place {
	t.Helper()
	p, err := s.At(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func newSpace(t *testing.T) (s Space, outside string) {
	t.Helper()
	base := t.TempDir()
	outside = filepath.Join(base, "outside")
	put(t, filepath.Join(outside, "secret"), "secret")
	root := filepath.Join(base, "root")
	put(t, filepath.Join(root, "shared"), "shared")
	return Space{Workdir: filepath.Join(base, "state", "work"), Roots: []string{root}}, outside
}

// TestB1_Paths: relative paths begin at the working directory, absolute ones
// work inside of it and of the roots.
func TestB1_Paths(t *testing.T) {
	s, outside := newSpace(t)
	for path, want := range map[string]string{
		".":                                 filepath.Join(s.Workdir),
		"a/b":                               filepath.Join(s.Workdir, "a", "b"),
		"a/../b":                            filepath.Join(s.Workdir, "b"),
		s.Workdir:                           s.Workdir,
		s.Workdir + "/x":                    filepath.Join(s.Workdir, "x"),
		s.Roots[0] + "/shared":              filepath.Join(s.Roots[0], "shared"),
		"../../root/shared":                 filepath.Join(s.Roots[0], "shared"),
		"..x/y":                             filepath.Join(s.Workdir, "..x", "y"),
		filepath.Join(s.Workdir, "../work"): s.Workdir,
	} {
		if got := at(t, s, path).Path; got != want {
			t.Errorf("%s is at %s, want %s", path, got, want)
		}
	}
	for _, path := range []string{"..", "../../etc/hostname", "../work2", "a/../../b", "/", "/etc/hostname", outside, s.Workdir + "x", filepath.Dir(s.Roots[0])} {
		if _, err := s.At(path); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v, want %v", path, err, ErrOutside)
		}
	}
	if _, err := s.At("a\x00b"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a path with NUL: %v", err)
	}
	if info, err := os.Stat(s.Workdir); err != nil || !info.IsDir() {
		t.Errorf("the working directory was not made: %v", err)
	}
}

// TestGoondanW9_NoBounds: the root of the file system as a root takes the bounds away.
func TestGoondanW9_NoBounds(t *testing.T) {
	s, outside := newSpace(t)
	s.Roots = []string{filepath.VolumeName(outside) + string(filepath.Separator)}
	data, _, _, err := at(t, s, filepath.Join(outside, "secret")).Head(100)
	if string(data) != "secret" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}

func TestHead(t *testing.T) {
	s, _ := newSpace(t)
	put(t, filepath.Join(s.Workdir, "f"), "0123456789")
	for limit, want := range map[int]string{1: "0", 9: "012345678", 10: "0123456789", 1 << 20: "0123456789"} {
		data, size, more, err := at(t, s, "f").Head(limit)
		if string(data) != want || size != 10 || more != (limit < 10) || err != nil {
			t.Errorf("%d: %q, %d, %v, %v", limit, data, size, more, err)
		}
	}
	for path, want := range map[string]error{".": ErrIsDir, "missing": fs.ErrNotExist, "f/x": nil} {
		if _, _, _, err := at(t, s, path).Head(1); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}

func TestWrite(t *testing.T) {
	s, _ := newSpace(t)
	p := at(t, s, "a/b/f")
	for i, step := range []struct {
		put  func([]byte) (int64, error)
		text string
		want string
	}{
		{p.Write, "first, which is long", "first, which is long"},
		{p.Write, "second", "second"},
		{p.Append, "+", "second+"},
		{p.Append, "", "second+"},
		{p.Write, "", ""},
	} {
		size, err := step.put([]byte(step.text))
		if size != int64(len(step.want)) || err != nil {
			t.Errorf("step %d: %d, %v", i, size, err)
		}
		if got, err := os.ReadFile(p.Path); string(got) != step.want || err != nil {
			t.Errorf("step %d: %q, %v", i, got, err)
		}
	}
	if size, err := at(t, s, "c/new").Append([]byte("x")); size != 1 || err != nil {
		t.Errorf("append to nothing: %d, %v", size, err)
	}
	for _, path := range []string{".", "a"} {
		if _, err := at(t, s, path).Write(nil); !errors.Is(err, ErrIsDir) {
			t.Errorf("write to %s: %v", path, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(s.Workdir, "a", "b", ".gongu-*"))
	if len(left) > 0 || err != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// TestWriteIsOneStep: who has the file open keeps the old content whole.
func TestWriteIsOneStep(t *testing.T) {
	s, _ := newSpace(t)
	put(t, filepath.Join(s.Workdir, "f"), "old")
	f, err := os.Open(filepath.Join(s.Workdir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := at(t, s, "f").Write([]byte("new content")); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	if n, _ := f.Read(buf); string(buf[:n]) != "old" {
		t.Errorf("an open file shows %q", buf[:n])
	}
}

func TestMkdir(t *testing.T) {
	s, _ := newSpace(t)
	put(t, filepath.Join(s.Workdir, "file"), "")
	for _, tc := range []struct {
		path    string
		parents bool
		created bool
		err     error
	}{
		{"a/b", false, false, fs.ErrNotExist},
		{"a/b", true, true, nil},
		{"a/b", true, false, nil},
		{"a/b", false, false, fs.ErrExist},
		{"a/c", false, true, nil},
		{"file", true, false, fs.ErrExist},
		{".", true, false, nil},
	} {
		created, err := at(t, s, tc.path).Mkdir(tc.parents)
		if created != tc.created || !errors.Is(err, tc.err) {
			t.Errorf("%+v: %v, %v", tc, created, err)
		}
	}
}

func everything(fs.FileInfo) bool { return true }

func TestList(t *testing.T) {
	s, _ := newSpace(t)
	for _, name := range []string{"b", "a/z", "a/b/c", "a.txt"} {
		put(t, filepath.Join(s.Workdir, name), "x")
	}
	for _, tc := range []struct {
		path     string
		walk     Walk
		want     string
		complete bool
	}{
		{".", Walk{Max: 100, Scan: 100}, "a a.txt b", true},
		{".", Walk{Recursive: true, Max: 100, Scan: 100}, "a a.txt a/b a/b/c a/z b", true},
		{"a", Walk{Recursive: true, Max: 100, Scan: 100}, "a/b a/b/c a/z", true},
		{".", Walk{Recursive: true, Max: 6, Scan: 6}, "a a.txt a/b a/b/c a/z b", true},
		{".", Walk{Recursive: true, Max: 3, Scan: 100}, "a a/b a/b/c", false},
		{".", Walk{Recursive: true, Max: 100, Scan: 3}, "a a.txt b", false},
	} {
		tc.walk.Keep = everything
		found, complete, err := at(t, s, tc.path).List(t.Context(), tc.walk)
		var names []string
		for _, e := range found {
			relative, _ := filepath.Rel(s.Workdir, e.Path)
			names = append(names, filepath.ToSlash(relative))
		}
		if got := strings.Join(names, " "); got != tc.want || complete != tc.complete || err != nil {
			t.Errorf("%s %+v: %s, %v, %v; want %s, %v", tc.path, tc.walk, got, complete, err, tc.want, tc.complete)
		}
	}
	if _, _, err := at(t, s, "b").List(t.Context(), Walk{Keep: everything}); !errors.Is(err, ErrNotDir) {
		t.Errorf("list of a file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := at(t, s, ".").List(ctx, Walk{Keep: everything, Max: 100, Scan: 100}); !errors.Is(err, context.Canceled) {
		t.Errorf("list after the call was over: %v", err)
	}
}

// TestListOfMany: a directory with more than is asked for is not read whole.
func TestListOfMany(t *testing.T) {
	s, _ := newSpace(t)
	for i := range 300 {
		put(t, filepath.Join(s.Workdir, strconv.Itoa(i)), "")
	}
	found, complete, err := at(t, s, ".").List(t.Context(), Walk{Keep: everything, Max: 100, Scan: 200})
	if len(found) != 100 || complete || err != nil {
		t.Errorf("%d, %v, %v", len(found), complete, err)
	}
	if !slices.IsSortedFunc(found, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("not sorted")
	}
}

// A path of thousands of parts that do not exist costs as much as its length:
// it took minutes when each part was followed from the top.
func TestAtOfALongPath(t *testing.T) {
	space := Space{Workdir: t.TempDir(), Closed: []string{filepath.Join(t.TempDir(), "closed")}}
	began := time.Now()
	place, err := space.At(strings.Repeat("x/", 3000))
	if err != nil {
		t.Fatal(err)
	}
	if err := place.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

// The part that exists is followed, and ends where a link leads nowhere.
func TestExisting(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "a", "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a/b": "a/b", "a/b/c/d": "a/b", "a/none/b": "a", "a/link": "a/link", "a/link/x": "a/link", "a": "a", "none": ".",
	} {
		if got := existing(filepath.Join(dir, path)); got != filepath.Join(dir, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := existing(string(filepath.Separator)); got != string(filepath.Separator) {
		t.Errorf("the root: %s", got)
	}
}
