package fsx_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
)

func TestLockKeepsOthersOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	lock, err := fsx.TakeLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if second, err := fsx.TakeLock(ctx, path); second != nil || !errors.Is(err, fsx.ErrLocked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, %v", second, err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	lock, err = fsx.TakeLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	// Whoever removes the file of a lock lets others in, but those keep each
	// other out again.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	next, err := fsx.TakeLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lock.Release(), next.Release()); err != nil {
		t.Error(err)
	}
}

// One that comes back at once does not keep the others waiting for ever.
func TestLockIsFair(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	ctx, cancel := context.WithCancel(t.Context())
	var greedy sync.WaitGroup
	holding := make(chan struct{}, 1)
	greedy.Go(func() {
		for ctx.Err() == nil {
			lock, err := fsx.TakeLock(context.Background(), path)
			if err != nil {
				t.Error(err)
				return
			}
			select {
			case holding <- struct{}{}:
			default:
			}
			time.Sleep(2 * time.Millisecond) // as a write takes
			if err := lock.Release(); err != nil {
				t.Error(err)
			}
		}
	})
	defer greedy.Wait()
	defer cancel()
	<-holding
	for range 10 {
		waiting, stop := context.WithTimeout(t.Context(), 5*time.Second)
		lock, err := fsx.TakeLock(waiting, path)
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Release(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLockCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	inside := 0 // guarded by the lock alone; the race detector looks on
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				lock, err := fsx.TakeLock(context.Background(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if !mu.TryLock() {
					t.Error("two hold the lock")
				} else {
					inside++
					mu.Unlock()
				}
				if err := lock.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if inside != 160 {
		t.Errorf("%d", inside)
	}
}

func TestLockNeedsAFolder(t *testing.T) {
	if _, err := fsx.TakeLock(t.Context(), filepath.Join(t.TempDir(), "nowhere", ".lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	var steps []fsx.Step
	err := fsx.Replace(path, []byte("new"), func(s fsx.Step) error {
		steps = append(steps, s)
		if text, err := os.ReadFile(path); err != nil || string(text) != map[bool]string{true: "new", false: "old"}[s == fsx.StepSyncDir] {
			t.Errorf("before %s: %q, %v", s, text, err)
		}
		return nil
	})
	if err != nil || fmt.Sprint(steps) != "[create write sync rename sync directory]" {
		t.Errorf("%v, %v", steps, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// Sweep takes what killed writers left, and nothing of a person.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file.json")
	stays := []string{"file.json", ".file.json.lock", ".file.json.mine.tmp", ".other.json.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp", ".file.json.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp.bak"}
	goes := []string{".file.json.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp", ".file.json.corrupt-1.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"}
	for _, name := range append(goes, stays...) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := fsx.Sweep(path); err != nil {
		t.Fatal(err)
	}
	for _, name := range stays {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s is gone", name)
		}
	}
	for _, name := range goes {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}
