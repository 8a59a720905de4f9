package toolrequest

import (
	"context"
	"sync"
	"time"
)

// Memory is a queue that ends with the process. It keeps all it was given.
type Memory struct {
	mu     sync.Mutex
	ledger ledger
}

var _ Store = (*Memory)(nil)

// NewMemory makes an empty queue.
func NewMemory() *Memory { return &Memory{} }

// Add queues a request.
func (m *Memory) Add(ctx context.Context, n New) (r Request, already bool, err error) {
	if err := ctx.Err(); err != nil {
		return Request{}, false, err
	}
	n, err = check(n)
	if err != nil {
		return Request{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ledger.add(n, defaultMaxOpen, moment(time.Now()), "memory")
}

// Get finds a request.
func (m *Memory) Get(ctx context.Context, id string) (Request, error) {
	if err := ctx.Err(); err != nil {
		return Request{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e, err := m.ledger.get(id)
	if err != nil {
		return Request{}, err
	}
	return e.copy(), nil
}

// List pages through the requests.
func (m *Memory) List(ctx context.Context, f Filter) (Page, error) {
	if err := ctx.Err(); err != nil {
		return Page{}, err
	}
	f, err := checkFilter(f)
	if err != nil {
		return Page{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ledger.page(f)
}

// Review decides about a request.
func (m *Memory) Review(ctx context.Context, id string, d Decision) (Request, error) {
	if err := ctx.Err(); err != nil {
		return Request{}, err
	}
	if err := checkDecision(d); err != nil {
		return Request{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ledger.review(id, d, moment(time.Now()))
}

// Fulfil marks what was asked for under the names.
func (m *Memory) Fulfil(ctx context.Context, names ...string) ([]Request, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	changed, _ := m.ledger.fulfil(setOf(names), moment(time.Now()))
	return changed, nil
}

// moment is a time as the queue keeps it.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
