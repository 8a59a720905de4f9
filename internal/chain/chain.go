// Package chain keeps middleware in order: lower priorities are further out,
// equal ones stay in the order in which they were added.
package chain

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Chain is a list of middleware of type M. Add and remove while it is in use:
// readers take the list as it is. The zero value is ready.
type Chain[M any] struct {
	mu     sync.Mutex
	layers []*layer[M]
	sorted atomic.Pointer[[]M]
}

type layer[M any] struct {
	priority   int
	middleware M
}

// Add puts a middleware into the chain. The returned function takes it out.
func (c *Chain[M]) Add(priority int, middleware M) (remove func()) {
	added := &layer[M]{priority, middleware}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.layers = append(c.layers, added)
	slices.SortStableFunc(c.layers, func(a, b *layer[M]) int { return cmp.Compare(a.priority, b.priority) })
	c.publish()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.layers = slices.DeleteFunc(c.layers, func(l *layer[M]) bool { return l == added })
		c.publish()
	}
}

func (c *Chain[M]) publish() {
	sorted := make([]M, len(c.layers))
	for i, l := range c.layers {
		sorted[i] = l.middleware
	}
	c.sorted.Store(&sorted)
}

// Layers returns the middleware, the outermost first. It does not change.
func (c *Chain[M]) Layers() []M {
	if sorted := c.sorted.Load(); sorted != nil {
		return *sorted
	}
	return nil
}

// Wrap puts the middleware around core, each by wrap, the outermost last.
func Wrap[M, F any](layers []M, core F, wrap func(M, F) F) F {
	for _, middleware := range slices.Backward(layers) {
		core = wrap(middleware, core)
	}
	return core
}
