package serve

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/gongu-ai/gongu/state"
)

// memoryStore is the PendingStore of a server without records. Its calls and its
// key end with the process.
type memoryStore struct {
	mu    sync.Mutex
	calls map[string]*state.Call
	keys  []state.SealKey
}

var (
	_ PendingStore = (*memoryStore)(nil)
)

// memoryHost is the only host of the store.
const memoryHost = "memory"

func newMemoryStore() *memoryStore {
	key := state.SealKey{ID: "m", Secret: make([]byte, 32)}
	rand.Read(key.Secret) // never fails
	return &memoryStore{calls: map[string]*state.Call{}, keys: []state.SealKey{key}}
}

// AddCall adds a call, within the limits.
func (m *memoryStore) AddCall(_ context.Context, c *state.Call, life time.Duration, most state.CallLimits) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	all, each := 0, 0
	for id, other := range m.calls {
		switch {
		case expired(other, now):
			delete(m.calls, id)
		case other.Kind == c.Kind && (c.Kind == state.KindTask || !other.Ended()):
			all++
			if other.Principal == c.Principal {
				each++
			}
		}
	}
	if all >= most.All || each >= most.Each {
		return state.ErrTooMany
	}
	c.Created, c.Updated = now, now
	if life > 0 {
		c.Expires = now.Add(life)
	}
	if c.State == state.CallStarted {
		c.Host = memoryHost
	}
	m.calls[c.ID] = new(*c)
	return nil
}

func expired(c *state.Call, now time.Time) bool { return !c.Expires.IsZero() && !now.Before(c.Expires) }

// GetCall returns a call that has not expired.
func (m *memoryStore) GetCall(ctx context.Context, id string) (*state.Call, error) {
	c, _, err := m.ChangeCall(ctx, id, func(*state.Call, state.Writer) bool { return false })
	return c, err
}

// StartCall starts a suspended call.
func (m *memoryStore) StartCall(ctx context.Context, id string, round int, attempt string) (*state.Call, bool, error) {
	return m.ChangeCall(ctx, id, func(c *state.Call, w state.Writer) bool { return c.Start(w, round, attempt) })
}

// ChangeCall changes a call by a transition.
func (m *memoryStore) ChangeCall(_ context.Context, id string, transition func(*state.Call, state.Writer) bool) (*state.Call, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	found := m.calls[id]
	if found == nil || expired(found, now) {
		delete(m.calls, id)
		return nil, false, fmt.Errorf("%w: the call %s", state.ErrNotFound, id)
	}
	changed := new(*found)
	if !transition(changed, state.Writer{Token: memoryHost, Now: now}) {
		return changed, false, nil
	}
	changed.Updated = now
	m.calls[id] = changed
	return new(*changed), true, nil
}

// CallMail returns nothing: there is no other host.
func (m *memoryStore) CallMail(context.Context) ([]*state.Call, error) { return nil, nil }

// WatchCalls returns nil, because there is nothing to read.
func (m *memoryStore) WatchCalls(context.Context) <-chan struct{} { return nil }

// SealKeys returns the key of the process.
func (m *memoryStore) SealKeys(context.Context, time.Duration, time.Duration) ([]state.SealKey, error) {
	return m.keys, nil
}
