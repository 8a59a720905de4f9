package mcpclient

import (
	"context"
	"sync"
	"time"
)

// patience is how long a caller waits in its connection, where it cannot look
// at a clock: for so long without a sign of life, and for so long in all.
type patience struct {
	mu             sync.Mutex
	call           *call
	silence, total time.Duration
	began          time.Time
	timer          *time.Timer
	cancel         context.CancelFunc
	expired        *fault
}

// begin starts the clock. It calls cancel when the time is over.
func (p *patience) begin(c *call, silence, total time.Duration, cancel context.CancelFunc) {
	if silence <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.call, p.silence, p.total, p.cancel, p.began = c, silence, total, cancel, time.Now()
	p.timer = time.AfterFunc(silence, p.ring)
}

// renew is for a sign of life.
func (p *patience) renew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil && p.expired == nil {
		p.timer.Reset(min(p.silence, max(p.total-time.Since(p.began), 0)))
	}
}

func (p *patience) ring() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil || p.expired != nil {
		return
	}
	left := p.total - time.Since(p.began)
	switch {
	case left <= 0:
		p.expired = faultf(ReasonTimeout, true, "no answer within %s, in spite of its progress", p.total)
	case p.call.asking.Load() > 0:
		p.timer.Reset(min(p.silence, left)) // it waits for the caller
		return
	default:
		p.expired = faultf(ReasonTimeout, true, "no answer within %s", p.silence)
	}
	p.cancel()
}

// end stops the clock.
func (p *patience) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

// over says that the time was over, or nil.
func (p *patience) over() *fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.expired
}

// spent is what of the whole time has gone.
func (p *patience) spent() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() {
		return 0
	}
	return time.Since(p.began)
}

// alarm is a timer that may be none.
type alarm struct {
	timer *time.Timer
	c     <-chan time.Time
}

func newAlarm(after time.Duration) *alarm {
	if after <= 0 {
		return &alarm{}
	}
	timer := time.NewTimer(after)
	return &alarm{timer, timer.C}
}

func (a *alarm) reset(after time.Duration) {
	if a.timer != nil {
		a.timer.Reset(after)
	}
}

func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
