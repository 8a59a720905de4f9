package access

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gongu-ai/gongu"
)

func anything(string) bool { return true }

func twoTools(t *testing.T) *gongu.Registry {
	t.Helper()
	r := gongu.NewRegistry(nil)
	for _, name := range []string{"a", "b"} {
		if err := r.Add(gongu.Func(name, name, func(context.Context, struct{}) (string, error) { return name, nil })); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func put(t *testing.T, c *CatalogCache[string], agent string, from *gongu.Catalog, value string, size int) {
	t.Helper()
	_, found, err := c.Get(agent, from, func(string) bool { return false }, func() (string, int, error) { return value, size, nil })
	if found || err != nil {
		t.Fatal(found, err)
	}
}

// What is kept is bounded in number and in bytes; what was used last stays.
func TestCatalogCacheIsBounded(t *testing.T) {
	catalog := gongu.Everything(twoTools(t))
	has := func(s *CatalogCache[string], agents ...string) {
		t.Helper()
		for _, agent := range agents {
			if _, ok := s.find(agent, catalog, anything); !ok {
				t.Errorf("%s is gone", agent)
			}
		}
	}
	s := &CatalogCache[string]{MaxEntries: 3}
	for _, agent := range []string{"1", "2", "3"} {
		put(t, s, agent, catalog, agent, 0)
	}
	has(s, "1") // used, so that 2 goes first
	put(t, s, "4", catalog, "4", 0)
	has(s, "1", "3", "4")
	if _, ok := s.find("2", catalog, anything); ok {
		t.Error("there are more than three")
	}
	s = &CatalogCache[string]{MaxSize: 10}
	put(t, s, "1", catalog, "1", 6)
	put(t, s, "2", catalog, "2", 6)
	if _, ok := s.find("1", catalog, anything); ok {
		t.Error("there is more than there is room for")
	}
	put(t, s, "3", catalog, "3", 100)
	has(s, "3") // it is needed now, however large
	if n := len(*s.entries.Load()); n != 1 {
		t.Errorf("%d are kept beside one that fills the room", n)
	}
}

// A change lets go of what was made for that agent before, and of no other.
func TestCatalogCacheForgetsAtAChange(t *testing.T) {
	r := twoTools(t)
	s := &CatalogCache[string]{}
	before := gongu.Everything(r)
	put(t, s, "changes", before, "old", 0)
	put(t, s, "changes", before.Restrict("a"), "old part", 0)
	put(t, s, "stays", before, "kept", 0)
	r.Remove("b")
	after := gongu.Everything(r)
	if _, ok := s.find("changes", after, anything); ok {
		t.Error("what was made of a catalog was given for another")
	}
	put(t, s, "changes", after, "new", 0)
	if n := len(*s.entries.Load()); n != 2 {
		t.Errorf("%d are kept", n)
	}
	if got, ok := s.find("stays", before, anything); !ok || got != "kept" {
		t.Errorf("%q", got)
	}
	// The same again, made by another step.
	if got, _ := s.find("changes", gongu.Everything(r), anything); got != "new" {
		t.Errorf("%q", got)
	}
}

// Many who need the same at once wait for one who makes it.
func TestCatalogCacheMakesOnce(t *testing.T) {
	catalog := gongu.Everything(twoTools(t))
	s := &CatalogCache[string]{MaxEntries: 2}
	var makes atomic.Int32
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			agent := fmt.Sprint(i % 2)
			got, _, err := s.Get(agent, catalog, anything, func() (string, int, error) {
				makes.Add(1)
				return agent, 1, nil
			})
			if err != nil || got != agent {
				t.Errorf("%q %v", got, err)
			}
		})
	}
	all.Wait()
	if n := makes.Load(); n != 2 {
		t.Errorf("made %d times", n)
	}
}
