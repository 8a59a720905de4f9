package mcpclient

import (
	"context"
	"slices"
	"time"
)

const (
	// idleTime is how long a client that was made on demand is kept without a
	// use. Its program or session ends with it.
	idleTime = 5 * time.Minute
	// maxOnDemand is how many such clients a group keeps. Beyond it the least
	// recently used one that is idle ends. While all are in use, the next one
	// waits for busyWait and then fails.
	maxOnDemand = 64
	busyWait    = 30 * time.Second
	// expireEvery is how often the group looks for idle clients.
	expireEvery = time.Minute
)

// use begins a use of a client, which ends when end is called.
func (g *Group) use(ctx context.Context, c *Client) (end func(), err error) {
	var late <-chan time.Time
	for {
		freed, err := g.tryUse(c)
		if err != nil {
			return nil, err
		}
		if freed == nil {
			return func() { g.endUse(c) }, nil
		}
		if late == nil {
			timer := time.NewTimer(g.busyWait)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-freed:
		case <-late:
			return nil, faultf(ReasonBusy, false, "all %d clients of the server are in use, and none was free within %s", maxOnDemand, g.busyWait)
		case <-ctx.Done():
			return nil, notSent(ctx.Err())
		}
	}
}

// tryUse begins a use, or returns a channel that is closed when a client may
// have become free.
func (g *Group) tryUse(c *Client) (freed <-chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || c.removed {
		return nil, faultf(ReasonClosed, false, "the client was closed")
	}
	if !c.onDemand {
		return nil, nil
	}
	if !g.inUseLocked(c) && g.countInUseLocked() >= maxOnDemand {
		return g.freed, nil
	}
	c.running++
	if c.release == nil {
		g.attachLocked(c) // it was closed as idle
	}
	return nil, nil
}

// inUseLocked reports whether a client has a call under way or a subscription.
func (g *Group) inUseLocked(c *Client) bool {
	return c.running > 0 || c.release != nil && c.link().watched.has(c)
}

func (g *Group) countInUseLocked() (n int) {
	for c := range g.onDemand {
		if g.inUseLocked(c) {
			n++
		}
	}
	return n
}

// wakeLocked lets those that wait for a free client try again.
func (g *Group) wakeLocked() {
	close(g.freed)
	g.freed = make(chan struct{})
}

func (g *Group) endUse(c *Client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !c.onDemand {
		return
	}
	c.running--
	c.last = g.opts.Clock()
	if c.running == 0 {
		g.wakeLocked()
	}
	if len(g.onDemand) > maxOnDemand {
		g.expireLocked()
	}
}

// trackLocked adds a client to those that are closed when they are idle.
func (g *Group) trackLocked(c *Client) {
	c.last = g.opts.Clock()
	g.onDemand[c] = struct{}{}
	g.expireLocked()
	if g.timer == nil {
		g.timer = time.AfterFunc(expireEvery, g.expire)
	}
}

// expire runs while there are clients that can become idle.
func (g *Group) expire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.timer = nil
	if g.closed {
		return
	}
	g.expireLocked()
	if len(g.onDemand) > 0 {
		g.timer = time.AfterFunc(expireEvery, g.expire)
	}
}

// expireLocked closes the clients that were not used for idleTime, and the least
// recently used ones beyond maxOnDemand. It does not wait for their end.
func (g *Group) expireLocked() {
	if g.closed {
		return // Close closes all of them
	}
	var idle []*Client
	for c := range g.onDemand {
		if !g.inUseLocked(c) {
			idle = append(idle, c)
		}
	}
	slices.SortFunc(idle, func(a, b *Client) int { return a.last.Compare(b.last) })
	now := g.opts.Clock()
	for _, c := range idle {
		if len(g.onDemand) <= maxOnDemand && now.Sub(c.last) < idleTime {
			return
		}
		g.work.Go(g.detachLocked(c))
	}
}

// detachLocked forgets a client and returns what closes it.
func (g *Group) detachLocked(c *Client) (release func()) {
	delete(g.onDemand, c)
	if g.clients[c.key] == c {
		delete(g.clients, c.key)
	}
	return c.detach()
}

// remove forgets a client for good and returns what closes it.
func (g *Group) remove(c *Client) (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.removed = true
	g.wakeLocked()
	return g.detachLocked(c)
}
