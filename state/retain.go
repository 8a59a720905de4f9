package state

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
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

const (
	// retainStep is how many records one transaction removes.
	retainStep = 200
	// shrinkStep is how many it removes near the limit of size, so that little more
	// than needed goes.
	shrinkStep = 20
)

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
			if size > 2*r.Bytes {
				return k.shrink(ctx, tx, retainStep)
			}
			return k.shrink(ctx, tx, shrinkStep)
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

// DefaultRetention returns the limits of gongu serve, by kind of record.
func DefaultRetention() map[string]Retention {
	const day = 24 * time.Hour
	return map[string]Retention{
		"calls":     {Age: 7 * day, Bytes: 512 << 20},
		"approvals": {Age: 90 * day, Bytes: 512 << 20},
		"audit":     {Age: 90 * day, Bytes: 2 << 30},
	}
}

// limits are those of [Store.KeepWithin].
type limits struct {
	mu      sync.Mutex
	by      map[string]Retention
	running bool
}

// KeepWithin applies limits by kind of record in the background until Close, as
// [Store.Retain] does. The limits of a later call replace them. Nil means
// [DefaultRetention]; without KeepWithin nothing is removed.
func (s *Store) KeepWithin(by map[string]Retention) error {
	if by == nil {
		by = DefaultRetention()
	}
	for kind := range by {
		if _, err := s.retainable(kind); err != nil {
			return err
		}
	}
	s.limits.mu.Lock()
	defer s.limits.mu.Unlock()
	s.limits.by = maps.Clone(by)
	if !s.limits.running {
		s.limits.running = s.start(func() { s.retainAll(s.background) })
	}
	return nil
}

// firstRetain is when a new server begins to remove records: not while it starts.
const firstRetain = time.Minute

func (s *Store) retainAll(ctx context.Context) {
	for wait := min(firstRetain, s.options.RetainEvery); ; wait = s.options.RetainEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		s.limits.mu.Lock()
		by := s.limits.by
		s.limits.mu.Unlock()
		for _, kind := range slices.Sorted(maps.Keys(by)) {
			removed, err := s.Retain(ctx, kind, by[kind])
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				s.options.Logger.WarnContext(ctx, "old records were not removed", "kind", kind, "error", err)
			case removed > 0:
				s.options.Logger.InfoContext(ctx, "old records were removed", "kind", kind, "records", removed)
			}
		}
	}
}
