package serve

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/internal/limit"
	"github.com/gongu-ai/gongu/state"
)

// PendingStore keeps the records of calls that outlive their request, and the
// keys of the states that clients send back. [state.Store] is one, which several
// hosts can share.
type PendingStore interface {
	// AddCall adds a call and keeps it for life; zero keeps it while it runs.
	AddCall(ctx context.Context, c *state.Call, life time.Duration, most state.CallLimits) error
	// GetCall returns a call, or state.ErrNotFound.
	GetCall(ctx context.Context, id string) (*state.Call, error)
	// StartCall starts a suspended call in its round, once of all attempts.
	StartCall(ctx context.Context, id string, round int, attempt string) (*state.Call, bool, error)
	// ChangeCall changes a call by one of its transitions, which may run more
	// than once. It returns the call, and whether it changed.
	ChangeCall(ctx context.Context, id string, transition func(*state.Call, state.Writer) bool) (*state.Call, bool, error)
	// CallMail returns the calls of this host that another host has an answer
	// or a cancellation for. WatchCalls hints at new ones; it returns nil if
	// there is no other host.
	CallMail(ctx context.Context) ([]*state.Call, error)
	WatchCalls(ctx context.Context) <-chan struct{}
	// SealKeys returns the keys that are valid, the one that signs first.
	SealKeys(ctx context.Context, rotate, life time.Duration) ([]state.SealKey, error)
}

// pendingTable has the runs of this process that wait for their client or are
// tasks. The store has the records of all.
type pendingTable struct {
	server *Server
	store  PendingStore

	mu      sync.Mutex
	entries map[string]*pending
	closed  bool
}

// pending is one run of the table.
type pending struct {
	run       *run
	task      bool
	cancelled bool
	// updated is when a task last changed.
	updated time.Time
}

func newPendingTable(s *Server, store PendingStore) *pendingTable {
	return &pendingTable{server: s, store: store, entries: map[string]*pending{}}
}

// suspend keeps a run that has asked its client until the client sends the
// answer. The run takes over the place of the request among the waiting calls,
// if it has one. False means that too many wait, or that the run has ended.
func (t *pendingTable) suspend(ctx context.Context, r *run, slot *limit.Slot, questions json.RawMessage) bool {
	principal := r.call.Principal
	t.mu.Lock()
	if t.closed || r.over || !slot.HandOver() && !t.server.waits.TryAcquire(principal) {
		t.mu.Unlock()
		return false
	}
	t.entries[r.call.ID] = &pending{run: r}
	t.mu.Unlock()
	if !t.recordQuestions(ctx, r, questions) {
		t.take(r.call.ID, 0)
		return false
	}
	return true
}

// recordQuestions records what a run asks its client in a new round.
func (t *pendingTable) recordQuestions(ctx context.Context, r *run, questions json.RawMessage) bool {
	r.recording.Lock() // so that the record has the last round
	defer r.recording.Unlock()
	round := r.nextRound()
	if t.isRecorded(r) {
		_, changed, err := t.store.ChangeCall(ctx, r.call.ID, func(c *state.Call, w state.Writer) bool { return c.Ask(w, round, questions) })
		return t.worked("ask", err) && changed
	}
	c := r.call
	c.Kind, c.State, c.Round, c.Questions = state.KindCall, state.CallStarted, round, questions
	l := &t.server.limits
	return t.add(ctx, r, c, 0, state.CallLimits{All: l.Waiting, Each: l.WaitingEach}) == nil
}

// add records a run. The error is state.ErrTooMany, or was logged.
func (t *pendingTable) add(ctx context.Context, r *run, c state.Call, life time.Duration, most state.CallLimits) error {
	err := t.store.AddCall(ctx, &c, life, most)
	if errors.Is(err, state.ErrTooMany) || !t.worked("add", err) {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r.row, r.recorded = c, true
	return nil
}

func (t *pendingTable) isRecorded(r *run) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return r.recorded
}

// waiting returns the run that waits for its client in a round, or nil; zero is
// any round.
func (t *pendingTable) waiting(id string, round int) *run {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waitingLocked(id, round)
}

func (t *pendingTable) waitingLocked(id string, round int) *run {
	found := t.entries[id]
	if found == nil || found.task || round != 0 && found.run.atRound() != round {
		return nil
	}
	return found.run
}

// take removes the run that waiting returns.
func (t *pendingTable) take(id string, round int) *run {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.waitingLocked(id, round)
	if found != nil {
		t.removeLocked(id)
	}
	return found
}

