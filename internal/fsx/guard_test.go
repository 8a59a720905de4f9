//go:build unix

package fsx_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
)

// guarded is a space with a protected file and a closed directory.
type guarded struct {
	t              *testing.T
	work, lock     string
	state, outside string
	space          fsx.Space
}

func newGuarded(t *testing.T) *guarded {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &guarded{t: t, work: filepath.Join(dir, "work"), outside: filepath.Join(dir, "outside")}
	g.lock, g.state = filepath.Join(g.work, "b", "gongu.lock"), filepath.Join(g.work, "b", ".state")
	for _, path := range []string{filepath.Dir(g.lock), g.state, g.outside, filepath.Join(g.work, "free")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{g.lock, filepath.Join(g.state, "tokens.json")} {
		if err := os.WriteFile(file, []byte("own"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g.space = fsx.Space{Workdir: g.work, Closed: []string{g.state}, Protected: []string{g.lock, filepath.Join(g.work, "b", "tool-requests.json")}}
	return g
}

func (g *guarded) at(path string) *fsx.Place {
	g.t.Helper()
	p, err := g.space.At(path)
	if err != nil {
		g.t.Fatal(err)
	}
	return p
}

// intact reports what was changed that nobody may change.
func (g *guarded) intact() error {
	for _, file := range []string{g.lock, filepath.Join(g.state, "tokens.json")} {
		if raw, err := os.ReadFile(file); err != nil || string(raw) != "own" {
			return fmt.Errorf("%s is %q, %w", file, raw, errors.Join(err, errors.New("changed")))
		}
	}
	if _, err := os.Lstat(filepath.Join(g.work, "b", "tool-requests.json")); err == nil {
		return errors.New("tool-requests.json was made")
	}
	for _, dir := range []string{g.state, g.outside} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Name() != "tokens.json" {
				return fmt.Errorf("%s has %s", dir, e.Name())
			}
		}
	}
	return nil
}

// K7: a protected file is not changed under any spelling or by any operation,
// and can be read.
func TestK7_AnySpelling(t *testing.T) {
	g := newGuarded(t)
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(g.work, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("b", "linked")
	link("../b/gongu.lock", "free/soft")
	link("../b/tool-requests.json", "free/dangling")
	if err := os.Link(g.lock, filepath.Join(g.work, "free", "hard")); err != nil {
		t.Fatal(err)
	}
	write := func(p *fsx.Place) error { _, err := p.Write([]byte("theirs")); return err }
	add := func(p *fsx.Place) error { _, err := p.Append([]byte("theirs")); return err }
	stage := func(p *fsx.Place) error {
		old, _ := p.Stat()
		s, err := p.Stage([]byte("theirs"), fsx.StageOptions{Old: old})
		if err != nil {
			return err
		}
		return errors.Join(s.Commit(false), s.Close())
	}
	erase := func(p *fsx.Place) error { return p.Remove(true) }
	away := func(p *fsx.Place) error { return fsx.Rename(p, g.at("free/away")) }
	over := func(p *fsx.Place) error {
		if err := os.WriteFile(filepath.Join(g.work, "free", "mine"), []byte("theirs"), 0o644); err != nil {
			return err
		}
		return fsx.Rename(g.at("free/mine"), p)
	}
	folder := func(p *fsx.Place) error { _, err := p.Mkdir(true); return err }
	for _, path := range []string{
		"b/gongu.lock", "./b/../b/gongu.lock", g.lock, "linked/gongu.lock", "free/soft", "b/GONGU.LOCK", "b/gongu.loc\u212a",
		"b/gongu\u200b.lock", "b/\uff47ongu.lock", "b/gongu.lock.", "b/gongu.lock ", "b/gongu.lock::$DATA", "free/hard",
		"b/tool-requests.json", "b/Tool-Requests.json", "free/dangling",
	} {
		for name, op := range map[string]func(*fsx.Place) error{"write": write, "append": add, "stage": stage, "remove": erase, "rename": away, "rename over": over, "mkdir": folder} {
			p := g.at(path)
			err := op(p)
			_ = p.Close()
			if err == nil {
				t.Errorf("%s of %s was done", name, path)
			} else if !errors.Is(err, fsx.ErrProtected) && !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s of %s: %v", name, path, err)
			}
			if err := g.intact(); err != nil {
				t.Fatalf("%s of %s: %v", name, path, err)
			}
		}
	}
	for name, op := range map[string]func(*fsx.Place) error{"remove": erase, "rename": away, "rename over": over} {
		if err := op(g.at("b")); !errors.Is(err, fsx.ErrProtected) {
			t.Errorf("%s of the folder: %v", name, err)
		}
	}
	if err := g.intact(); err != nil {
		t.Fatal(err)
	}
	if data, _, _, err := g.at("b/gongu.lock").Head(10); err != nil || string(data) != "own" {
		t.Errorf("reading: %q, %v", data, err)
	}
	if err := write(g.at("b/other.lock")); err != nil {
		t.Errorf("a neighbour: %v", err)
	}
}

// K7: what a link is swapped to after the path was looked at is checked again.
func TestK7_SwappedAfterwards(t *testing.T) {
	for to, want := range map[string]error{"b/.state": fsx.ErrClosed, "b": fsx.ErrProtected} {
		g := newGuarded(t)
		swap := filepath.Join(g.work, "swap")
		if err := os.Mkdir(swap, 0o755); err != nil {
			t.Fatal(err)
		}
		p, q := g.at("swap/gongu.lock"), g.at("swap/new/gongu.lock")
		if err := errors.Join(os.Remove(swap), os.Symlink(to, swap)); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write([]byte("theirs")); !errors.Is(err, want) {
			t.Errorf("%s: write: %v", to, err)
		}
		if _, err := q.Mkdir(true); to == "b/.state" && !errors.Is(err, want) {
			t.Errorf("%s: mkdir: %v", to, err)
		}
		if err := p.Remove(true); !errors.Is(err, want) {
			t.Errorf("%s: remove: %v", to, err)
		}
		if err := g.intact(); err != nil {
			t.Error(err)
		}
	}
}

// K7: links and directories that are swapped all the time lead no write to a
// protected file, into a closed directory or out of the space. GONGU_CHAOS runs
// it for half a minute.
func TestK7_Races(t *testing.T) {
	duration := 3 * time.Second
	if os.Getenv("GONGU_CHAOS") != "" {
		duration = 30 * time.Second
	}
	g := newGuarded(t)
	if err := os.MkdirAll(filepath.Join(g.work, "free", "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	var stop atomic.Bool
	var written, refused atomic.Int64
	swap, file := filepath.Join(g.work, "swap"), filepath.Join(g.work, "free", "file")
	running.Go(func() { // an attacker with a shell beside the file tools
		random := rand.New(rand.NewPCG(7, 7))
		for !stop.Load() {
			_ = os.RemoveAll(swap)
			switch random.IntN(5) {
			case 0:
				_ = os.Symlink("b", swap)
			case 1:
				_ = os.Symlink("b/.state", swap)
			case 2:
				_ = os.Symlink(g.outside, swap)
			case 3:
				_ = os.Symlink("free/real", swap)
			default:
				_ = os.Mkdir(swap, 0o755)
			}
			_ = os.Remove(file)
			switch random.IntN(4) {
			case 0:
				_ = os.Symlink("../b/gongu.lock", file)
			case 1:
				_ = os.Symlink("../b/tool-requests.json", file)
			case 2:
				_ = os.Link(g.lock, file)
			default:
				_ = os.WriteFile(file, []byte("x"), 0o644)
			}
		}
	})
	names := []string{"swap/gongu.lock", "swap/tool-requests.json", "swap/tokens.json", "swap/new/deep", "free/file"}
	for worker := range 4 {
		running.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 11))
			for !stop.Load() {
				p, err := g.space.At(names[random.IntN(len(names))])
				if err != nil {
					refused.Add(1)
					continue
				}
				switch random.IntN(5) {
				case 0:
					_, err = p.Write([]byte("theirs"))
				case 1:
					_, err = p.Append([]byte("theirs"))
				case 2:
					err = p.Remove(true)
				case 3:
					var s *fsx.Staged
					if s, err = p.Stage([]byte("theirs"), fsx.StageOptions{}); err == nil {
						err = errors.Join(s.Commit(true), s.Close())
					}
				default:
					if to, atErr := g.space.At(names[random.IntN(len(names))]); atErr == nil {
						err = fsx.Rename(p, to)
						_ = to.Close()
					}
				}
				_ = p.Close()
				if err != nil {
					refused.Add(1)
				} else {
					written.Add(1)
				}
			}
		})
	}
	for end := time.Now().Add(duration); time.Now().Before(end) && !t.Failed(); time.Sleep(5 * time.Millisecond) {
		if err := g.intact(); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	running.Wait()
	if err := g.intact(); err != nil {
		t.Error(err)
	}
	t.Logf("%d changes were made, %d refused", written.Load(), refused.Load())
	if written.Load() == 0 || refused.Load() == 0 {
		t.Error("nothing happened")
	}
}

// K7: names that are protected anywhere below a folder, under any spelling, by any
// operation, through a link into the folder, and in a folder that is moved there.
func TestK7_NamesAnywhere(t *testing.T) {
	g := newGuarded(t)
	g.space.Protected = []string{fsx.Anywhere(filepath.Join(g.work, "b"), "tools.yaml")}
	for _, dir := range []string{"b/sub/deep", "free/deep"} {
		if err := os.MkdirAll(filepath.Join(g.work, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("b/sub/deep", filepath.Join(g.work, "linked")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"b/tools.yaml", "b/sub/tools.yaml", "b/sub/new/tools.yaml", "linked/Tools.YAML", "b/sub/../sub/deep/tools.yaml.", filepath.Join(g.work, "b", "sub", "tools.yaml")} {
		p := g.at(path)
		_, err := p.Write([]byte("theirs"))
		if !errors.Is(err, fsx.ErrProtected) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := g.at("free/deep/tools.yaml").Write([]byte("x")); err != nil {
		t.Errorf("outside of the folder: %v", err)
	}
	if err := fsx.Rename(g.at("free/deep/tools.yaml"), g.at("b/sub/tools.yaml")); !errors.Is(err, fsx.ErrProtected) {
		t.Errorf("a file that is moved: %v", err)
	}
	if err := fsx.Rename(g.at("free"), g.at("b/sub/free")); !errors.Is(err, fsx.ErrProtected) {
		t.Errorf("a folder that is moved: %v", err)
	}
	if err := fsx.Rename(g.at("free"), g.at("elsewhere")); err != nil {
		t.Errorf("a folder that is moved elsewhere: %v", err)
	}
	if _, err := g.at("b/sub/other.yaml").Write([]byte("x")); err != nil {
		t.Errorf("another name: %v", err)
	}
	// A space that begins inside of the folder.
	inside := fsx.Space{Workdir: filepath.Join(g.work, "b", "sub"), Protected: g.space.Protected}
	p, err := inside.At("tools.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write([]byte("theirs")); !errors.Is(err, fsx.ErrProtected) {
		t.Errorf("from inside: %v", err)
	}
}
