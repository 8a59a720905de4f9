package pin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/rows"
)

// Feed is the feed of the rows of a book.
const Feed = "pins"

// The kinds of rows. A source has one row, by its identity.
const (
	kindSource = Feed + ".source"
	kindBook   = Feed + ".book" // one row, which the import makes
	bookKey    = "book"
)

const (
	// readTime bounds a read of the rows, and freshTime is how old one may be.
	readTime  = 10 * time.Second
	freshTime = 250 * time.Millisecond
	// maxTries is how often a change begins again because another host changed
	// the same source.
	maxTries = 50
)

// table is the rows of a book. The row of a source has what the lock file has of
// it, and which definitions were accepted on a host of this store: those count on
// every host without another look.
type table struct {
	book  *Book
	store rows.Store

	// The last read; guarded by the book.
	state   *tableState
	version int64
	at      time.Time
}

type tableState struct {
	lock *lock
	here *here
	rows map[string]rows.Row
}

// sourceRow is the row of a source.
type sourceRow struct {
	Lock     *lockSource       `json:"lock,omitempty"`
	Accepted map[string][]kept `json:"accepted,omitempty"`
}

// bookRow says in which form the rows are.
type bookRow struct {
	Version int `json:"version"`
}

const rowsVersion = 1

// errStale means that another host has changed a source meanwhile.
var errStale = errors.New("the pins were changed by another host")

// read returns what was accepted, as it was at most freshTime ago.
func (t *table) read() (*lock, *here, error) {
	if t.state == nil || time.Since(t.at) > freshTime {
		ctx, cancel := context.WithTimeout(context.Background(), readTime)
		defer cancel()
		if err := t.renew(ctx); err != nil {
			return nil, nil, err
		}
	}
	return t.state.lock, t.state.here, nil
}

// renew reads the rows if they have changed.
func (t *table) renew(ctx context.Context) error {
	at := time.Now()
	versions, err := t.store.Versions(ctx, Feed)
	if err != nil {
		return t.failed(err)
	}
	if t.state == nil || versions[0] != t.version {
		state, err := t.load(ctx)
		if err != nil {
			return err
		}
		t.state, t.version = state, versions[0]
	}
	t.at = at
	return nil
}

func (t *table) failed(err error) error {
	return fmt.Errorf("pins in %s: %w", t.store.Place(), err)
}

// load reads all rows, after it has made sure that there are some.
func (t *table) load(ctx context.Context) (*tableState, error) {
	for {
		var list []rows.Row
		imported := false
		err := t.store.View(ctx, func(ctx context.Context, tx rows.Tx) (err error) {
			if imported, err = t.imported(ctx, tx); err == nil {
				list, err = tx.List(ctx, kindSource)
			}
			return err
		})
		if err != nil {
			return nil, t.failed(err)
		}
		if imported {
			return decodeRows(list)
		}
		if err := t.importFile(ctx); err != nil {
			return nil, t.failed(err)
		}
	}
}

// imported reports whether the book has its rows.
func (t *table) imported(ctx context.Context, tx rows.Tx) (bool, error) {
	row, there, err := tx.Get(ctx, kindBook, bookKey)
	if err != nil || !there {
		return false, err
	}
	var book bookRow
	if err := json.Unmarshal(row.Value, &book); err != nil {
		return false, err
	}
	if book.Version > rowsVersion {
		return false, fmt.Errorf("they have version %d, and this gongu knows %d; use a newer gongu", book.Version, rowsVersion)
	}
	return true, nil
}

func decodeRows(list []rows.Row) (*tableState, error) {
	s := &tableState{lock: newLock(), here: newHere(), rows: make(map[string]rows.Row, len(list))}
	for _, row := range list {
		var source sourceRow
		if err := json.Unmarshal(row.Value, &source); err != nil {
			return nil, fmt.Errorf("the pins of %s: %w", row.Key, err)
		}
		if source.Lock != nil {
			s.lock.Sources[row.Key] = source.Lock
		}
		if len(source.Accepted) > 0 {
			s.here.Sources[row.Key] = source.Accepted
		}
		s.rows[row.Key] = row
	}
	return s, nil
}

