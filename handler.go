package gongu

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/gongu-ai/gongu/internal/clock"
	"github.com/gongu-ai/gongu/internal/lang"
)

// runHandler runs the handler on a new goroutine, so that the call ends at the
// deadline even if the handler ignores its context. An inline handler runs on
// the caller's goroutine and is trusted to return.
func (d *dispatch) runHandler(ctx context.Context) Result {
	timeout := d.timeout()
	if err := d.takeSlot(ctx, timeout); err != nil {
		return failed(err)
	}
	if d.attempt.entry.tool.Limits.Inline {
		handlerCtx, cancel := withTimeout(ctx, timeout)
		defer cancel()
		return d.blameDeadline(handlerCtx, ctx, d.invoke(handlerCtx, d.attempt.Call), timeout)
	}
	handlerCtx, cancel := d.withClock(ctx, timeout)
	defer cancel()
	if deadline, limited := ctx.Deadline(); limited {
		if left := time.Until(deadline); timeout <= 0 || left < timeout {
			timeout = left.Round(time.Millisecond) // the caller's deadline is earlier
		}
	}
	answer := make(chan Result, 1)
	call := d.handlersCall()
	go func() {
		var result Result
		returned := false
		defer func() {
			if !returned { // the handler ended its goroutine
				result = d.exited()
			}
			answer <- result
		}()
		growStack(0)
		result = d.invoke(handlerCtx, call)
		returned = true
	}()
	select {
	case result := <-answer:
		return d.blameDeadline(handlerCtx, ctx, result, timeout)
	case <-handlerCtx.Done():
	}
	select {
	case result := <-answer: // it returned at the deadline
		return d.blameDeadline(handlerCtx, ctx, result, timeout)
	default:
		return failed(d.interrupted(handlerCtx.Err(), timeout))
	}
}

// growStack grows the stack of a new goroutine once, while it is almost empty. A
// handler that decodes and encodes JSON would otherwise make it grow twice in the
// middle of its work, which costs more than starting the goroutine.
//
//go:noinline
func growStack(i int) byte {
	var room [12 << 10]byte
	room[i] = 1
	return room[len(room)-1-i]
}

// withClock returns the context of a handler. That of a macro or an extension,
// which call other tools, has a clock: it stops while such a call waits for a
// person. Other tools do without one, because it costs more.
func (d *dispatch) withClock(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if source := d.attempt.entry.tool.Source.Type; timeout <= 0 || source != "macro" && source != "extension" {
		return withTimeout(ctx, timeout)
	}
	own, cancel := clock.WithTimeout(ctx, timeout)
	d.clock = own
	return own, cancel
}

// withTimeout is context.WithTimeout; a timeout of zero or less means none.
func withTimeout(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, timeout)
}

// invoke calls the handler and turns a panic into a result. The slot of a serial
// tool is held until the handler has returned.
func (d *dispatch) invoke(ctx context.Context, call Call) (result Result) {
	defer func() {
		if thrown := recover(); thrown != nil {
			result = d.crashed(thrown)
		}
		d.freeSlot()
	}()
	return d.attempt.entry.tool.Invoke(ctx, call)
}

// handlersCall returns the call for the handler, with a copy of the arguments if
// observers or Spill read them after it.
func (d *dispatch) handlersCall() Call {
	call := d.attempt.Call
	if len(d.observed) > 0 || d.exec.opts.Spill != nil {
		call.Args = bytes.Clone(call.Args)
	}
	return call
}

func (d *dispatch) exited() Result {
	l := d.exec.lang
	return failed(&Error{Code: CodePanic, Message: lang.MessagePanic.In(l, d.name(), lang.CauseExited.In(l))})
}

// blameDeadline replaces the error of a handler that returned its context's
// error: "context deadline exceeded" does not help a model.
func (d *dispatch) blameDeadline(handlerCtx, callerCtx context.Context, result Result, timeout time.Duration) Result {
	if result.Error == nil {
		return result
	}
	deadline, limited := handlerCtx.Deadline()
	switch {
	case limited && errors.Is(result.Error, context.DeadlineExceeded) && !time.Now().Before(deadline):
		result.Error = d.interrupted(context.DeadlineExceeded, timeout)
	case callerCtx.Err() != nil && errors.Is(result.Error, context.Canceled):
		result.Error = d.interrupted(context.Canceled, timeout)
	}
	return result
}

func (d *dispatch) timeout() time.Duration {
	timeout := cmp.Or(d.attempt.entry.tool.Limits.Timeout, d.exec.opts.Limits.Timeout)
	return tighter(timeout, d.attempt.limits.Timeout)
}

// takeSlot waits for an earlier call of a serial tool. A handler that hangs
// holds its slot, so the tool's timeout bounds the wait.
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
