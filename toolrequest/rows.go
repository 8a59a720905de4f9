package toolrequest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rows"
)

// Feed is the feed of the rows of a queue.
const Feed = "requests"

// The kinds of rows. A request has one row, by its id.
const (
	kindOpen   = Feed + ".open"   // queued and approved
	kindClosed = Feed + ".closed" // rejected and fulfilled
	kindQueue  = Feed + ".queue"  // one row, which the import makes
	queueKey   = "queue"
)

// queueRow is the state of a queue beside its requests.
type queueRow struct {
	// High is the number of the highest id that was ever given.
	High int64 `json:"high"`
}

// Rows is a queue in a store that several hosts share. Its first use reads the
// requests of a file into the store; from then on the rows count, and
// [Rows.Export] writes the file from them.
type Rows struct {
	store rows.Store
	file  *File
	// also reads what is written with the import.
	also func() func(context.Context, rows.Tx) error
	// imported is set once the queue has its rows, and changed when this process
	// has changed them since the last export.
	imported, changed atomic.Bool
}

var _ Store = (*Rows)(nil)

// NewRows returns the queue in a store. Path is the file that is imported and
// exported. The clock is the store's.
func NewRows(store rows.Store, path string, opts *Options) *Rows {
	q := &Rows{store: store, file: NewFile(path, opts)}
	if opts != nil {
		q.also = opts.Import
	}
	return q
}

// Path is the file that is imported and exported.
func (q *Rows) Path() string { return q.file.Path() }

// Files are those of [File.Files]: they are written from the rows.
func (q *Rows) Files() []string { return q.file.Files() }

// SetAside lists the broken files that were put aside and are still there.
func (q *Rows) SetAside() ([]string, error) { return q.file.SetAside() }

// table is a ledger of rows.
type table struct {
	ledger
	tx    rows.Tx
	now   time.Time
	place string
	// head is the highest number as the row has it.
	head int64
}

// view reads the rows as they are at one moment.
func (q *Rows) view(ctx context.Context, work func(context.Context, *table) error) error {
	if err := q.open(ctx); err != nil {
		return err
	}
	return q.failed(ctx, q.store.View(ctx, func(ctx context.Context, tx rows.Tx) error {
		return work(ctx, &table{tx: tx, place: q.store.Place()})
	}))
}

// change loads the open requests, lets work change them and stores what it
// changed, as one transaction.
func (q *Rows) change(ctx context.Context, work func(context.Context, *table) error) error {
	if err := q.open(ctx); err != nil {
		return err
	}
	err := q.store.Update(ctx, Feed, func(ctx context.Context, tx rows.Tx) error {
		t := &table{tx: tx, place: q.store.Place()}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		t.now = moment(now)
		if err := t.load(ctx); err != nil {
			return err
		}
		if err := work(ctx, t); err != nil {
			return err
		}
		return t.save(ctx)
	})
	if err == nil {
		q.changed.Store(true)
	}
	return q.failed(ctx, err)
}

// failed words an error of the store. Errors of the queue and the end of the
// caller's context stay as they are.
func (q *Rows) failed(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, kind := range []error{ErrInvalid, ErrNotFound, ErrDecided, ErrChanged, ErrFull, ErrBusy, ErrStorage, ErrBroken, ErrNewer} {
		if errors.Is(err, kind) {
			return err
		}
	}
	return lang.NewError(ErrStorage, lang.RequestRows.With(q.store.Place(), err), lang.RequestRowsHint.With()).Because(err)
}

// load reads the open requests and the highest id.
func (t *table) load(ctx context.Context) (err error) {
	if t.entries, err = t.read(ctx, kindOpen); err != nil {
		return err
	}
	row, there, err := t.tx.Get(ctx, kindQueue, queueKey)
	if err != nil {
		return err
	}
	var queue queueRow
	if there {
		if err := json.Unmarshal(row.Value, &queue); err != nil {
			return fmt.Errorf("tool requests: the row of the queue: %w", err)
		}
	}
	t.head = queue.High
	t.high = max(queue.High, highest(t.entries))
	return nil
}

// loadClosed reads the requests that were rejected or fulfilled.
func (t *table) loadClosed(ctx context.Context) (err error) {
	t.archived, err = t.read(ctx, kindClosed)
	return err
}

func (t *table) read(ctx context.Context, kind string) ([]*entry, error) {
	list, err := t.tx.List(ctx, kind)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	values := make([][]byte, len(list))
	for i, row := range list {
		values[i] = row.Value
	}
	entries, err := parse(slices.Concat([]byte("["), bytes.Join(values, []byte(",\n")), []byte("]")), t.place)
	if flaw, ok := errors.AsType[*broken](err); ok {
		return nil, lang.NewError(ErrBroken, lang.RequestBroken.With(t.place, flaw.reason), lang.RequestRowsHint.With())
	}
	return entries, err
}

