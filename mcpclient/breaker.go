package mcpclient

import (
	"sync"
	"time"
)

const (
	// After breakAfter failures in a row the server rests for restFirst, then
	// longer each time. Before that every use tries again at once.
	breakAfter = 3
	restFirst  = time.Second
	restLast   = 30 * time.Second
)

// breaker is a circuit breaker: it rejects requests for a while after several
// failures in a row.
type breaker struct {
	now func() time.Time

	mu       sync.Mutex
	failures int
	counted  time.Time // when the last one was
	until    time.Time
	trying   bool
	last     error
}

// allow accepts a request, or returns why not. After a rest it accepts one
// request and rejects the others until that one has ended.
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

// undecided ends an attempt that shows neither success nor failure.
func (b *breaker) undecided() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
}

// failed counts the failure of a request that began at a time. Requests that ran
// when another failure was counted have the same cause: a server that exits
// during fifty calls has failed once.
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

// reset forgets failures, for a user who has fixed the cause.
func (b *breaker) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.trying = 0, false
}
