package serve

import (
	"context"
	"sync"
)

// admission counts what runs, in all and for each principal.
type admission struct {
	all, each int

	mu      sync.Mutex
	running int
	by      map[string]int
	empty   chan struct{} // closed while nothing runs and somebody waits for that
}

func newAdmission(all, each int) *admission {
	return &admission{all: all, each: each, by: map[string]int{}}
}

// enter takes a place, if there is one.
func (a *admission) enter(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running >= a.all || a.by[name] >= a.each {
		return false
	}
	a.running++
	a.by[name]++
	return true
}

func (a *admission) leave(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running--
	if a.by[name]--; a.by[name] == 0 {
		delete(a.by, name)
	}
	if a.running == 0 && a.empty != nil {
		close(a.empty)
		a.empty = nil
	}
}

// idle waits until nothing runs.
func (a *admission) idle(ctx context.Context) error {
	a.mu.Lock()
	if a.running == 0 {
		a.mu.Unlock()
		return nil
	}
	if a.empty == nil {
		a.empty = make(chan struct{})
	}
	empty := a.empty
	a.mu.Unlock()
	select {
	case <-empty:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
