package mcpclient

import (
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
	errand         *errand
	attending      bool
	expired        *fault
}

// heedless is for how long an errand does not attend to its caller. Who gives
// up sooner has hardly asked.
const heedless = 100 * time.Millisecond

// begin starts the clock. It cancels the errand when the time is over.
func (p *patience) begin(c *call, silence, total time.Duration, e *errand) {
	if silence <= 0 {
		e.attend()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.call, p.silence, p.total, p.errand, p.began = c, silence, total, e, time.Now()
	p.timer = time.AfterFunc(min(silence, heedless), p.ring)
}

// renew is for a sign of life.
func (p *patience) renew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil && p.expired == nil {
		p.attendLocked()
		p.timer.Reset(min(p.silence, max(p.total-time.Since(p.began), 0)))
	}
}

// attendLocked reports whether the errand has attended to its caller before.
func (p *patience) attendLocked() bool {
	before := p.attending
	if p.attending = true; !before {
		p.errand.attend()
	}
	return before
}

func (p *patience) ring() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil || p.expired != nil {
		return
	}
	if !p.attendLocked() && p.silence > heedless {
		p.timer.Reset(p.silence - heedless)
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
	p.errand.cancel()
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
