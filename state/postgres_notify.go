package state

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// noticeChannel is the channel of NOTIFY. A notice is the space and the feed.
const noticeChannel = "gongu_feeds"

// noticeEvery is the least time between two sendings: what grows in between
// shares the next one.
const noticeEvery = 5 * time.Millisecond

// notices are the feeds that other processes are to be told of. They are sent
// outside of transactions: NOTIFY inside would make commits wait for each other.
type notices struct {
	mu      sync.Mutex
	feeds   []string
	sending bool
}

func (e *postgresEngine) announce(s *Store, feeds []string) {
	n := &e.notices
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, feed := range feeds {
		if !slices.Contains(n.feeds, feed) {
			n.feeds = append(n.feeds, feed)
		}
	}
	if !n.sending {
		n.sending = s.start(func() { e.send(s) })
	}
}

// send sends notices until there are none.
func (e *postgresEngine) send(s *Store) {
	for {
		e.notices.mu.Lock()
		feeds := e.notices.feeds
		e.notices.feeds = nil
		if len(feeds) == 0 {
			e.notices.sending = false
			e.notices.mu.Unlock()
			return
		}
		e.notices.mu.Unlock()
		ctx, cancel := context.WithTimeout(s.background, e.slowest)
		for _, feed := range feeds {
			if _, err := e.db.ExecContext(ctx, "SELECT pg_notify($1, $2)", noticeChannel, s.options.Space+"\n"+feed); err != nil {
				break // others find it by polling
			}
		}
		cancel()
		select {
		case <-s.background.Done():
		case <-time.After(noticeEvery):
		}
	}
}

func (e *postgresEngine) changed(context.Context) (bool, error) { return true, nil }

func (e *postgresEngine) listen(ctx context.Context, s *Store, hear func(feed string)) {
	for ctx.Err() == nil {
		e.listenOnce(ctx, s.options.Space, hear)
		select { // the connection was lost; until it is back, polling goes on
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (e *postgresEngine) listenOnce(ctx context.Context, space string, hear func(feed string)) {
	conn, err := pgx.ConnectConfig(ctx, e.config)
	if err != nil {
		return
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // it may be lost
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+noticeChannel); err != nil {
		return
	}
	for {
		notice, err := conn.WaitForNotification(ctx)
		if err != nil {
			return
		}
		if of, feed, ok := strings.Cut(notice.Payload, "\n"); ok && of == space {
			hear(feed)
		}
	}
}
