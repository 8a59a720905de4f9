// Package near finds the names that a wrong name was probably meant to be, for
// the "did you mean" part of an error that a model or a person reads.
//
// A wrong name is rarely a slip of the finger only. Models drop or invent a
// namespace, write camelCase for snake_case, reorder words, shorten them, or
// take another verb; people type Korean in the wrong input mode. So names are
// first folded to lower-case keys and words (fold.go) and then compared in two
// steps: a count of shared key pairs over all candidates, cheap enough for
// 100,000 of them, keeps a short list, and the similarity in score.go ranks
// that list. What stays under a fixed floor is not suggested: no suggestion is
// better than one that sends the reader astray.
//
// The package holds no state, and its answer depends on the set of candidates
// only, not on their order.
package near

import (
	"cmp"
	"iter"
	"slices"
)

const (
	// maxNames is the most that is ever suggested: a reader with more than
	// three choices should search instead.
	maxNames = 3
	// listed is the length of the short list. The name that was meant is
	// nearly always among the first ten; the rest is margin for large catalogs
	// of names that look alike.
	listed = 64
	// floor is the similarity, in thousandths, below which nothing is suggested.
	floor = 500
)

// entry is a candidate on the short list.
type entry struct {
	name  string
	score int // higher is nearer
	raw   int // distance as spelled, to break ties
}

// order sorts the nearest first. Names that fold alike are ordered by their
// spelling, so that send_mesage finds send_message before sendMessage; the name
// itself is last, which makes the order total.
func order(a, b entry) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.raw, b.raw), cmp.Compare(a.name, b.name))
}

// Names returns at most limit, and never more than three, of the candidates
// that are near to name, best first; none when nothing is near. The result does
// not depend on the order of the candidates.
func Names(name string, candidates iter.Seq[string], limit int) []string {
	limit = min(limit, maxNames)
	var query, candidate folded
	query.fold(name)
	if limit <= 0 || query.n == 0 || candidates == nil {
		return nil
	}
	list := shortlist(&query, candidates)
	near := list[:0]
	for _, e := range list {
		candidate.fold(e.name)
		e.score = similarity(&query, &candidate)
		if e.score >= floor {
			e.raw = distance(cut(name), cut(e.name))
			near = append(near, e)
		}
	}
	if len(near) == 0 {
		return nil
	}
	slices.SortFunc(near, order)
	names := make([]string, 0, maxNames)
	for _, e := range near[:min(limit, len(near))] {
		names = append(names, e.name)
	}
	return names
}

// shortlist returns the candidates that share most key pairs with the query,
// without duplicates. This runs over every candidate and allocates once.
func shortlist(query *folded, candidates iter.Seq[string]) []entry {
	var asked pairs
	asked.add(query.keys[:query.n])
	list := make([]entry, 0, 2*listed)
	var last entry // the worst that is still on the list, once it is full
	var c folded
	for name := range candidates {
		c.fold(name)
		shared := min(asked.count(c.keys[:c.n]), query.n+1)
		if shared < 2 {
			continue
		}
		// Pairs of the query count twice as much as those of the candidate: a
		// name may well leave words out, but seldom invents most of them.
		e := entry{name: name, score: (shared << 16) / (2*(query.n+1) + c.n + 1)}
		if last.score > 0 && order(e, last) >= 0 {
			continue
		}
		list = append(list, e)
		if len(list) == 2*listed {
			list = best(list)
			if len(list) == listed {
				last = list[listed-1]
			}
		}
	}
	return best(list)
}

// best sorts entries, drops duplicates and keeps what fits on the list.
func best(list []entry) []entry {
	slices.SortFunc(list, order)
	list = slices.Compact(list)
	return list[:min(listed, len(list))]
}

// pairs is a set of two adjacent keys, one bit for each possible pair.
type pairs [1 << 16 / 64]uint64

// add puts the pairs of a text into the set. Key 0 is assumed before and after the
// text, so that its first and last key weigh as much as the others.
func (p *pairs) add(text []byte) {
	var pair uint16
	for _, k := range text {
		pair = pair<<8 | uint16(k)
		p[pair/64] |= 1 << (pair % 64)
	}
	pair <<= 8
	p[pair/64] |= 1 << (pair % 64)
}

// count says how many pairs of a text are in the set.
func (p *pairs) count(text []byte) int {
	var pair uint16
	var n uint64
	for _, k := range text {
		pair = pair<<8 | uint16(k)
		n += p[pair/64] >> (pair % 64) & 1
	}
	pair <<= 8
	n += p[pair/64] >> (pair % 64) & 1
	return int(n)
}
