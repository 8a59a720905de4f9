package auth

import (
	"cmp"
	"sync"
	"time"
)

// Limits bound what callers can cause. Zero values take the defaults.
type Limits struct {
	// Body is the largest body, in bytes (default 8 MiB).
	Body int64
	// BodyTime is how long a caller may take to send a body (default 1 minute).
	BodyTime time.Duration
	// WriteTime is how long a caller may take to read what was written at once
	// (default 1 minute). A stream may stay open for ever and be silent.
	WriteTime time.Duration
	// Running is how many requests, open streams among them, there are at the
	// same time (default 4096), and RunningEach how many of them are one
	// identity's (default 1024).
	Running, RunningEach int
}

func (l Limits) withDefaults() Limits {
	l.Body = cmp.Or(max(l.Body, 0), 8<<20)
	l.BodyTime = cmp.Or(max(l.BodyTime, 0), time.Minute)
	l.WriteTime = cmp.Or(max(l.WriteTime, 0), time.Minute)
	l.Running = cmp.Or(max(l.Running, 0), 4096)
	l.RunningEach = cmp.Or(max(l.RunningEach, 0), 1024)
	return l
}

// turnstile counts who is inside.
type turnstile struct {
	mu   sync.Mutex
	all  int
	each map[string]int
}

// enter takes a place among all, or says that there is none.
func (t *turnstile) enter(limit int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all >= limit {
		return false
	}
	t.all++
	return true
}

func (t *turnstile) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all--
}

// enterAs takes a place among those of one identity.
func (t *turnstile) enterAs(name string, limit int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.each[name] >= limit {
		return false
	}
	t.each[name]++
	return true
}

func (t *turnstile) leaveAs(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.each[name]--; t.each[name] == 0 {
		delete(t.each, name) // names come from outside; keep those inside
	}
}
