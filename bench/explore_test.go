package main

import (
	"strings"
	"testing"
)

// The limits of tokens hold, also for tools that are made to be expensive.
func TestExploreGates(t *testing.T) {
	t.Parallel()
	s, err := measureExplore(t.Context(), quickPlan)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.gates) != 3 {
		t.Errorf("%d gates", len(s.gates))
	}
	for _, g := range s.gates {
		if !g.ok {
			t.Errorf("%s: %s, promised %s", g.name, g.got, g.want)
		}
	}
	if !strings.Contains(s.text, "found and called") || strings.Contains(s.text, "NaN") {
		t.Error(s.text)
	}
}

// Breeding makes replies dearer, so the figure for hostile ones means something.
func TestBreedingWorks(t *testing.T) {
	t.Parallel()
	x, err := newExploring(quickPlan)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := x.trips(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	bred, err := x.hostile(t.Context(), quickPlan)
	if err != nil {
		t.Fatal(err)
	}
	if bred.most() <= plain.most() {
		t.Errorf("bred replies have %d tokens, plain ones %d", bred.most(), plain.most())
	}
}

// Without the sets beside the repository the part measures made tools.
func TestMadeWishes(t *testing.T) {
	wishes := madeWishes(quickPlan)
	if len(wishes) != 20 || wishes[3].Query == "" || len(wishes[3].Gold) != 1 {
		t.Errorf("%d wishes, %+v", len(wishes), wishes[3])
	}
}
