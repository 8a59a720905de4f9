package toolrequest

import (
	"cmp"
	"slices"
)

// The limits of the archive. It is read and written as a whole, so they are far
// below maxRead.
const (
	maxArchived    = 10_000
	maxArchiveText = 64 << 20
)

// final reports whether the status of a request cannot change any more.
func (e *entry) final() bool { return e.Status == Rejected || e.Status == Fulfilled }

// forget removes the requests that were decided longest ago when there are too
// many or they are too large. It keeps those that wait for a person or for their
// tool, and the highest id, which must not be used again. It returns how many it
// removed, and keeps the order of the others.
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
