package cad_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/cad"
)

func draw(name string) func(*cad.Scene) error {
	return func(s *cad.Scene) error {
		_, _, err := s.Draw(name, cad.Circle{Radius: 1}, nil)
		return err
	}
}

func count(t *testing.T, store cad.Store, instance string) int {
	t.Helper()
	n := 0
	if err := store.View(t.Context(), instance, func(s *cad.Scene) error { n = s.Len(); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestStoresKeepAScenePerInstance(t *testing.T) {
	dir := t.TempDir()
	for name, store := range map[string]cad.Store{"memory": cad.NewMemory(), "folder": cad.NewFolder(dir)} {
		t.Run(name, func(t *testing.T) {
			for _, instance := range []string{"a", "A", "a/../a", "한글"} {
				if err := store.Update(t.Context(), instance, draw("x")); err != nil {
					t.Fatal(err)
				}
				if n := count(t, store, instance); n != 1 {
					t.Errorf("%q has %d entities", instance, n)
				}
			}
			if n := count(t, store, "b"); n != 0 {
				t.Errorf("a new instance has %d entities", n)
			}
			if err := store.Update(t.Context(), "a", draw("x")); code(err) != cad.CodeDuplicateName {
				t.Errorf("the same name again: %v", err)
			}
		})
	}
	again := cad.NewFolder(dir)
	if n := count(t, again, "A"); n != 1 {
		t.Errorf("after a restart %d entities", n)
	}
	if _, err := os.Stat(filepath.Join(dir, "b")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking at a scene made a folder: %v", err)
	}
	if got, want := again.Path("a"), filepath.Join(dir, "a", "scene.json"); got != want {
		t.Errorf("path %s, want %s", got, want)
	}
}

// Two stores of one folder are two processes: each sees what the other did,
// and undoes it.
func TestFolderSeesChangesOfOthers(t *testing.T) {
	dir := t.TempDir()
	one, two := cad.NewFolder(dir), cad.NewFolder(dir)
	for i := range 10 {
		if err := []*cad.Folder{one, two}[i%2].Update(t.Context(), "k", draw(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		if a, b := count(t, one, "k"), count(t, two, "k"); a != i+1 || b != i+1 {
			t.Fatalf("after %d drawings one store has %d and the other %d", i+1, a, b)
		}
	}
	if err := one.Update(t.Context(), "k", func(s *cad.Scene) error { _, err := s.Undo(); return err }); err != nil {
		t.Fatal(err)
	}
	if n := count(t, two, "k"); n != 9 {
		t.Errorf("%d entities after the other's undo", n)
	}
}

// A change that fails half-way leaves neither the file nor the memory changed.
func TestFolderUpdateIsWhole(t *testing.T) {
	store := cad.NewFolder(t.TempDir())
	if err := store.Update(t.Context(), "k", draw("a")); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(store.Path("k"))
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	err = store.Update(t.Context(), "k", func(s *cad.Scene) error { return errors.Join(draw("b")(s), stop) })
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(store.Path("k")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed: %s, %v", after, err)
	}
	if n := count(t, store, "k"); n != 1 {
		t.Errorf("%d entities", n)
	}
}

// promise H18: a torn or newer file is refused and left alone.
func TestH18FolderRefusesFilesItCannotRead(t *testing.T) {
	good, err := cad.NewScene("").Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ content, say string }{
		"torn":         {string(good[:len(good)-4]), "cannot be read"},
		"empty":        {"", "cannot be read"},
		"newer":        {`{"version":2,"layers":[]}`, "has version 2, and this program reads up to version 1"},
		"no version":   {`{"entities":[]}`, "no version"},
		"unknown":      {`{"version":1,"layers":[]}`, "cannot be read"},
		"double":       {`{"version":1,"version":1}`, "cannot be read"},
		"other":        {`[1,2]`, "cannot be read"},
		"two values":   {string(good) + "{}", "cannot be read"},
		"same name":    {`{"version":1,"entities":[` + circle("a") + `,` + circle("a") + `]}`, "duplicate_name"},
		"no radius":    {`{"version":1,"entities":[{"name":"a","type":"circle"}]}`, "geometry"},
		"no scale":     {`{"version":1,"entities":[{"name":"a","type":"circle","geometry":{"radius":1}}]}`, "scale"},
		"bad type":     {`{"version":1,"entities":[{"name":"a","type":"blob","geometry":{}}]}`, "blob"},
		"bad change":   {`{"version":1,"undo":[{"op":"delete","name":"b","entity":` + circle("a") + `}],"entities":[]}`, "history"},
		"no operation": {`{"version":1,"redo":[{"name":"b"}],"entities":[]}`, "history"},
	} {
		t.Run(name, func(t *testing.T) {
			store := cad.NewFolder(t.TempDir())
			path := store.Path("k")
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			look := func(*cad.Scene) error { t.Error("the file was used"); return nil }
			for i, err := range []error{store.View(t.Context(), "k", look), store.Update(t.Context(), "k", look)} {
				if code(err) != cad.CodeSceneFile || !strings.Contains(err.Error(), tc.say) {
					t.Errorf("%d: %v, want %q", i, err, tc.say)
				}
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != tc.content {
				t.Errorf("the file is now %q, %v", after, err)
			}
		})
	}
}

func circle(name string) string {
	return `{"name":"` + name + `","type":"circle","geometry":{"x":0,"y":0,"radius":1},"style":{"stroke":null,"fill":null},"transform":{"translate":[0,0],"rotate":0,"scale":[1,1]}}`
}

// A file that somebody put there by hand is read every time, also one with the
// stamp of an earlier release.
func TestFolderReadsFilesAgain(t *testing.T) {
	store := cad.NewFolder(t.TempDir())
	path := store.Path("k")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"aaaa", "bbbb"} {
		if err := os.WriteFile(path, []byte(`{"version":1,"stamp":"ABCDEFGHIJKLMNOPQRSTUVWXYZ","name":"","last_operation":"","undo":null,"redo":null,"entities":[`+circle(name)+`]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		err := store.View(t.Context(), "k", func(s *cad.Scene) error { _, err := s.Entity(name); return err })
		if err != nil {
			t.Error(err)
		}
	}
}

// A lock that is never let go ends with the context, as a value.
func TestFolderDoesNotWaitForever(t *testing.T) {
	store := cad.NewFolder(t.TempDir())
	entered, leave := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		_ = store.Update(context.Background(), "k", func(*cad.Scene) error { close(entered); <-leave; return nil })
	})
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := store.Update(ctx, "k", draw("x"))
	close(leave)
	group.Wait()
	if code(err) != cad.CodeSceneFile || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// Four processes draw 50 circles each at the same time: none is lost.
func TestProcessesLoseNothing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var group sync.WaitGroup
	for _, who := range []string{"a", "b", "c", "d"} {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), drawerEnv+"="+who, "CAD_TEST_DIR="+dir)
		group.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", who, err, out)
			}
		})
	}
	group.Wait()
	if n := count(t, cad.NewFolder(dir), "shared"); n != 200 {
		t.Errorf("%d entities, want 200", n)
	}
	left, err := filepath.Glob(filepath.Join(dir, "shared", ".*.tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Goroutines of one process are no different.
func TestGoroutinesLoseNothing(t *testing.T) {
	store := cad.NewFolder(t.TempDir())
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			if err := store.Update(t.Context(), "k", draw(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
			_ = store.View(t.Context(), "k", func(s *cad.Scene) error { _ = s.Drawing(); return nil })
		})
	}
	group.Wait()
	if n := count(t, store, "k"); n != 40 {
		t.Errorf("%d entities", n)
	}
}

// A folder that is named relative to the current one stays where it is.
func TestFolderMayBeRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	store := cad.NewFolder("scenes")
	for _, name := range []string{"a", "b"} {
		if err := store.Update(t.Context(), "k", draw(name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(t.TempDir())
	if n := count(t, store, "k"); n != 2 {
		t.Errorf("%d entities", n)
	}
}

// Many instances have each their own scene.
func TestFolderHasManyScenes(t *testing.T) {
	store := cad.NewFolder(t.TempDir())
	for i := range 100 {
		if err := store.Update(t.Context(), fmt.Sprint(i), draw("x")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		if n := count(t, store, fmt.Sprint(i)); n != 1 {
			t.Errorf("instance %d has %d entities", i, n)
		}
	}
}

// BenchmarkFolderUpdate is one change of a scene of 10,000 entities, saved.
func BenchmarkFolderUpdate(b *testing.B) {
	store := cad.NewFolder(b.TempDir())
	err := store.Update(b.Context(), "k", func(s *cad.Scene) error {
		for i := range 10_000 {
			if err := draw(fmt.Sprint(i))(s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		err := store.Update(b.Context(), "k", func(s *cad.Scene) error { _, err := s.Rotate("5", 0.1); return err })
		if err != nil {
			b.Fatal(err)
		}
	}
}
