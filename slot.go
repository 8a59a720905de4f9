package gongu

import (
	"context"
	"sync"
)

// slot is a place in a limited pool that a call holds and releases while it
// waits for a person.
type slot struct {
	outer   *slot
	acquire func(context.Context) error
	release func()

	mu sync.Mutex
	// waiting counts the calls in this slot that are waiting.
	waiting int
	held    bool
}

type slotKey struct{}

// WithSlot returns a context for calls that run in a slot of a limited pool,
// such as a server's slots for concurrent requests. The caller has acquired the
// slot already. While a call waits in [Attempt.Await] the slot is released;
// afterwards acquire takes one again, or returns an error when its context
// ends. done releases the slot if it is held; call it when the calls are over.
// Calls that share a slot leave it free while any of them waits.
func WithSlot(ctx context.Context, acquire func(context.Context) error, release func()) (slotted context.Context, done func()) {
	s := &slot{outer: slotOf(ctx), acquire: acquire, release: release, held: true}
	v := valuesOf(ctx)
	v.slot = s
	return v, s.done
}

func (s *slot) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held {
		s.held = false
		s.release()
	}
}

// leave releases this slot, then those around it.
func (s *slot) leave() {
	for ; s != nil; s = s.outer {
		s.mu.Lock()
		s.waiting++
		if s.held {
			s.held = false
			s.release()
		}
		s.mu.Unlock()
	}
}

// enter acquires the slots again, the outermost first: calls that acquired them
// in different orders could deadlock.
func (s *slot) enter(ctx context.Context) error {
	if s == nil {
		return nil
	}
	outerErr := s.outer.enter(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	if outerErr != nil || s.waiting > 0 || s.held {
		return outerErr
	}
	err := s.acquire(ctx)
	s.held = err == nil
	return err
}

// slotOf returns the innermost slot of ctx, or nil.
func slotOf(ctx context.Context) *slot {
	s, _ := ctx.Value(slotKey{}).(*slot)
	return s
}

// outside runs wait while this slot and those around it are released.
func (s *slot) outside(ctx context.Context, wait func(context.Context) error) (err error) {
	if s == nil {
		return wait(ctx)
	}
	s.leave()
	defer func() {
		if entered := s.enter(ctx); err == nil {
			err = entered
		}
	}()
	return wait(ctx)
}
