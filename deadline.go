package gongu

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// alarm abandons the call of a worker when its time is over. It is left set
// from call to call and, going off early, sets itself again: with deadlines
// far beyond what a call takes, most calls touch no timer.
type alarm struct {
	done chan<- struct{}

	mu    sync.Mutex
	timer *time.Timer
	at    time.Time // when it goes off; zero when it is not set
	call  *dispatch
}

func (a *alarm) set(d *dispatch, now, deadline time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.call = d
	if !a.at.IsZero() && !deadline.Before(a.at) {
		return
	}
	a.at = deadline
	if a.timer == nil {
		a.timer = time.AfterFunc(deadline.Sub(now), a.ring)
	} else {
		a.timer.Reset(deadline.Sub(now))
	}
}

func (a *alarm) ring() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = time.Time{}
	if a.call == nil || a.call.state.Load() != running {
		return
	}
	if now, deadline := time.Now(), a.call.handlerCtx.deadline; now.Before(deadline) {
		a.at = deadline
		a.timer.Reset(deadline.Sub(now))
		return
	}
	if a.call.state.CompareAndSwap(running, abandoned) {
		a.done <- struct{}{}
	}
}

func (a *alarm) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.call, a.at = nil, time.Time{}
	if a.timer != nil {
		a.timer.Stop()
	}
}

// handlerContext is the context of a handler: the call's, with the tool's
// deadline. The caller waits for the handler anyway and ends it, so it needs
// neither a timer nor, before somebody asks, a channel of its own. That is
// most of what context.WithTimeout costs.
type handlerContext struct {
	context.Context
	deadline time.Time
	// lonely says that nobody waits beside the handler to end it: then a
	// context that keeps its own time is made when it is asked for.
	lonely bool

	mu    sync.Mutex
	done  chan struct{}
	err   error
	kept  context.Context
	stop  context.CancelFunc
	after []*afterEnd
}

// afterEnd is something to do when the context ends.
type afterEnd struct {
	do   func()
	once sync.Once
	stop func() bool // of the same for the caller's end
}

// end cancels whatever the handler still does.
func (c *handlerContext) end(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = cmp.Or(cause, context.Canceled)
	if c.done != nil {
		close(c.done)
	}
	if c.stop != nil {
		c.stop()
	}
	for _, a := range c.after {
		a.stop()
		go a.once.Do(a.do)
	}
	c.after = nil
}

// AfterFunc is context.AfterFunc for this context: without a deadline of its
// own, it need not begin to keep time for that.
func (c *handlerContext) AfterFunc(do func()) (stop func() bool) {
	if a := c.untimed(do); a != nil {
		return func() bool { return c.forget(a) }
	}
	return context.AfterFunc(plainContext{c}, do)
}

func (c *handlerContext) untimed(do func()) *afterEnd {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lonely || !c.deadline.IsZero() || c.kept != nil || c.err != nil {
		return nil
	}
	a := &afterEnd{do: do}
	a.stop = context.AfterFunc(c.Context, func() { a.once.Do(do) })
	c.after = append(c.after, a)
	return a
}

// forget takes something off the list, and reports whether it was still there.
func (c *handlerContext) forget(a *afterEnd) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.after, a)
	if i < 0 {
		return false
	}
	c.after = slices.Delete(c.after, i, i+1)
	return a.stop()
}

// plainContext hides AfterFunc from the context package, which would call it
// again.
type plainContext struct{ context.Context }

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
	if c.lonely && c.err == nil {
		return c.timekeeper().Done()
	}
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
	switch {
	case !c.lonely || c.err != nil:
		return c.err
	case c.kept != nil:
		return c.kept.Err()
	case !c.deadline.IsZero() && !time.Now().Before(c.deadline):
		return context.DeadlineExceeded
	}
	return c.Context.Err()
}

// Value is the call's. A context that keeps its own time is found by those that
// are made below it: without it each of them would need a goroutine to hear of
// the end.
func (c *handlerContext) Value(key any) any {
	c.mu.Lock()
	kept := c.kept
	c.mu.Unlock()
	if kept != nil {
		return kept.Value(key)
	}
	return c.Context.Value(key)
}

func (c *handlerContext) timekeeper() context.Context {
	if c.kept == nil {
		if c.deadline.IsZero() {
			c.kept, c.stop = context.WithCancel(c.Context)
		} else {
			c.kept, c.stop = context.WithDeadline(c.Context, c.deadline)
		}
	}
	return c.kept
}
