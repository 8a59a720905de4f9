package toolrequest

import (
	"cmp"
	"slices"
)

// What the archive may hold. It is written whole, and read whole by whoever
// asks for an old request, so it must end somewhere; far below what is read.
const (
	maxArchived    = 10_000
	maxArchiveText = 64 << 20
)

// final says that nothing can become of a request any more.
func (e *entry) final() bool { return e.Status == Rejected || e.Status == Fulfilled }

// forget lets go of those that were decided longest ago when there are too many
// or too much of them. What waits for a person or for its tool stays, and so
// does the highest id, which must not be given again. It returns how many went,
// and keeps the order of the others.
func forget(archived []*entry) (kept []*entry, gone int, err error) {
	size, high := 0, highest(archived)
	sizes := make(map[*entry]int, len(archived))
	for _, e := range archived {
		n := len(e.raw)
		if n == 0 {
			raw, err := e.encode()
			if err != nil {
				return nil, 0, err
			}
			n = len(raw)
		}
		sizes[e] = n
		size += n
	}
	many := len(archived)
	if many <= maxArchived && size <= maxArchiveText {
		return archived, 0, nil
	}
	oldest := slices.Clone(archived)
	slices.SortStableFunc(oldest, func(a, b *entry) int {
		return cmp.Or(a.ReviewedAt.Compare(b.ReviewedAt), older(&a.Request, &b.Request))
	})
	// A tenth more than must go, so that the next does not have to wait for this.
	forgotten := map[*entry]bool{}
	for _, e := range oldest {
		if many <= maxArchived/10*9 && size <= maxArchiveText/10*9 {
			break
		}
		if n, ours := numberOf(e.ID); !e.final() || ours && n == high {
			continue
		}
		forgotten[e] = true
		many--
		size -= sizes[e]
	}
	kept = slices.DeleteFunc(slices.Clone(archived), func(e *entry) bool { return forgotten[e] })
	return kept, len(forgotten), nil
}
