package main

import (
	"errors"
	"fmt"

	"github.com/gongu-ai/gongu"
)

// lookupGate is the most that a look-up among this many tools may take, in ns;
// zero is no gate.
func lookupGate(tools int) float64 {
	switch tools {
	case 1_000:
		return 100
	case 100_000:
		return 500
	}
	return 0
}

const (
	admission   = "look-up and admission"
	lookupStale = "after the registry changed"
)

var errUnknown = errors.New("a name that is there was not found")

// at names a measurement at a number of tools.
func at(what string, size int) string { return fmt.Sprintf("%s, %s tools", what, count(size)) }

// measureLookup is finding a tool by name and asking whether it may be called.
func measureLookup(p plan) (section, error) {
	var subjects []subject
	for _, size := range p.sizes {
		more, err := lookupSubjects(size, p.sizes[0])
		if err != nil {
			return section{}, err
		}
		subjects = append(subjects, more...)
	}
	results, err := p.reads.measure(subjects)
	if err != nil {
		return section{}, err
	}
	s := section{
		title: "Finding a tool by name",
		text: fmt.Sprintf("Names come from a random sequence of %s, each a string of its own that shares no memory with the keys, so that neither the branch predictor nor a pointer comparison helps. ", count(sequenceLength)) +
			"The executor's own step cannot be called from outside; measured are the public calls that do the same work. " +
			"“" + admission + "” is `Catalog.Has`, and `Revision` of catalog and registry compared: one look-up and one atomic load, as in a dispatch while the registry has not changed since the catalog was built. " +
			"“" + lookupStale + "” is `Catalog.Has` and then `Registry.Has` when the two no longer share a map, so that neither look-up warms the cache for the other: what a call pays whose registry changed under it. " +
			"The ratio is to the same at the smallest size; a flat look-up grows only by cache misses.",
		tables: []table{{relation: fmt.Sprintf("%s tools", count(p.sizes[0])), rows: results}},
	}
	for _, size := range p.sizes {
		name := at(admission, size)
		m, ok := find(results, name)
		most := lookupGate(size)
		if !ok || most == 0 {
			continue
		}
		s.gates = append(s.gates,
			atMost(name, m.time.median, most, duration),
			atMost(name+", allocations", m.allocs, 0, whole))
	}
	s.panel = lookupLines(p, results)
	return s, nil
}

func lookupLines(p plan, results []measured) lines {
	l := lines{title: "Finding a tool by a random name", legend: []string{admission, lookupStale}, ticks: p.sizes, gate: lookupGate(p.largest())}
	for _, what := range l.legend {
		var series []float64
		for _, size := range p.sizes {
			if m, ok := find(results, at(what, size)); ok {
				series = append(series, m.time.median)
			}
		}
		l.values = append(l.values, series)
	}
	return l
}

func lookupSubjects(size, smallest int) ([]subject, error) {
	registry, err := makeRegistry(size)
	if err != nil {
		return nil, err
	}
	stale, err := makeRegistry(size)
	if err != nil {
		return nil, err
	}
	catalog, old := gongu.Everything(registry), gongu.Everything(stale)
	if err := stale.Add(makeTool(size)); err != nil {
		return nil, err
	}
	names := randomNames(size)
	in := func(has func(name string) bool) func(int) error { return walk(names, has) }
	return []subject{
		{name: at(admission, size), against: at(admission, smallest), run: in(func(name string) bool {
			return catalog.Has(name) && registry.Revision() == catalog.Revision()
		})},
		{name: at(lookupStale, size), against: at(lookupStale, smallest), run: in(func(name string) bool {
			return old.Has(name) && stale.Has(name)
		})},
	}, nil
}

// walk asks for one name after the other, and goes on next time where it
// stopped: asking for the same few again would find them in the cache.
func walk(names []string, has func(name string) bool) func(int) error {
	next := 0
	return func(n int) error {
		for range n {
			if !has(names[next]) {
				return errUnknown
			}
			next = (next + 1) % sequenceLength
		}
		return nil
	}
}