// save writes the requests that have changed.
func (t *table) save(ctx context.Context) error {
	closed := false
	for _, e := range t.entries {
		if e.raw != nil {
			continue
		}
		raw, err := e.encode()
		if err != nil {
			return fmt.Errorf("tool requests: %w", err)
		}
		kind := kindOpen
		if e.final() {
			kind, closed = kindClosed, true
			if err := t.tx.Delete(ctx, kindOpen, e.ID); err != nil {
				return err
			}
		}
		if err := t.tx.Put(ctx, kind, e.ID, raw); err != nil {
			return err
		}
	}
	if t.high != t.head {
		if err := t.saveHead(ctx); err != nil {
			return err
		}
	}
	if closed {
		return t.forgetOld(ctx)
	}
	return nil
}

func (t *table) saveHead(ctx context.Context) error {
	raw, err := json.Marshal(queueRow{High: t.high})
	if err != nil {
		return err
	}
	return t.tx.Put(ctx, kindQueue, queueKey, raw)
}

// forgetOld keeps the closed requests within the limits of an archive.
func (t *table) forgetOld(ctx context.Context) error {
	if err := t.loadClosed(ctx); err != nil {
		return err
	}
	kept, gone, err := forget(t.archived)
	if err != nil || gone == 0 {
		return err
	}
	for _, e := range without(slices.Clone(t.archived), kept) {
		if err := t.tx.Delete(ctx, kindClosed, e.ID); err != nil {
			return err
		}
	}
	return nil
}

// Add queues a request.
func (q *Rows) Add(ctx context.Context, n New) (r Request, already bool, err error) {
	if n, err = check(n); err != nil {
		return Request{}, false, err
	}
	err = q.change(ctx, func(_ context.Context, t *table) (err error) {
		size := len(n.Proposal)
		for _, e := range t.entries {
			size += len(e.raw)
		}
		if r, already, err = t.add(n, q.file.maxOpen, t.now, t.place); err == nil && !already && size > maxWritten {
			return lang.NewError(ErrFull, lang.RequestFullBytes.With(t.place, size, maxWritten), lang.RequestFullHint.With())
		}
		return err
	})
	if err != nil {
		return Request{}, false, err
	}
	return r, already, nil
}

// Get finds a request.
func (q *Rows) Get(ctx context.Context, id string) (r Request, err error) {
	err = q.view(ctx, func(ctx context.Context, t *table) error {
		if err := errors.Join(t.load(ctx), t.loadClosed(ctx)); err != nil {
			return err
		}
		e, err := t.get(id)
		if err == nil {
			r = e.copy()
		}
		return err
	})
	return r, err
}

// List pages through the requests.
func (q *Rows) List(ctx context.Context, f Filter) (page Page, err error) {
	if f, err = checkFilter(f); err != nil {
		return Page{}, err
	}
	err = q.view(ctx, func(ctx context.Context, t *table) (err error) {
		if err := t.load(ctx); err != nil {
			return err
		}
		if f.Status != Queued && f.Status != Approved { // those are open
			if err := t.loadClosed(ctx); err != nil {
				return err
			}
		}
		page, err = t.page(f)
		return err
	})
	return page, err
}

// Review decides about a request.
func (q *Rows) Review(ctx context.Context, id string, d Decision) (Request, error) {
	return q.ReviewAnd(ctx, id, d, nil)
}

// ReviewAnd decides about a request and lets also write what belongs to the
// decision, as one transaction.
func (q *Rows) ReviewAnd(ctx context.Context, id string, d Decision, also func(context.Context, rows.Tx) error) (r Request, err error) {
	if err := checkDecision(d); err != nil {
		return Request{}, err
	}
	err = q.change(ctx, func(ctx context.Context, t *table) (err error) {
		if t.find(id) == nil {
			if err := t.loadClosed(ctx); err != nil {
				return err
			}
		}
		if r, err = t.review(id, d, t.now); err != nil {
			return err
		}
		if also != nil {
			if err := also(ctx, t.tx); err != nil {
				return err
			}
		}
		return t.tx.Decided(ctx, rows.Decision{Action: "request." + string(d.Status), Subject: r.ID + " " + r.Name, Digest: r.Digest(), By: d.Reviewer})
	})
	if err != nil {
		return Request{}, err
	}
	return r, nil
}

// Fulfil marks what was asked for under names that now have a tool. When there
// is nothing to mark, it only reads.
func (q *Rows) Fulfil(ctx context.Context, names ...string) (changed []Request, err error) {
	if err := ctx.Err(); err != nil || len(names) == 0 {
		return nil, err
	}
	set, needed := setOf(names), false
	err = q.view(ctx, func(ctx context.Context, t *table) error {
		err := t.load(ctx)
		needed = t.awaits(set)
		return err
	})
	if err != nil || !needed {
		return nil, err
	}
	err = q.change(ctx, func(_ context.Context, t *table) error {
		changed, _ = t.fulfil(set, t.now)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}
