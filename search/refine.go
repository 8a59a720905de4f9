package search

import "math/bits"

// refine ranks the head of the list by clause and name. It only ever adds to a
// score, so the head stays the head. A tool that cannot come among the best k,
// however well clause and name fit, is left out.
func (x *Index) refine(r *ranking, k int) {
	// A clause has no more than the whole query; a little is for rounding.
	const most = 2.001
	var all uint64
	for _, t := range r.terms {
		all |= t.clauses
	}
	several := all&(all-1) != 0
	r.top = r.top[:0]
	head := r.list[:min(listed, len(r.list))]
	for _, c := range head {
		sum := c.score()
		least := float32(0)
		if len(r.top) == k {
			least = r.top[k-1].score()
		}
		if most*sum*(1+nameShare) < least {
			break // the sums only get smaller
		}
		name := 1 + nameShare*x.mentioned(r, c.slot())
		if most*sum*name < least {
			continue
		}
		clause := sum
		if several {
			clause = r.bestClause(&x.tools[c.slot()])
		}
		x.rise(r, candidateOf(c.slot(), (sum+clause)*name), k)
	}
	if k > len(head) {
		r.top = append(r.top, r.list[len(head):]...)
	}
}

// rise takes a tool in among the best k.
func (x *Index) rise(r *ranking, c candidate, k int) {
	if len(r.top) < k {
		r.top = append(r.top, c)
	} else if !x.better(c, r.top[k-1]) {
		return
	}
	i := len(r.top) - 1
	for ; i > 0 && x.better(c, r.top[i-1]); i-- {
		r.top[i] = r.top[i-1]
	}
	r.top[i] = c
}

// clauseSums adds up weights for each clause of the query.
type clauseSums struct {
	sums [clauses]float32
	best float32
}

// add counts a weight for every clause that has the term.
func (c *clauseSums) add(t *wanted, weight float32) {
	for in := t.clauses; in != 0; in &= in - 1 {
		sum := &c.sums[bits.TrailingZeros64(in)]
		*sum += weight
		if *sum > c.best {
			c.best = *sum
		}
	}
}

// bestClause returns the sum over the clause of the query that fits a tool best.
func (r *ranking) bestClause(e *entry) float32 {
	var sums clauseSums
	for _, s := range e.terms() {
		if t := r.term(s.id); t != nil {
			sums.add(t, float32(t.weight*s.by))
		}
	}
	return sums.best
}

// mentioned returns the share of a tool's name that one clause of the query has.
func (x *Index) mentioned(r *ranking, slot uint32) float32 {
	e := &x.tools[slot]
	var sums clauseSums
	for _, s := range e.ofName() {
		if t := r.term(s.id); t != nil {
			sums.add(t, t.rarity)
		}
	}
	if sums.best == 0 {
		return 0
	}
	whole := &r.names[slot]
	if *whole == 0 {
		for _, s := range e.ofName() {
			*whole += x.rarity(s.id)
		}
	}
	return sums.best / *whole
}

// term returns the term of the query that has the id, or nil.
func (r *ranking) term(id uint32) *wanted {
	if r.has[id/64]&(1<<(id%64)) == 0 {
		return nil
	}
	return &r.terms[r.at[id]]
}
