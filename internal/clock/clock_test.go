package clock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gongu-ai/gongu/internal/clock"
)

// P9: the time in which a clock is stopped does not count.
func TestP9_Clock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cancel := clock.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		child, stop := context.WithCancel(c)
		defer stop()
		time.Sleep(30 * time.Second)
		c.Stop()
		c.Stop()
		time.Sleep(time.Hour)
		c.Start()
		time.Sleep(time.Hour)
		if until, ok := c.Deadline(); !ok || time.Until(until) != 30*time.Second || c.Err() != nil {
			t.Errorf("%v, %v", until, c.Err())
		}
		c.Start()
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if c.Err() != nil || child.Err() != nil {
			t.Errorf("%v, %v", c.Err(), child.Err())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !errors.Is(c.Err(), context.DeadlineExceeded) || !errors.Is(child.Err(), context.DeadlineExceeded) {
			t.Errorf("%v, %v", c.Err(), child.Err())
		}
	})
}

func TestClockEndsWithItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, end := context.WithCancel(t.Context())
		c, cancel := clock.WithTimeout(parent, time.Minute)
		defer cancel()
		c.Stop()
		end()
		synctest.Wait()
		c.Start()
		if !errors.Is(c.Err(), context.Canceled) {
			t.Error(c.Err())
		}
		var none *clock.Clock
		none.Stop()
		none.Start()
		outer, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		unlimited, cancel := clock.WithTimeout(outer, 0)
		defer cancel()
		if until, ok := unlimited.Deadline(); !ok || time.Until(until) > time.Second {
			t.Error(until, ok)
		}
		later, cancel := clock.WithTimeout(outer, time.Hour)
		defer cancel()
		if until, _ := later.Deadline(); time.Until(until) > time.Second {
			t.Error(until)
		}
	})
}
