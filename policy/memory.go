package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// maxEnded is how many ended approvals are kept in memory.
const maxEnded = 1000

// MemoryApprovals keeps approvals in memory, for a program without records: they
// end with it. Make one with [NewMemoryApprovals].
type MemoryApprovals struct {
	now func() time.Time

	mu       sync.Mutex
	all      map[string]*state.Approval
	answers  map[string]state.RememberedAnswer
	seen     time.Time
	watchers map[chan struct{}]bool
}

// NewMemoryApprovals returns a store without approvals.
func NewMemoryApprovals() *MemoryApprovals {
	return &MemoryApprovals{
		now: time.Now, all: map[string]*state.Approval{}, answers: map[string]state.RememberedAnswer{}, watchers: map[chan struct{}]bool{},
	}
}

// OpenApproval adds a pending approval, or returns that of an identical call.
func (m *MemoryApprovals) OpenApproval(_ context.Context, a *state.Approval, life time.Duration, most state.CallLimits) (*state.Approval, bool, error) {
	if err := a.Check(life); err != nil {
		return nil, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.sweep()
	all, each := 0, 0
	for _, other := range m.all {
		if other.Key == a.Key && !other.Ended() {
			other.Share(w, a.Way, life)
			return clone(other), true, nil
		}
		if other.State == state.ApprovalPending {
			all++
			if other.Principal == a.Principal {
				each++
			}
		}
	}
	if all >= most.All || each >= most.Each {
		return nil, false, fmt.Errorf("%w for an answer: %d in all, %d of this caller", state.ErrTooMany, all, each)
	}
	made := clone(a)
	if made.ID == "" {
		made.ID = state.NewApprovalID()
	}
	if m.all[made.ID] != nil {
		return nil, false, fmt.Errorf("%w: the approval %s is there already", state.ErrConflict, made.ID)
	}
	made.Open(w, life)
	m.all[made.ID] = made
	m.hint()
	return clone(made), false, nil
}

// clone copies an approval, so that callers cannot change the one that is kept.
// Calls are replaced and never changed.
func clone(a *state.Approval) *state.Approval {
	out := *a
	out.Calls = slices.Clone(a.Calls)
	return &out
}

// sweep ends the approvals whose time is over, and forgets the oldest of those that
// have ended.
func (m *MemoryApprovals) sweep() state.Writer {
	w := state.Writer{Now: m.now()}
	var ended []*state.Approval
	for _, a := range m.all {
		if a.Expire(w) {
			a.Updated = w.Now
			m.hint()
		}
		if a.Ended() {
			ended = append(ended, a)
		}
	}
	if len(ended) > maxEnded {
		slices.SortFunc(ended, func(a, b *state.Approval) int { return a.Updated.Compare(b.Updated) })
		for _, a := range ended[:len(ended)-maxEnded] {
			delete(m.all, a.ID)
		}
	}
	return w
}

// change applies a transition to an approval.
func (m *MemoryApprovals) change(id string, transition func(*state.Approval, state.Writer) bool) (*state.Approval, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.sweep()
	a := m.all[id]
	if a == nil {
		return nil, false, fmt.Errorf("%w: the approval %s", state.ErrNotFound, id)
	}
	version := a.Version
	changed := transition(a, w)
	if a.Version != version {
		a.Updated = w.Now
		m.hint()
	}
	return clone(a), changed, nil
}

// JoinApproval adds a call to the approval of the same outermost call.
func (m *MemoryApprovals) JoinApproval(_ context.Context, id string, c state.ApprovalCall, life time.Duration) (*state.Approval, error) {
	a, joined, err := m.change(id, func(a *state.Approval, w state.Writer) bool { return a.Join(w, c, life) })
	if err == nil && !joined {
		err = state.JoinRefused(a)
	}
	return a, err
}

// GetApproval returns an approval.
func (m *MemoryApprovals) GetApproval(_ context.Context, id string) (*state.Approval, error) {
	a, _, err := m.change(id, func(*state.Approval, state.Writer) bool { return false })
	return a, err
}

// DecideApproval records a person's answer, once.
func (m *MemoryApprovals) DecideApproval(_ context.Context, id string, d state.ApprovalDecision, life time.Duration) (*state.Approval, bool, error) {
	if err := d.Check(); err != nil {
		return nil, false, err
	}
	return m.change(id, func(a *state.Approval, w state.Writer) bool { return a.Decide(w, d, life) })
}

// UseApproval makes a yes belong to one call.
func (m *MemoryApprovals) UseApproval(_ context.Context, id, owner string) (*state.Approval, bool, error) {
	return m.change(id, func(a *state.Approval, w state.Writer) bool { return a.Use(w, owner) })
}

// CancelApproval takes back the question of one call.
func (m *MemoryApprovals) CancelApproval(_ context.Context, id string) (*state.Approval, bool, error) {
	return m.change(id, (*state.Approval).Cancel)
}

// Approvals lists approvals, the newest first.
func (m *MemoryApprovals) Approvals(_ context.Context, f state.ApprovalFilter) (state.ApprovalPage, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	all := make([]*state.Approval, 0, len(m.all))
	for _, a := range m.all {
		all = append(all, clone(a))
	}
	slices.SortFunc(all, func(a, b *state.Approval) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	return f.Select(all)
}

// CountApprovals counts the pending approvals.
func (m *MemoryApprovals) CountApprovals(context.Context) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	n := 0
	for _, a := range m.all {
		if a.State == state.ApprovalPending {
			n++
		}
	}
	return n, nil
}

// WatchApprovals hints at changes until ctx ends, and once at the beginning.
func (m *MemoryApprovals) WatchApprovals(ctx context.Context) <-chan struct{} {
	c := make(chan struct{}, 1)
	c <- struct{}{}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchers[c] = true
	context.AfterFunc(ctx, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.watchers, c)
		close(c)
	})
	return c
}

// hint tells the watchers. The lock is held.
func (m *MemoryApprovals) hint() {
	for c := range m.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// SeePerson records that a person can see questions now.
func (m *MemoryApprovals) SeePerson(context.Context, string, string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = m.now()
	return nil
}

// SeenPerson reports whether a person could see questions within the last time.
func (m *MemoryApprovals) SeenPerson(_ context.Context, within time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.seen.IsZero() && m.now().Sub(m.seen) < within, nil
}

// RememberApproval makes the yes to an approval count for the same call.
func (m *MemoryApprovals) RememberApproval(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.sweep().Now
	a := m.all[id]
	if a == nil {
		return fmt.Errorf("%w: the approval %s", state.ErrNotFound, id)
	}
	key, answer, err := a.Remembers(now)
	if err != nil {
		return err
	}
	for old, r := range m.answers {
		if !now.Before(r.Expires) {
			delete(m.answers, old)
		}
	}
	m.answers[key] = answer
	return nil
}

// Remembered returns the answer that counts for a question.
func (m *MemoryApprovals) Remembered(_ context.Context, a *state.Approval) (state.RememberedAnswer, error) {
	key, err := a.AnswerKey()
	if err != nil {
		return state.RememberedAnswer{}, fmt.Errorf("%w: %w", state.ErrNotFound, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	answer, ok := m.answers[key]
	if !ok || !m.now().Before(answer.Expires) {
		return state.RememberedAnswer{}, state.ErrNotFound
	}
	return answer, nil
}
