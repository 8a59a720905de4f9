package host

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/script"
)

// scope holds what an instance of an agent works with: its middleware, its
// events, the state of its extensions and the tools that they add.
type scope struct {
	host  *Host
	at    Address       // with the instance filled in
	agent *bundle.Agent // nil for the whole bundle
	// workdir is where its tools work.
	workdir string

	// registry and executor are those of the host without extensions.
	// With extensions the registry is an overlay of the host's.
	registry *gongu.Registry
	executor *gongu.Executor

	pipeline   agent.Pipeline
	events     agent.Events
	extensions *agent.Extensions // nil without any
	scripts    []*script.Extension
	declared   []declared   // spec.tools, in order
	approved   []string     // what a person has approved
	denied     []gongu.Rule // approved for another agent alone

	// chosen is the catalog of the next step while the registry keeps its
	// revision: nothing else that it depends on changes.
	chosen   atomic.Pointer[gongu.Catalog]
	choosing sync.Mutex
	// latest is the executor of the last step.
	latest atomic.Pointer[gongu.Executor]

	// live is true from when the extensions are loaded until they are
	// unloaded: only then is a change of their tools reported.
	live atomic.Bool

	// signature is equal when a later bundle would make the same scope.
	signature string

	// users counts the steps and turns that use the scope; idle closes it when
	// there are none. home is the bundle that it belongs to now. All are
	// guarded by the mutex of the scopes.
	users int
	idle  *time.Timer
	home  *loaded
}

