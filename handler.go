package gongu

import (
	"context"
	"errors"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// runHandler runs the handler in a goroutine of its own, so that the caller is
// answered at the deadline even by a handler that does not listen.
func (d *dispatch) runHandler(ctx context.Context) Result {
	timeout := d.timeout()
	if err := d.takeSlot(ctx, timeout); err != nil {
		return failed(err)
	}
	var cancel context.CancelFunc
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	defer cancel()
	done := make(chan Result, 1)
	go d.invoke(ctx, done)
	select {
	case result := <-done:
		return d.blameDeadline(ctx, result, timeout)
	case <-ctx.Done():
	}
	// Both may be ready; an answer that exists is better than none.
	select {
	case result := <-done:
		return d.blameDeadline(ctx, result, timeout)
	default:
		return failed(d.interrupted(ctx.Err(), timeout))
	}
}

// invoke calls the handler and lets nothing escape from it. The answer is sent
// by a deferred function because a handler can also end its goroutine, which
// returns from nothing.
func (d *dispatch) invoke(ctx context.Context, done chan<- Result) {
	var result Result
	returned := false
	defer func() {
		if thrown := recover(); thrown != nil {
			result = d.crashed(thrown)
		} else if !returned {
			result = d.exited()
		}
		d.freeSlot()
		done <- result
	}()
	result = d.attempt.entry.tool.Invoke(ctx, d.attempt.Call)
	returned = true
}

func (d *dispatch) exited() Result {
	l := d.exec.lang
	return failed(&Error{Code: CodePanic, Message: lang.MessagePanic.In(l, d.name(), lang.CauseExited.In(l))})
}

// blameDeadline replaces the error of a handler that stopped because it was
// told to: "context deadline exceeded" helps no model.
func (d *dispatch) blameDeadline(ctx context.Context, result Result, timeout time.Duration) Result {
	cause := ctx.Err()
	if cause == nil || result.Error == nil || !errors.Is(result.Error, cause) {
		return result
	}
	result.Error = d.interrupted(cause, timeout)
	return result
}

func (d *dispatch) timeout() time.Duration {
	if own := d.attempt.entry.tool.Limits.Timeout; own != 0 {
		return own
	}
	return d.exec.opts.Limits.Timeout
}

// takeSlot waits for an earlier call of a serial tool. A handler that hangs
// keeps its slot, so the wait is bounded by the tool's own timeout.
func (d *dispatch) takeSlot(ctx context.Context, timeout time.Duration) *Error {
	slot := d.attempt.entry.slot
	if slot == nil {
		return nil
	}
	var expired <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return d.interrupted(ctx.Err(), timeout)
	case <-expired:
		return &Error{Code: CodeUnavailable, Message: lang.CauseBusy.In(d.exec.lang, d.name())}
	}
}

func (d *dispatch) freeSlot() {
	if slot := d.attempt.entry.slot; slot != nil {
		<-slot
	}
}
