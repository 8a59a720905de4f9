// Package source keeps the tools of programs and servers in a registry: it
// lists them at the first use, holds back what was not accepted, lists again
// what has become old, and knows how each source stands.
//
// A source that is dead, slow or lying never hides or delays the tools of
// another: each is listed on its own, and a list that fails changes nothing.
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
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/pin"
)

// Lister is a program or server that has tools.
type Lister interface {
	// Source names it: of type command or mcp.
	Source() gongu.Source
	// Launch is how it is reached, for the pins.
	Launch() pin.Launch
	// Owns says whether a tool of this name could be one of its own.
	Owns(name string) bool
	// List asks for its definitions, in the form of an MCP list. Problems are
	// entries that were left out.
	List(ctx context.Context) (definitions []json.RawMessage, problems []string, err error)
	// Tool makes a tool of one definition, without asking anybody.
	Tool(definition json.RawMessage) (gongu.Tool, error)
	Close() error
}

// Spec is a source that may be there already: the same key is the same source.
type Spec struct {
	Key string
	New func() (Lister, error)
}

// DefaultMaxAge is how old a list may be when one of its tools is called.
const DefaultMaxAge = time.Minute

const defaultListTimeout = 30 * time.Second

// Options set up a manager. Registry is required; a nil Book pins nothing.
type Options struct {
	Registry *gongu.Registry
	Book     *pin.Book
	// MaxAge is how old a list may be when one of its tools is called. Zero
	// lists again before every call; negative is [DefaultMaxAge].
	MaxAge time.Duration
	// ListTimeout is how long a list may take (default 30 s).
	ListTimeout time.Duration
	Lang        string
	Logger      *slog.Logger
	// Now is the clock.
	Now func() time.Time
}

// Manager is the sources of a bundle. Its methods may be called from several
// goroutines.
type Manager struct {
	opts Options
	lang lang.Lang

	// publishing lets one change of the registry follow another.
	publishing sync.Mutex

	mu      sync.Mutex
	entries []*entry // in the order of their tools
	closed  bool
	running sync.WaitGroup
}

// NewManager returns a manager without sources.
func NewManager(opts Options) (*Manager, error) {
	if opts.Registry == nil {
		return nil, errors.New("sources: there is no registry")
	}
	if opts.MaxAge < 0 {
		opts.MaxAge = DefaultMaxAge
	}
	opts.ListTimeout = cmp.Or(max(opts.ListTimeout, 0), defaultListTimeout)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	m := &Manager{opts: opts}
	m.lang, _ = lang.Parse(opts.Lang)
	return m, nil
}

// Set makes specs the whole set of sources. Those that stay keep their
// connections; those that go are closed and their tools vanish. What the cache
// knows of a new one is there at once, before it is reached.
func (m *Manager) Set(specs []Spec) error {
	m.mu.Lock()
	before := make(map[string]*entry)
	for _, e := range m.entries {
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
			m.mu.Unlock()
			closeAll(made)
			return err
		}
		e := newEntry(m, spec.Key, lister)
		next, made = append(next, e), append(made, e)
	}
	slices.SortStableFunc(next, byPlace)
	m.entries = next
	m.mu.Unlock()
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

// byPlace: commands in the order of the bundle, then servers by name.
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
	for _, e := range entries {
		if err := e.lister.Close(); err != nil {
			e.manager.opts.Logger.Warn("closing a source", "source", e.source.Identity(), "error", err)
		}
	}
}

// Close ends all sources. Lists that run are waited for: they end with their
// sources.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	entries := m.entries
	m.entries = nil
	m.mu.Unlock()
	closeAll(entries)
	m.running.Wait()
	return nil
}

func (m *Manager) all() []*entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.entries)
}

// Load makes the first use of every source that nothing is known of yet, all
// at once, and waits for each as long as a list may take. What is missing then
// is in the status.
func (m *Manager) Load(ctx context.Context) []Status {
	var waiting sync.WaitGroup
	for _, e := range m.all() {
		if !e.known() {
			waiting.Go(func() { _ = e.refresh(ctx, m.opts.Now()) })
		}
	}
	waiting.Wait()
	return m.Status()
}

// LoadFor makes the first use of the sources that a tool of this name may
// belong to.
func (m *Manager) LoadFor(ctx context.Context, name string) {
	if m.opts.Registry.Has(name) {
		return
	}
	var waiting sync.WaitGroup
	for _, e := range m.all() {
		if e.lister.Owns(name) && !e.known() {
			waiting.Go(func() { _ = e.refresh(ctx, m.opts.Now()) })
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
	var known []string
	for _, e := range entries {
		known = append(known, e.source.Name)
	}
	message := lang.SourceNotThere.In(m.lang, name)
	if close := near.Names(name, slices.Values(known), 3); len(close) > 0 {
		return fmt.Errorf("%s; did you mean %s?", message, strings.Join(close, ", "))
	}
	return fmt.Errorf("%s; there are: %s", message, strings.Join(known, ", "))
}

// Changed tells that a source says its list has changed. It is listed again in
// the background; many notices at once are one list.
func (m *Manager) Changed(source gongu.Source) {
	for _, e := range m.all() {
		if e.source.Identity() == source.Identity() {
			e.listAgain()
		}
	}
}

// publish puts the tools of all sources into the registry in one step, so that
// their order is the same however they came.
func (m *Manager) publish(gone ...gongu.Source) error {
	m.publishing.Lock()
	defer m.publishing.Unlock()
	entries := m.all()
	sources := gone
	ours := make(map[string]bool)
	for _, e := range entries {
		sources = append(sources, e.source)
	}
	for _, source := range sources {
		ours[source.Identity()] = true
	}
	if len(sources) == 0 {
		return nil
	}
	var tools []gongu.Tool
	taken := make(map[string]string)
	for _, e := range entries {
		for _, tool := range e.offered() {
			owner, ok := taken[tool.Name]
			if other, found := m.opts.Registry.Get(tool.Name); !ok && found && !ours[other.Source.Identity()] {
				owner, ok = other.Source.Identity(), true
			}
			if ok {
				e.collides(tool.Name, owner)
				continue
			}
			taken[tool.Name] = e.source.Identity()
			tools = append(tools, tool)
		}
	}
	return m.opts.Registry.ReplaceAll(sources, tools...)
}