// newScope makes the scope of an address. base has the tools that the host's
// registry has, or is about to have.
func (h *Host) newScope(ctx context.Context, l *loaded, at Address, base *gongu.Registry) (*scope, error) {
	s := &scope{host: h, at: at, registry: base, executor: h.executor, approved: l.approved}
	for _, name := range slices.Sorted(maps.Keys(l.reserved)) {
		if l.reserved[name] != at.Agent {
			s.denied = append(s.denied, gongu.Rule{Name: name})
		}
	}
	s.events.Logger = h.opts.Logger
	if waiting := l.bundle == nil && h.path != ""; at.Agent != "" && !waiting {
		found, err := findAgent(l.bundle, at.Agent)
		if err != nil {
			return nil, err
		}
		s.agent, s.declared = found, declaredTools(l.bundle, found)
	}
	s.workdir = h.workdir(at, s.agent)
	uses := s.extensionUses(l.bundle)
	if len(uses) == 0 {
		return s, s.checkRequired()
	}
	s.registry = gongu.NewRegistry(&gongu.RegistryOptions{Logger: h.opts.Logger, Base: base})
	s.executor = h.newExecutor(s.registry, stepCalls{})
	s.signature = h.scopeSignature(l, at)
	err := s.loadExtensions(ctx, uses)
	if err == nil {
		err = s.checkRequired()
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.live.Store(true)
	return s, nil
}

// useRegistry makes the scope use the tools of a registry from now on.
func (s *scope) useRegistry(registry *gongu.Registry) error {
	if s.extensions != nil {
		return s.registry.Rebase(registry)
	}
	s.registry = registry
	s.chosen.Store(nil)
	return nil
}

// extensionUses returns the extensions of the scope with their settings. An
// extension checks the required tools, too.
func (s *scope) extensionUses(b *bundle.Bundle) []bundle.ExtensionUse {
	if b == nil {
		return nil
	}
	if s.agent != nil {
		return s.withRequired(b.AgentExtensions(s.agent))
	}
	var uses []bundle.ExtensionUse
	for _, e := range b.Extensions() {
		if slices.ContainsFunc(uses, func(u bundle.ExtensionUse) bool { return u.Extension.Name == e.Name }) {
			s.host.opts.Logger.Warn("skipping an extension: another package has one of this name", "extension", e.Identity(), "left", e.Position.Path)
			continue
		}
		uses = append(uses, bundle.ExtensionUse{Extension: e, Config: e.Spec.Config})
	}
	return uses
}

const requiredToolsGuard = "required-tools-guard"

// withRequired adds spec.requiredTools to the guard that the agent has, or
// gives it one.
func (s *scope) withRequired(uses []bundle.ExtensionUse) []bundle.ExtensionUse {
	if len(s.agent.Spec.RequiredTools) == 0 {
		return uses
	}
	i := slices.IndexFunc(uses, func(u bundle.ExtensionUse) bool { return u.Extension.Module.Builtin == requiredToolsGuard })
	if i < 0 {
		i = len(uses)
		guard := &bundle.Extension{Module: bundle.Module{Builtin: requiredToolsGuard}}
		guard.Kind, guard.Name = "Extension", requiredToolsGuard
		uses = append(slices.Clone(uses), bundle.ExtensionUse{Extension: guard})
	}
	config := map[string]json.RawMessage{}
	var listed []string
	// The extension reports an invalid configuration.
	if json.Unmarshal(uses[i].Config, &config) == nil {
		_ = json.Unmarshal(config["requiredTools"], &listed)
	}
	for _, name := range s.agent.Spec.RequiredTools {
		if !slices.Contains(listed, name) {
			listed = append(listed, name)
		}
	}
	names, err := json.Marshal(listed)
	if err == nil && config != nil {
		config["requiredTools"] = names
		if merged, err := json.Marshal(config); err == nil {
			uses[i].Config = merged
		}
	}
	return uses
}

// loadExtensions loads all extensions or none.
func (s *scope) loadExtensions(ctx context.Context, uses []bundle.ExtensionUse) error {
	h := s.host
	list := make([]agent.Use, 0, len(uses))
	for _, use := range uses {
		code, err := h.extension(ctx, s, use.Extension)
		if err != nil {
			return err
		}
		list = append(list, agent.Use{Name: use.Extension.Name, Extension: code, Config: use.Config})
	}
	ctx, err := h.contextOf(ctx, s.at, s.workdir)
	if err != nil {
		return err
	}
	s.extensions, err = agent.LoadExtensions(ctx, agent.Wiring{
		Registry: s.registry, Executor: s.executor, Pipeline: &s.pipeline, Events: &s.events, Changed: s.changed,
		State: h.extensionState(s.at), Logger: h.opts.Logger, Lang: h.opts.Lang,
	}, list)
	return err
}

// checkRequired returns an error when a required tool is not in the catalog: the
// agent could never finish a turn.
func (s *scope) checkRequired() error {
	if s.agent == nil || len(s.agent.Spec.RequiredTools) == 0 {
		return nil
	}
	catalog, err := s.choose(gongu.Everything(s.registry))
	if err != nil {
		return err
	}
	l := s.host.lang()
	for _, name := range s.agent.Spec.RequiredTools {
		if catalog.Has(name) {
			continue
		}
		text := []string{lang.HostRequiredTool.In(l, s.at.Agent, name)}
		if near := catalog.Near(name); len(near) > 0 {
			text = append(text, lang.HostRequiredNear.In(l, strings.Join(near, ", ")))
		}
		return errors.New(strings.Join(append(text, lang.HostRequiredHint.In(l)), " "))
	}
	return nil
}

func (s *scope) title() string {
	if s.at.Agent == "" {
		return lang.HostEverything.In(s.host.lang())
	}
	return "Agent/" + s.at.Agent
}

// catalog returns the catalog of the next step. Steps between two changes of the
// registry share it.
func (s *scope) catalog() (*gongu.Catalog, error) {
	if known := s.known(); known != nil {
		return known, nil
	}
	s.choosing.Lock()
	defer s.choosing.Unlock()
	if known := s.known(); known != nil {
		return known, nil
	}
	chosen, err := s.choose(gongu.Everything(s.registry))
	if err == nil {
		s.chosen.Store(chosen)
	}
	return chosen, err
}

// executorFor returns the executor with a catalog. Most steps reuse that of the
// step before.
func (s *scope) executorFor(catalog *gongu.Catalog) *gongu.Executor {
	if latest := s.latest.Load(); latest != nil && latest.Catalog() == catalog {
		return latest
	}
	made := s.executor.WithCatalog(catalog)
	s.latest.Store(made)
	return made
}

// known returns the catalog that was chosen last if it is still valid, else nil.
func (s *scope) known() *gongu.Catalog {
	chosen := s.chosen.Load()
	if chosen == nil || chosen.Revision() != s.registry.Revision() {
		return nil
	}
	return chosen
}

// choose selects what may be called: the declared tools in order, what a
// person has approved since, what the extensions have added so far, and the
// discovery tools, which are not declared to the model. An agent with
// explore: false has no discovery tools.
func (s *scope) choose(everything *gongu.Catalog) (*gongu.Catalog, error) {
	shown := hideExplore()
	shown.Deny = s.denied
	if s.agent == nil {
		return everything.Select(shown)
	}
	var names []string
	seen := make(map[string]bool)
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	callable := everything.Callable()
	for _, item := range s.declared {
		for _, name := range item.names {
			add(name)
		}
		for _, tool := range callable {
			if item.source != "" && tool.Source.Identity() == item.source {
				add(tool.Name)
			}
		}
	}
	for _, name := range s.approved {
		add(name)
	}
	for _, tool := range callable {
		if s.extensions != nil && s.extensions.Owns(tool.Source) || isExplore(&tool) && s.agent.Explores() {
			add(tool.Name)
		}
	}
	return everything.Restrict(names...).Select(shown)
}

// save stores the state of the extensions.
func (s *scope) save() {
	if s.extensions == nil || s.host.opts.ReadOnly {
		return
	}
	if err := s.extensions.Save(); err != nil {
		s.host.opts.Logger.Error("saving the state of the extensions failed", "agent", s.at.Agent, "error", err)
	}
}

// close saves and unloads the extensions. Calls of scripts that run finish.
func (s *scope) close() error {
	s.live.Store(false)
	if s.extensions != nil {
		s.save()
		s.extensions.Unload()
	}
	var failures []error
	for _, loaded := range s.scripts {
		failures = append(failures, loaded.Close())
	}
	return errors.Join(failures...)
}
