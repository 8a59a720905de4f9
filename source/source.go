// Package source keeps the tools of programs and servers in a registry: it
// lists them at the first use, holds back what was not accepted, lists again
// what has become old, and reports the state of each source.
//
// A source that fails, is slow or sends invalid lists never hides or delays the
// tools of another: each is listed separately, and a list that fails changes
// nothing.
package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/pin"
)

// Lister is a program or server that has tools.
type Lister interface {
	// Source names it: of type command or mcp.
	Source() gongu.Source
	// Launch returns how it is started or connected, for the pins.
	Launch() pin.Launch
	// Owns reports whether a tool of this name could belong to it.
	Owns(name string) bool
	// List returns its definitions, in the form of an MCP list. Problems
	// describe entries that were left out.
	List(ctx context.Context) (definitions []json.RawMessage, problems []string, err error)
	// Tool makes a tool of one definition, without connecting.
	Tool(definition json.RawMessage) (gongu.Tool, error)
	Close() error
}

// Spec describes a source. A source with the same key is kept.
type Spec struct {
	Key string
	New func() (Lister, error)
	// MaxAge is how old its list may be at a call; nil is the manager's.
	MaxAge *time.Duration
	// ListTimeout is how long its list may take; zero is the manager's.
	ListTimeout time.Duration
	// Pins is its own policy, for [pin.Options]; see [Manager.Policy].
	Pins pin.Policy
}

// DefaultMaxAge is how old a list may be when one of its tools is called.
const DefaultMaxAge = time.Minute

const defaultListTimeout = 30 * time.Second

// Options configure a manager. Registry and Book are required.
type Options struct {
	Registry *gongu.Registry
	Book     *pin.Book
	// MaxAge is how old a list may be when one of its tools is called (default
	// [DefaultMaxAge]); negative lists again before every call.
	MaxAge time.Duration
	// ListTimeout is how long a list may take (default 30 s).
	ListTimeout time.Duration
	Lang        string
	Logger      *slog.Logger
	// Now is the clock.
	Now func() time.Time
	// Events gets an event for each list that succeeds or fails; it may be nil.
	Events *event.Bus
}

// Manager is the sources of a bundle. Its methods may be called from several
// goroutines.
type Manager struct {
	opts Options
	lang lang.Lang

	// current is read before every call, so it needs no lock.
	current atomic.Pointer[snapshot]

	// setting is held during Set, publishing during a change of the registry. Locks are taken in the order setting, publishing, an entry's
	// applying, its mu, and mu.
	setting, publishing sync.Mutex

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// snapshot is the sources at one time. It is never changed.
type snapshot struct {
	entries []*entry // in the order of their tools
	byOwner map[owner]*entry
}

// owner is the part of a [gongu.Source] that identifies the source.
type owner struct{ kind, name string }

func newSnapshot(entries []*entry) *snapshot {
	s := &snapshot{entries: entries, byOwner: make(map[owner]*entry, len(entries))}
	for _, e := range entries {
		s.byOwner[owner{e.source.Type, e.source.Name}] = e
	}
	return s
}

// NewManager returns a manager without sources.
func NewManager(opts Options) (*Manager, error) {
	if opts.Registry == nil || opts.Book == nil {
		return nil, errors.New("sources: options need a registry and a book of pins")
	}
	opts.MaxAge = max(cmp.Or(opts.MaxAge, DefaultMaxAge), 0)
	opts.ListTimeout = cmp.Or(max(opts.ListTimeout, 0), defaultListTimeout)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	m := &Manager{opts: opts}
	m.current.Store(newSnapshot(nil))
	m.lang, _ = lang.Parse(opts.Lang)
	return m, nil
}

// Set replaces the set of sources. Sources with the same key keep their
// connections; removed ones are closed and their tools removed. The cached list
// of a new source is used before it is connected.
func (m *Manager) Set(specs []Spec) error {
	m.setting.Lock()
	defer m.setting.Unlock()
	before := make(map[string]*entry)
	for _, e := range m.all() {
		before[e.key] = e
	}
	var next, made []*entry
	for _, spec := range specs {
		if e, stays := before[spec.Key]; stays {
			delete(before, spec.Key)
			next = append(next, e)
			continue
		}
		lister, err := spec.New()
		if err != nil {
			closeAll(made)
			return err
		}
		e := newEntry(m, spec, lister)
		next, made = append(next, e), append(made, e)
	}
	slices.SortStableFunc(next, byPlace)
	if !m.swap(next) {
		closeAll(made)
		return errClosed
	}
	for _, e := range made {
		e.recall()
	}
	gone := make([]gongu.Source, 0, len(before))
	var left []*entry
	for _, e := range before {
		gone, left = append(gone, e.source), append(left, e)
	}
	err := m.publish(gone...)
	closeAll(left)
	return err
}

// swap makes entries the current ones, unless the manager is closed.
func (m *Manager) swap(entries []*entry) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.current.Store(newSnapshot(entries))
	return true
}

