package rows

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Memory keeps rows in memory, for tests. The zero value is empty.
type Memory struct {
	// Fail, when it is set, is asked before every operation.
	Fail func() error

	mu        sync.Mutex
	kinds     map[string]map[string]Row
	versions  map[string]int64
	decisions []Decision
}

var _ Store = (*Memory)(nil)

// Place names it.
func (m *Memory) Place() string { return "memory" }

// Decisions returns what was recorded.
func (m *Memory) Decisions() []Decision {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.decisions)
}

// View runs f on the rows as they are.
func (m *Memory) View(ctx context.Context, f func(context.Context, Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx); err != nil {
		return err
	}
	return f(ctx, m.begin(""))
}

// Update runs f and keeps what it wrote.
func (m *Memory) Update(ctx context.Context, feed string, f func(context.Context, Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx); err != nil {
		return err
	}
	t := m.begin(feed)
	if err := f(ctx, t); err != nil || !t.wrote {
		return err
	}
	if m.versions == nil {
		m.versions = make(map[string]int64)
	}
	m.kinds, m.versions[feed], m.decisions = t.kinds, t.version, append(m.decisions, t.decisions...)
	return nil
}

// Versions returns the version of each feed.
func (m *Memory) Versions(ctx context.Context, feeds ...string) ([]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ready(ctx); err != nil {
		return nil, err
	}
	out := make([]int64, len(feeds))
	for i, feed := range feeds {
		out[i] = m.versions[feed]
	}
	return out, nil
}

func (m *Memory) ready(ctx context.Context) error {
	if m.Fail != nil {
		if err := m.Fail(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (m *Memory) begin(feed string) *memoryTx {
	t := &memoryTx{feed: feed, version: m.versions[feed] + 1, kinds: make(map[string]map[string]Row, len(m.kinds))}
	for kind, all := range m.kinds {
		t.kinds[kind] = maps.Clone(all)
	}
	return t
}

type memoryTx struct {
	feed      string
	version   int64
	kinds     map[string]map[string]Row
	decisions []Decision
	wrote     bool
}

func (t *memoryTx) Get(_ context.Context, kind, key string) (Row, bool, error) {
	row, ok := t.kinds[kind][key]
	row.Value = slices.Clone(row.Value)
	return row, ok, nil
}

func (t *memoryTx) List(_ context.Context, kind string) ([]Row, error) {
	list := slices.Collect(maps.Values(t.kinds[kind]))
	slices.SortFunc(list, func(a, b Row) int { return strings.Compare(a.Key, b.Key) })
	for i := range list {
		list[i].Value = slices.Clone(list[i].Value)
	}
	return list, nil
}

func (t *memoryTx) Put(_ context.Context, kind, key string, value []byte) error {
	if Feed(kind) != t.feed {
		return fmt.Errorf("%s: %w", kind, ErrFeed)
	}
	if t.kinds[kind] == nil {
		t.kinds[kind] = make(map[string]Row)
	}
	t.kinds[kind][key], t.wrote = Row{Key: key, Value: slices.Clone(value), Version: t.version}, true
	return nil
}

func (t *memoryTx) Delete(_ context.Context, kind, key string) error {
	if Feed(kind) != t.feed {
		return fmt.Errorf("%s: %w", kind, ErrFeed)
	}
	if _, there := t.kinds[kind][key]; there {
		delete(t.kinds[kind], key)
		t.wrote = true
	}
	return nil
}

func (t *memoryTx) Now(context.Context) (time.Time, error) { return time.Now(), nil }

func (t *memoryTx) Decided(_ context.Context, d Decision) error {
	t.decisions = append(t.decisions, d)
	return nil
}
