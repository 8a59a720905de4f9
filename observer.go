package gongu

import "context"

// Observer is told of every call, for metrics, traces and logs. It cannot
// refuse or change a call, and its panics are logged and go no further.
type Observer interface {
	// Begin is called before anything else happens with the call. The
	// returned context is used for the call, for a span for example; nil
	// keeps ctx.
	Begin(ctx context.Context, a *Attempt) context.Context
	// End is called with the final result and the context that Begin
	// returned. The observer that began last ends first.
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

// protect keeps a panic of code beside the call from becoming one of the call.
func (d *dispatch) protect(what string, do func()) {
	defer func() {
		if thrown := recover(); thrown != nil {
			d.exec.opts.Logger.Error(what+" failed", "tool", d.name(), "toolCallId", d.attempt.Call.ID, "error", errorOfPanic(thrown).Message)
		}
	}()
	do()
}
