// Package limit bounds how much runs at the same time, in all and for each
// caller.
package limit

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrFull means that everything is taken and no more may wait.
var ErrFull = errors.New("too much is running and waiting already")

// Options are the bounds of a [Limiter]. Zero is no bound, except for Queue.
type Options struct {
	// Total is how much may run, and PerKey how much of it for one key.
	Total, PerKey int
	// Queue is how many may wait in Acquire. Zero: none.
	Queue int
}

// Limiter counts what runs, in all and by key. It forgets unused keys, because
// keys come from outside.
type Limiter struct {
	opts Options

	mu      sync.Mutex
	running int
	byKey   map[string]int
	queue   []*waiter
	idle    chan struct{} // closed when nothing runs; nil without a Wait
}

type waiter struct {
	key     string
	granted chan struct{}
}

// New makes a limiter.
func New(opts Options) *Limiter {
	return &Limiter{opts: opts, byKey: map[string]int{}}
}

// TryAcquire takes a slot for a key if there is one. Every slot is given back
// with Release.
func (l *Limiter) TryAcquire(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(key)
}

// Acquire takes a slot for a key. It waits its turn in the queue, unless the
// queue is full ([ErrFull]) or the context ends.
func (l *Limiter) Acquire(ctx context.Context, key string) error {
	l.mu.Lock()
	if l.take(key) {
		l.mu.Unlock()
		return nil
	}
	if len(l.queue) >= l.opts.Queue {
		l.mu.Unlock()
		return ErrFull
	}
	w := &waiter{key: key, granted: make(chan struct{})}
	l.queue = append(l.queue, w)
	l.mu.Unlock()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.queue, w); i >= 0 {
		l.queue = slices.Delete(l.queue, i, i+1)
	} else {
		l.release(key) // granted at the same moment
	}
	return ctx.Err()
}

// Release gives a slot of a key back.
func (l *Limiter) Release(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(key)
}

// Running is how much runs now.
func (l *Limiter) Running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running
}

// Wait returns when nothing runs.
func (l *Limiter) Wait(ctx context.Context) error {
	l.mu.Lock()
	if l.running == 0 {
		l.mu.Unlock()
		return nil
	}
	if l.idle == nil {
		l.idle = make(chan struct{})
	}
	idle := l.idle
	l.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Limiter) take(key string) bool {
	if l.opts.Total > 0 && l.running >= l.opts.Total || l.opts.PerKey > 0 && l.byKey[key] >= l.opts.PerKey {
		return false
	}
	l.running++
	if l.opts.PerKey > 0 {
		l.byKey[key]++
	}
	return true
}

// release gives the slot to the first in the queue that may have one. Those
// before it have reached the bound of their key.
func (l *Limiter) release(key string) {
	l.running--
	if l.opts.PerKey > 0 {
		if l.byKey[key]--; l.byKey[key] == 0 {
			delete(l.byKey, key)
		}
	}
	for i, w := range l.queue {
		if l.take(w.key) {
			close(w.granted)
			l.queue = slices.Delete(l.queue, i, i+1)
			return
		}
	}
	if l.running == 0 && l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
}
