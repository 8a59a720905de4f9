package mcpclient

import (
	"sync"
	"time"
)

const (
	// breakAfter failures in a row the server is left alone for restFirst, then
	// longer each time. Before that every use tries again at once.
	breakAfter = 3
	restFirst  = time.Second
	restLast   = 30 * time.Second
)

// breaker keeps callers from waiting, one after the other, for a server that
// does not work.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	failures int
	counted  time.Time // when the last one was
	until    time.Time
	trying   bool
	last     error
}

// allow lets a request through, or says since when and why not. After a rest
// one request tries, and the others go on being refused until it is known.
func (b *breaker) allow() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < breakAfter {
		return nil
	}
	if rest := b.until.Sub(b.now()); rest > 0 {
		return faultf(ReasonResting, false, "next try in %s; the last failure: %w", rest.Round(100*time.Millisecond), b.last)
	}
	if b.trying {
		return faultf(ReasonResting, false, "it is being tried now; the last failure: %w", b.last)
	}
	b.trying = true
	return nil
}

func (b *breaker) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.trying, b.last = 0, false, nil
}

// undecided is for a try that ended without showing anything.
func (b *breaker) undecided() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
}

// failed counts the failure of what began at a time. Whatever was under way
// when another failure was counted failed of the same cause: a server that dies
// under fifty calls has failed once.
func (b *breaker) failed(began time.Time, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures > 0 && began.Before(b.counted) {
		return
	}
	b.failures++
	b.counted = b.now()
	b.trying, b.last = false, err
	if over := b.failures - breakAfter; over >= 0 {
		b.until = b.now().Add(min(restFirst<<min(over, 10), restLast))
	}
}

// reset forgets failures, for a person who has mended something.
func (b *breaker) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.trying = 0, false
}
