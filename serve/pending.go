package serve

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/internal/limit"
)

// PendingCall is a call that outlives its request: it waits for an answer of
// its client, or it is a task.
type PendingCall struct {
	ID string
	// Principal and Agent made the call; other principals cannot read or
	// continue it.
	Principal, Agent string
	Tool             string
	Args             json.RawMessage
	// Capabilities are those that the client declared.
	Capabilities json.RawMessage
	// Result is how a task ended: an object with status, statusMessage, and
	// result or error. It is nil while the call runs.
	Result  json.RawMessage
	Created time.Time
	// Expires is when the call is deleted; zero keeps it until it has ended.
	Expires time.Time
}

// PendingStore keeps pending calls. A store that outlives the server needs an
// [Options.Key] that does, too, because the states that clients send are signed
// with it.
type PendingStore interface {
	// Put stores a call and replaces the one with the same id.
	Put(ctx context.Context, call PendingCall) error
	// Get returns a call that has not expired.
	Get(ctx context.Context, id string) (call PendingCall, found bool, err error)
	Delete(ctx context.Context, id string) error
}

// memoryStore is the default PendingStore. The table limits its size.
type memoryStore struct {
	mu    sync.Mutex
	calls map[string]PendingCall
}

var _ PendingStore = (*memoryStore)(nil)

func newMemoryStore() *memoryStore { return &memoryStore{calls: map[string]PendingCall{}} }

// Put stores a call.
func (m *memoryStore) Put(_ context.Context, call PendingCall) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[call.ID] = call
	return nil
}

// Get returns a call.
func (m *memoryStore) Get(_ context.Context, id string) (PendingCall, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	call, found := m.calls[id]
	if found && !call.Expires.IsZero() && time.Now().After(call.Expires) {
		return PendingCall{}, false, nil
	}
	return call, found, nil
}

// Delete removes a call.
func (m *memoryStore) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.calls, id)
	return nil
}

// pendingTable has the calls that outlive their request. The store has their
// data; the table has the runs of this process and limits the number of both.
type pendingTable struct {
	server *Server
	store  PendingStore

	mu      sync.Mutex
	entries map[string]*pending
	tasks   map[string]int // by principal
	closed  bool
}

// pending is one call of the table.
type pending struct {
	run  *run // nil when a task has ended
	call PendingCall
	task bool
	// updated is when a task last changed.
	updated   time.Time
	cancelled bool
}

func newPendingTable(s *Server, store PendingStore) *pendingTable {
	if store == nil {
		store = newMemoryStore()
	}
	return &pendingTable{server: s, store: store, entries: map[string]*pending{}, tasks: map[string]int{}}
}

// suspend keeps a run until its client sends the answer. The run takes over the
// place of the request among the waiting calls, if it has one. False means that
// too many wait, or that the run has ended.
func (t *pendingTable) suspend(ctx context.Context, r *run, slot *limit.Slot) bool {
	call := r.call
	call.Expires = time.Now().Add(t.server.limits.Wait)
	t.mu.Lock()
	if t.closed || r.over || !slot.HandOver() && !t.server.waits.TryAcquire(call.Principal) {
		t.mu.Unlock()
		return false
	}
	t.entries[call.ID] = &pending{run: r, call: call}
	t.mu.Unlock()
	if !t.put(ctx, call) {
		t.take(ctx, call.ID)
		return false
	}
	return true
}

// take removes a suspended run and returns it, or nil if there is none.
func (t *pendingTable) take(ctx context.Context, id string) *run {
	t.mu.Lock()
	found := t.entries[id]
	if found == nil || found.task {
		t.mu.Unlock()
		return nil
	}
	t.removeLocked(id)
	t.mu.Unlock()
	t.forget(ctx, id)
	return found.run
}

// addTask makes a task of a run. False means that there are too many tasks or
// that the run has ended: the client waits for the result instead.
func (t *pendingTable) addTask(ctx context.Context, r *run) (task, bool) {
	now := time.Now()
	t.expire(ctx, now)
	call := r.call
	call.Created = now
	limits, principal := &t.server.limits, call.Principal
	t.mu.Lock()
	if t.closed || r.over || t.taskCountLocked() >= limits.Tasks || t.tasks[principal] >= limits.TasksEach {
		t.mu.Unlock()
		return task{}, false
	}
	t.entries[call.ID] = &pending{run: r, call: call, task: true, updated: now}
	t.tasks[principal]++
	t.mu.Unlock()
	if !t.put(ctx, call) {
		t.mu.Lock()
		t.removeLocked(call.ID)
		t.mu.Unlock()
		return task{}, false
	}
	r.detach()
	return task{server: t.server, call: call, run: r, updated: now}, true
}

