package search

import (
	"slices"
	"strings"
	"testing"
)

// Tools that cannot come among the best k are not ranked to the end; whoever
// asks for fewer still gets the first of what all would get.
func TestFewerAreTheFirstOfMore(t *testing.T) {
	tools, queries := made(2_000)
	x := indexOf(tools...)
	for i := range 100 {
		query := strings.Join([]string{queries[i], queries[i+1], strings.ReplaceAll(tools[i].Name, "_", " ")}, ". ")
		all := x.Search(query, listed)
		for _, k := range []int{1, 2, 3, 8, 10, 20, listed - 1} {
			if got := x.Search(query, k); !slices.Equal(got, all[:min(k, len(all))]) {
				t.Fatalf("the best %d of %q are %v, want %v", k, query, got, all[:min(k, len(all))])
			}
		}
	}
}
