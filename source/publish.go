package source

import (
	"io"
	"log/slog"
	"slices"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// publish puts the tools of all sources into the registry in one step, so that
// their order does not depend on when they were listed.
func (m *Manager) publish(gone ...gongu.Source) error {
	m.publishing.Lock()
	defer m.publishing.Unlock()
	entries := m.all()
	sources := slices.Clone(gone)
	for _, e := range entries {
		sources = append(sources, e.source)
	}
	if len(sources) == 0 {
		return nil
	}
	err := m.opts.Registry.ReplaceAll(sources, m.offered(entries, sources)...)
	if err == nil {
		return nil
	}
	// A tool that the registry rejects must not block the others.
	for _, e := range entries {
		e.dropRefused()
	}
	return m.opts.Registry.ReplaceAll(sources, m.offered(entries, sources)...)
}

// offered returns the tools of all sources, without those whose name is taken.
func (m *Manager) offered(entries []*entry, sources []gongu.Source) []gongu.Tool {
	ours := make(map[string]bool, len(sources))
	for _, source := range sources {
		ours[source.Identity()] = true
	}
	var tools []gongu.Tool
	owners := make(map[string]string)
	for _, e := range entries {
		identity := e.source.Identity()
		taken := make(map[string]string)
		for _, tool := range e.offers() {
			owner, ok := owners[tool.Name]
			if !ok && m.opts.Registry.Has(tool.Name) {
				other, found := m.opts.Registry.Get(tool.Name)
				if owner = other.Source.Identity(); found && !ours[owner] {
					ok = true
				}
			}
			if ok {
				taken[tool.Name] = owner
				continue
			}
			owners[tool.Name] = identity
			tools = append(tools, tool)
		}
		e.setTaken(taken)
	}
	return tools
}

// offers returns the tools of the source.
func (e *entry) offers() []gongu.Tool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tools
}

// setTaken stores the names that other sources have, and their owners.
func (e *entry) setTaken(taken map[string]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.taken = taken
}

// dropRefused leaves out the tools that a registry rejects.
func (e *entry) dropRefused() {
	quiet := &gongu.RegistryOptions{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	e.mu.Lock()
	defer e.mu.Unlock()
	kept := make([]gongu.Tool, 0, len(e.tools))
	for _, tool := range e.tools {
		if err := gongu.NewRegistry(quiet).Add(tool); err != nil {
			e.notes = append(e.notes, lang.SourceBadEntry.In(e.manager.lang, tool.Source.Original, err))
			continue
		}
		kept = append(kept, tool)
	}
	e.tools = kept
}
