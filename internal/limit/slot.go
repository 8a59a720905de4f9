package limit

import (
	"context"
	"sync"
)

// Slot is a slot of a limiter whose holder may wait, for a person's answer for
// example. While it waits it takes a slot of another limiter instead, so that
// what waits does not keep others from running and has a separate bound.
type Slot struct {
	running, waiting *Limiter
	key              string

	mu    sync.Mutex
	waits int // how many parts of the work wait
	held  *Limiter
}

// Take takes a slot of running, if there is one. Give it back with
// [Slot.Release].
func Take(running, waiting *Limiter, key string) (*Slot, bool) {
	if !running.TryAcquire(key) {
		return nil, false
	}
	return &Slot{running: running, waiting: waiting, key: key, held: running}, true
}

// Wait moves the slot from running to waiting. Where too many wait already it
// stays: what waits and runs is never more than both bounds together. Each Wait
// is followed by one Resume.
func (s *Slot) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits++
	if s.held == s.running && s.waiting.TryAcquire(s.key) {
		s.running.Release(s.key)
		s.held = s.waiting
	}
}

// Resume moves the slot back when nothing of the work waits any more. It queues
// for a slot, and returns an error when ctx ends first or the queue is full.
func (s *Slot) Resume(ctx context.Context) error {
	s.mu.Lock()
	s.waits--
	moves := s.waits == 0 && s.held == s.waiting
	s.mu.Unlock()
	if !moves {
		return nil
	}
	if err := s.running.Acquire(ctx, s.key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits > 0 || s.held != s.waiting { // it waits again, or was given back
		s.running.Release(s.key)
		return nil
	}
	s.waiting.Release(s.key)
	s.held = s.running
	return nil
}

// HandOver gives a waiting slot to the caller, who releases it with
// waiting.Release. False means that the slot does not wait.
func (s *Slot) HandOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != s.waiting {
		return false
	}
	s.held = nil
	return true
}

// Release gives the slot back, wherever it is. What its work does with it
// afterwards has no effect.
func (s *Slot) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		s.held.Release(s.key)
		s.held = nil
	}
}
