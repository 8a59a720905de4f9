package mcpclient

import "time"

// timer is a time.Timer that never fires when it was made for zero or less.
type timer struct {
	timer *time.Timer
	c     <-chan time.Time
}

func newTimer(after time.Duration) *timer {
	if after <= 0 {
		return &timer{}
	}
	t := time.NewTimer(after)
	return &timer{t, t.C}
}

func (t *timer) reset(after time.Duration) {
	if t.timer != nil {
		t.timer.Reset(after)
	}
}

func (t *timer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}
