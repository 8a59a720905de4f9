package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
)

// bm25 is the method as textbooks have it, with k1 1.2 and b 0.75: names split,
// Porter's stems, one list of tools for each word. It cannot be changed: what a
// tool scores depends on the average length of all.
type bm25 struct {
	names  []string
	lists  map[string][]posting
	scores []float32
	stem   *porter.PorterStemmer
	// stops are words to leave out; nil leaves none out.
	stops analysis.TokenMap
}

// posting is a tool that has a word; by is what the word adds to its score
// beside the rarity.
type posting struct {
	tool uint32
	by   float32
}

func newBM25(docs []document, withoutStops bool) (*bm25, error) {
	const k1, b = 1.2, 0.75
	x := &bm25{lists: map[string][]posting{}, scores: make([]float32, len(docs)), stem: porter.NewPorterStemmer()}
	if withoutStops {
		x.stops = analysis.NewTokenMap()
		if err := x.stops.LoadBytes(en.EnglishStopWords); err != nil {
			return nil, err
		}
	}
	lengths, mean := make([]float64, len(docs)), 0.0
	for i := range docs {
		words := x.words(docs[i].split)
		lengths[i] = float64(len(words))
		mean += lengths[i] / float64(len(docs))
		counts := map[string]float32{}
		for _, w := range words {
			counts[w]++
		}
		for w, n := range counts {
			x.lists[w] = append(x.lists[w], posting{uint32(i), n})
		}
		x.names = append(x.names, docs[i].tool.Name)
	}
	for _, list := range x.lists {
		for i, p := range list {
			n := float64(p.by)
			list[i].by = float32(n * (k1 + 1) / (n + k1*(1-b+b*lengths[p.tool]/mean)))
		}
	}
	return x, nil
}

// words are the stems of a text.
func (x *bm25) words(text string) []string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	stems := fields[:0]
	var token analysis.Token
	stream := analysis.TokenStream{&token}
	for _, word := range fields {
		if x.stops[word] {
			continue
		}
		token.Term = []byte(word)
		stems = append(stems, string(x.stem.Filter(stream)[0].Term))
	}
	return stems
}

func (x *bm25) search(query string, k int) ([]string, error) {
	words := x.words(query)
	slices.Sort(words)
	for _, w := range slices.Compact(words) {
		list := x.lists[w]
		all, having := float64(len(x.names)), float64(len(list))
		rarity := float32(math.Log(1 + (all-having+0.5)/(having+0.5)))
		for _, p := range list {
			x.scores[p.tool] += rarity * p.by
		}
	}
	best := make([]posting, 0, k+1)
	least := float32(0)
	for i, score := range x.scores {
		if score <= least {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, score, func(p posting, s float32) int { return cmp.Compare(s, p.by) })
		for at < len(best) && best[at].by == score { // the first of equals stays first
			at++
		}
		best = slices.Insert(best, at, posting{uint32(i), score})
		if len(best) > k {
			best = best[:k]
			least = best[k-1].by
		}
	}
	clear(x.scores)
	names := make([]string, 0, k)
	for _, p := range best {
		names = append(names, x.names[p.tool])
	}
	return names, nil
}

func (x *bm25) close() error { return nil }
