package ask

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/gongu-ai/gongu/internal/terminal"
	"github.com/gongu-ai/gongu/policy"
	"github.com/gongu-ai/gongu/state"
)

// presenceEvery is how often a person at a terminal is recorded; see
// [policy.Presence].
const presenceEvery = 20 * time.Second

// Watcher shows the approvals of a store as they come.
type Watcher struct {
	*Person
	// Decided is told what became of each question.
	Decided func(Decision) error
	// Line is told of each new approval while no person can answer here.
	Line func(*state.Approval) error
	// Idle is called with each line that is typed while there is no question; nil
	// leaves it unread.
	Idle func(line string)

	tty *terminal.Terminal
	// seen has the version of each approval that was shown.
	seen map[string]int64
}

// Run shows approvals until ctx ends or the person ends the input: one question
// after the other, the oldest first, if this process has a terminal and is in its
// foreground. Otherwise it calls Line, and no one counts as present.
func (w *Watcher) Run(ctx context.Context) error {
	w.seen = map[string]int64{}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if tty, err := terminal.Open(); err == nil {
		defer tty.Close()
		w.tty = tty
		present := make(chan struct{})
		go func() {
			defer close(present)
			if err := w.attend(ctx); err != nil {
				stop(err)
			}
		}()
		defer func() { stop(nil); <-present }()
	}
	hints := w.Store.WatchApprovals(ctx)
	for {
		err := w.step(ctx, hints)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
				return cause
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// attended reports whether a person can answer here.
func (w *Watcher) attended() bool { return w.tty != nil && w.tty.Foreground() }

// attend records that a person is there, for as long as one can answer.
func (w *Watcher) attend(ctx context.Context) error {
	tick := time.NewTicker(presenceEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if w.attended() {
			if err := w.Store.SeePerson(ctx, "watch", w.Name); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// step handles one new approval, or waits.
func (w *Watcher) step(ctx context.Context, hints <-chan struct{}) error {
	a, err := w.next(ctx)
	switch {
	case err != nil:
		return err
	case a == nil:
		return w.wait(ctx, hints)
	case !w.attended():
		w.seen[a.ID] = a.Version
		return w.Line(a)
	}
	d, err := w.ask(ctx, w.tty, a, "s")
	switch {
	case errors.Is(err, ErrBackground):
		return nil // the next look calls Line
	case errors.Is(err, ErrSkipped):
		w.seen[a.ID] = a.Version
		return nil
	case err != nil:
		return err
	case d.Outcome == policy.Changed:
		return nil
	}
	w.seen[a.ID] = a.Version
	return w.Decided(d)
}

// next returns the oldest approval that waits and was not shown, or nil.
func (w *Watcher) next(ctx context.Context) (*state.Approval, error) {
	filter := state.ApprovalFilter{State: state.ApprovalPending, Limit: policy.MaxPending}
	var oldest *state.Approval
	waiting := map[string]int64{}
	for {
		page, err := w.Store.Approvals(ctx, filter)
		if err != nil {
			return nil, err
		}
		for _, a := range page.Approvals {
			if version, shown := w.seen[a.ID]; shown {
				waiting[a.ID] = version
			}
			if w.seen[a.ID] != a.Version {
				oldest = a
			}
		}
		if filter.After = page.Next; filter.After == "" {
			w.seen = waiting // those that ended are forgotten
			return oldest, nil
		}
	}
}

// wait waits for a change, and passes on what is typed meanwhile.
func (w *Watcher) wait(ctx context.Context, hints <-chan struct{}) error {
	ctx, stop := context.WithTimeout(ctx, lookEvery)
	defer stop()
	if w.Idle == nil || !w.attended() {
		select {
		case _, open := <-hints:
			if !open {
				<-ctx.Done()
			}
		case <-ctx.Done():
		}
		return nil
	}
	go func() {
		select {
		case <-hints:
			stop()
		case <-ctx.Done():
		}
	}()
	line, err := w.tty.ReadLine(ctx)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	w.Idle(line)
	return nil
}
