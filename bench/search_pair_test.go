package main

import (
	"slices"
	"testing"
	"time"
)

// besidePlain are our index and plain BM25, alone.
func besidePlain() []searchMaker {
	return slices.DeleteFunc(searchers(), func(m searchMaker) bool { return m.name != oursName && m.name != plainName })
}

// BenchmarkSearchBesidePlain measures what the gate beside plain BM25 is about,
// among 10,000 tools, in two ways: in turns, as the gate does, and query by
// query, so that whatever else the machine does hits both alike and each finds
// the caches full of what the other needs.
func BenchmarkSearchBesidePlain(b *testing.B) {
	c, err := newSearchCorpus(searchDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("turns", func(b *testing.B) {
		for b.Loop() {
			run, err := runSearches(c, searchSize{tools: 10_000, rounds: 8, queries: 75}, besidePlain())
			if err != nil {
				b.Fatal(err)
			}
			report(b, run.p50(oursName), run.p50(plainName), 1/run.ratio(plainName))
		}
	})
	b.Run("queries", func(b *testing.B) {
		docs := c.documents(10_000)
		var pair [2]searcher
		for i, m := range besidePlain() {
			if pair[i], err = m.build(docs); err != nil {
				b.Fatal(err)
			}
		}
		var took [2][]float64
		for n := 0; b.Loop(); n++ {
			query := c.queries[n%len(c.queries)].text
			for turn := range pair {
				i := (turn + n) % len(pair)
				start := time.Now()
				if _, err := pair[i].search(query, 10); err != nil {
					b.Fatal(err)
				}
				took[i] = append(took[i], float64(time.Since(start)))
			}
		}
		ours, plain := spreadOf(took[0]).median, spreadOf(took[1]).median
		report(b, ours, plain, ours/plain)
	})
}

func report(b *testing.B, ours, plain, ratio float64) {
	b.ReportMetric(ours/1e3, "gongu-µs")
	b.ReportMetric(plain/1e3, "plain-µs")
	b.ReportMetric(ratio, "ratio")
}
