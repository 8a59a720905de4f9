package main

import (
	"fmt"
	"time"

	"github.com/gongu-ai/gongu"
)

// batchGate is how long adding all tools at once may take.
const batchGate = time.Second

// budget is a common allowance of tokens for declarations.
const budget = 20_000

// measureBuild is filling a registry and choosing from it.
func measureBuild(p plan) (section, error) {
	s := section{
		title: "Filling a registry, building a catalog",
		text: "The tools have distinct names and distinct schemas of about 500 bytes. " +
			"A batch is bounded and checked at once and compiled at first use; a single `Add` compiles its schema in full and copies the index, because readers never wait.",
	}
	// The batch is first, while there is little else on the heap to mark.
	batches, err := p.slow.measure([]subject{batchAdd(p.largest())})
	if err != nil {
		return section{}, err
	}
	var catalogs, adds []subject
	for _, size := range p.sizes {
		registry, err := makeRegistry(size)
		if err != nil {
			return section{}, err
		}
		catalogs = append(catalogs, catalogSubjects(registry, size)...)
		if size >= p.sizes[len(p.sizes)/2] {
			adds = append(adds, singleAdd(registry, size))
		}
	}
	built, err := p.slow.measure(catalogs)
	if err != nil {
		return section{}, err
	}
	for i := range built {
		if size := p.sizes[i/(len(built)/len(p.sizes))]; built[i].time.median > float64(time.Microsecond) {
			built[i].note = duration(built[i].time.median/float64(size)) + " for each tool"
		}
	}
	added, err := p.slow.measure(adds)
	if err != nil {
		return section{}, err
	}
	s.tables = []table{
		{title: "Registry", rows: append(batches, added...)},
		{title: "Catalog", rows: built},
	}
	s.gates = []gate{atMost(batches[0].name, batches[0].time.median, float64(batchGate), duration)}
	return s, nil
}

func catalogSubjects(registry *gongu.Registry, size int) []subject {
	build := func(opts *gongu.CatalogOptions) func(int) error {
		return func(n int) error {
			for range n {
				if _, err := gongu.NewCatalog(registry, opts); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return []subject{
		{name: at("Everything", size), run: func(n int) error {
			for range n {
				if gongu.Everything(registry).Revision() == 0 {
					return errUnknown
				}
			}
			return nil
		}},
		{name: at("Allow a glob that half of them match", size), run: build(&gongu.CatalogOptions{Allow: []gongu.Rule{{Name: "*[02468]"}}})},
		{name: at(fmt.Sprintf("Budget of %s tokens", count(budget)), size), run: build(&gongu.CatalogOptions{Budget: budget})},
	}
}

func batchAdd(size int) subject {
	tools := makeTools(size)
	return subject{name: at("Add in one batch", size), run: func(n int) error {
		for range n {
			if err := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()}).Add(tools...); err != nil {
				return err
			}
		}
		return nil
	}}
}

// singleAdd adds new tools one by one and takes them out again, unmeasured.
func singleAdd(registry *gongu.Registry, size int) subject {
	const most = 200
	next := size
	var added []string
	return subject{
		name: fmt.Sprintf("Add one, to %s tools", count(size)),
		most: most,
		run: func(n int) error {
			for range n {
				tool := makeTool(next)
				if err := registry.Add(tool); err != nil {
					return err
				}
				added = append(added, tool.Name)
				next++
			}
			return nil
		},
		reset: func() {
			registry.Remove(added...)
			added = added[:0]
		},
	}
}
