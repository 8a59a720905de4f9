package gongu

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"path"
	"slices"
	"sync"

	"github.com/gongu-ai/gongu/internal/near"
)

// CatalogOptions select the tools of a catalog. Nil and zero values select all.
type CatalogOptions struct {
	// Names, exact or glob, select tools and their order. Unknown names are
	// skipped. Nil selects all in the registry's order.
	Names []string
	// Allow keeps the tools that any of these rules selects; nil keeps all.
	Allow []Rule
	// Deny removes tools. It takes precedence over Allow and Names.
	Deny []Rule
	// Show selects the callable tools that are declared to the model; nil
	// selects all. The others stay callable.
	Show []Rule
	// Hide excludes tools from the declarations. It takes precedence over
	// Show.
	Hide []Rule
	// Budget is how many tokens the declarations may take; 0 is no limit.
	// Tools that do not fit stay callable and are returned by LeftOut.
	Budget int
}

// Catalog is the set of tools that one step may call, and the subset that is
// declared to its model. It is immutable. The executor compares it with the
// registry at each call: a tool that was removed or changed since does not run.
type Catalog struct {
	registry *Registry
	snap     *snapshot
	byName   *names
	callable []*entry
	visible  []*entry
	leftOut  []*entry

	digest func() string
}

// Everything returns a catalog of every tool in the registry.
func Everything(r *Registry) *Catalog {
	snap := r.snapshot()
	entries := r.entriesIn(snap)
	byName := snap.byName
	if r.allow != nil {
		byName = namesOf(entries)
	}
	return newCatalog(&Catalog{registry: r, snap: snap, byName: byName, callable: entries, visible: entries})
}

// NewCatalog returns a catalog of the tools that opts select. It returns an
// error if a glob is malformed.
func NewCatalog(r *Registry, opts *CatalogOptions) (*Catalog, error) {
	return Everything(r).Select(opts)
}

func newCatalog(c *Catalog) *Catalog {
	c.digest = sync.OnceValue(c.computeDigest)
	return c
}

// Select returns a catalog with the tools of this one that opts select.
func (c *Catalog) Select(opts *CatalogOptions) (*Catalog, error) {
	if opts == nil {
		return c, nil
	}
	for _, rules := range [][]Rule{opts.Allow, opts.Deny, opts.Show, opts.Hide} {
		for _, rule := range rules {
			if err := rule.check(); err != nil {
				return nil, fmt.Errorf("catalog: %w", err)
			}
		}
	}
	for _, name := range opts.Names {
		if _, err := path.Match(name, ""); err != nil {
			return nil, fmt.Errorf("catalog: name %q: %w", name, err)
		}
	}
	callable := make([]*entry, 0, len(c.callable))
	for e := range c.chosen(opts.Names) {
		if (opts.Allow == nil || anyMatches(opts.Allow, e)) && !anyDenies(opts.Deny, e) {
			callable = append(callable, e)
		}
	}
	next := c.narrowed(callable)
	next.show(opts)
	return next, nil
}

// Restrict returns a catalog of the named tools, in the order given.
func (c *Catalog) Restrict(names ...string) *Catalog {
	callable := make([]*entry, 0, len(names))
	seen := make(map[*entry]struct{}, len(names))
	for _, name := range names {
		if e := c.byName.find(name); e != nil {
			if _, twice := seen[e]; !twice {
				seen[e] = struct{}{}
				callable = append(callable, e)
			}
		}
	}
	return c.narrowed(callable)
}

// Same reports whether both catalogs come from the same state of the same
// registry and have the same tools, callable and visible, in the same order.
// Anything cached for one then holds for the other.
func (c *Catalog) Same(other *Catalog) bool {
	return c == other || c != nil && other != nil && c.snap == other.snap &&
		slices.Equal(c.callable, other.callable) && slices.Equal(c.visible, other.visible)
}

// narrowed returns a catalog of the callable tools. Tools that were not
// visible stay so.
func (c *Catalog) narrowed(callable []*entry) *Catalog {
	byName := namesOf(callable)
	visible := callable
	if len(c.visible) != len(c.callable) {
		shown := namesOf(c.visible)
		visible = slices.DeleteFunc(slices.Clone(callable), func(e *entry) bool {
			return shown.find(e.tool.Name) == nil
		})
	}
	return newCatalog(&Catalog{registry: c.registry, snap: c.snap, byName: byName, callable: callable, visible: visible})
}

