package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// searchRun is everybody's searches among one number of tools.
type searchRun struct {
	size     searchSize
	makers   []searchMaker
	indexes  []searcher
	docs     []document
	all      [][]float64   // nanoseconds by searcher
	sets     [][][]float64 // by searcher and set
	perRound [][]float64   // p50 by searcher and round
}

// runSearches asks everybody the same queries, in turns.
func runSearches(c *searchCorpus, size searchSize, makers []searchMaker) (*searchRun, error) {
	r := &searchRun{size: size, makers: makers, docs: c.documents(size.tools)}
	for _, m := range makers {
		x, err := m.build(r.docs)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", m.name, err), r.close())
		}
		r.indexes = append(r.indexes, x)
	}
	r.all, r.perRound = make([][]float64, len(makers)), make([][]float64, len(makers))
	r.sets = make([][][]float64, len(makers))
	for i := range r.sets {
		r.sets[i] = make([][]float64, len(searchSets))
	}
	for round := range size.rounds {
		queries := make([]setQuery, size.queries)
		for i := range queries {
			queries[i] = c.queries[(round*size.queries+i)%len(c.queries)]
		}
		for _, i := range order(round, len(makers)) {
			if err := r.turn(i, queries); err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", makers[i].name, err), r.close())
			}
		}
	}
	return r, nil
}

// turn asks one of them all queries of a round. The garbage of the one before
// is collected first, and a few queries warm the caches.
func (r *searchRun) turn(i int, queries []setQuery) error {
	const k, warm = 10, 3
	runtime.GC()
	for _, q := range queries[max(0, len(queries)-warm):] {
		if _, err := r.indexes[i].search(q.text, k); err != nil {
			return err
		}
	}
	var took []float64
	for _, q := range queries {
		start := time.Now()
		_, err := r.indexes[i].search(q.text, k)
		ns := float64(time.Since(start))
		if err != nil {
			return err
		}
		took = append(took, ns)
		r.sets[i][q.set] = append(r.sets[i][q.set], ns)
	}
	r.all[i] = append(r.all[i], took...)
	r.perRound[i] = append(r.perRound[i], spreadOf(took).median)
	return nil
}

func (r *searchRun) at(name string) int {
	return slices.IndexFunc(r.makers, func(m searchMaker) bool { return m.name == name })
}

func (r *searchRun) p50(name string) float64 { return spreadOf(r.all[r.at(name)]).median }

// ratio compares one of them with ours, round by round.
func (r *searchRun) ratio(name string) float64 {
	ours, other := r.perRound[r.at(oursName)], r.perRound[r.at(name)]
	ratios := make([]float64, len(ours))
	for round := range ratios {
		ratios[round] = other[round] / ours[round]
	}
	return spreadOf(ratios).median
}

func (r *searchRun) rows() string {
	var b strings.Builder
	for i, m := range r.makers {
		sorted := slices.Sorted(slices.Values(r.all[i]))
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", count(r.size.tools), m.name,
			duration(quantile(sorted, 0.5)), duration(quantile(sorted, 0.99)), times(r.ratio(m.name)), m.note)
	}
	return b.String()
}

// bySet shows how much depends on what is asked.
func (r *searchRun) bySet() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe same among %s tools for the queries of each set, p50: seal asks in several sentences, metatool in one; funcchat_ko asks in Korean, of which bleve and BM25 look up whole words only, and find little.\n\n", count(r.size.tools))
	fmt.Fprintf(&b, "| p50 | %s |\n|---|%s\n", strings.Join(searchSets, " | "), strings.Repeat("---:|", len(searchSets)))
	for i, m := range r.makers {
		fmt.Fprintf(&b, "| %s |", m.name)
		for _, took := range r.sets[i] {
			cell := "–"
			if len(took) > 0 {
				cell = duration(spreadOf(took).median)
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (r *searchRun) close() error {
	var all error
	for _, x := range r.indexes {
		all = errors.Join(all, x.close())
	}
	r.indexes = nil
	return all
}

// measureIndexing is making the index of all tools, everybody in turns.
func measureIndexing(docs []document, rounds int) ([]measured, error) {
	var subjects []subject
	for _, m := range searchers() {
		var made searcher
		subjects = append(subjects, subject{name: m.name, against: standardName,
			run: func(int) (err error) {
				made, err = m.build(docs)
				return err
			},
			reset: func() {
				if made != nil {
					_ = made.close() // it was in memory
					made = nil
				}
			},
		})
	}
	return takeTurns(subjects, rounds, 1)
}

func changeName(what, who string) string { return what + " one: " + who }

// measureChanges removes and adds single tools, and undoes it off the clock.
func measureChanges(run *searchRun, sp searchPlan) ([]measured, error) {
	var adds, removes []subject
	var changes []*change
	for i, m := range run.makers {
		x, ok := run.indexes[i].(changer)
		if !ok {
			continue
		}
		c := &change{index: x, docs: run.docs}
		changes = append(changes, c)
		removes = append(removes, subject{
			name: changeName("remove", m.name), against: changeName("remove", standardName),
			run: c.remove, reset: c.restore,
		})
		adds = append(adds, subject{
			name: changeName("add", m.name), against: changeName("add", standardName),
			run:   func(int) error { return c.add() },
			reset: func() { c.err = errors.Join(c.err, c.remove(sp.change)) },
		})
	}
	removed, err := takeTurns(removes, sp.changes, sp.change)
	if err != nil {
		return nil, err
	}
	for _, c := range changes { // the first to be added
		if err := c.remove(sp.change); err != nil {
			return nil, err
		}
	}
	added, err := takeTurns(adds, sp.changes, sp.change)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if err := errors.Join(c.err, c.add()); err != nil {
			return nil, err
		}
	}
	return append(added, removed...), nil
}

// change takes tools from all over an index and puts them back.
type change struct {
	index changer
	docs  []document
	next  int
	out   []*document
	err   error // of what was done off the clock
}

func (c *change) remove(n int) error {
	for range n {
		d := &c.docs[c.next*7919%len(c.docs)]
		c.next++
		c.out = append(c.out, d)
		if err := c.index.remove(d.tool.Name); err != nil {
			return err
		}
	}
	return nil
}

func (c *change) add() error {
	for _, d := range c.out {
		if err := c.index.add(d); err != nil {
			return err
		}
	}
	c.out = c.out[:0]
	return nil
}

func (c *change) restore() { c.err = errors.Join(c.err, c.add()) }

// takeTurns measures n operations of each subject in every round. Unlike a
// pace it tries nothing out before: an index is too dear for that.
func takeTurns(subjects []subject, rounds, n int) ([]measured, error) {
	var m meter
	samples := make([][]sample, len(subjects))
	for round := range rounds {
		for _, i := range order(round, len(subjects)) {
			got, err := m.take(&subjects[i], n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", subjects[i].name, err)
			}
			samples[i] = append(samples[i], got)
		}
	}
	return summarise(subjects, samples)
}
