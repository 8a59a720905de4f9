package state

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Retention limits how long records of a kind are kept, and how much of them. A
// zero limit does not apply.
type Retention struct {
	Age   time.Duration
	Bytes int64
}

// retainer removes records of a kind, in steps: a long transaction would keep
// other writers waiting.
type retainer struct {
	// all does the whole work in place of the others.
	all func(s *Store, ctx context.Context, r Retention) (removed int64, err error)
	// expire removes at most n records that ended before a time of the store.
	expire func(ctx context.Context, tx *Tx, before int64, n int) (removed int64, err error)
	// size returns the bytes of all records, and shrink removes at most n, the
	// oldest first.
	size   func(ctx context.Context, tx *Tx) (int64, error)
	shrink func(ctx context.Context, tx *Tx, n int) (removed int64, err error)
}

// retainStep is how many records one transaction removes.
const retainStep = 200

// Retain removes the records of a kind that are older than r.Age, then the oldest
// ones until r.Bytes holds.
func (s *Store) Retain(ctx context.Context, kind string, r Retention) (removed int64, err error) {
	k, err := s.retainable(kind)
	if err != nil {
		return 0, err
	}
	if k.all != nil {
		return k.all(s, ctx, r)
	}
	if r.Age > 0 {
		removed, err = s.steps(ctx, func(ctx context.Context, tx *Tx) (int64, error) {
			now, err := tx.Now(ctx)
			if err != nil {
				return 0, err
			}
			return k.expire(ctx, tx, now-r.Age.Microseconds(), retainStep)
		})
	}
	if r.Bytes > 0 && err == nil {
		var more int64
		more, err = s.steps(ctx, func(ctx context.Context, tx *Tx) (int64, error) {
			size, err := k.size(ctx, tx)
			if err != nil || size <= r.Bytes {
				return 0, err
			}
			return k.shrink(ctx, tx, retainStep)
		})
		removed += more
	}
	if err != nil {
		return removed, fmt.Errorf("remove old records of %s: %w", kind, err)
	}
	return removed, nil
}

// steps repeats a step until it removes nothing.
func (s *Store) steps(ctx context.Context, step func(ctx context.Context, tx *Tx) (int64, error)) (total int64, err error) {
	for {
		var n int64
		err := s.Update(ctx, func(ctx context.Context, tx *Tx) (err error) {
			n, err = step(ctx, tx)
			return err
		})
		if err != nil || n == 0 {
			return total, err
		}
		total += n
	}
}

func (s *Store) retainable(kind string) (*retainer, error) {
	var names []string
	for _, k := range s.kinds {
		if k.retain == nil {
			continue
		}
		if k.name == kind {
			return k.retain, nil
		}
		names = append(names, k.name)
	}
	slices.Sort(names)
	return nil, lang.NewError(ErrInvalid, lang.StoreNoKind.With(kind), lang.StoreNoKindHint.With(strings.Join(names, ", ")))
}

// retainAll applies the limits of the options until ctx ends.
func (s *Store) retainAll(ctx context.Context) {
	timer := time.NewTicker(s.options.RetainEvery)
	defer timer.Stop()
	for {
		for _, kind := range slices.Sorted(maps.Keys(s.options.Retention)) {
			removed, err := s.Retain(ctx, kind, s.options.Retention[kind])
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				s.options.Logger.WarnContext(ctx, "old records were not removed", "kind", kind, "error", err)
			case removed > 0:
				s.options.Logger.InfoContext(ctx, "old records were removed", "kind", kind, "records", removed)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
	}
}
