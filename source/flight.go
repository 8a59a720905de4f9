package source

import (
	"context"
	"time"

	"github.com/gongu-ai/gongu/internal/event"
)

// flight is one list that several callers wait for.
type flight struct {
	began time.Time
	done  chan struct{}
	err   error
}

// refresh makes sure that the list in use was asked for at since or later. One
// list serves all who wait for it, and ends with its own limit, not with that
// of the caller who happened to be first.
func (e *entry) refresh(ctx context.Context, since time.Time) error {
	for {
		f, mine := e.board(since)
		if f == nil {
			return nil
		}
		if mine {
			go e.fly(f)
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

// board joins the list that runs, or begins one.
func (e *entry) board(since time.Time) (f *flight, mine bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.fresh(since) {
		return nil, false
	}
	if e.flight != nil {
		return e.flight, false
	}
	return e.begin()
}

// begin starts a list; the caller holds the lock.
func (e *entry) begin() (f *flight, mine bool) {
	m := e.manager
	f = &flight{began: m.opts.Now(), done: make(chan struct{})}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || e.life.Err() != nil {
		f.err = errClosed
		close(f.done)
		return f, false
	}
	m.running.Add(1)
	e.flight = f
	return f, true
}

// fly asks the source and takes in what it says.
func (e *entry) fly(f *flight) {
	m := e.manager
	defer m.running.Done()
	ctx, cancel := context.WithTimeout(e.life, e.listTimeout)
	defer cancel()
	definitions, problems, err := e.lister.List(ctx)
	if err == nil {
		err = e.take(ctx, f.began, definitions, problems)
	}
	e.mu.Lock()
	f.err, e.fault = err, err
	if err == nil {
		e.success = m.opts.Now()
		e.latency = e.success.Sub(f.began)
	}
	e.flight = nil
	again := e.again
	e.again = false
	close(f.done)
	e.mu.Unlock()
	if err != nil && e.life.Err() == nil {
		m.opts.Logger.Info("a source could not be listed", "source", e.source.Identity(), "error", err)
	}
	if m.opts.Events != nil && e.life.Err() == nil {
		m.opts.Events.Publish(event.Event{Kind: event.Source, Source: e.source.Identity(), Err: err})
	}
	if again {
		e.listAgain()
	}
}

// listAgain lists in the background, once for all who ask meanwhile.
func (e *entry) listAgain() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.flight != nil {
		e.again = true
		return
	}
	if f, mine := e.begin(); mine {
		go e.fly(f)
	}
}
