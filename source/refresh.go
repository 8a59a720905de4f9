package source

import (
	"context"
	"time"

	"github.com/gongu-ai/gongu/internal/event"
)

// listCall is one list that several callers wait for.
type listCall struct {
	began time.Time
	done  chan struct{}
	err   error
}

// refresh returns when the list in use was requested at since or later. All
// callers share one list, which has its own timeout and does not depend on the
// context of the first caller.
func (e *entry) refresh(ctx context.Context, since time.Time) error {
	for {
		f, mine := e.join(since)
		if f == nil {
			return nil
		}
		if mine {
			go e.list(f)
		}
		select {
		case <-f.done:
			if mine || !f.began.Before(since) {
				return f.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// join joins the list that runs, or begins one.
func (e *entry) join(since time.Time) (f *listCall, mine bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fresh(since) {
		return nil, false
	}
	if e.listCall != nil {
		return e.listCall, false
	}
	return e.begin()
}

// begin starts a list; the caller holds the lock.
func (e *entry) begin() (f *listCall, mine bool) {
	m := e.manager
	f = &listCall{began: m.opts.Now(), done: make(chan struct{})}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || e.lifetime.Err() != nil {
		f.err = errClosed
		close(f.done)
		return f, false
	}
	m.running.Add(1)
	e.listCall = f
	return f, true
}

// list lists the source and applies the result.
func (e *entry) list(f *listCall) {
	m := e.manager
	defer m.running.Done()
	ctx, cancel := context.WithTimeout(e.lifetime, e.listTimeout)
	defer cancel()
	definitions, problems, err := e.lister.List(ctx)
	if err == nil {
		err = e.apply(ctx, f.began, definitions, problems)
	}
	e.mu.Lock()
	f.err, e.fault = err, err
	if err == nil {
		e.success = m.opts.Now()
		e.latency = e.success.Sub(f.began)
	}
	e.listCall = nil
	again := e.again
	e.again = false
	close(f.done)
	e.mu.Unlock()
	if err != nil && e.lifetime.Err() == nil {
		m.opts.Logger.Info("listing a source failed", "source", e.source.Identity(), "error", err)
	}
	if m.opts.Events != nil && e.lifetime.Err() == nil {
		m.opts.Events.Publish(event.Event{Kind: event.Source, Source: e.source.Identity(), Err: err})
	}
	if again {
		e.listAgain()
	}
}

// listAgain lists in the background. Calls during a list cause one more list.
func (e *entry) listAgain() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.listCall != nil {
		e.again = true
		return
	}
	if f, mine := e.begin(); mine {
		go e.list(f)
	}
}