// chosen yields the tools that match the name patterns, in the order of the
// patterns, each once.
func (c *Catalog) chosen(names []string) iter.Seq[*entry] {
	if names == nil {
		return slices.Values(c.callable)
	}
	return func(yield func(*entry) bool) {
		seen := make(map[*entry]struct{})
		once := func(e *entry) bool {
			if _, dup := seen[e]; dup {
				return true
			}
			seen[e] = struct{}{}
			return yield(e)
		}
		for _, name := range names {
			if e := c.byName.find(name); e != nil {
				if !once(e) {
					return
				}
				continue
			}
			for _, e := range c.callable {
				if globMatch(name, e.tool.Name) && !once(e) {
					return
				}
			}
		}
	}
}

// show selects the tools to declare. A tool that does not fit the budget is
// left out and later ones are still tried, so that one huge schema hides only
// itself.
func (c *Catalog) show(opts *CatalogOptions) {
	if opts.Show == nil && opts.Hide == nil && opts.Budget <= 0 {
		return
	}
	visible := make([]*entry, 0, len(c.visible))
	left := opts.Budget
	for _, e := range c.visible {
		if opts.Show != nil && !anyMatches(opts.Show, e) || anyMatches(opts.Hide, e) {
			continue
		}
		if opts.Budget > 0 {
			cost := e.cost()
			if cost > left {
				c.leftOut = append(c.leftOut, e)
				continue
			}
			left -= cost
		}
		visible = append(visible, e)
	}
	c.visible = visible
}

// Tokens estimates how many tokens the tool's declaration takes.
func (t Tool) Tokens() int {
	raw, err := encode(struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Parameters  Schema `json:"parameters"`
	}{t.Name, t.Description, t.Parameters.OrAnyObject()})
	if err != nil {
		return estimateTokens(len(t.Name) + len(t.Description) + len(t.Parameters))
	}
	return estimateTokens(len(raw))
}

// Revision returns the revision of the registry that the catalog was made from.
func (c *Catalog) Revision() uint64 { return c.snap.revision }

// Digest returns a hash of all callable definitions, for audit records.
func (c *Catalog) Digest() string { return c.digest() }

func (c *Catalog) computeDigest() string {
	h := sha256.New()
	for _, e := range c.callable {
		h.Write(e.digest[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Has reports whether a tool may be called.
func (c *Catalog) Has(name string) bool { return c.byName.find(name) != nil }

// Get returns a copy of a callable tool.
func (c *Catalog) Get(name string) (Tool, bool) {
	e := c.byName.find(name)
	if e == nil {
		return Tool{}, false
	}
	return e.tool.clone(), true
}

// Callable returns copies of the tools that may be called.
func (c *Catalog) Callable() []Tool { return clones(c.callable, nil) }

// Visible returns copies of the tools to declare to the model.
func (c *Catalog) Visible() []Tool { return clones(c.visible, nil) }

// LeftOut returns the names of the tools that did not fit the budget.
func (c *Catalog) LeftOut() []string {
	names := make([]string, len(c.leftOut))
	for i, e := range c.leftOut {
		names[i] = e.tool.Name
	}
	return names
}

// Domains returns the domains of the callable tools.
func (c *Catalog) Domains() []Domain {
	return nonEmpty(countDomains(c.snap.domains, c.callable))
}

// Near returns up to three callable names close to a wrong one, best first.
func (c *Catalog) Near(name string) []string {
	return near.Names(name, func(yield func(string) bool) {
		for _, e := range c.callable {
			if !yield(e.tool.Name) {
				return
			}
		}
	}, 3)
}

// admit returns the registered tool for a name, or the code of the refusal.
// While the registry has not changed, one look-up is enough.
func (c *Catalog) admit(name string) (*entry, string) {
	e := c.byName.find(name)
	if e == nil {
		return nil, CodeNotInCatalog
	}
	now := c.registry.snapshot()
	if now == c.snap {
		return e, ""
	}
	live := c.registry.findIn(now, name)
	switch {
	case live == nil:
		return nil, CodeNotFound
	case live.digest != e.digest:
		return nil, CodeChanged
	}
	return live, ""
}
