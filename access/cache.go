package access

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gongu-ai/gongu"
)

// CatalogCache keeps values that are made of catalogs, such as narrowed
// catalogs and encoded lists: steps with the same catalog share one. Readers do
// not wait. The zero value has no limits.
type CatalogCache[V any] struct {
	// MaxEntries limits the number of values, MaxSize the sum of their sizes.
	// Zero is no limit. The newest value is kept whatever its size.
	MaxEntries, MaxSize int

	mu      sync.Mutex // held while a value is made
	entries atomic.Pointer[[]*cacheEntry[V]]
	added   atomic.Int64
}

type cacheEntry[V any] struct {
	agent string
	from  *gongu.Catalog
	value V
	size  int
	// used is what added was when the value was last returned.
	used atomic.Int64
}

// Get returns the value of an agent that was made of this catalog, or of an
// equal one, and that match accepts. Without one it calls create, which returns
// a value and its size: once for all goroutines that need the value now. Found
// reports whether the value was in the cache.
func (c *CatalogCache[V]) Get(agent string, from *gongu.Catalog, match func(V) bool, create func() (V, int, error)) (value V, found bool, err error) {
	if value, ok := c.find(agent, from, match); ok {
		return value, true, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if value, ok := c.find(agent, from, match); ok {
		return value, true, nil
	}
	value, size, err := create()
	if err == nil {
		c.addLocked(&cacheEntry[V]{agent: agent, from: from, value: value, size: size})
	}
	return value, false, err
}

func (c *CatalogCache[V]) find(agent string, from *gongu.Catalog, match func(V) bool) (value V, ok bool) {
	entries := c.entries.Load()
	if entries == nil {
		return value, false
	}
	for _, e := range *entries {
		if e.from == from && e.agent == agent && match(e.value) {
			c.touch(e)
			return e.value, true
		}
	}
	// Step middleware makes a catalog for each step, mostly an equal one.
	for _, e := range *entries {
		if e.agent == agent && match(e.value) && e.from.Same(from) {
			c.touch(e)
			return e.value, true
		}
	}
	return value, false
}

// touch marks an entry as used. It writes only on change, because every call
// of a tool runs it.
func (c *CatalogCache[V]) touch(e *cacheEntry[V]) {
	if now := c.added.Load(); e.used.Load() != now {
		e.used.Store(now)
	}
}

// addLocked adds an entry. It drops the agent's entries of older catalogs, and
// beyond the limits those that were not used for longest.
func (c *CatalogCache[V]) addLocked(added *cacheEntry[V]) {
	added.used.Store(c.added.Add(1))
	entries, size := []*cacheEntry[V]{added}, added.size
	if before := c.entries.Load(); before != nil {
		for _, e := range *before {
			if e.agent != added.agent || e.from.Revision() == added.from.Revision() {
				entries = append(entries, e)
				size += e.size
			}
		}
	}
	for len(entries) > 1 && (c.MaxEntries > 0 && len(entries) > c.MaxEntries || c.MaxSize > 0 && size > c.MaxSize) {
		oldest := 1
		for i := 2; i < len(entries); i++ {
			if entries[i].used.Load() < entries[oldest].used.Load() {
				oldest = i
			}
		}
		size -= entries[oldest].size
		entries = slices.Delete(entries, oldest, oldest+1)
	}
	c.entries.Store(&entries)
}
