package limit_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gongu-ai/gongu/internal/limit"
)

func TestTotalAndPerKey(t *testing.T) {
	l := limit.New(limit.Options{Total: 3, PerKey: 2})
	for _, step := range []struct {
		key  string
		want bool
	}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", false}, {"c", false}} {
		if got := l.TryAcquire(step.key); got != step.want {
			t.Errorf("%s: %t with %d running", step.key, got, l.Running())
		}
	}
	if err := l.Acquire(t.Context(), "c"); !errors.Is(err, limit.ErrFull) {
		t.Errorf("without a queue: %v", err)
	}
	l.Release("a")
	if !l.TryAcquire("c") || l.TryAcquire("a") {
		t.Error("a slot that was given back can be taken once")
	}
}

func TestNoBounds(t *testing.T) {
	l := limit.New(limit.Options{})
	for range 1000 {
		if !l.TryAcquire("a") {
			t.Fatal("refused")
		}
	}
}

func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.New(limit.Options{Total: 2, PerKey: 1, Queue: 2})
		l.TryAcquire("a")
		l.TryAcquire("b")
		var order []string
		var mu sync.Mutex
		wait := func(ctx context.Context, key string) {
			err := l.Acquire(ctx, key)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				key += " left"
			}
			order = append(order, key)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go wait(ctx, "a")
		synctest.Wait()
		go wait(t.Context(), "c")
		synctest.Wait()
		if err := l.Acquire(t.Context(), "d"); !errors.Is(err, limit.ErrFull) {
			t.Errorf("a full queue: %v", err)
		}
		l.Release("b") // the first waits for a's own slot, so the second gets it
		synctest.Wait()
		cancel()
		synctest.Wait()
		l.Release("a")
		l.Release("c")
		if len(order) != 2 || order[0] != "c" || order[1] != "a left" || l.Running() != 0 {
			t.Errorf("got %q with %d running", order, l.Running())
		}
	})
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.New(limit.Options{})
		if err := l.Wait(t.Context()); err != nil {
			t.Errorf("nothing runs: %v", err)
		}
		l.TryAcquire("a")
		l.TryAcquire("b")
		done := false
		go func() { done = l.Wait(t.Context()) == nil }()
		l.Release("a")
		synctest.Wait()
		if done {
			t.Error("ended while one runs")
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := l.Wait(cancelled); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		l.Release("b")
		synctest.Wait()
		if !done {
			t.Error("still waits")
		}
	})
}

// However callers come, wait and leave, the bounds hold and nothing is left.
func TestConcurrentUse(t *testing.T) {
	l := limit.New(limit.Options{Total: 3, PerKey: 2, Queue: 1000})
	var running, most atomic.Int32
	var group sync.WaitGroup
	for i := range 200 {
		key := string(rune('a' + i%3))
		ctx, cancel := context.WithCancel(t.Context())
		group.Go(func() {
			defer cancel()
			if i%5 == 0 {
				go cancel()
			}
			if l.Acquire(ctx, key) != nil {
				return
			}
			now := running.Add(1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			running.Add(-1)
			l.Release(key)
		})
	}
	group.Wait()
	if most.Load() > 3 || l.Running() != 0 || !l.TryAcquire("a") || !l.TryAcquire("a") {
		t.Errorf("%d at once, %d left", most.Load(), l.Running())
	}
}
