package host

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
	"github.com/gongu-ai/gongu/state"
)

// SourceOptions configure connections to programs and servers and the pins of
// their definitions. Zero values are fine.
type SourceOptions struct {
	// Authorize opens the authorization page of a server for a person. Without
	// it, servers that need an authorization fail until they have one.
	Authorize mcpclient.Authorizer
	// Keyring resolves ${keyring:NAME} in the settings of servers.
	Keyring mcpclient.Keyring
	// FirstUse is the policy for unknown sources (default [pin.Trust]).
	FirstUse pin.FirstUse
	// HoldNew holds new tools of known sources back.
	HoldNew bool
	// LockDecides counts everything in gongu.lock as accepted here; see
	// [pin.Options].
	LockDecides bool
	// MaxAge is how old a list may be at a call (default one minute); negative
	// lists again before every call, as in [source.Options].
	MaxAge time.Duration
	// Now is the clock.
	Now func() time.Time
}

// Sources are the programs and MCP servers of a bundle, with the pins of their
// definitions.
type Sources struct {
	host    *Host
	manager *source.Manager
	pins    *pin.Book
	// dirs are the folders that the programs of the sources lie in, by key;
	// guarded by the host's loading.
	dirs map[string]string
	keys []string // in order
}

// lockName is the file of the pins.
const lockName = "gongu.lock"