// importFile reads the lock file and the record of this machine into the store.
// An entry of the lock file that was not accepted on this host is scanned as before, on
// the host that lists it first.
func (t *table) importFile(ctx context.Context) error {
	l, err := readLock(t.book.path)
	if err != nil {
		return err
	}
	changed, err := encodeRows(&tableState{lock: l, here: readHere(t.book.cache.dir)})
	if err != nil {
		return err
	}
	book, err := json.Marshal(bookRow{rowsVersion})
	if err != nil {
		return err
	}
	return t.store.Update(ctx, Feed, func(ctx context.Context, tx rows.Tx) error {
		if there, err := t.imported(ctx, tx); err != nil || there {
			return err // another host was first
		}
		for _, source := range slices.Sorted(maps.Keys(changed)) {
			if err := tx.Put(ctx, kindSource, source, changed[source]); err != nil {
				return err
			}
		}
		return tx.Put(ctx, kindBook, bookKey, book)
	})
}

// encodeRows returns the rows that differ from those that were read.
func encodeRows(s *tableState) (map[string][]byte, error) {
	changed := make(map[string][]byte)
	sources := slices.Concat(slices.Collect(maps.Keys(s.lock.Sources)), slices.Collect(maps.Keys(s.here.Sources)))
	for _, source := range sources {
		encoded, err := json.Marshal(sourceRow{s.lock.Sources[source], s.here.Sources[source]})
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(encoded, s.rows[source].Value) {
			changed[source] = encoded
		}
	}
	return changed, nil
}

// change lets f change what was accepted. No transaction is open meanwhile: f
// begins again when another host has changed one of the sources that it changed.
func (t *table) change(ctx context.Context, decided []rows.Decision, f func(*lock, *here) (bool, error)) error {
	for range maxTries {
		s, err := t.load(ctx)
		if err != nil {
			return err
		}
		dirty, err := f(s.lock, s.here)
		if err != nil || !dirty && !s.here.dirty {
			return err
		}
		switch err := t.save(ctx, s, decided); {
		case err == nil:
			t.state = nil
			t.logged(t.export(ctx))
			return nil
		case !errors.Is(err, errStale):
			return t.failed(err)
		}
	}
	return t.failed(errStale)
}

func (t *table) save(ctx context.Context, s *tableState, decided []rows.Decision) error {
	changed, err := encodeRows(s)
	if err != nil {
		return err
	}
	return t.store.Update(ctx, Feed, func(ctx context.Context, tx rows.Tx) error {
		for _, source := range slices.Sorted(maps.Keys(changed)) {
			now, _, err := tx.Get(ctx, kindSource, source)
			if err != nil {
				return err
			}
			if now.Version != s.rows[source].Version {
				return errStale
			}
			if err := tx.Put(ctx, kindSource, source, changed[source]); err != nil {
				return err
			}
		}
		for _, d := range decided {
			if err := tx.Decided(ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
}

// logged reports a lock file that could not be written: the rows count.
func (t *table) logged(err error) {
	if err != nil {
		t.book.opts.Logger.Warn("the lock file was not written from the store", "path", t.book.path, "error", err)
	}
}

// export writes the lock file from the rows, where it differs. The caller has the
// lock of the folder, so that an older state never replaces a newer one.
func (t *table) export(ctx context.Context) error {
	s, err := t.load(ctx)
	if err != nil {
		return err
	}
	text, err := s.lock.text()
	if err != nil {
		return err
	}
	before, err := os.ReadFile(t.book.path)
	if errors.Is(err, fs.ErrNotExist) && len(s.lock.Sources) == 0 || err == nil && bytes.Equal(before, text) {
		return nil
	}
	return replaceFile(t.book.path, text)
}

// Export writes the lock file from the rows. It does nothing without rows.
func (b *Book) Export(ctx context.Context) (err error) {
	if b.table == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := fsx.PrivateDir(b.cache.dir); err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	held, err := fsx.TakeLock(ctx, filepath.Join(b.cache.dir, "pins.lock"))
	if err != nil {
		return fmt.Errorf("pins: %w", err)
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	return b.table.export(ctx)
}
