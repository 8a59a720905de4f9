package source_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/pin"
	"github.com/gongu-ai/gongu/source"
)

// Promise S1: whoever asks while the first list runs waits for it and starts
// the source no second time, though the clock has moved on.
func TestS1_SecondFirstUse(t *testing.T) {
	a := newFake("a", "x")
	a.wait = make(chan struct{})
	var mu sync.Mutex
	now, asked := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), make(chan struct{}, 100)
	clock := func() time.Time { // every look at it is a second later
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
	dir := t.TempDir()
	book, err := pin.Open(filepath.Join(dir, "gongu.lock"), filepath.Join(dir, "cache"), &pin.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	m, err := source.NewManager(source.Options{Registry: gongu.NewRegistry(nil), Book: book, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	if err := m.Set([]source.Spec{{Key: "a", New: func() (source.Lister, error) { return a, nil }}}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			asked <- struct{}{}
			m.Load(t.Context())
		})
	}
	for range 5 {
		<-asked
	}
	close(a.wait)
	all.Wait()
	if got := a.lists.Load(); got != 1 {
		t.Errorf("%d lists for one first use", got)
	}
}

// Promise S1: who asks for a tool while the first list is taken in finds it in
// the registry, however the two meet.
func TestS1_ListedMeansRegistered(t *testing.T) {
	for range 300 {
		registry := gongu.NewRegistry(nil)
		m, err := source.NewManager(source.Options{Registry: registry, Book: openBook(t)})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Set([]source.Spec{{Key: "a", New: func() (source.Lister, error) { return newFake("a", "x", "y", "z"), nil }}}); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				m.LoadFor(t.Context(), "a__x")
				if !registry.Has("a__x") {
					t.Error("a tool of a source that was listed is not registered")
				}
			})
			all.Go(func() {
				m.Load(t.Context())
				if !registry.Has("a__z") {
					t.Error("a source was loaded and its tools are not registered")
				}
			})
		}
		all.Wait()
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
}

// K12: zero and negative ages mean the same here as in the options of a host:
// zero is the default, negative lists again before every call.
func TestK12MaxAge(t *testing.T) {
	for given, want := range map[time.Duration]int64{0: 1, always: 2, time.Hour: 1} {
		a := newFake("a", "x")
		s := newBench(t, given, a)
		s.manager.Load(t.Context())
		s.now = s.now.Add(time.Second)
		if result := s.call("a__x"); result.Failed() || a.lists.Load() != want {
			t.Errorf("%s: %d lists, want %d (%v)", given, a.lists.Load(), want, result.Error)
		}
	}
}
