package search

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Hit is a tool that answers a query. Scores are for comparing the hits of one
// query; they mean nothing beyond it.
type Hit struct {
	Name  string
	Score float64
}

const (
	// longestQuery is as much of a query as is read, in bytes.
	longestQuery = 4 << 10
	// listed is how many of the best sums are ranked by clause and name.
	listed = 50
	// nameShare is how much a name that is mentioned whole adds to a score.
	nameShare = .8
	// weakest is the share of the best score that an answer must have.
	weakest = .1
	// clauses are told apart up to this number.
	clauses = 64
)

// ranking is the work space of one search.
type ranking struct {
	words  words
	key    []byte
	terms  []wanted
	at     []uint16  // by term: its place in terms, plus one; zero between searches
	scores []float32 // by slot; zero between searches
	list   []candidate
	finals []float32 // the best scores so far, while the list is refined
}

// wanted is a term of the query that some tool has.
type wanted struct {
	id      uint32
	weight  float32 // of the term in the query, then times its rarity
	clauses uint64  // a bit for each clause that has it
}

// candidate is a tool on the list.
type candidate struct {
	slot  uint32
	score float32
}

// better says whether a comes before b: by score and, of equals, by name.
func (x *Index) better(a, b candidate) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return x.tools[a.slot].name < x.tools[b.slot].name
}

// order is better for sorting; no two tools are equal.
func (x *Index) order(a, b candidate) int {
	if x.better(a, b) {
		return -1
	}
	return 1
}

// Search returns the k tools that answer a query best, best first. A tool whose
// name is the query itself comes first. The order depends on the tools in the
// index only, not on how they came there.
func (x *Index) Search(query string, k int) []Hit { return x.SearchFunc(query, k, nil) }

// SearchFunc is Search among the tools whose names keep wants; nil keeps all.
// It must not change the index.
func (x *Index) SearchFunc(query string, k int, keep func(name string) bool) []Hit {
	query = strings.TrimSpace(query)
	if k <= 0 || query == "" {
		return nil
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	r, ok := x.searches.Get().(*ranking)
	if !ok {
		r = new(ranking)
	}
	x.want(r, query)
	x.sum(r)
	x.best(r, max(k, listed), keep)
	x.refine(r, k)
	hits := x.hits(r, query, k, keep)
	r.finish()
	x.searches.Put(r) // not deferred: after a panic of keep it is not clean
	return hits
}

// want looks up the terms of the query. Stop words count when there is nothing
// else.
func (x *Index) want(r *ranking, query string) {
	r.terms = r.terms[:0]
	r.at = append(r.at, make([]uint16, max(0, len(x.terms)-len(r.at)))...)
	query = query[:min(len(query), longestQuery)]
	for _, stops := range [...]bool{false, true} {
		var before joint
		r.words.reset(query)
		for r.words.next() {
			if both, ok := before.join(&r.words); ok {
				x.wantTerm(r, both, joined)
			}
			if stop(r.words.word) != stops {
				continue
			}
			r.key = parts(r.key, r.words.word, r.words.dense, func(text []byte, p part) {
				x.wantTerm(r, text, p)
			})
		}
		if len(r.terms) > 0 {
			break
		}
	}
	for i := range r.terms {
		r.terms[i].weight *= x.rarity(r.terms[i].id)
	}
}

func (x *Index) wantTerm(r *ranking, text []byte, p part) {
	id, ok := x.ids[string(text)]
	if !ok {
		return
	}
	clause := uint64(1) << min(r.words.clause, clauses-1)
	if i := r.at[id]; i > 0 {
		t := &r.terms[i-1]
		t.weight = max(t.weight, partWeights[p])
		t.clauses |= clause
		return
	}
	r.terms = append(r.terms, wanted{id, partWeights[p], clause})
	r.at[id] = uint16(len(r.terms))
}

// rarity says how much a term tells tools apart.
func (x *Index) rarity(id uint32) float32 {
	all, having := float64(len(x.slots)), float64(len(x.terms[id].tools))
	return float32(math.Log(1 + (all-having+.5)/(having+.5)))
}

// sum adds up the terms of the query for every tool. The terms come in the
// order of the query, so that a sum is the same on every machine.
func (x *Index) sum(r *ranking) {
	r.scores = append(r.scores, make([]float32, max(0, len(x.tools)-len(r.scores)))...)
	for _, t := range r.terms {
		for _, s := range x.terms[t.id].tools {
			r.scores[s.id] += float32(t.weight * s.by)
		}
	}
}

// best lists the n tools with the highest sums. Until the end the list is a
// heap with the worst on top.
func (x *Index) best(r *ranking, n int, keep func(string) bool) {
	r.list = r.list[:0]
	scores := r.scores[:len(x.tools)]
	least := float32(math.SmallestNonzeroFloat32)
	for slot, score := range scores {
		if score < least {
			continue
		}
		c := candidate{uint32(slot), score}
		full := len(r.list) == n
		if full && !x.better(c, r.list[0]) || keep != nil && !keep(x.tools[slot].name) {
			continue
		}
		if full {
			r.list[0] = c
			x.sink(r.list)
		} else {
			r.list = append(r.list, c)
			x.rise(r.list)
		}
		if len(r.list) == n {
			least = r.list[0].score
		}
	}
	clear(scores)
	if len(r.list) > listed { // else refine sorts all there is
		slices.SortFunc(r.list, x.order)
	}
}

// rise moves the last of a heap up to its place.
func (x *Index) rise(heap []candidate) {
	for i := len(heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !x.better(heap[up], heap[i]) {
			return
		}
		heap[i], heap[up] = heap[up], heap[i]
		i = up
	}
}

// sink moves the first of a heap down to its place.
func (x *Index) sink(heap []candidate) {
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(heap) {
			return
		}
		if down+1 < len(heap) && x.better(heap[down], heap[down+1]) {
			down++
		}
		if !x.better(heap[i], heap[down]) {
			return
		}
		heap[i], heap[down] = heap[down], heap[i]
		i = down
	}
}