// openSources makes the manager and the book of pins. The lock file is in the
// bundle, to be committed, and the cache below the state root.
func openSources(h *Host) (*Sources, error) {
	s := &Sources{host: h}
	lock, err := filepath.Join(h.state, lockName), error(nil)
	if h.dir != "" {
		if lock, err = h.bundleFile(h.dir, lockName); err != nil {
			return nil, err
		}
	}
	o := &h.opts.Sources
	s.pins, err = pin.Open(lock, filepath.Join(h.state, "cache", "definitions"), &pin.Options{
		FirstUse: o.FirstUse, HoldNew: o.HoldNew, LockDecides: o.LockDecides, Known: s.ownNames,
		Policy: func(identity string) pin.Policy { return s.manager.Policy(identity) },
		Rows:   h.rows, ReadOnly: h.opts.ReadOnly, Now: o.Now, Logger: h.opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	s.manager, err = source.NewManager(source.Options{
		Registry: h.registry, Book: s.pins, MaxAge: o.MaxAge, Lang: h.opts.Lang,
		Now: o.Now, Logger: h.opts.Logger, Events: &h.events,
	})
	return s, err
}

// ownNames returns the tools of the bundle itself, which the definitions of a
// server should neither mention nor resemble.
func (s *Sources) ownNames() []string {
	var names []string
	for _, tool := range s.host.registry.Tools() {
		if tool.Source.Type != "mcp" && tool.Source.Type != "command" {
			names = append(names, tool.Name)
		}
	}
	return names
}

// clear removes all sources.
func (s *Sources) clear() error {
	s.dirs, s.keys = nil, nil
	return s.manager.Set(nil)
}

// use replaces the sources with those of a bundle. It does not connect to them.
// One that did not change stays as it is, also its process.
func (s *Sources) use(l *loaded) error {
	h, b := s.host, l.bundle
	empty, err := h.emptyFolder(b)
	if err != nil {
		return err
	}
	// Servers that are new in this load share a group; the others keep theirs.
	group, err := mcpclient.NewGroup(&mcpclient.Options{
		Dir: h.dir, Logger: h.opts.Logger, Lang: h.opts.Lang, Secrets: h.opts.Secrets,
		Tokens:    &mcpclient.FileTokens{Path: filepath.Join(h.state, "mcp-tokens.json")},
		Authorize: h.opts.Sources.Authorize, Keyring: h.opts.Sources.Keyring, Version: h.opts.Version,
		OnNotification: h.publishNotification,
		OnChange:       func(l *mcpclient.Listing) { s.manager.Changed(gongu.Source{Type: "mcp", Name: l.Server}) },
	})
	if err != nil {
		return err
	}
	var specs []source.Spec
	used := make(map[string]string)
	first := func(m *bundle.Meta) bool {
		other, taken := used[m.Identity()]
		if taken {
			h.opts.Logger.Warn("skipping a source: another package has one of this name",
				"source", m.Identity(), "used", other, "left", m.Position.Path)
		}
		used[m.Identity()] = m.Position.Path
		return !taken
	}
	for _, resource := range b.ToolCommands() {
		if first(&resource.Meta) {
			specs = append(specs, s.commandSpec(l, resource, empty))
		}
	}
	for _, resource := range b.McpServers() {
		if first(&resource.Meta) {
			specs = append(specs, s.serverSpec(l, resource, group, empty))
		}
	}
	dirs := make(map[string]string, len(specs))
	keys := make([]string, len(specs))
	for i, spec := range specs {
		keys[i] = spec.Key
		if dirs[spec.Key] = s.dirs[spec.Key]; dirs[spec.Key] == "" {
			dirs[spec.Key] = b.Root()
		}
	}
	same := s.dirs != nil && slices.Equal(keys, s.keys)
	s.dirs, s.keys = dirs, keys
	if same {
		return nil // the revision stays
	}
	err = s.manager.Set(specs)
	if err != nil {
		s.dirs = nil // the next load tries again
	}
	return err
}

// Sources returns the programs and servers of the bundle.
func (h *Host) Sources() *Sources { return h.sources }

// Status returns the states of the sources. It does not connect to them.
func (s *Sources) Status() []source.Status { return s.manager.Status() }

// Load lists every source without a known list, and waits for each as long as a
// list may take.
func (s *Sources) Load(ctx context.Context) []source.Status {
	statuses := s.manager.Load(ctx)
	s.host.fulfil(ctx)
	return statuses
}

// Refresh lists sources again, by name or all of them. One that fails keeps the
// tools it had.
func (s *Sources) Refresh(ctx context.Context, names ...string) error {
	err := s.manager.Refresh(ctx, names...)
	s.host.fulfil(ctx)
	return err
}

// Pins lists every tool that is pinned or was listed, with its state.
func (s *Sources) Pins() ([]pin.Verdict, error) { return s.pins.List(s.manager.Launches()) }

// AcceptPins accepts tools as they were listed last, by name or all that are
// held back. A name can have the digest of what was shown; see [pin.Book.Accept].
func (s *Sources) AcceptPins(ctx context.Context, names ...string) ([]pin.Verdict, error) {
	accepted, err := s.pins.Accept(ctx, s.manager.Launches(), names...)
	if err != nil {
		return nil, err
	}
	if s.host.rows != nil {
		return accepted, s.manager.Recall() // the rows have recorded it
	}
	for _, v := range accepted {
		if s.host.rows != nil {
			break // recorded with the change
		}
		s.host.recorder.record(ctx, eventRow(ctx, state.AuditDecision, "pin.accepted", v.Source+"/"+v.Name, pinDetails{v.Source, v.Name, string(v.State), v.Listed}))
	}
	return accepted, s.manager.Recall()
}

// Prepare lists the sources that a call needs and that are not known yet: that
// of the tool, or all of them for an empty name and for tools that call others.
func (h *Host) Prepare(ctx context.Context, name string) {
	if name != "" && !explore.IsOwn(name) && !h.now().macros[name] {
		h.sources.manager.LoadFor(ctx, name)
		return
	}
	if h.sources.manager.Pending() {
		h.sources.Load(ctx)
	}
}

// explainHeld returns the error of a tool that is held back, for agents that
// have its source.
func (h *Host) explainHeld(ctx context.Context, a *gongu.Attempt, _ *gongu.Error) *gongu.Error {
	refusal, owner, ok := h.sources.manager.Held(a.Call.Name)
	if !ok || !h.knowsSource(gongu.ContextOf(ctx).AgentName, owner) {
		return nil
	}
	return refusal
}

// knowsSource reports whether spec.tools of an agent names a source. A call
// without an agent knows all sources.
func (h *Host) knowsSource(agent string, owner gongu.Source) bool {
	l := h.now()
	if l.bundle == nil {
		return true
	}
	found, ok := l.bundle.Agent(agent)
	if !ok {
		return true
	}
	for _, item := range l.bundle.AgentTools(found) {
		if item.Head().Identity() == owner.Identity() {
			return true
		}
	}
	return false
}

// fulfil closes the requests whose tools exist now.
func (h *Host) fulfil(ctx context.Context) {
	if h.opts.ReadOnly {
		return
	}
	var names []string
	for _, tool := range h.registry.Tools() {
		names = append(names, tool.Name)
	}
	if _, err := h.queue.Fulfil(ctx, names...); err != nil {
		h.opts.Logger.Warn("updating the tool requests failed", "error", err)
	}
}
