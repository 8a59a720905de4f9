package gongu

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// runHandler lets a worker run the handler, so that the caller is answered at
// the deadline even by a handler that does not listen.
func (d *dispatch) runHandler(ctx context.Context) Result {
	timeout := d.timeout()
	if err := d.takeSlot(ctx, timeout); err != nil {
		return failed(err)
	}
	now := time.Now()
	d.handlerCtx.Context = ctx
	if timeout > 0 {
		d.handlerCtx.deadline = now.Add(timeout)
	}
	if d.attempt.entry.tool.Limits.Inline {
		d.runInline()
		return d.blameDeadline(ctx, timeout)
	}
	if deadline, limited := ctx.Deadline(); limited && (timeout <= 0 || deadline.Sub(now) < timeout) {
		timeout = deadline.Sub(now).Round(time.Millisecond) // the caller's is nearer
	}
	w := d.exec.workers.start(d, now, d.handlerCtx.deadline)
	stopped := d.await(ctx, w)
	d.handlerCtx.end(stopped)
	if stopped != nil {
		w.alarm.stop()
		return failed(d.interrupted(stopped, timeout))
	}
	d.exec.workers.finished(w)
	return d.blameDeadline(ctx, timeout)
}

// runInline trusts the handler to return.
func (d *dispatch) runInline() {
	d.handlerCtx.lonely = true
	defer func() {
		if thrown := recover(); thrown != nil {
			d.handled = d.crashed(thrown)
		}
		d.freeSlot()
		d.handlerCtx.end(nil)
	}()
	d.handled = d.attempt.entry.tool.Invoke(&d.handlerCtx, d.handlersCall())
}

// await returns nil when the handler has returned, or why it is waited for no
// longer. An answer that comes in the same moment is better than none.
func (d *dispatch) await(ctx context.Context, w *worker) error {
	if cancelled := ctx.Done(); cancelled == nil {
		<-w.done
	} else {
		select {
		case <-w.done:
		case <-cancelled:
			if d.state.CompareAndSwap(running, abandoned) {
				return ctx.Err()
			}
			<-w.done
		}
	}
	if d.state.Load() == abandoned {
		return context.DeadlineExceeded
	}
	return nil
}

func (d *dispatch) exited() Result {
	l := d.exec.lang
	return failed(&Error{Code: CodePanic, Message: lang.MessagePanic.In(l, d.name(), lang.CauseExited.In(l))})
}

// blameDeadline replaces the error of a handler that saw its deadline before
// we did: "context deadline exceeded" helps no model.
func (d *dispatch) blameDeadline(ctx context.Context, timeout time.Duration) Result {
	result := d.handled
	if result.Error == nil {
		return result
	}
	deadline, limited := d.handlerCtx.Deadline()
	switch {
	case limited && errors.Is(result.Error, context.DeadlineExceeded) && !time.Now().Before(deadline):
		result.Error = d.interrupted(context.DeadlineExceeded, timeout)
	case ctx.Err() != nil && errors.Is(result.Error, context.Canceled):
		result.Error = d.interrupted(context.Canceled, timeout)
	}
	return result
}

func (d *dispatch) timeout() time.Duration {
	timeout := cmp.Or(d.attempt.entry.tool.Limits.Timeout, d.exec.opts.Limits.Timeout)
	return tighter(timeout, d.attempt.limits.Timeout)
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
