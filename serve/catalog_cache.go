package serve

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gongu-ai/gongu"
)

// catalogCache keeps what was made of catalogs: a step that has the same catalog as
// one before finds it without looking at a single tool. Readers never wait.
type catalogCache[V any] struct {
	// most bounds what is kept, room the sum of the sizes; the last one made
	// is kept whatever its size. Zero is no bound.
	most, room int

	// making is held while something is made, so that many who need the same
	// wait for one.
	making sync.Mutex
	mu     sync.Mutex
	kept   atomic.Pointer[[]*item[V]]
	puts   atomic.Int64
}

// item is what was made of one catalog of an agent.
type item[V any] struct {
	agent string
	from  *gongu.Catalog
	value V
	size  int
	// used is how many puts there were when it was last needed.
	used atomic.Int64
}

// find returns what was made of this catalog, or of one that is the same, and
// is meant.
func (s *catalogCache[V]) find(agent string, from *gongu.Catalog, meant func(V) bool) (found V, ok bool) {
	kept := s.kept.Load()
	if kept == nil {
		return found, false
	}
	for _, i := range *kept {
		if i.from == from && i.agent == agent && meant(i.value) {
			i.touch(s)
			return i.value, true
		}
	}
	// Step middleware makes a catalog for each step, mostly the same again.
	for _, i := range *kept {
		if i.agent == agent && meant(i.value) && i.from.Same(from) {
			i.touch(s)
			return i.value, true
		}
	}
	return found, false
}

// touch writes only when it must: all calls pass here.
func (i *item[V]) touch(s *catalogCache[V]) {
	if now := s.puts.Load(); i.used.Load() != now {
		i.used.Store(now)
	}
}

// put keeps a value. What was made of the agent's catalogs before a change is
// let go at once, the rest when there is no room, the longest unused first.
func (s *catalogCache[V]) put(agent string, from *gongu.Catalog, value V, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := &item[V]{agent: agent, from: from, value: value, size: size}
	added.used.Store(s.puts.Add(1))
	kept, total := []*item[V]{added}, size
	if old := s.kept.Load(); old != nil {
		for _, i := range *old {
			if i.agent != agent || i.from.Revision() == from.Revision() {
				kept = append(kept, i)
				total += i.size
			}
		}
	}
	for len(kept) > 1 && (s.most > 0 && len(kept) > s.most || s.room > 0 && total > s.room) {
		oldest := 1
		for n := 2; n < len(kept); n++ {
			if kept[n].used.Load() < kept[oldest].used.Load() {
				oldest = n
			}
		}
		total -= kept[oldest].size
		kept = slices.Delete(kept, oldest, oldest+1)
	}
	s.kept.Store(&kept)
}

// made finds a value or makes it, once for all who need it now.
func (s *catalogCache[V]) made(agent string, from *gongu.Catalog, meant func(V) bool, do func() (V, int, error)) (value V, hit bool, err error) {
	if value, ok := s.find(agent, from, meant); ok {
		return value, true, nil
	}
	s.making.Lock()
	defer s.making.Unlock()
	if value, ok := s.find(agent, from, meant); ok {
		return value, true, nil
	}
	value, size, err := do()
	if err == nil {
		s.put(agent, from, value, size)
	}
	return value, false, err
}
