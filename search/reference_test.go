package search

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu"
)

// reference searches as the package documentation has it and leaves nothing out:
// it looks at every tool, knows no index, and sorts whole lists.
type reference map[string]read

// read is a tool that was read: the parts of its name, and its terms.
type read struct {
	parts []string
	terms []struct {
		text string
		by   float32
	}
}

func (ref reference) add(tool gongu.Tool) {
	x := indexOf(tool)
	e := &x.tools[0]
	var r read
	for _, s := range e.ofName() {
		r.parts = append(r.parts, x.terms[s.id].text)
	}
	for _, s := range e.terms() {
		r.terms = append(r.terms, struct {
			text string
			by   float32
		}{x.terms[s.id].text, s.by})
	}
	ref[tool.Name] = r
}

// rarities are of all terms.
func (ref reference) rarities() map[string]float32 {
	having := map[string]int{}
	for _, r := range ref {
		for _, t := range r.terms {
			having[t.text]++
		}
	}
	all := map[string]float32{}
	for text, n := range having {
		all[text] = float32(math.Log(1 + (float64(len(ref))-float64(n)+.5)/(float64(n)+.5)))
	}
	return all
}

type referenceTerm struct {
	text    string
	weight  float32
	clauses map[int]bool
}

// query is the terms of a query that some tool has, in order.
func (ref reference) query(text string, rarities map[string]float32) (terms []*referenceTerm) {
	for _, stops := range []bool{false, true} {
		var w words
		want := func(text []byte, p part) {
			if _, ok := rarities[string(text)]; !ok {
				return
			}
			at := slices.IndexFunc(terms, func(t *referenceTerm) bool { return t.text == string(text) })
			if at < 0 {
				at = len(terms)
				terms = append(terms, &referenceTerm{text: string(text), clauses: map[int]bool{}})
			}
			t := terms[at]
			t.weight = max(t.weight, partWeights[p])
			t.clauses[min(w.clause, clauses-1)] = true
		}
		var before joint
		for w.reset(text[:min(len(text), longestQuery)]); w.next(); {
			if both, ok := before.join(&w); ok {
				want(both, joined)
			}
			if stop(w.word) == stops {
				parts(nil, w.word, w.dense, want)
			}
		}
		if len(terms) > 0 {
			break
		}
	}
	for _, t := range terms {
		t.weight *= rarities[t.text]
	}
	return terms
}

// bestOf is the largest of the sums over each clause.
func bestOf(sums map[int]float32) (best float32) {
	for _, sum := range sums {
		best = max(best, sum)
	}
	return best
}

type scored struct {
	name  string
	score float32
}

func (a scored) compare(b scored) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.name, b.name))
}

func (ref reference) search(query string, k int, keep func(string) bool) []Hit {
	query = strings.TrimSpace(query)
	rarities := ref.rarities()
	terms := ref.query(query, rarities)
	var list []scored
	for name, r := range ref {
		var sum float32
		for _, t := range terms {
			for _, has := range r.terms {
				if has.text == t.text {
					sum += float32(t.weight * has.by)
				}
			}
		}
		if sum > 0 && (keep == nil || keep(name)) {
			list = append(list, scored{name, sum})
		}
	}
	slices.SortFunc(list, scored.compare)
	head := list[:min(listed, len(list))]
	for i, c := range head {
		clause, share := ref[c.name].fit(terms, rarities)
		head[i].score = (c.score + cmp.Or(clause, c.score)) * (1 + nameShare*share)
	}
	slices.SortFunc(head, scored.compare)
	var first float32
	if len(list) > 0 {
		first = list[0].score
	}
	hits := []Hit{}
	_, named := ref[query]
	if named = named && (keep == nil || keep(query)); named {
		hits = append(hits, Hit{query, 1 + float64(first)})
	}
	for _, c := range list {
		if len(hits) < k && c.score >= weakest*first && !(named && c.name == query) {
			hits = append(hits, Hit{c.name, float64(c.score)})
		}
	}
	return hits
}

