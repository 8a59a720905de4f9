package state

import (
	"context"
	"errors"
)

// Next returns the next number of a feed. The feed stays locked until the commit,
// so numbers become visible in their order and without gaps. Take numbers last,
// and those of several feeds in the order of their names.
func (t *Tx) Next(ctx context.Context, feed string) (int64, error) {
	var seq int64
	if err := t.Row(ctx, "FeedNext", t.Space(), feed).Scan(&seq); err != nil {
		return 0, err
	}
	t.touch(feed)
	return seq, nil
}

// Last returns the last number of a feed, 0 if it has no entries.
func (t *Tx) Last(ctx context.Context, feed string) (int64, error) {
	var seq int64
	err := t.Row(ctx, "FeedLast", t.Space(), feed).Scan(&seq)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	return seq, err
}