// answered records that a run of this process has the answers of its client to
// the questions of a round. What was not answered is asked in another round.
func (t *pendingTable) answered(ctx context.Context, r *run, round int, left bool) {
	_, _, err := t.store.ChangeCall(ctx, r.call.ID, func(c *state.Call, w state.Writer) bool { return c.Answered(w, round) })
	if t.worked("answer", err) && left {
		t.askAlone(ctx, r)
	}
}

// addTask makes a task of a run. False means that there are too many tasks or
// that the run has ended: the client waits for the result instead.
func (t *pendingTable) addTask(ctx context.Context, r *run, out sink) (task, bool) {
	t.expire(ctx, time.Now())
	t.mu.Lock()
	if t.closed || r.over || r.recorded {
		t.mu.Unlock()
		return task{}, false
	}
	t.entries[r.call.ID] = &pending{run: r, task: true, updated: time.Now()}
	t.mu.Unlock()
	r.detach()
	c := r.call
	c.Created = time.Now()
	c.Kind, c.State = state.KindTask, state.CallStarted
	if asks, _ := r.pending(); len(asks) > 0 {
		c.Round, c.Questions = r.nextRound(), inputRequests(asks)
	}
	l := &t.server.limits
	if t.add(ctx, r, c, 0, state.CallLimits{All: l.Tasks, Each: l.TasksEach}) != nil {
		t.remove(c.ID)
		r.attach(out)
		return task{}, false
	}
	t.mu.Lock()
	over := r.over // it ended while it was recorded
	t.mu.Unlock()
	if over {
		t.ended(ctx, r)
	} else if asks, _ := r.pending(); len(asks) > 0 && len(c.Questions) == 0 { // it asked meanwhile
		t.askAlone(ctx, r)
	}
	return task{server: t.server, call: c, run: r, updated: time.Now()}, true
}

// askAlone records the questions of a run that no request of this host waits
// for: a task, or a call whose client waits at another host.
func (t *pendingTable) askAlone(ctx context.Context, r *run) {
	if asks, _ := r.pending(); len(asks) > 0 && t.isRecorded(r) {
		t.recordQuestions(ctx, r, inputRequests(asks))
	}
}

// ended records the end of a run: its result, or that a guard suspended it.
func (t *pendingTable) ended(ctx context.Context, r *run) {
	t.mu.Lock()
	r.over = true
	recorded, p := r.recorded, t.entries[r.call.ID]
	cancelled := p != nil && p.cancelled
	t.mu.Unlock()
	record := func(context.Context) bool { return true }
	switch {
	case !recorded:
	case r.suspended != nil && !cancelled:
		record = func(ctx context.Context) bool { return t.suspendAgain(ctx, r) }
	case r.journaled:
	default:
		record = func(ctx context.Context) bool { return t.recordEnd(ctx, r, cancelled) }
	}
	if record(ctx) {
		t.remove(r.call.ID)
		return
	}
	// Meanwhile the run has the result.
	t.server.retry(func(ctx context.Context) bool {
		stored := record(ctx)
		if stored {
			t.remove(r.call.ID)
		}
		return stored
	})
}

// retryInterval is how often a host tries again what its store refused.
const retryInterval = time.Second

// retry runs do in the background until it returns true or the server ends.
func (s *Server) retry(do func(ctx context.Context) bool) {
	s.work.Go(func() {
		for {
			select {
			case <-time.After(retryInterval):
			case <-s.lifetime.Done():
				return
			}
			if do(s.lifetime) {
				return
			}
		}
	})
}

// recordEnd stores the result of a run of this process.
func (t *pendingTable) recordEnd(ctx context.Context, r *run, cancelled bool) bool {
	as := state.CallDone
	if cancelled {
		as = state.CallCancelled
	}
	kind := t.rowOf(r).Kind
	result := r.ended.record(kind, cancelled, r.progressMessage())
	life := t.server.limits.life(kind)
	_, changed, err := t.store.ChangeCall(ctx, r.call.ID, func(c *state.Call, w state.Writer) bool { return c.End(w, as, result, life) })
	if err == nil && !changed {
		t.server.opts.Logger.Error("the result of a call was not stored, because this host's lease had ended meanwhile", "tool", r.call.Tool, "call", r.call.ID)
	}
	return t.worked("end", err)
}

// suspendAgain records that a guard suspended a call that has a record.
func (t *pendingTable) suspendAgain(ctx context.Context, r *run) bool {
	round, v := t.rowOf(r).Round, r.waiting()
	life := t.server.limits.Suspend
	c, changed, err := t.store.ChangeCall(ctx, r.call.ID, func(c *state.Call, w state.Writer) bool { return c.Suspend(w, round, v, life) })
	if t.worked("suspend", err) && c != nil {
		t.mu.Lock()
		r.row = *c
		t.mu.Unlock()
	}
	if err == nil && !changed {
		t.server.opts.Logger.Warn("a call was suspended again, and its record had changed meanwhile", "tool", r.call.Tool, "call", r.call.ID)
	}
	return err == nil
}

