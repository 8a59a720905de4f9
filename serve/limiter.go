package serve

import (
	"context"
	"sync"
)

// limiter bounds how many of something there are at a time, in all and for
// each principal.
type limiter struct {
	all, each int

	mu    sync.Mutex
	count int
	by    map[string]int
	idle  chan struct{} // closed when the count is zero; nil unless waitIdle waits
}

func newLimiter(all, each int) *limiter {
	return &limiter{all: all, each: each, by: map[string]int{}}
}

// acquire takes a place, if there is one.
func (l *limiter) acquire(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count >= l.all || l.by[name] >= l.each {
		return false
	}
	l.addLocked(name, 1)
	return true
}

// reacquire takes a place whether there is one or not, for work that has begun
// and must end.
func (l *limiter) reacquire(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addLocked(name, 1)
}

func (l *limiter) release(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addLocked(name, -1)
	if l.count == 0 && l.idle != nil {
		close(l.idle)
		l.idle = nil
	}
}

func (l *limiter) addLocked(name string, n int) {
	l.count += n
	if l.by[name] += n; l.by[name] == 0 {
		delete(l.by, name)
	}
}

// taken is how many places are taken.
func (l *limiter) taken() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(l.count)
}

// waitIdle waits until no place is taken.
func (l *limiter) waitIdle(ctx context.Context) error {
	l.mu.Lock()
	if l.count == 0 {
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
