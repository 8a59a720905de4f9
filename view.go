package gongu

import (
	"context"
	"iter"
	"slices"
	"strings"
)

// Domain is a named group of tools.
type Domain struct {
	Name        string `json:"domain"`
	Count       int    `json:"count"`
	Description string `json:"description"`
}

// generalDomain is the domain of tools without another.
const generalDomain = "general"

// Revision returns a number that grows with each change of the registry.
func (r *Registry) Revision() uint64 { return r.snapshot().revision }

// Len returns the number of tools.
func (r *Registry) Len() int {
	return len(r.entries())
}

// Has reports whether a tool is registered.
func (r *Registry) Has(name string) bool { return r.find(name) != nil }

// Get returns a copy of a tool.
func (r *Registry) Get(name string) (Tool, bool) {
	e := r.find(name)
	if e == nil {
		return Tool{}, false
	}
	return e.tool.clone(), true
}

// Tools returns copies of all tools, in the order they were registered.
func (r *Registry) Tools() []Tool { return clones(r.entries(), nil) }

// ToolsByName returns copies of the named tools in the order given, skipping
// unknown names.
func (r *Registry) ToolsByName(names ...string) []Tool {
	snap := r.snapshot()
	var tools []Tool
	for _, name := range names {
		if e := r.findIn(snap, name); e != nil {
			tools = append(tools, e.tool.clone())
		}
	}
	return tools
}

// InDomain returns the tools of a domain, in the order they were registered.
func (r *Registry) InDomain(domain string) []Tool {
	return clones(r.entries(), func(e *entry) bool { return e.domain == domain })
}

// FromSource returns the tools of an owner such as McpServer/github, sorted by
// name.
func (r *Registry) FromSource(identity string) []Tool {
	tools := clones(r.entries(), func(e *entry) bool { return e.tool.Source.Identity() == identity })
	slices.SortFunc(tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

// Domains returns the declared domains in order, then the others in the order of
// their first tool, each with the number of its tools.
func (r *Registry) Domains() []Domain {
	snap := r.snapshot()
	domains := countDomains(snap.domains, r.entriesIn(snap))
	if r.allow != nil {
		domains = nonEmpty(domains)
	}
	return domains
}

// nonEmpty removes domains without tools: a restricted view must not show their
// names.
func nonEmpty(domains []Domain) []Domain {
	return slices.DeleteFunc(domains, func(d Domain) bool { return d.Count == 0 })
}

func countDomains(declared []Domain, entries []*entry) []Domain {
	domains := slices.Clone(declared)
	place := make(map[string]int, len(domains))
	for i, d := range domains {
		place[d.Name] = i
	}
	for _, e := range entries {
		name := e.domain
		i, ok := place[name]
		if !ok {
			i = len(domains)
			place[name] = i
			domains = append(domains, Domain{Name: name})
		}
		domains[i].Count++
	}
	return domains
}

// Restrict returns a read-only view with only the named tools, for getting,
// listing, declaring and calling alike. A view can be restricted further, but
// not widened.
func (r *Registry) Restrict(names ...string) *Registry {
	allow := make(map[string]struct{}, len(names))
	for _, name := range names {
		if r.allows(name) {
			allow[name] = struct{}{}
		}
	}
	return &Registry{store: r.store, allow: allow}
}

func (r *Registry) allows(name string) bool {
	if r.allow == nil {
		return true
	}
	_, ok := r.allow[name]
	return ok
}

func (r *Registry) find(name string) *entry { return r.findIn(r.snapshot(), name) }

func (r *Registry) findIn(snap *snapshot, name string) *entry {
	if !r.allows(name) {
		return nil
	}
	return snap.byName.find(name)
}

func (r *Registry) entries() []*entry { return r.entriesIn(r.snapshot()) }

func (r *Registry) entriesIn(snap *snapshot) []*entry {
	all := r.allEntries(snap)
	if r.allow == nil {
		return all
	}
	kept := make([]*entry, 0, len(r.allow))
	for _, e := range all {
		if r.allows(e.tool.Name) {
			kept = append(kept, e)
		}
	}
	return kept
}

// placeOf returns the domain of a tool, by default the name of its resource,
// server or command.
func placeOf(t *Tool) string {
	if t.Domain != "" {
		return t.Domain
	}
	if t.Source.Name != "" {
		return t.Source.Name
	}
	if resource, _, ok := ParseName(t.Name); ok {
		return resource
	}
	return generalDomain
}

func clones(entries []*entry, keep func(*entry) bool) []Tool {
	tools := make([]Tool, 0, len(entries))
	for _, e := range entries {
		if keep == nil || keep(e) {
			tools = append(tools, e.tool.clone())
		}
	}
	return tools
}

// Change lists the differences between two revisions, names sorted.
type Change struct {
	Revision uint64
	Added    []string
	Changed  []string
	Removed  []string
}

// Watch yields the changes since the call of Watch, until ctx ends. A slow
// consumer gets several changes as one and does not block writers.
func (r *Registry) Watch(ctx context.Context) iter.Seq[Change] {
	seen := r.snapshot()
	return func(yield func(Change) bool) {
		for ctx.Err() == nil {
			now := r.snapshot()
			if now == seen {
				seen.wait(ctx)
				continue
			}
			change := r.diff(seen, now)
			seen = now
			if !yield(change) {
				return
			}
		}
	}
}

func (r *Registry) diff(before, after *snapshot) Change {
	change := Change{Revision: after.revision}
	for _, e := range r.entriesIn(after) {
		name := e.tool.Name
		old := before.byName.find(name)
		switch {
		case old == e:
		case old == nil:
			change.Added = append(change.Added, name)
		default:
			change.Changed = append(change.Changed, name)
		}
	}
	for _, e := range r.entriesIn(before) {
		if name := e.tool.Name; after.byName.find(name) == nil {
			change.Removed = append(change.Removed, name)
		}
	}
	slices.Sort(change.Added)
	slices.Sort(change.Changed)
	slices.Sort(change.Removed)
	return change
}