// rowOf returns the record of a run as this process last wrote it.
func (t *pendingTable) rowOf(r *run) state.Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return r.row
}

func (t *pendingTable) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.removeLocked(id)
}

func (t *pendingTable) removeLocked(id string) {
	p := t.entries[id]
	if p == nil {
		return
	}
	delete(t.entries, id)
	if !p.task {
		t.server.waits.Release(p.run.call.Principal)
	}
}

// local returns the task of this process with an id, if it runs.
func (t *pendingTable) local(id string) (task, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.entries[id]
	if p == nil || !p.task {
		return task{}, false
	}
	return task{server: t.server, call: p.run.row, run: p.run, updated: p.updated, cancelled: p.cancelled}, true
}

// adopt adds the run of a suspended task that is resumed here. False means that
// another request did so already.
func (t *pendingTable) adopt(r *run) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.entries[r.call.ID] != nil {
		return false
	}
	r.row, r.recorded = r.call, true
	t.entries[r.call.ID] = &pending{run: r, task: true, updated: time.Now()}
	return true
}

// isCancelled reports whether a run of this process was cancelled.
func (t *pendingTable) isCancelled(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.entries[id]
	return p != nil && p.cancelled
}

// cancel cancels a task, here or on the host that runs it.
func (t *pendingTable) cancel(ctx context.Context, id string) error {
	life := t.server.limits.TaskTTL
	_, _, err := t.store.ChangeCall(ctx, id, func(c *state.Call, w state.Writer) bool { return c.Cancel(w, life) })
	t.mu.Lock()
	p := t.entries[id]
	if p != nil {
		p.cancelled, p.updated = true, time.Now()
	}
	t.mu.Unlock()
	if p != nil {
		p.run.cancel()
	}
	return err
}

// touch keeps a task for another TaskTTL.
func (t *pendingTable) touch(ctx context.Context, id string) {
	t.mu.Lock()
	p := t.entries[id]
	if p != nil {
		p.updated = time.Now()
	}
	t.mu.Unlock()
	if p == nil {
		life := t.server.limits.TaskTTL
		_, _, err := t.store.ChangeCall(ctx, id, func(c *state.Call, w state.Writer) bool { return c.Keep(w, life) })
		t.worked("keep", err)
	}
}

// expire cancels the tasks that have waited for an answer for TaskTTL. It keeps
// running ones: their tools have timeouts.
func (t *pendingTable) expire(ctx context.Context, now time.Time) {
	var over []string
	t.mu.Lock()
	for id, p := range t.entries {
		if p.task && now.Sub(p.updated) > t.server.limits.TaskTTL && p.run.waits() {
			over = append(over, id)
		}
	}
	t.mu.Unlock()
	for _, id := range over {
		t.worked("cancel", t.cancel(ctx, id))
	}
}

// readMail passes on what other hosts recorded for the runs of this process,
// until ctx ends.
func (t *pendingTable) readMail(ctx context.Context) {
	hints := t.store.WatchCalls(ctx)
	if hints == nil {
		return
	}
	for range hints {
		calls, err := t.store.CallMail(ctx)
		if ctx.Err() != nil || !t.worked("read", err) {
			continue
		}
		for _, c := range calls {
			t.deliver(ctx, c)
		}
	}
}

func (t *pendingTable) deliver(ctx context.Context, c *state.Call) {
	t.mu.Lock()
	p := t.entries[c.ID]
	if p != nil && c.Stopped {
		p.cancelled = true
	}
	t.mu.Unlock()
	switch {
	case p == nil:
	case c.Stopped:
		p.run.cancel()
	case len(c.Answers) > 0 && c.Round == p.run.atRound():
		left, err := p.run.answer(c.Answers)
		if err != nil {
			t.server.opts.Logger.Error("an answer from another host does not fit", "call", c.ID, "error", err.message)
		}
		t.answered(ctx, p.run, c.Round, left)
	}
}

func (t *pendingTable) worked(operation string, err error) bool {
	if err == nil {
		return true
	}
	t.server.opts.Logger.Error("the store of pending calls failed", "operation", operation, "error", err)
	return false
}

// taskCount returns the number of tasks that run here.
func (t *pendingTable) taskCount() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	count := 0
	for _, p := range t.entries {
		if p.task {
			count++
		}
	}
	return count
}

// close cancels all runs.
func (t *pendingTable) close() {
	t.mu.Lock()
	t.closed = true
	var runs []*run
	for _, p := range t.entries {
		runs = append(runs, p.run)
	}
	t.mu.Unlock()
	for _, r := range runs {
		r.cancel()
	}
}
