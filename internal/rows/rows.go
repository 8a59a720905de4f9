// Package rows declares how packages keep rows in a store that several hosts
// share: tool requests, accepted definitions, tokens and consents. Package state
// implements it on SQL; [Memory] is for tests.
//
// A row has a kind, a key and a value. The part of a kind before the first dot is
// its feed: all changes of a feed happen one after the other, and each raises the
// version of the feed, by which other hosts notice it.
package rows

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Row is one row of a kind.
type Row struct {
	Key   string
	Value []byte
	// Version is that of the feed when the row was written last.
	Version int64
}

// Tx is a view of all rows at one moment, or a change of the rows of one feed
// that happens as a whole or not at all.
type Tx interface {
	// Get finds a row.
	Get(ctx context.Context, kind, key string) (Row, bool, error)
	// List returns the rows of a kind, ordered by key.
	List(ctx context.Context, kind string) ([]Row, error)
	// Put writes a row, and Delete removes one if it is there.
	Put(ctx context.Context, kind, key string, value []byte) error
	Delete(ctx context.Context, kind, key string) error
	// Now is the time of the store.
	Now(ctx context.Context) (time.Time, error)
	// Decided records a decision of a person in the audit, in this transaction.
	Decided(ctx context.Context, d Decision) error
}

// Decision is what a person decided.
type Decision struct {
	// Action is what was done, such as token.revoke.
	Action string
	// Subject names what it was done to, Digest its content where it has one.
	Subject, Digest string
	// By is the person, as far as it is known.
	By string
}

// Store keeps rows.
type Store interface {
	// View runs f on the rows as they are at one moment.
	View(ctx context.Context, f func(context.Context, Tx) error) error
	// Update runs f while no other host changes the feed, and again after a
	// conflict: f has no effects but those on the transaction and on variables
	// that it sets anew. It returns after the change is durable. Nothing changes
	// when f returns an error or writes nothing.
	Update(ctx context.Context, feed string, f func(context.Context, Tx) error) error
	// Versions returns the version of each feed; 0 was never written.
	Versions(ctx context.Context, feeds ...string) ([]int64, error)
	// Place names the store in messages, without secrets.
	Place() string
}

// Feed returns the feed of a kind.
func Feed(kind string) string {
	feed, _, _ := strings.Cut(kind, ".")
	return feed
}

// ErrFeed is a write to a row of another feed than the one that is changed.
var ErrFeed = errors.New("the row belongs to another feed than the change")
