package audit

import (
	"context"
	"errors"
	"slices"

	"github.com/gongu-ai/gongu/state"
)

// Newest returns up to most rows that a filter selects, up to the one with the number
// last, the oldest first.
func Newest(ctx context.Context, store *state.Store, f state.AuditFilter, last int64, most int) ([]*state.AuditRow, error) {
	if most <= 0 || last < 0 {
		return nil, nil
	}
	f.Before = last + 1
	rows, _, err := Rows(ctx, store, f, most)
	slices.Reverse(rows)
	return rows, err
}

// followRows is how many rows are read at a time.
const followRows = 200

// Follow passes on the rows after the one with the number last that a filter selects,
// as they are recorded, until ctx ends. A store that is unavailable may come back.
func Follow(ctx context.Context, store *state.Store, f state.AuditFilter, last int64, each func([]*state.AuditRow) error) error {
	changed := store.Watch(ctx, state.AuditFeed)
	for ctx.Err() == nil {
		rows, err := store.AuditAfter(ctx, last, followRows)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, state.ErrUnavailable):
		case err != nil:
			return err
		}
		if len(rows) > 0 {
			last = rows[len(rows)-1].Seq
			wanted := slices.DeleteFunc(slices.Clone(rows), func(r *state.AuditRow) bool { return !f.Matches(r) })
			if err := each(wanted); err != nil {
				return err
			}
		}
		if len(rows) == followRows {
			continue
		}
		if _, open := <-changed; !open {
			return nil
		}
	}
	return nil
}