// refine ranks the head of the list by clause and name. It only ever adds to a
// score, so the head stays the head. A tool that cannot come among the best k,
// however well clause and name fit, keeps its sum.
func (x *Index) refine(r *ranking, k int) {
	// A clause has no more than the whole query; a little is for rounding.
	const most = 2.001
	head := r.list[:min(listed, len(r.list))]
	slices.SortFunc(head, x.order)
	var all uint64
	for _, t := range r.terms {
		all |= t.clauses
	}
	r.finals = r.finals[:0]
	for i := range head {
		c := &head[i]
		e := &x.tools[c.slot]
		least := r.least(k)
		if most*c.score*(1+nameShare) < least {
			break // the sums only get smaller
		}
		name := 1 + nameShare*x.mentioned(r, e)
		if most*c.score*name < least {
			continue
		}
		clause := c.score
		if all&(all-1) != 0 {
			clause = r.bestClause(e)
		}
		c.score = (c.score + clause) * name
		r.keep(c.score, k)
	}
	slices.SortFunc(head, x.order)
}

// least is what a score must reach to be among the best k so far.
func (r *ranking) least(k int) float32 {
	if len(r.finals) < k {
		return 0
	}
	return r.finals[k-1]
}

// keep takes a score in among the best k, which are in descending order.
func (r *ranking) keep(score float32, k int) {
	if len(r.finals) < k {
		r.finals = append(r.finals, score)
	} else if score <= r.finals[k-1] {
		return
	}
	i := len(r.finals) - 1
	for ; i > 0 && r.finals[i-1] < score; i-- {
		r.finals[i] = r.finals[i-1]
	}
	r.finals[i] = score
}

// bestClause is the sum over the clause of the query that fits a tool best.
func (r *ranking) bestClause(e *entry) float32 {
	var sums [clauses]float32
	var best float32
	for _, s := range e.terms {
		i := r.at[s.id]
		if i == 0 {
			continue
		}
		t := &r.terms[i-1]
		for in := t.clauses; in != 0; in &= in - 1 {
			sum := &sums[bits.TrailingZeros64(in)]
			*sum += float32(t.weight * s.by)
			best = max(best, *sum)
		}
	}
	return best
}

// mentioned is the share of a tool's name that one clause of the query has.
func (x *Index) mentioned(r *ranking, e *entry) float32 {
	var sums [clauses]float32
	var best, whole float32
	for _, id := range e.parts {
		i := r.at[id]
		if i == 0 {
			continue
		}
		rarity := x.rarity(id)
		for in := r.terms[i-1].clauses; in != 0; in &= in - 1 {
			sum := &sums[bits.TrailingZeros64(in)]
			*sum += rarity
			best = max(best, *sum)
		}
	}
	if best == 0 {
		return 0
	}
	for _, id := range e.parts {
		whole += x.rarity(id)
	}
	return best / whole
}

// finish leaves the work space as the next search expects it.
func (r *ranking) finish() {
	for _, t := range r.terms {
		r.at[t.id] = 0
	}
}

// hits is the answer: the list, after the tool that the query names.
func (x *Index) hits(r *ranking, query string, k int, keep func(string) bool) []Hit {
	named := -1
	if slot, ok := x.slots[query]; ok && (keep == nil || keep(query)) {
		named = int(slot)
	}
	hits := make([]Hit, 0, min(k, len(r.list)+1))
	if named >= 0 {
		first := Hit{Name: x.tools[named].name, Score: 1}
		if len(r.list) > 0 {
			first.Score += float64(r.list[0].score)
		}
		hits = append(hits, first)
	}
	for _, c := range r.list {
		if len(hits) == k || c.score < weakest*r.list[0].score {
			break
		}
		if int(c.slot) != named {
			hits = append(hits, Hit{x.tools[c.slot].name, float64(c.score)})
		}
	}
	return hits
}
