package gongu

import (
	"bytes"
	"sync"
	"time"
)

// workers run handlers. A new goroutine for each call has a small stack that
// grows anew under every handler, which under load costs more than all checks
// of the call together. So under load, and only then, a worker is kept for the
// next call; it ends by itself when the load does.
type workers struct {
	mu    sync.Mutex
	idle  []*worker
	timer *time.Timer
	armed bool
	// calls were started since the window began.
	calls  int
	window time.Time
}

const (
	// workerIdle is how long a worker waits for its next call.
	workerIdle = 100 * time.Millisecond
	// loadedAbove is how many calls in that time make it worth while.
	loadedAbove = 64
)

// worker is held by one call from start to finished or abandoned.
type worker struct {
	jobs chan *dispatch
	// done is told once for each call: by the worker when the handler has
	// returned, or by the alarm when its time is over.
	done  chan struct{}
	alarm alarm
	used  bool // since the last look
	dead  bool // its handler ended the goroutine
}

// The states of a handler's run, agreed on by the worker and the caller.
const (
	running int32 = iota
	returned
	abandoned
)

// start hands the call to a worker. A zero deadline is none.
func (p *workers) start(d *dispatch, now, deadline time.Time) *worker {
	p.mu.Lock()
	if now.Sub(p.window) > workerIdle {
		p.calls, p.window = 0, now
	}
	p.calls++
	var w *worker
	if last := len(p.idle) - 1; last >= 0 {
		w, p.idle = p.idle[last], p.idle[:last]
	}
	p.mu.Unlock()
	if w == nil {
		w = &worker{jobs: make(chan *dispatch, 1), done: make(chan struct{}, 1)}
		w.alarm.done = w.done
		go w.run()
	}
	if !deadline.IsZero() {
		w.alarm.set(d, now, deadline)
	}
	w.jobs <- d
	return w
}

// finished takes back a worker whose handler has returned.
func (p *workers) finished(w *worker) {
	if w.dead {
		w.alarm.stop()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls <= loadedAbove {
		w.dismiss()
		return
	}
	w.used = true
	p.idle = append(p.idle, w)
	if p.armed {
		return
	}
	p.armed = true
	if p.timer == nil {
		p.timer = time.AfterFunc(workerIdle, p.dismissIdle)
	} else {
		p.timer.Reset(workerIdle)
	}
}

// dismissIdle ends the workers that had nothing to do since the last time.
func (p *workers) dismissIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.idle[:0]
	for _, w := range p.idle {
		if !w.used {
			w.dismiss()
			continue
		}
		w.used = false
		kept = append(kept, w)
	}
	clear(p.idle[len(kept):])
	p.idle = kept
	if p.armed = len(kept) > 0; p.armed {
		p.timer.Reset(workerIdle)
	}
}

// dismiss ends an idle worker.
func (w *worker) dismiss() {
	w.alarm.stop()
	close(w.jobs)
}

func (w *worker) run() {
	for d := range w.jobs {
		if !w.handle(d) {
			return
		}
	}
}

// handle runs the handler, lets nothing escape from it, and reports whether
// the worker can be used again. All of the end is deferred, because a handler
// can also end its goroutine, which returns from nothing.
func (w *worker) handle(d *dispatch) (again bool) {
	exiting := true
	var result Result
	defer func() {
		if thrown := recover(); thrown != nil {
			result = d.crashed(thrown)
		} else if exiting {
			result = d.exited()
			w.dead = true
		}
		d.freeSlot()
		if again = d.state.CompareAndSwap(running, returned); again {
			d.handled = result
			w.done <- struct{}{}
		}
	}()
	result = d.attempt.entry.tool.Invoke(&d.handlerCtx, d.handlersCall())
	exiting = false
	return true
}

// handlersCall gives a handler bytes of its own where somebody looks at the
// call after it: what the audit hears is not the handler's to rewrite. An
// inline one has promised not to.
func (d *dispatch) handlersCall() Call {
	call := d.attempt.Call
	if (d.exec.opts.Audit != nil || len(d.observed) > 0 || d.exec.opts.Spill != nil) && !d.attempt.entry.tool.Limits.Inline {
		call.Args = bytes.Clone(call.Args)
	}
	return call
}
