package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/builtin"
	"github.com/gongu-ai/gongu/bundle"
)

// loaded is one good state of a bundle.
type loaded struct {
	bundle      *bundle.Bundle
	diagnostics bundle.Diagnostics
	cover       *bundle.Cover // nil when it is not known
	consent     Consent       // without a digest when none was needed
	// key is equal for states that do the same; empty when it is not known.
	key     string
	sources []gongu.Source
	// definitions are equal when no tool has changed.
	definitions string
	// approved are the names of the tools that a person has approved.
	approved []string
	// reserved has the approved tools that only one agent has, with the agent.
	reserved map[string]string
	// modules are the scripts behind the tools, by runtime and file.
	modules map[string]*sharedModule
	// audited are the sources and agents whose calls must be on record.
	audited map[string]bool
	// offers is what the bundle says about the tools that clients are offered; nil
	// for the starter tools.
	offers *access.Offers
	// macros are the names of tools that call other tools.
	macros map[string]bool
	// protected are the files of the bundle that tools do not change.
	listProtected sync.Once
	protected     []string

	// building is a lock, held while a scope is made.
	building chan struct{}
	mu       *sync.Mutex // of the host: scopes move to the next state
	scopes   map[Address]*scope
	users    int
	retired  bool // closes with the last user
}

func newLoaded(mu *sync.Mutex) *loaded {
	return &loaded{modules: make(map[string]*sharedModule), macros: make(map[string]bool), reserved: make(map[string]string), building: make(chan struct{}, 1), mu: mu, scopes: make(map[Address]*scope)}
}

// close closes the scopes and the modules. Calls that run finish.
func (l *loaded) close() error {
	var failures []error
	for _, s := range l.takeScopes() {
		failures = append(failures, s.close())
	}
	for _, module := range l.modules {
		failures = append(failures, module.close())
	}
	return errors.Join(failures...)
}

// load reads the bundle and replaces the tools in one step. On an error nothing
// changes.
func (h *Host) load(ctx context.Context, path string) error {
	h.loading.Lock()
	defer h.loading.Unlock()
	switch {
	case path == "":
		return h.loadStarter(ctx)
	case h.opts.Consent != nil:
		return h.loadConsented(ctx)
	}
	b, diagnostics := h.read(path, "")
	if b == nil {
		return diagnostics.Err()
	}
	c := &candidate{bundle: b, diagnostics: diagnostics, consent: Consent{Rules: true}}
	if h.opts.Watch {
		// Without it every change of a file loads everything again.
		if cover, err := b.Cover(); err == nil {
			c.cover = cover
		} else {
			h.warn(err)
		}
	}
	return h.use(ctx, c)
}

// candidate is a state of the bundle that may be used.
type candidate struct {
	bundle      *bundle.Bundle
	diagnostics bundle.Diagnostics
	cover       *bundle.Cover
	consent     Consent
}

// use replaces the running state. It does nothing when the next one does the same.
func (h *Host) use(ctx context.Context, c *candidate) error {
	before := h.now()
	next := newLoaded(&h.scopesMu)
	next.bundle, next.diagnostics, next.cover, next.consent = c.bundle, c.diagnostics, c.cover, c.consent
	next.audited, next.offers = auditedBy(c.bundle), offersOf(c.bundle)
	approved, err := h.readApproved(ctx)
	if err != nil {
		return err
	}
	if c.cover != nil {
		known, err := json.Marshal(approved)
		if err != nil {
			return err
		}
		next.key = fmt.Sprint(c.cover.Digest(), c.consent.Rules, string(known))
		if before != nil && before.key == next.key {
			return nil
		}
	}
	if h.opts.Inspect {
		return errors.Join(h.put(next, nil), h.sources.use(next))
	}
	if err := h.addExplore(); err != nil {
		return err
	}
	tools, err := h.bindAll(ctx, next, approved)
	if err == nil {
		err = h.renewScopes(ctx, before, next, tools)
	}
	if err == nil {
		err = h.put(next, tools)
	}
	if err != nil {
		return errors.Join(err, next.close())
	}
	h.publishOffers(before, next)
	return h.sources.use(next)
}

// bindAll gives every tool of the bundle its handler.
func (h *Host) bindAll(ctx context.Context, next *loaded, approved []Approved) ([]gongu.Tool, error) {
	var tools []gongu.Tool
	owner := make(map[string]*bundle.Tool)
	for _, resource := range next.bundle.Tools() {
		// The bundle's own resources come first, then those of its packages.
		if first, taken := owner[resource.Name]; taken {
			h.opts.Logger.Warn("skipping a tool: another package has one of this name",
				"tool", resource.Identity(), "used", first.Position.Path, "left", resource.Position.Path)
			continue
		}
		owner[resource.Name] = resource
		bound, err := h.bind(ctx, resource, next)
		if err != nil {
			return nil, err
		}
		next.sources = append(next.sources, gongu.Source{Type: "config", Name: resource.Name})
		tools = append(tools, bound...)
	}
	macros, err := h.bindMacros(ctx, next, tools, approved)
	tools = append(tools, macros...)
	if err == nil {
		next.definitions, err = next.describe(approved)
	}
	return tools, err
}

// describe returns a text that differs when a tool, or the code behind it, does.
// It is empty when that is not known.
func (l *loaded) describe(approved []Approved) (string, error) {
	if l.cover == nil {
		return "", nil
	}
	all := []any{approved}
	for _, resource := range l.bundle.Tools() {
		all = append(all, resource.Key(), resource.Labels, resource.Spec, l.cover.Part(resource.Key()))
	}
	for _, resource := range l.bundle.Macros() {
		all = append(all, resource.Key(), resource.Spec)
	}
	encoded, err := json.Marshal(all)
	return string(encoded), err
}

