package state

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/gongu-ai/gongu/internal/rows"
)

// documentFeeds begins the names of the feeds of documents, and documentFeedsEnd
// sorts after all of them.
const (
	documentFeeds    = "documents."
	documentFeedsEnd = "documents/"
)

// Documents are rows that other packages keep in the store: tool requests, accepted
// definitions, tokens and consents. A document has a kind, a key, a value and the
// version of its last change.
type Documents struct {
	store *Store
	// By is the person in whose name decisions without a principal are recorded,
	// and ByKind how that person decides, such as terminal.
	By, ByKind string
}

var _ rows.Store = (*Documents)(nil)

// Documents returns the documents of the store.
func (s *Store) Documents() *Documents { return &Documents{store: s} }

// Shared returns the documents of a store on PostgreSQL, and nil on SQLite: there
// they are files of the bundle and of the user, as without a store.
func (s *Store) Shared() *Documents {
	if s.Engine() != enginePostgres {
		return nil
	}
	return s.Documents()
}

// Place names the store and the space, without a password.
func (d *Documents) Place() string { return d.store.String() + " (" + d.store.Space() + ")" }

// View runs f on the documents as they are at one moment.
func (d *Documents) View(ctx context.Context, f func(context.Context, rows.Tx) error) error {
	return d.store.View(ctx, func(ctx context.Context, tx *Tx) error {
		return f(ctx, &documentTx{tx: tx})
	})
}

// errNothing undoes a transaction that wrote nothing, so that its feed keeps its
// version.
var errNothing = errors.New("nothing to write")

// Update runs f while no other transaction changes the feed. See [rows.Store].
func (d *Documents) Update(ctx context.Context, feed string, f func(context.Context, rows.Tx) error) error {
	err := d.store.Update(ctx, func(ctx context.Context, tx *Tx) error {
		// The number of the feed locks it, so it is taken before anything is read.
		version, err := tx.Next(ctx, documentFeeds+feed)
		if err != nil {
			return err
		}
		t := &documentTx{tx: tx, feed: feed, version: version, by: d}
		if err := f(ctx, t); err != nil {
			return err
		}
		if !t.wrote {
			return errNothing
		}
		return t.finish(ctx)
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

// Versions returns the version of each feed. A restore changes all of them.
func (d *Documents) Versions(ctx context.Context, feeds ...string) ([]int64, error) {
	known := map[string]int64{}
	var epoch int64
	err := d.store.View(ctx, func(ctx context.Context, tx *Tx) (err error) {
		clear(known)
		if epoch, err = tx.Epoch(ctx); err != nil {
			return err
		}
		found, err := tx.Query(ctx, "DocumentFeeds", tx.Space(), documentFeeds, documentFeedsEnd)
		if err != nil {
			return err
		}
		for found.Next() {
			var feed string
			var version int64
			if err := found.Scan(&feed, &version); err != nil {
				return err
			}
			known[feed] = version
		}
		return errors.Join(found.Err(), found.Close())
	})
	if err != nil {
		return nil, err
	}
	versions := make([]int64, len(feeds))
	for i, feed := range feeds {
		versions[i] = epoch + known[documentFeeds+feed]
	}
	return versions, nil
}

// documentTx is a transaction on documents.
type documentTx struct {
	tx        *Tx
	feed      string // of the change; empty for a view
	version   int64
	by        *Documents
	now       int64 // of the first write
	wrote     bool
	decisions []rows.Decision
}

// Now returns the time of the store.
func (t *documentTx) Now(ctx context.Context) (time.Time, error) {
	now, err := t.tx.Now(ctx)
	return time.UnixMicro(now), err
}

// Get finds a document.
func (t *documentTx) Get(ctx context.Context, kind, key string) (rows.Row, bool, error) {
	row := rows.Row{Key: key}
	var digest []byte
	err := t.tx.Row(ctx, "DocumentGet", t.tx.Space(), kind, key).Scan(&row.Value, &digest, &row.Version)
	if errors.Is(err, ErrNotFound) {
		return rows.Row{}, false, nil
	}
	if err == nil {
		err = checkDocument(kind, row, digest)
	}
	return row, err == nil, err
}

// List returns the documents of a kind, ordered by key.
func (t *documentTx) List(ctx context.Context, kind string) ([]rows.Row, error) {
	found, err := t.tx.Query(ctx, "DocumentList", t.tx.Space(), kind)
	if err != nil {
		return nil, err
	}
	var list []rows.Row
	for found.Next() {
		var row rows.Row
		var digest []byte
		if err := found.Scan(&row.Key, &row.Value, &digest, &row.Version); err != nil {
			return nil, errors.Join(err, found.Close())
		}
		if err := checkDocument(kind, row, digest); err != nil {
			return nil, errors.Join(err, found.Close())
		}
		list = append(list, row)
	}
	return list, errors.Join(found.Err(), found.Close())
}

// checkDocument rejects a value that is not what was written.
func checkDocument(kind string, row rows.Row, digest []byte) error {
	if sum := sha256.Sum256(row.Value); !bytes.Equal(sum[:], digest) {
		return fmt.Errorf("the document %s %q is damaged: its value does not have its digest; restore the store from a backup", kind, row.Key)
	}
	return nil
}

// Put writes a document, new or in the place of the one that is there.
func (t *documentTx) Put(ctx context.Context, kind, key string, value []byte) error {
	if rows.Feed(kind) != t.feed {
		return fmt.Errorf("%s: %w", kind, rows.ErrFeed)
	}
	before, there, err := t.Get(ctx, kind, key)
	if err != nil {
		return err
	}
	if t.now == 0 {
		if t.now, err = t.tx.Now(ctx); err != nil {
			return err
		}
	}
	if value == nil {
		value = []byte{}
	}
	sum := sha256.Sum256(value)
	hit := false
	if there {
		hit, err = t.tx.One(ctx, "DocumentUpdate", t.tx.Space(), kind, key, t.version, value, sum[:], t.now, before.Version)
	} else {
		hit, err = t.tx.One(ctx, "DocumentInsert", t.tx.Space(), kind, key, t.version, value, sum[:], t.now)
	}
	t.wrote = true
	return oneDocument(kind, key, hit, err)
}

// Delete removes a document, if it is there.
func (t *documentTx) Delete(ctx context.Context, kind, key string) error {
	if rows.Feed(kind) != t.feed {
		return fmt.Errorf("%s: %w", kind, rows.ErrFeed)
	}
	before, there, err := t.Get(ctx, kind, key)
	if err != nil || !there {
		return err
	}
	hit, err := t.tx.One(ctx, "DocumentDelete", t.tx.Space(), kind, key, before.Version)
	t.wrote = true
	return oneDocument(kind, key, hit, err)
}

// oneDocument reports a change that did not hit its document. The lock of the feed
// makes it impossible for changes that take it.
func oneDocument(kind, key string, hit bool, err error) error {
	if err == nil && !hit {
		err = fmt.Errorf("the document %s %q: %w", kind, key, ErrConflict)
	}
	return err
}
