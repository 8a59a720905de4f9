package chain_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu/internal/chain"
)

func TestChain(t *testing.T) {
	var c chain.Chain[string]
	if c.Layers() != nil {
		t.Error("the zero value has middleware")
	}
	c.Add(1, "b")
	before := c.Layers()
	remove := c.Add(0, "a")
	c.Add(1, "c")
	if got := c.Layers(); !slices.Equal(got, []string{"a", "b", "c"}) || !slices.Equal(before, []string{"b"}) {
		t.Errorf("%q, and before %q", got, before)
	}
	wrapped := chain.Wrap(c.Layers(), "core", func(m, inner string) string { return m + "(" + inner + ")" })
	if wrapped != "a(b(c(core)))" {
		t.Error(wrapped)
	}
	remove()
	remove()
	if got := c.Layers(); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("%q", got)
	}
}

func TestChainWhileUsed(t *testing.T) {
	var c chain.Chain[int]
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 100 {
				remove := c.Add(i, i)
				if got := c.Layers(); !slices.IsSorted(got) {
					t.Errorf("%v", got)
				}
				remove()
			}
		})
	}
	group.Wait()
	if got := c.Layers(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
