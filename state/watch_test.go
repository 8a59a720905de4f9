package state

import (
	"context"
	"testing"
	"time"
)

func grow(feed string) unit {
	return func(ctx context.Context, tx *Tx) error {
		_, err := tx.Next(ctx, feed)
		return err
	}
}

// hinted waits for a hint.
func hinted(t *testing.T, c <-chan struct{}) {
	t.Helper()
	select {
	case _, open := <-c:
		if !open {
			t.Fatal("the channel is closed")
		}
	case <-time.After(30 * time.Second):
		t.Fatal("no hint")
	}
}

// R4: a watcher hears of what its own host and another one add, and of nothing
// else; hints that are not taken are one.
func TestR4_Watch(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		a, b := open(nil), open(nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		news, other := a.Watch(ctx, "news"), a.Watch(ctx, "other")
		polled(t, a)
		hinted(t, news)
		hinted(t, other)
		for range 5 {
			update(t, a, grow("news"))
		}
		hinted(t, news)
		for range 3 {
			update(t, b, grow("news"))
			hinted(t, news)
		}
		var last int64
		err := a.View(t.Context(), func(ctx context.Context, tx *Tx) (err error) {
			last, err = tx.Last(ctx, "news")
			return err
		})
		if err != nil || last != 8 {
			t.Errorf("last %d, %v", last, err)
		}
		select {
		case <-other:
			t.Error("a hint for a feed that did not grow")
		default:
		}
		cancel()
		eventually(t, "the channels are closed", func() bool { _, open := <-news; _, open2 := <-other; return !open && !open2 })
		again := a.Watch(t.Context(), "news") // after the polling had ended
		hinted(t, again)
		update(t, b, grow("news"))
		hinted(t, again)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		eventually(t, "the channel of a closed store is closed", func() bool { _, open := <-again; return !open })
	})
}

// R4: the poll is the truth: with all notices lost, a watcher still hears.
func TestR4_WatchWithoutNotices(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		a, b := open(nil), open(nil)
		b.engine = silent{b.engine}
		news := a.Watch(t.Context(), "news")
		hinted(t, news)
		polled(t, a)
		for len(news) > 0 {
			<-news
		}
		update(t, b, grow("news"))
		hinted(t, news)
	})
}

// R4: what another host adds between the first reading and the first poll is not
// missed.
func TestR4_WatchBeforeTheFirstPoll(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, open func(*Options) *Store) {
		a, b := open(nil), open(nil)
		b.engine = silent{b.engine}
		a.watchers.polling.Lock()
		news := a.Watch(t.Context(), "news")
		hinted(t, news)
		update(t, b, grow("news"))
		a.watchers.polling.Unlock()
		hinted(t, news)
	})
}

// polled waits for the first poll, which hints at everything.
func polled(t *testing.T, s *Store) {
	t.Helper()
	eventually(t, "the first poll", func() bool {
		s.watchers.polling.Lock()
		defer s.watchers.polling.Unlock()
		s.watchers.mu.Lock()
		defer s.watchers.mu.Unlock()
		return s.watchers.seen != nil
	})
}

// silent is an engine that announces nothing.
type silent struct{ engine }

func (silent) announce(*Store, []string) {}