func (t *pendingTable) taskCountLocked() int {
	count := 0
	for _, n := range t.tasks {
		count += n
	}
	return count
}

// ended records the end of a run: it stores the result of a task, and deletes a
// suspended call, which its client cannot continue any more.
func (t *pendingTable) ended(ctx context.Context, r *run) {
	id := r.call.ID
	t.mu.Lock()
	r.over = true
	found := t.entries[id]
	if found == nil || !found.task {
		t.mu.Unlock()
		t.take(ctx, id)
		return
	}
	found.updated = time.Now()
	found.call.Expires = found.updated.Add(t.server.limits.TaskTTL)
	found.call.Result = r.ended.record(found.cancelled, r.progressMessage())
	call := found.call
	t.mu.Unlock()
	if !t.put(ctx, call) {
		return // the run still has the result
	}
	t.mu.Lock()
	found.run = nil
	t.mu.Unlock()
}

// getTask returns a task of a principal, with its run if it runs in this
// process.
func (t *pendingTable) getTask(ctx context.Context, id string, principal *gongu.Principal) (task, bool) {
	t.expire(ctx, time.Now())
	t.mu.Lock()
	if found := t.entries[id]; found != nil && found.task && found.run != nil && access.Owns(principal, found.call.Principal) == nil {
		defer t.mu.Unlock()
		return task{server: t.server, call: found.call, run: found.run, updated: found.updated, cancelled: found.cancelled}, true
	}
	t.mu.Unlock()
	call, found, err := t.store.Get(ctx, id)
	if err != nil {
		t.failed("get", err)
	}
	if !found || call.Result == nil || access.Owns(principal, call.Principal) != nil {
		return task{}, false
	}
	return task{server: t.server, call: call, updated: call.Expires.Add(-t.server.limits.TaskTTL)}, true
}

// touch keeps a task for another TaskTTL.
func (t *pendingTable) touch(ctx context.Context, id string, cancelled bool) {
	t.mu.Lock()
	found := t.entries[id]
	if found == nil {
		t.mu.Unlock()
		return
	}
	found.updated = time.Now()
	found.cancelled = found.cancelled || cancelled
	if found.call.Result == nil {
		t.mu.Unlock()
		return
	}
	found.call.Expires = found.updated.Add(t.server.limits.TaskTTL)
	call := found.call
	t.mu.Unlock()
	t.put(ctx, call)
}

// expire deletes the tasks that ended TaskTTL ago, and cancels those that have
// waited as long for an answer. It keeps running ones: their tools have
// timeouts.
func (t *pendingTable) expire(ctx context.Context, now time.Time) {
	var over []*pending
	t.mu.Lock()
	for id, p := range t.entries {
		if p.task && now.Sub(p.updated) > t.server.limits.TaskTTL && (p.call.Result != nil || p.run.waits()) {
			t.removeLocked(id)
			over = append(over, p)
		}
	}
	t.mu.Unlock()
	for _, p := range over {
		if p.run != nil {
			p.run.cancel()
		}
		t.forget(ctx, p.call.ID)
	}
}

func (t *pendingTable) removeLocked(id string) {
	p := t.entries[id]
	if p == nil {
		return
	}
	delete(t.entries, id)
	principal := p.call.Principal
	if !p.task {
		t.server.waits.Release(principal)
		return
	}
	if t.tasks[principal]--; t.tasks[principal] == 0 {
		delete(t.tasks, principal)
	}
}

func (t *pendingTable) put(ctx context.Context, call PendingCall) bool {
	err := t.store.Put(ctx, call)
	if err != nil {
		t.failed("put", err)
	}
	return err == nil
}

func (t *pendingTable) forget(ctx context.Context, id string) {
	if err := t.store.Delete(ctx, id); err != nil {
		t.failed("delete", err)
	}
}

func (t *pendingTable) failed(operation string, err error) {
	t.server.opts.Logger.Error("the store of pending calls failed", "operation", operation, "error", err)
}

// taskCount returns the number of tasks.
func (t *pendingTable) taskCount() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taskCountLocked()
}

// close cancels all runs. It does not change the store.
func (t *pendingTable) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for id, p := range t.entries {
		t.removeLocked(id)
		if p.run != nil {
			p.run.cancel()
		}
	}
}