func (h *Host) loadStarter(ctx context.Context) error {
	if err := h.addExplore(); err != nil {
		return err
	}
	tools := builtin.Tools(h.system)
	next := newLoaded(&h.scopesMu)
	for _, tool := range tools {
		if !slices.Contains(next.sources, tool.Source) {
			next.sources = append(next.sources, tool.Source)
		}
	}
	known, err := h.readApproved(ctx)
	if err != nil {
		return err
	}
	approved, err := h.bindMacros(ctx, next, tools, known)
	if err != nil {
		return errors.Join(err, next.close())
	}
	return h.put(next, append(tools, approved...))
}

// put replaces the tools of the previous bundle with those of the next.
func (h *Host) put(next *loaded, tools []gongu.Tool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.rules.useBundles(h.current, next); err != nil {
		return err
	}
	defer func() { // with the state that is in use then, which compiled before
		h.warnClose(h.rules.useBundles(h.current))
	}()
	sources := slices.Clone(next.sources)
	if h.current != nil {
		sources = append(sources, h.current.sources...)
	}
	if h.current == nil || next.definitions == "" || next.definitions != h.current.definitions {
		if err := h.registry.ReplaceAll(sources, tools...); err != nil {
			return err
		}
		builtin.Domains(h.registry, h.system)
	}
	if err := h.putScopes(h.current, next); err != nil {
		return err
	}
	before := h.current
	h.current = next
	if before != nil {
		h.warnClose(before.retire())
	}
	return nil
}

// Builtins returns the tools of each builtin:NAME, for [bundle.Options].
func Builtins() map[string][]gongu.Tool {
	known := make(map[string][]gongu.Tool)
	for _, name := range builtin.Resources() {
		known[name], _ = builtin.Resource(name, nil)
	}
	return known
}

// bind gives the exports of a Tool resource their handlers.
func (h *Host) bind(ctx context.Context, resource *bundle.Tool, next *loaded) ([]gongu.Tool, error) {
	tools := resource.Definitions()
	if resource.Module.Builtin == "" {
		return tools, h.bindScript(ctx, resource, tools, next)
	}
	system := *h.systemFor(resource)
	if resource.Spec.Editable {
		system.Protected = func(context.Context) []string { return h.ownFiles() }
	}
	native, ok := builtin.Resource(resource.Module.Builtin, &system)
	if !ok {
		return nil, fmt.Errorf("%s: unknown builtin:%s; known are %s", resource.Identity(), resource.Module.Builtin, strings.Join(builtin.Resources(), ", "))
	}
	handlers := make(map[string]gongu.Tool, len(native))
	for _, tool := range native {
		_, export, _ := gongu.ParseName(tool.Name)
		handlers[export] = tool
	}
	for i := range tools {
		_, export, _ := gongu.ParseName(tools[i].Name)
		handler, ok := handlers[export]
		if !ok {
			return nil, fmt.Errorf("%s: builtin:%s has no %q", resource.Identity(), resource.Module.Builtin, export)
		}
		if hint := tools[i].Annotations.Milder(handler.Annotations); hint != "" {
			return nil, fmt.Errorf("%s: %s makes builtin:%s look safer than it is; remove the hint", resource.Identity(), hint, resource.Module.Builtin)
		}
		tools[i] = merge(tools[i], handler)
	}
	return tools, nil
}

// merge returns the native tool with the name, texts and limits of the resource.
func merge(defined, native gongu.Tool) gongu.Tool {
	defined.Invoke, defined.Shell, defined.Preview = native.Invoke, native.Shell, native.Preview
	if defined.Title == "" {
		defined.Title = native.Title
	}
	if len(defined.Keywords) == 0 {
		defined.Keywords = native.Keywords
	}
	if defined.Description == "" {
		defined.Description = native.Description
	}
	if defined.Parameters == "" {
		defined.Parameters = native.Parameters
		defined.Examples = native.Examples
	}
	if defined.Output == "" {
		defined.Output = native.Output
	}
	a, n := &defined.Annotations, native.Annotations
	for _, hint := range []struct{ own, native **bool }{
		{&a.ReadOnly, &n.ReadOnly}, {&a.Destructive, &n.Destructive}, {&a.Idempotent, &n.Idempotent}, {&a.OpenWorld, &n.OpenWorld},
	} {
		if *hint.own == nil {
			*hint.own = *hint.native
		}
	}
	if defined.Limits.Timeout == 0 {
		defined.Limits.Timeout = native.Limits.Timeout
	}
	return defined
}

// bindScript loads the module of a resource and finds a handler for each
// export; one that is missing is an error now, not at the first call, unless
// the module runs in a process that is not started before.
func (h *Host) bindScript(ctx context.Context, resource *bundle.Tool, tools []gongu.Tool, next *loaded) error {
	module, err := h.module(ctx, resource, next)
	if err != nil {
		return fmt.Errorf("%s: %w", resource.Identity(), err)
	}
	for i := range tools {
		_, export, _ := gongu.ParseName(tools[i].Name)
		invoke, err := module.Invoke(export)
		if err != nil {
			return fmt.Errorf("%s: %w", resource.Identity(), err)
		}
		tools[i].Invoke = invoke
	}
	return nil
}
