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

// Contract S1: whoever asks while the first list runs waits for it and starts
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