// fit is the sum over the best clause, zero if there is only one, and the share
// of the name that is mentioned.
func (r read) fit(terms []*referenceTerm, rarities map[string]float32) (clause, share float32) {
	all, sums, mentions, whole := map[int]bool{}, map[int]float32{}, map[int]float32{}, float32(0)
	byText := map[string]*referenceTerm{}
	for _, t := range terms {
		byText[t.text] = t
		maps.Copy(all, t.clauses)
	}
	for _, has := range r.terms {
		if t := byText[has.text]; t != nil {
			for in := range t.clauses {
				sums[in] += float32(t.weight * has.by)
			}
		}
	}
	for _, text := range r.parts {
		whole += rarities[text]
		if t := byText[text]; t != nil {
			for in := range t.clauses {
				mentions[in] += rarities[text]
			}
		}
	}
	if len(all) > 1 {
		clause = bestOf(sums)
	}
	if best := bestOf(mentions); best > 0 {
		share = best / whole
	}
	return clause, share
}

// crowd makes tools that differ little, so that many are equal, and that are
// more than are ever listed.
type crowd struct {
	*rand.Rand
	words []string
}

func newCrowd(seed uint64) crowd {
	words := strings.Fields("draw line circle get list file mail send the of finance financial finances play playlist github hub git 회의 예약 회의실 그림 a")
	for i := range 40 {
		words = append(words, fmt.Sprintf("rare%c%cword", 'a'+i%26, 'a'+i/26))
	}
	return crowd{rand.New(rand.NewPCG(seed, 1)), words}
}

// some are words, the first ones most often.
func (c crowd) some(n int, between string) string {
	var all []string
	for range n {
		f := c.Float64()
		all = append(all, c.words[int(f*f*float64(len(c.words)))])
	}
	return strings.Join(all, between)
}

func (c crowd) tool() gongu.Tool {
	t := gongu.Tool{Name: c.some(1+c.IntN(3), "_"), Description: c.some(c.IntN(6), " ")}
	if c.IntN(3) > 0 {
		t.Name += fmt.Sprintf("_%d", c.IntN(1000))
	}
	if c.IntN(4) == 0 {
		t.Keywords = []string{c.some(2, " ")}
	}
	return t
}

func (c crowd) query() string {
	var clauses []string
	for range 1 + c.IntN(3) {
		clauses = append(clauses, c.some(1+c.IntN(5), " "))
	}
	return strings.Join(clauses, ". ")
}

// Whatever a search leaves out to be quick, it finds what one finds that leaves
// nothing out, with the same scores, however the index came about.
func TestSearchLikeReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCrowd(rapid.Uint64().Draw(t, "seed"))
		var x Index
		ref := reference{}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			for range rapid.IntRange(0, 500).Draw(t, "added") {
				tool := c.tool()
				x.Add(tool)
				ref.add(tool)
			}
			names := slices.Sorted(maps.Keys(ref))
			for range min(len(names), rapid.IntRange(0, 200).Draw(t, "removed")) {
				name := names[c.IntN(len(names))]
				x.Remove(name)
				delete(ref, name)
			}
			for range 3 {
				query, k := c.query(), rapid.SampledFrom([]int{1, 2, 8, 10, listed - 1, listed, listed + 1, 90, 1000}).Draw(t, "k")
				var keep func(string) bool
				if share := rapid.IntRange(0, 3).Draw(t, "left out"); share > 0 {
					keep = func(name string) bool {
						h := fnv.New32a()
						fmt.Fprint(h, name)
						return h.Sum32()%4 >= uint32(share)
					}
				}
				if got, want := x.SearchFunc(query, k, keep), ref.search(query, k, keep); !slices.Equal(got, want) {
					t.Fatalf("the best %d of %d for %q\ngot  %v\nwant %v", k, x.Len(), query, got, want)
				}
			}
		}
	})
}

// A crowd of equals is told apart by name, without sorting all of it.
func TestSearchAmongEquals(t *testing.T) {
	var x Index
	ref := reference{}
	for i := range 3000 {
		tool := gongu.Tool{Name: fmt.Sprintf("paint_%04d", i*7919%3000), Description: "Paint a wall."}
		if i%100 == 0 {
			tool.Description = "Paint a wall of any colour."
		}
		x.Add(tool)
		ref.add(tool)
	}
	for _, k := range []int{1, 10, listed, 300} {
		for _, query := range []string{"paint a wall", "paint the colour", "paint"} {
			if got, want := x.Search(query, k), ref.search(query, k, nil); !slices.Equal(got, want) {
				t.Errorf("the best %d for %q\ngot  %v\nwant %v", k, query, got, want)
			}
		}
	}
}
