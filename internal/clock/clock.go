// Package clock has contexts with a deadline that can be stopped: a call has its
// own time, and the time in which a person is asked does not count.
package clock

import (
	"context"
	"sync"
	"time"
)

// Clock is a context that ends when its time is over, with
// context.DeadlineExceeded, or when its parent ends. Make one with [WithTimeout].
type Clock struct {
	// Context ends with the base. It is one of package context, so that contexts
	// which are made of the clock need no goroutine to learn of its end.
	context.Context
	base base

	mu    sync.Mutex
	timer *time.Timer
	until time.Time     // while it runs
	left  time.Duration // while it is stopped
	stops int
}

// base is the context below a clock: the caller's, with an end of its own.
type base struct {
	context.Context
	done chan struct{}

	mu   sync.Mutex
	err  error
	tell func() // the context above
}

// Done returns a channel that is closed at the end.
func (b *base) Done() <-chan struct{} { return b.done }

// Err returns the reason of the end, or nil.
func (b *base) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// AfterFunc is how package context learns of the end without a goroutine. There is
// one context above.
func (b *base) AfterFunc(f func()) func() bool {
	b.tell = f
	return func() bool { return true }
}

func (b *base) end(err error) {
	b.mu.Lock()
	over := b.err != nil
	if !over {
		b.err = err
		close(b.done)
	}
	b.mu.Unlock()
	if !over {
		b.tell()
	}
}

// WithTimeout is context.WithTimeout with a clock. A timeout of zero or less is
// none.
func WithTimeout(parent context.Context, timeout time.Duration) (*Clock, context.CancelFunc) {
	c := &Clock{base: base{Context: parent, done: make(chan struct{})}}
	var cancel context.CancelFunc
	c.Context, cancel = context.WithCancel(&c.base)
	if timeout > 0 {
		c.until = time.Now().Add(timeout)
		c.mu.Lock() // a short timer may be over before it is stored
		c.timer = time.AfterFunc(timeout, c.expire)
		c.mu.Unlock()
	}
	if parent.Done() == nil {
		return c, func() { cancel(); c.close() }
	}
	unbind := context.AfterFunc(parent, func() { c.base.end(parent.Err()) })
	return c, func() { unbind(); cancel(); c.close() }
}

// expire ends the clock, unless it was stopped meanwhile.
func (c *Clock) expire() {
	c.mu.Lock()
	early := c.stops > 0 || time.Now().Before(c.until)
	c.mu.Unlock()
	if !early {
		c.base.end(context.DeadlineExceeded)
	}
}

func (c *Clock) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
	}
}

// Stop stops the time. Each Stop needs a Start. A nil clock does nothing.
func (c *Clock) Stop() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops++
	if c.stops == 1 && c.timer != nil {
		c.timer.Stop()
		c.left = time.Until(c.until)
	}
}

// Start lets the time go on, after as many calls as there were of Stop.
func (c *Clock) Start() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stops--
	if c.stops == 0 && c.timer != nil && c.Err() == nil {
		c.until = time.Now().Add(c.left)
		c.timer.Reset(max(c.left, 0))
	}
}

// Deadline returns when the time is over if it is not stopped again.
func (c *Clock) Deadline() (time.Time, bool) {
	outer, limited := c.base.Deadline()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil {
		return outer, limited
	}
	own := c.until
	if c.stops > 0 {
		own = time.Now().Add(c.left)
	}
	if limited && outer.Before(own) {
		return outer, true
	}
	return own, true
}
