package search

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

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
