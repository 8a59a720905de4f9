package state

import (
	"context"
	"sync"
	"time"
)

// pollEvery is how often feeds are compared while one is watched. Notices of the
// engine only make it faster.
const pollEvery = 100 * time.Millisecond

// watchers are the channels of [Store.Watch].
type watchers struct {
	mu   sync.Mutex
	by   map[string]map[chan struct{}]bool // by feed
	seen map[string]int64
	stop context.CancelFunc // ends the polling; nil: nothing is watched

	polling sync.Mutex // one comparison at a time
}

// Watch returns a channel with a hint whenever a feed may have grown, on this
// host or another, and one at the beginning. Hints that are not taken are one:
// read the feed from the number that you know. The channel is closed when ctx
// ends or the store is closed.
func (s *Store) Watch(ctx context.Context, feed string) <-chan struct{} {
	c := make(chan struct{}, 1)
	c <- struct{}{}
	w := &s.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.background.Err() != nil {
		close(c)
		return c
	}
	if w.by == nil {
		w.by = map[string]map[chan struct{}]bool{}
	}
	if w.by[feed] == nil {
		w.by[feed] = map[chan struct{}]bool{}
	}
	w.by[feed][c] = true
	if w.stop == nil {
		polling, stop := context.WithCancel(s.background)
		w.stop, w.seen = stop, nil
		s.start(func() { s.poll(polling) })
		s.start(func() { s.engine.listen(polling, s, func(feed string) { s.hint(feed) }) })
	}
	ended, release := context.WithCancel(ctx)
	stopped := context.AfterFunc(s.background, release)
	context.AfterFunc(ended, func() {
		stopped()
		release()
		s.unwatch(feed, c)
	})
	return c
}

func (s *Store) unwatch(feed string, c chan struct{}) {
	w := &s.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.by[feed], c)
	close(c)
	if len(w.by[feed]) == 0 {
		delete(w.by, feed)
	}
	if len(w.by) == 0 && w.stop != nil {
		w.stop()
		w.stop = nil
	}
}

// hint tells the watchers of feeds.
func (s *Store) hint(feeds ...string) {
	s.watchers.mu.Lock()
	defer s.watchers.mu.Unlock()
	for _, feed := range feeds {
		for c := range s.watchers.by[feed] {
			select {
			case c <- struct{}{}:
			default:
			}
		}
	}
}

// committed tells the watchers of the feeds that a transaction added to.
func (s *Store) committed(tx *Tx) {
	if len(tx.feeds) > 0 {
		s.hint(tx.feeds...)
		s.engine.announce(s, tx.feeds)
	}
}

// poll compares the feeds with what was seen before, until ctx ends.
func (s *Store) poll(ctx context.Context) {
	timer := time.NewTicker(pollEvery)
	defer timer.Stop()
	failed := false
	for {
		err := s.compare(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			s.options.Logger.WarnContext(ctx, "feeds cannot be read; watchers wait", "error", err)
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}

func (s *Store) compare(ctx context.Context) error {
	s.watchers.polling.Lock()
	defer s.watchers.polling.Unlock()
	s.watchers.mu.Lock()
	first := s.watchers.seen == nil
	s.watchers.mu.Unlock()
	if changed, err := s.engine.changed(ctx); err != nil || !changed && !first {
		return err
	}
	now := map[string]int64{}
	err := s.View(ctx, func(ctx context.Context, tx *Tx) error {
		clear(now)
		return tx.eachFeed(ctx, func(feed string, seq int64) { now[feed] = seq })
	})
	if err != nil {
		return err
	}
	s.watchers.mu.Lock()
	seen := s.watchers.seen
	s.watchers.seen = now
	var grown []string
	for feed := range s.watchers.by {
		// What grew between the beginning and the first comparison is not known.
		if seen == nil || seen[feed] != now[feed] {
			grown = append(grown, feed)
		}
	}
	s.watchers.mu.Unlock()
	s.hint(grown...)
	return nil
}

func (t *Tx) eachFeed(ctx context.Context, f func(feed string, seq int64)) error {
	rows, err := t.Query(ctx, "FeedAll", t.Space())
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var feed string
		var seq int64
		if err := rows.Scan(&feed, &seq); err != nil {
			return err
		}
		f(feed, seq)
	}
	return rows.Err()
}
