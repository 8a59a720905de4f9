package limit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gongu-ai/gongu/internal/limit"
)

func counts(t *testing.T, running, waiting *limit.Limiter, wantRunning, wantWaiting int) {
	t.Helper()
	if running.Running() != wantRunning || waiting.Running() != wantWaiting {
		t.Errorf("%d run and %d wait, want %d and %d", running.Running(), waiting.Running(), wantRunning, wantWaiting)
	}
}

// A slot that waits makes room for another one, and comes back when there is
// room again.
func TestSlot(t *testing.T) {
	running, waiting := limit.New(limit.Options{Total: 1, Queue: 1}), limit.New(limit.Options{Total: 1})
	first, ok := limit.Take(running, waiting, "a")
	if !ok {
		t.Fatal("no slot")
	}
	first.Wait()
	first.Wait() // another part of the same work
	counts(t, running, waiting, 0, 1)
	second, ok := limit.Take(running, waiting, "b")
	if !ok {
		t.Fatal("one that waits takes a slot")
	}
	second.Wait() // there is no room for it to wait
	counts(t, running, waiting, 1, 1)
	if err := first.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	counts(t, running, waiting, 1, 1) // the other part still waits
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := first.Resume(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("without a slot: %v", err)
	}
	first.Wait()
	resumed := make(chan error, 1)
	go func() { resumed <- first.Resume(t.Context()) }()
	second.Release()
	if err := <-resumed; err != nil {
		t.Fatal(err)
	}
	counts(t, running, waiting, 1, 0)
	first.Release()
	counts(t, running, waiting, 0, 0)
}

// What was given back stays so, whatever its work still does.
func TestSlotAfterRelease(t *testing.T) {
	running, waiting := limit.New(limit.Options{Total: 1}), limit.New(limit.Options{Total: 1})
	slot, _ := limit.Take(running, waiting, "a")
	if slot.HandOver() {
		t.Error("a slot that does not wait was handed over")
	}
	slot.Wait()
	if !slot.HandOver() || slot.HandOver() {
		t.Error("a waiting slot is handed over once")
	}
	slot.Release()
	if err := slot.Resume(t.Context()); err != nil {
		t.Error(err)
	}
	counts(t, running, waiting, 0, 1)
	waiting.Release("a")
	slot.Wait()
	slot.Release()
	counts(t, running, waiting, 0, 0)
}
