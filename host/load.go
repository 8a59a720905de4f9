package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/builtin"
	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
)

// loaded is one good state of a bundle.
type loaded struct {
	bundle      *bundle.Bundle
	diagnostics bundle.Diagnostics
	sources     []gongu.Source
}

// load reads the bundle and puts its tools in place of those before, in one
// step. On an error everything stays as it was.
func (h *Host) load(_ context.Context, path string) error {
	h.loading.Lock()
	defer h.loading.Unlock()
	if path == "" {
		return h.loadStarter()
	}
	b, diagnostics := bundle.Load(path, &bundle.Options{
		Strict: h.opts.Strict, Lang: h.opts.Lang, Builtins: Builtins(),
	})
	if b == nil {
		return diagnostics.Err()
	}
	if h.opts.Approve != nil {
		if err := h.opts.Approve(b); err != nil {
			return err
		}
	}
	next := &loaded{bundle: b, diagnostics: diagnostics}
	var tools []gongu.Tool
	owner := make(map[string]*bundle.Tool)
	for _, resource := range b.Tools() {
		// The bundle's own resources come first, then those of its packages.
		if first, taken := owner[resource.Name]; taken {
			h.opts.Logger.Warn("two packages have a tool of this name; the first is used",
				"tool", resource.Identity(), "used", first.Position.Path, "left", resource.Position.Path)
			continue
		}
		owner[resource.Name] = resource
		bound, err := h.bind(resource)
		if err != nil {
			return err
		}
		next.sources = append(next.sources, gongu.Source{Type: "config", Name: resource.Name})
		tools = append(tools, bound...)
	}
	return h.put(next, tools)
}

func (h *Host) loadStarter() error {
	tools := builtin.Tools(h.system)
	next := &loaded{}
	for _, tool := range tools {
		if !slices.Contains(next.sources, tool.Source) {
			next.sources = append(next.sources, tool.Source)
		}
	}
	return h.put(next, tools)
}

// put replaces the tools of all sources, those that are gone included.
func (h *Host) put(next *loaded, tools []gongu.Tool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	sources := slices.Clone(next.sources)
	if h.current != nil {
		sources = append(sources, h.current.sources...)
	}
	if err := h.registry.ReplaceAll(sources, tools...); err != nil {
		return err
	}
	builtin.Domains(h.registry, h.system)
	h.current = next
	return nil
}

// Builtins says what builtin:NAME has, for [bundle.Options].
func Builtins() map[string][]string {
	known := make(map[string][]string)
	for _, name := range builtin.Resources() {
		tools, _ := builtin.Resource(name, nil)
		for _, tool := range tools {
			if _, export, parsed := gongu.ParseName(tool.Name); parsed {
				known[name] = append(known[name], export)
			}
		}
	}
	return known
}

// bind gives the exports of a Tool resource their handlers.
func (h *Host) bind(resource *bundle.Tool) ([]gongu.Tool, error) {
	tools := resource.Definitions()
	if resource.Module.Builtin == "" {
		for i := range tools {
			tools[i].Invoke = h.cannotRun(resource)
		}
		return tools, nil
	}
	native, ok := builtin.Resource(resource.Module.Builtin, h.system)
	if !ok {
		return nil, fmt.Errorf("%s: there is no builtin:%s; there are %s", resource.Identity(), resource.Module.Builtin, strings.Join(builtin.Resources(), ", "))
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
		tools[i] = merge(tools[i], handler)
	}
	return tools, nil
}

// merge is the native tool under the name, and with the words and limits, that
// the resource gives it.
func merge(defined, native gongu.Tool) gongu.Tool {
	defined.Invoke = native.Invoke
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

// cannotRun answers for a module that this build has no engine for. The tool
// is listed all the same, so that a bundle can be looked at.
func (h *Host) cannotRun(resource *bundle.Tool) gongu.Invoke {
	l, _ := lang.Parse(h.opts.Lang)
	message := lang.HostNoEngine.In(l, resource.Identity(), resource.Spec.Entry)
	suggestion := lang.HostNoEngineHint.In(l)
	return func(context.Context, gongu.Call) gongu.Result {
		return gongu.Fail(&gongu.Error{Code: gongu.CodeUnavailable, Message: message, Suggestion: suggestion})
	}
}
