package search

import (
	"math"
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
	// clauses are distinguished up to this number.
	clauses = 64
)

// ranking is the work space of one search.
type ranking struct {
	query    query
	terms    []wanted
	has      []uint64    // by term: a bit for each that is in terms; zero between searches
	at       []uint16    // by term: its place in terms, if it is there
	scores   []float32   // by slot; zero between searches
	heaviest []candidate // the terms
	list     []candidate // the best sums
	top      []candidate // the answer
	// names are the rarities of the terms of a name, added up, by slot; zero is
	// yet to be worked out. They hold as long as the index is not changed.
	names    []float32
	revision uint64
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
	if len(x.slots) == 0 {
		return []Hit{}
	}
	r, ok := x.searches.Get().(*ranking)
	if !ok {
		r = new(ranking)
	}
	r.fit(x)
	x.want(r, query)
	x.sum(r)
	x.best(r, min(max(k, listed), len(x.tools)), keep)
	x.refine(r, k)
	hits := x.hits(r, query, k, keep)
	r.finish()
	x.searches.Put(r) // not deferred: after a panic of keep it is not clean
	return hits
}

// fit makes the work space as large as the index is, and forgets what has
// changed since the last search.
func (r *ranking) fit(x *Index) {
	if r.revision == x.revision {
		return
	}
	r.revision = x.revision
	r.has = grown(r.has, (len(x.terms)+63)/64)
	r.at = grown(r.at, len(x.terms))
	r.scores = grown(r.scores, len(x.tools))
	clear(r.names)
	r.names = grown(r.names, len(x.tools))
}

func grown[T any](list []T, n int) []T {
	return append(list, make([]T, max(0, n-len(list)))...)
}

// rarity says how much a term tells tools apart.
func (x *Index) rarity(id uint32) float32 {
	all, having := float64(len(x.slots)), float64(len(x.terms[id].tools))
	return float32(math.Log(1 + (all-having+.5)/(having+.5)))
}

// sum adds up the terms of the query for every tool. The terms come in the
// order of the query, so that a sum is the same on every machine.
func (x *Index) sum(r *ranking) {
	scores := r.scores[:len(x.tools)]
	for _, t := range r.terms {
		for _, s := range t.tools {
			scores[s.id] += float32(t.weight * s.by)
		}
	}
}

// finish leaves the work space as the next search expects it.
func (r *ranking) finish() {
	for _, t := range r.terms {
		r.has[t.id/64] = 0
	}
	clear(r.terms) // they hold on to lists of the index
}

// hits returns the answer: the tool that the query names, then the list.
func (x *Index) hits(r *ranking, query string, k int, keep func(string) bool) []Hit {
	named := -1
	if slot, ok := x.slots[query]; ok && (keep == nil || keep(query)) {
		named = int(slot)
	}
	hits := make([]Hit, 0, min(k, len(r.top)+1))
	var best float32
	if len(r.top) > 0 {
		best = r.top[0].score()
	}
	if named >= 0 {
		hits = append(hits, Hit{x.tools[named].name, 1 + float64(best)})
	}
	for _, c := range r.top {
		if len(hits) == k || c.score() < weakest*best {
			break
		}
		if int(c.slot()) != named {
			hits = append(hits, Hit{x.tools[c.slot()].name, float64(c.score())})
		}
	}
	return hits
}
