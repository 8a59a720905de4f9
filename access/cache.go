package access

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gongu-ai/gongu"
)

// rules are what a catalog is narrowed by.
type rules struct {
	agent        string
	offer, allow []gongu.Rule
}

func (r *rules) same(other *rules) bool {
	return r.agent == other.agent && sameRules(r.offer, other.offer) && sameRules(r.allow, other.allow)
}

// sameRules reports whether two lists of rules select the same. No rules at
// all and an empty list are different: one keeps everything, one nothing.
func sameRules(a, b []gongu.Rule) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, gongu.Rule.Equal)
}

// maxNarrowed bounds the catalogs that are kept.
const maxNarrowed = 64

// catalogCache keeps narrowed catalogs: the steps between two changes of the
// registry share one, for all principals with the same rules. Readers do not
// wait.
type catalogCache struct {
	mu   sync.Mutex
	kept atomic.Pointer[[]*narrowed]
}

type narrowed struct {
	rules
	from, to *gongu.Catalog
}

// get finds the narrowed form of a catalog, or makes it once for all that need
// it now.
func (c *catalogCache) get(by rules, from *gongu.Catalog, narrow func() (*gongu.Catalog, error)) (*gongu.Catalog, error) {
	if found := c.find(&by, from); found != nil {
		return found, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.find(&by, from); found != nil {
		return found, nil
	}
	to, err := narrow()
	if err != nil {
		return nil, err
	}
	kept := []*narrowed{{by, from, to}}
	if before := c.kept.Load(); before != nil {
		for _, n := range *before {
			// What was made of the agent's catalogs before a change is dropped.
			if len(kept) < maxNarrowed && (n.agent != by.agent || n.from.Revision() == from.Revision()) {
				kept = append(kept, n)
			}
		}
	}
	c.kept.Store(&kept)
	return to, nil
}

func (c *catalogCache) find(by *rules, from *gongu.Catalog) *gongu.Catalog {
	kept := c.kept.Load()
	if kept == nil {
		return nil
	}
	for _, n := range *kept {
		if n.from == from && n.same(by) {
			return n.to
		}
	}
	// Step middleware makes a catalog for each step, mostly the same again.
	for _, n := range *kept {
		if n.same(by) && n.from.Same(from) {
			return n.to
		}
	}
	return nil
}