// byPlace sorts commands in the order of the bundle, then servers by name.
func byPlace(a, b *entry) int {
	if a.source.Type != b.source.Type {
		return strings.Compare(a.source.Type, b.source.Type)
	}
	if a.source.Type == "mcp" {
		return strings.Compare(a.source.Name, b.source.Name)
	}
	return 0
}

func closeAll(entries []*entry) {
	var all sync.WaitGroup
	for _, e := range entries {
		all.Go(e.close)
	}
	all.Wait()
}

// errClosed is the error of a closed manager or source.
var errClosed = errors.New("the source manager is closed")

// Close closes all sources and cancels running lists.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	entries := m.all()
	m.current.Store(newSnapshot(nil))
	m.mu.Unlock()
	closeAll(entries)
	m.running.Wait()
	return nil
}

func (m *Manager) all() []*entry { return m.current.Load().entries }

// find returns the entry of a source, or nil. Every call uses it: it takes no
// lock and allocates nothing.
func (m *Manager) find(s gongu.Source) *entry {
	return m.current.Load().byOwner[owner{s.Type, s.Name}]
}

// Policy returns the policy of a source, by its identity.
func (m *Manager) Policy(identity string) pin.Policy {
	for _, e := range m.all() {
		if e.source.Identity() == pin.Owner(identity) {
			return e.pins
		}
	}
	return pin.Policy{}
}

// Load lists every source without a known list, all at once, and waits for each
// as long as a list may take. The status has the failures.
func (m *Manager) Load(ctx context.Context) []Status {
	var waiting sync.WaitGroup
	for _, e := range m.all() {
		if !e.known() {
			// Any list is fresh enough, also one that runs already: a second
			// caller must not start the source again.
			waiting.Go(func() { _ = e.refresh(ctx, time.Time{}) })
		}
	}
	waiting.Wait()
	return m.Status()
}

// LoadFor lists the sources that an unknown tool of this name may belong to,
// also those whose list is old: the tool may be new.
func (m *Manager) LoadFor(ctx context.Context, name string) {
	if m.opts.Registry.Has(name) {
		return
	}
	var waiting sync.WaitGroup
	for _, e := range m.all() {
		since := m.opts.Now().Add(-e.maxAge)
		if e.lister.Owns(name) && !e.fresh(since) {
			waiting.Go(func() { _ = e.refresh(ctx, since) })
		}
	}
	waiting.Wait()
}

// Refresh lists sources again, by name or all of them. A source that fails
// keeps the tools it had.
func (m *Manager) Refresh(ctx context.Context, names ...string) error {
	entries := m.all()
	if len(names) > 0 {
		var chosen []*entry
		for _, name := range names {
			found := slices.IndexFunc(entries, func(e *entry) bool { return e.source.Name == name || e.source.Identity() == name })
			if found < 0 {
				return m.noSuch(entries, name)
			}
			chosen = append(chosen, entries[found])
		}
		entries = chosen
	}
	failures := make([]error, len(entries))
	var waiting sync.WaitGroup
	for i, e := range entries {
		waiting.Go(func() {
			if err := e.refresh(ctx, m.opts.Now()); err != nil {
				failures[i] = fmt.Errorf("%s: %w", e.source.Identity(), err)
			}
		})
	}
	waiting.Wait()
	return errors.Join(failures...)
}

func (m *Manager) noSuch(entries []*entry, name string) error {
	if len(entries) == 0 {
		return errors.New(lang.SourceNone.In(m.lang, name))
	}
	var known []string
	for _, e := range entries {
		known = append(known, e.source.Name)
	}
	if close := near.Names(name, slices.Values(known), 3); len(close) > 0 {
		return errors.New(lang.SourceNear.In(m.lang, name, strings.Join(close, ", ")))
	}
	return errors.New(lang.SourceAll.In(m.lang, name, strings.Join(known, ", ")))
}

// Changed lists a source again in the background, after it announced a change.
// Several announcements at once cause one list.
func (m *Manager) Changed(source gongu.Source) {
	if e := m.find(source); e != nil {
		e.listAgain()
	}
}
