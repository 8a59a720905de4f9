package serve

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gongu-ai/gongu"
)

func anything(string) bool { return true }

func shelfRegistry(t *testing.T) *gongu.Registry {
	t.Helper()
	r := gongu.NewRegistry(nil)
	for _, name := range []string{"a", "b"} {
		if err := r.Add(gongu.Func(name, name, func(context.Context, struct{}) (string, error) { return name, nil })); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// What is kept is bounded in number and in bytes; what was used last stays.
func TestCatalogCacheIsBounded(t *testing.T) {
	catalog := gongu.Everything(shelfRegistry(t))
	has := func(s *catalogCache[string], agents ...string) {
		t.Helper()
		for _, agent := range agents {
			if _, ok := s.find(agent, catalog, anything); !ok {
				t.Errorf("%s is gone", agent)
			}
		}
	}
	s := &catalogCache[string]{most: 3}
	for _, agent := range []string{"1", "2", "3"} {
		s.put(agent, catalog, agent, 0)
	}
	has(s, "1") // used, so that 2 goes first
	s.put("4", catalog, "4", 0)
	has(s, "1", "3", "4")
	if _, ok := s.find("2", catalog, anything); ok {
		t.Error("there are more than three")
	}
	s = &catalogCache[string]{room: 10}
	s.put("1", catalog, "1", 6)
	s.put("2", catalog, "2", 6)
	if _, ok := s.find("1", catalog, anything); ok {
		t.Error("there is more than there is room for")
	}
	s.put("3", catalog, "3", 100)
	has(s, "3") // it is needed now, however large
	if n := len(*s.kept.Load()); n != 1 {
		t.Errorf("%d are kept beside one that fills the room", n)
	}
}

// A change lets go of what was made for that agent before, and of no other.
func TestCatalogCacheForgetsAtAChange(t *testing.T) {
	r := shelfRegistry(t)
	s := &catalogCache[string]{}
	before := gongu.Everything(r)
	s.put("changes", before, "old", 0)
	s.put("changes", before.Restrict("a"), "old part", 0)
	s.put("stays", before, "kept", 0)
	r.Remove("b")
	after := gongu.Everything(r)
	if _, ok := s.find("changes", after, anything); ok {
		t.Error("what was made of a catalog was given for another")
	}
	s.put("changes", after, "new", 0)
	if n := len(*s.kept.Load()); n != 2 {
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
	catalog := gongu.Everything(shelfRegistry(t))
	s := &catalogCache[string]{most: 2}
	var makes atomic.Int32
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			agent := fmt.Sprint(i % 2)
			got, _, err := s.made(agent, catalog, anything, func() (string, int, error) {
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
