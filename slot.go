package gongu

import (
	"context"
	"sync"
)

// slot is a place in a limited pool that calls occupy, and give back while
// they wait for a person.
type slot struct {
	outer   *slot
	acquire func(context.Context) error
	release func()

	mu sync.Mutex
	// waiting counts the calls in this slot that wait now.
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
	outer, _ := ctx.Value(slotKey{}).(*slot)
	s := &slot{outer: outer, acquire: acquire, release: release, held: true}
	return context.WithValue(ctx, slotKey{}, s), s.done
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

// enter takes the slots again in the order in which they were first taken, the
// outermost first: two calls that took them in different orders could wait for
// each other.
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

// outsideSlots runs wait while the slots of ctx are free for other calls.
func outsideSlots(ctx context.Context, wait func(context.Context) error) (err error) {
	s, ok := ctx.Value(slotKey{}).(*slot)
	if !ok {
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
