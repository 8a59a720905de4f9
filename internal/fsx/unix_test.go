//go:build unix

package fsx

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// TestGoondanW9_LinksOut: a link to the outside is refused whatever is done with it.
func TestGoondanW9_LinksOut(t *testing.T) {
	s, outside := newSpace(t)
	link(t, filepath.Join(outside, "secret"), filepath.Join(s.Workdir, "file"))
	link(t, outside, filepath.Join(s.Workdir, "dir"))
	link(t, "../../outside", filepath.Join(s.Workdir, "relative"))
	link(t, filepath.Join(outside, "new"), filepath.Join(s.Workdir, "dangling"))
	for _, path := range []string{"file", "dir/secret", "relative/secret", "dir/new/deep", "dangling"} {
		p := at(t, s, path)
		_, _, _, reading := p.Head(10)
		_, writing := p.Write([]byte("x"))
		_, appending := p.Append([]byte("x"))
		_, making := p.Mkdir(true)
		_, looking := p.Stat()
		_, _, listing := p.List(t.Context(), Walk{Keep: everything, Max: 10, Scan: 10})
		for what, err := range map[string]error{"read": reading, "write": writing, "append": appending, "mkdir": making, "stat": looking, "list": listing} {
			if !errors.Is(err, ErrOutside) {
				t.Errorf("%s %s: %v, want %v", what, path, err, ErrOutside)
			}
		}
	}
	if got, err := os.ReadFile(filepath.Join(outside, "secret")); string(got) != "secret" || err != nil {
		t.Errorf("the file outside is %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
		t.Error("a file was made outside")
	}
}

// TestLinksInside work, absolute ones and those to a root included, and are
// written through.
func TestLinksInside(t *testing.T) {
	s, _ := newSpace(t)
	put(t, filepath.Join(s.Workdir, "real", "f"), "old")
	link(t, "real/f", filepath.Join(s.Workdir, "relative"))
	link(t, filepath.Join(s.Workdir, "real"), filepath.Join(s.Workdir, "absolute"))
	link(t, s.Roots[0], filepath.Join(s.Workdir, "root"))
	link(t, "real/new", filepath.Join(s.Workdir, "dangling"))
	for path, target := range map[string]string{
		"relative": filepath.Join(s.Workdir, "real", "f"), "absolute/f": filepath.Join(s.Workdir, "real", "f"),
		"root/shared": filepath.Join(s.Roots[0], "shared"), "dangling": filepath.Join(s.Workdir, "real", "new"),
	} {
		if _, err := at(t, s, path).Write([]byte(path)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if got, err := os.ReadFile(target); string(got) != path || err != nil {
			t.Errorf("%s: %s is %q, %v", path, target, got, err)
		}
	}
	for _, path := range []string{"relative", "dangling"} {
		if info, err := os.Lstat(filepath.Join(s.Workdir, path)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", path)
		}
	}
}

// TestSpaceBehindLink: a space that is named through a link takes both names.
func TestSpaceBehindLink(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(base, "real", "f"), "x")
	link(t, filepath.Join(base, "real"), filepath.Join(base, "link"))
	for _, dir := range []string{"real", "link"} {
		for _, path := range []string{"f", filepath.Join(base, "real", "f"), filepath.Join(base, "link", "f")} {
			if _, _, _, err := at(t, Space{Workdir: filepath.Join(base, dir)}, path).Head(1); err != nil {
				t.Errorf("%s from %s: %v", path, dir, err)
			}
		}
	}
}

// TestIrregular: pipes and devices are refused; opening them could block.
func TestIrregular(t *testing.T) {
	s, _ := newSpace(t)
	s.Roots = append(s.Roots, "/dev")
	at(t, s, ".")
	if err := syscall.Mkfifo(filepath.Join(s.Workdir, "fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"fifo", "/dev/null", "/dev/zero"} {
		p := at(t, s, path)
		_, _, _, reading := p.Head(10)
		_, writing := p.Write([]byte("x"))
		_, appending := p.Append([]byte("x"))
		for what, err := range map[string]error{"read": reading, "write": writing, "append": appending} {
			if !errors.Is(err, ErrIrregular) {
				t.Errorf("%s %s: %v, want %v", what, path, err, ErrIrregular)
			}
		}
	}
}

func TestModeIsKept(t *testing.T) {
	s, _ := newSpace(t)
	path := filepath.Join(s.Workdir, "run.sh")
	put(t, path, "old")
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	if _, err := at(t, s, "run.sh").Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if os.Geteuid() == 0 {
		return // root may write everything
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := at(t, s, "run.sh").Write([]byte("newer")); !errors.Is(err, os.ErrPermission) {
		t.Errorf("a read-only file was replaced: %v", err)
	}
}

// TestListDoesNotFollow: a link to a parent would have no end.
func TestListDoesNotFollow(t *testing.T) {
	s, outside := newSpace(t)
	put(t, filepath.Join(s.Workdir, "a", "f"), "")
	link(t, "..", filepath.Join(s.Workdir, "a", "up"))
	link(t, outside, filepath.Join(s.Workdir, "out"))
	found, complete, err := at(t, s, ".").List(t.Context(), Walk{Recursive: true, Keep: everything, Max: 100, Scan: 100})
	if len(found) != 4 || !complete || err != nil {
		t.Errorf("%v, %v, %v", found, complete, err)
	}
}
