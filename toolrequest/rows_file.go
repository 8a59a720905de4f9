package toolrequest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gongu-ai/gongu/internal/rows"
)

// open makes sure that the queue has its rows. The first host of a store reads
// its file into them, as one transaction.
func (q *Rows) open(ctx context.Context) error {
	if q.imported.Load() {
		return ctx.Err()
	}
	there := false
	err := q.store.View(ctx, func(ctx context.Context, tx rows.Tx) (err error) {
		_, there, err = tx.Get(ctx, kindQueue, queueKey)
		return err
	})
	if err == nil && !there {
		err = q.file.change(ctx, func(s *session) error { return q.importFile(ctx, s) })
	}
	if err != nil {
		return q.failed(ctx, err)
	}
	q.imported.Store(true)
	return nil
}

// importFile reads the file and its archive into the store. A broken one keeps
// its content under another name.
func (q *Rows) importFile(ctx context.Context, s *session) error {
	if err := s.loadOrSetAside(); err != nil {
		return err
	}
	entries, text, err := q.file.readEntries(q.file.archivePath())
	if flaw, ok := errors.AsType[*broken](err); ok {
		aside := q.file.asideFor(q.file.archivePath(), text, flaw)
		s.warn(aside)
		err = aside.keep(q.file)
	}
	if err != nil {
		return err
	}
	if err := s.aside.keep(q.file); err != nil {
		return err
	}
	all := slices.Concat(s.entries, without(entries, s.entries))
	also := func(context.Context, rows.Tx) error { return nil }
	if q.also != nil {
		also = q.also()
	}
	err = q.store.Update(ctx, Feed, func(ctx context.Context, tx rows.Tx) error {
		if _, there, err := tx.Get(ctx, kindQueue, queueKey); err != nil || there {
			return err // another host was first
		}
		for _, e := range all {
			kind := kindOpen
			if e.final() {
				kind = kindClosed
			}
			if err := tx.Put(ctx, kind, e.ID, e.raw); err != nil {
				return err
			}
		}
		if err := also(ctx, tx); err != nil {
			return err
		}
		return (&table{ledger: ledger{high: s.high}, tx: tx}).saveHead(ctx)
	})
	if err == nil && s.warning != "" {
		q.file.logger.Warn(s.warning)
	}
	return err
}

// Changed reports whether this process has changed the queue since it was
// exported.
func (q *Rows) Changed() bool { return q.changed.Load() }

// Export writes the file and its archive from the rows. A file that already has
// this content stays as it is, and an empty queue makes none.
func (q *Rows) Export(ctx context.Context) error {
	if err := q.open(ctx); err != nil {
		return err
	}
	q.changed.Store(false)
	// The rows are read under the lock of the file, so that an older state never
	// replaces a newer one.
	return q.file.change(ctx, func(s *session) error {
		err := q.view(ctx, func(ctx context.Context, t *table) error {
			err := errors.Join(t.load(ctx), t.loadClosed(ctx))
			s.entries = slices.Concat(t.entries, t.archived)
			return err
		})
		if err != nil {
			return err
		}
		slices.SortFunc(s.entries, func(a, b *entry) int { return older(&a.Request, &b.Request) })
		retired := s.retire(keptClosed)
		return errors.Join(s.export(q.file.archivePath(), retired), s.export(q.file.path, s.entries))
	})
}

// export replaces a file by entries.
func (s *session) export(path string, entries []*entry) error {
	_, before, err := s.file.readEntries(path)
	if flaw, ok := errors.AsType[*broken](err); ok {
		err = s.file.asideFor(path, before, flaw).keep(s.file)
	}
	if err != nil {
		return err
	}
	text, err := render(entries)
	if err != nil {
		return fmt.Errorf("tool requests: %w", err)
	}
	if bytes.Equal(text, before) || before == nil && len(entries) == 0 {
		return nil
	}
	return s.write(path, text)
}
