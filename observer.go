package gongu

import "context"

// Observer observes every call, for metrics, traces and logs. It cannot refuse or
// change a call; its panics are recovered and logged.
type Observer interface {
	// Begin is called first. The call uses the returned context, for a span
	// for example; nil keeps ctx.
	Begin(ctx context.Context, a *Attempt) context.Context
	// End is called with the final result and the context that Begin
	// returned. Observers end in reverse order.
	End(ctx context.Context, a *Attempt, r Result)
}

func (d *dispatch) beginObservers(ctx context.Context) context.Context {
	observers := d.exec.opts.Observers
	if len(observers) == 0 {
		return ctx
	}
	d.observed = make([]context.Context, len(observers))
	for i, o := range observers {
		d.protect("observer", func() {
			if derived := o.Begin(ctx, &d.attempt); derived != nil {
				ctx = derived
			}
		})
		d.observed[i] = ctx
	}
	return ctx
}

func (d *dispatch) endObservers(r Result) {
	for i := len(d.observed) - 1; i >= 0; i-- {
		d.protect("observer", func() { d.exec.opts.Observers[i].End(d.observed[i], &d.attempt, r) })
	}
}

// protect runs do and logs a panic instead of failing the call.
func (d *dispatch) protect(what string, do func()) {
	defer func() {
		if thrown := recover(); thrown != nil {
			d.exec.opts.Logger.Error(what+" failed", "tool", d.name(), "toolCallId", d.attempt.Call.ID, "error", errorOfPanic(thrown).Message)
		}
	}()
	do()
}
