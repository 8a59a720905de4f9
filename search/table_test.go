package search

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The table beside a map, with hashes that meet all the time.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, model := newTable(), map[uint32]uint32{} // hash by id
		hash := rapid.OneOf(rapid.Uint32Range(0, 40), rapid.Uint32Range(60, 130), rapid.Uint32())
		next := uint32(0)
		ids := func() (all []uint32) {
			for id := range model {
				all = append(all, id)
			}
			slices.Sort(all)
			return all
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				for range rapid.IntRange(1, 60).Draw(t, "some") {
					h := hash.Draw(t, "hash")
					table.add(h, next)
					model[next] = h
					next++
				}
			},
			"remove": func(t *rapid.T) {
				for range rapid.IntRange(1, 20).Draw(t, "some") {
					if len(model) == 0 {
						return
					}
					id := rapid.SampledFrom(ids()).Draw(t, "id")
					table.remove(model[id], id)
					table.remove(model[id], id) // nothing happens
					delete(model, id)
				}
			},
			"": func(t *rapid.T) {
				if table.count != len(model) {
					t.Fatalf("%d ids, want %d", table.count, len(model))
				}
				want := map[uint32][]uint32{}
				for _, id := range ids() {
					want[model[id]] = append(want[model[id]], id)
				}
				for h := range uint32(140) {
					want[h] = append(want[h], nil...) // absent ones, too
				}
				for h, ids := range want {
					if got := allOf(&table, h); !slices.Equal(got, ids) {
						t.Fatalf("%d: got %v, want %v", h, got, ids)
					}
				}
			},
		})
	})
}

// allOf is all ids of a hash, in order.
func allOf(t *table, hash uint32) (ids []uint32) {
	id, next, ok := t.find(hash, hash)
	for ; ok; id, next, ok = t.find(hash, next) {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// Terms with one hash are told apart by their text, whichever came first.
func TestTermsWithOneHash(t *testing.T) {
	x := indexOf(shop...)
	x.ids = newTable()
	for id := range x.terms {
		x.ids.add(7, uint32(id))
	}
	for id, term := range x.terms {
		if got, ok := x.lookUp([]byte(term.text), 7, 7); !ok || got != uint32(id) {
			t.Fatalf("%q: %d, %v, want %d", term.text, got, ok, id)
		}
	}
	if _, ok := x.lookUp([]byte("nothing"), 7, 7); ok {
		t.Error("found what is not there")
	}
	r := new(ranking)
	r.fit(x)
	r.query.text = append(r.query.text, x.terms[5].text...)
	r.query.terms = []asked{{to: uint32(len(r.query.text)), hash: 7}}
	if x.find(r); len(r.terms) != 1 || r.terms[0].id != 5 {
		t.Errorf("got %+v", r.terms)
	}
}

func TestChoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.Custom(func(t *rapid.T) candidate {
			return candidateOf(rapid.Uint32Range(0, 1<<20).Draw(t, "slot"), float32(rapid.IntRange(1, 30).Draw(t, "score")))
		})
		list := rapid.SliceOfNDistinct(one, 2, 700, rapid.ID).Draw(t, "list")
		n := rapid.IntRange(1, len(list)-1).Draw(t, "n")
		want := slices.Sorted(slices.Values(list))
		last := want[n-1]
		want = slices.DeleteFunc(want, func(c candidate) bool { return c.score() < last.score() })
		got := choose(slices.Clone(list), n)
		if got[n-1].score() != last.score() {
			t.Fatalf("the last is %v, want %v", got[n-1].score(), last.score())
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("%d of %v: got %v, want %v", n, list, got, want)
		}
	})
}
