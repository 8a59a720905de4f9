package search

import (
	"math"
	"slices"
	"strings"
)

// candidate is a tool on a list and its score, in one number: the smaller the
// number, the better the score. Scores are not negative, and such floats are in
// the order of their bits.
type candidate uint64

func candidateOf(slot uint32, score float32) candidate {
	return candidate(^math.Float32bits(score))<<32 | candidate(slot)
}

func (c candidate) slot() uint32 { return uint32(c) }

func (c candidate) score() float32 { return math.Float32frombits(^uint32(c >> 32)) }

// better says whether a comes before b: by score and, of equals, by name.
func (x *Index) better(a, b candidate) bool {
	if a>>32 != b>>32 {
		return a < b
	}
	return x.tools[a.slot()].name < x.tools[b.slot()].name
}

// best lists the n tools with the highest sums, best first, and clears the
// sums. It goes through the terms from the heaviest on and gathers the tools
// that have them. Whenever there are several times n it drops all but the
// best, the last of which any other must reach; that is less work than keeping
// order all the time. Names decide among equals, and are compared at the end
// only, unless there are very many. It ends where the terms that are left
// cannot make up such a sum any more: a tool that has only those is none of the
// best.
func (x *Index) best(r *ranking, n int, keep func(string) bool) {
	const room = 4
	r.byWeight()
	list, scores := r.list[:0], r.scores[:len(x.tools)]
	least, last := float32(math.SmallestNonzeroFloat32), candidate(0)
	for _, h := range r.heaviest {
		t := &r.terms[h.slot()]
		if t.rest < least {
			break
		}
		for _, s := range t.tools {
			score := scores[s.id]
			if score < least {
				continue
			}
			scores[s.id] = 0 // not to be met again
			c := candidateOf(s.id, score)
			if last != 0 && !x.better(c, last) || keep != nil && !keep(x.tools[s.id].name) {
				continue
			}
			if list = append(list, c); len(list) < room*n {
				continue
			}
			if list = choose(list, n); len(list) > room/2*n {
				list = x.sorted(list)[:n]
				last = list[n-1]
			}
			least = list[n-1].score()
		}
	}
	clear(scores)
	if len(list) > n {
		list = choose(list, n)
	}
	r.list = x.sorted(list)[:min(n, len(list))]
}

// sorted puts a list in order, best first.
func (x *Index) sorted(list []candidate) []candidate {
	slices.Sort(list)
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j]>>32 == list[i]>>32 {
			j++
		}
		if equals := list[i:j]; len(equals) > 1 {
			slices.SortFunc(equals, func(a, b candidate) int {
				return strings.Compare(x.tools[a.slot()].name, x.tools[b.slot()].name)
			})
		}
		i = j
	}
	return list
}

// choose returns the n best of a list of more, and those that are as good as
// the last of them, which is in the place n-1. Names are not looked at.
func choose(list []candidate, n int) []candidate {
	slices.Sort(list)
	last := list[n-1] >> 32
	for n < len(list) && list[n]>>32 == last {
		n++
	}
	return list[:n]
}

// byWeight puts the terms of the query in order, the heaviest first, and works
// out the most that a tool can have of each and of those after it.
func (r *ranking) byWeight() {
	r.heaviest = r.heaviest[:0]
	for i := range r.terms {
		r.heaviest = append(r.heaviest, candidateOf(uint32(i), r.terms[i].weight))
	}
	slices.Sort(r.heaviest)
	// A strength is below one. A little is for rounding, which depends on the
	// order that is added in.
	const rounding = 1.001
	var rest float32
	for _, h := range slices.Backward(r.heaviest) {
		t := &r.terms[h.slot()]
		rest += t.weight
		t.rest = rest * rounding
	}
}
