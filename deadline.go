package gongu

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// handlerContext is the context of a handler: the call's, with the tool's
// deadline. The caller waits for the handler anyway and ends it, so it needs
// neither a timer nor, before somebody asks, a channel of its own. That is
// most of what context.WithTimeout costs.
type handlerContext struct {
	context.Context
	deadline time.Time

	mu   sync.Mutex
	done chan struct{}
	err  error
}

func (c *handlerContext) begin(parent context.Context, now time.Time, timeout time.Duration) {
	c.Context = parent
	if timeout > 0 {
		c.deadline = now.Add(timeout)
	}
}

// end cancels whatever the handler still does.
func (c *handlerContext) end(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = cmp.Or(cause, context.Canceled)
	if c.done != nil {
		close(c.done)
	}
}

// Deadline is the earlier one of the tool's and the caller's.
func (c *handlerContext) Deadline() (time.Time, bool) {
	outer, limited := c.Context.Deadline()
	if c.deadline.IsZero() || limited && outer.Before(c.deadline) {
		return outer, limited
	}
	return c.deadline, true
}

// Done is closed when the call has ended, however it did.
func (c *handlerContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	return c.done
}

// Err says why.
func (c *handlerContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
