package host

import (
	"context"
	"path/filepath"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
)

// PinOptions say how definitions from elsewhere are accepted. Zero values are
// fine.
type PinOptions struct {
	// FirstUse is the policy for unknown sources (default [pin.Trust]).
	FirstUse pin.FirstUse
	// HoldNew holds new tools of known sources back.
	HoldNew bool
	// MaxAge is how old a list may be at a call (default one minute); negative
	// lists again before every call.
	MaxAge time.Duration
	// Now is the clock.
	Now func() time.Time
}

// lockName is the file of the pins.
const lockName = "gongu.lock"

// openSources makes the manager and the book of pins. The lock file lies in
// the bundle, to be committed; the cache below the state root.
func (h *Host) openSources() error {
	dir := h.dir
	if dir == "" {
		dir = h.state
	}
	book, err := pin.Open(filepath.Join(dir, lockName), filepath.Join(h.state, "cache", "definitions"), &pin.Options{
		FirstUse: h.opts.Pins.FirstUse, HoldNew: h.opts.Pins.HoldNew, Known: h.ownNames,
		Policy: func(identity string) pin.Policy { return h.sources.Policy(identity) },
		Now:    h.opts.Pins.Now, Logger: h.opts.Logger,
	})
	if err != nil {
		return err
	}
	maxAge := h.opts.Pins.MaxAge
	switch {
	case maxAge == 0:
		maxAge = source.DefaultMaxAge
	case maxAge < 0:
		maxAge = 0
	}
	h.pins = book
	h.sources, err = source.NewManager(source.Options{
		Registry: h.registry, Book: book, MaxAge: maxAge, Lang: h.opts.Lang,
		Now: h.opts.Pins.Now, Logger: h.opts.Logger, Events: &h.events,
	})
	return err
}

func (h *Host) closeSources() error {
	if h.sources == nil {
		return nil
	}
	return h.sources.Close()
}

// ownNames are the tools of this bundle itself, which no server should speak
// of or look like.
func (h *Host) ownNames() []string {
	var names []string
	for _, tool := range h.registry.Tools() {
		if tool.Source.Type != "mcp" && tool.Source.Type != "command" {
			names = append(names, tool.Name)
		}
	}
	return names
}

// setSources makes the sources of a bundle the ones in use. Nothing is reached.
func (h *Host) setSources(b *bundle.Bundle) error {
	// The servers that are new in this load share what they can; those that
	// stay keep the group they came with.
	group, err := mcpclient.NewGroup(&mcpclient.Options{
		Dir: h.dir, Logger: h.opts.Logger, Lang: h.opts.Lang,
		Tokens:    &mcpclient.FileTokens{Path: filepath.Join(h.state, "mcp-tokens.json")},
		Authorize: h.opts.Authorize, Keyring: h.opts.Keyring, Version: h.opts.Version,
		OnNotification: h.publishNotification,
		OnChange:       func(l *mcpclient.Listing) { h.sources.Changed(gongu.Source{Type: "mcp", Name: l.Server}) },
	})
	if err != nil {
		return err
	}
	var specs []source.Spec
	used := make(map[string]string)
	first := func(m *bundle.Meta) bool {
		other, taken := used[m.Identity()]
		if taken {
			h.opts.Logger.Warn("two packages have a source of this name; the first is used",
				"source", m.Identity(), "used", other, "left", m.Position.Path)
		}
		used[m.Identity()] = m.Position.Path
		return !taken
	}
	for _, resource := range b.ToolCommands() {
		if first(&resource.Meta) {
			specs = append(specs, h.commandSpec(resource))
		}
	}
	for _, resource := range b.McpServers() {
		if first(&resource.Meta) {
			specs = append(specs, h.serverSpec(resource, group))
		}
	}
	return h.sources.Set(specs)
}

// Sources is how the programs and servers of the bundle stand. Nothing is
// reached.
func (h *Host) Sources() []source.Status { return h.sources.Status() }

// LoadSources makes the first use of every source that nothing is known of
// yet, and waits for each as long as a list may take.
func (h *Host) LoadSources(ctx context.Context) []source.Status {
	statuses := h.sources.Load(ctx)
	h.fulfil(ctx)
	return statuses
}

// Prepare makes the first use of the sources that a call needs: the tool's own,
// or all of them for a list, which has no name, and for tools that call others.
func (h *Host) Prepare(ctx context.Context, name string) {
	if name != "" && !explore.IsOwn(name) && !h.now().macros[name] {
		h.sources.LoadFor(ctx, name)
		return
	}
	if h.sources.Pending() {
		h.LoadSources(ctx)
	}
}

// RefreshSources lists sources again, by name or all of them. One that fails
// keeps the tools it had.
func (h *Host) RefreshSources(ctx context.Context, names ...string) error {
	err := h.sources.Refresh(ctx, names...)
	h.fulfil(ctx)
	return err
}

// launches says how the sources of the bundle are started now.
func (h *Host) launches() map[string]pin.Launch { return h.sources.Launches() }

// PinList is every tool that is pinned or was listed, with how it stands.
func (h *Host) PinList() ([]pin.Verdict, error) { return h.pins.List(h.launches()) }

// PinAccept accepts tools as they were listed last, by name or all that are
// held back.
func (h *Host) PinAccept(ctx context.Context, names ...string) ([]pin.Verdict, error) {
	accepted, err := h.pins.Accept(ctx, h.launches(), names...)
	if err != nil {
		return nil, err
	}
	return accepted, h.sources.Recall()
}

// refused says that a tool is held back, to those who could have it.
func (h *Host) refused(ctx context.Context, a *gongu.Attempt, _ *gongu.Error) *gongu.Error {
	refusal, owner, ok := h.sources.Held(a.Call.Name)
	if !ok || !h.mayKnow(gongu.ContextOf(ctx).AgentName, owner) {
		return nil
	}
	return refusal
}

// mayKnow: an agent knows the sources that its spec.tools names; who calls
// without an agent knows all.
func (h *Host) mayKnow(agent string, owner gongu.Source) bool {
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

// fulfil closes the requests whose tools are there now.
func (h *Host) fulfil(ctx context.Context) {
	var names []string
	for _, tool := range h.registry.Tools() {
		names = append(names, tool.Name)
	}
	if _, err := h.requests.Fulfil(ctx, names...); err != nil {
		h.opts.Logger.Warn("tool requests were not brought up to date", "error", err)
	}
}
