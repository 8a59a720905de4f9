package search

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

// made returns tools and queries of made-up words, a few of them common and
// most of them rare, as words are.
func made(n int) (tools []gongu.Tool, queries []string) {
	r := rand.New(rand.NewPCG(1, 2))
	common := rand.NewZipf(r, 1.1, 4, 20_000)
	syllables := strings.Fields("ka lo mi ter pro sen du val or ing est con ra ti be")
	some := func(n int) string {
		var all []string
		for range n {
			word := ""
			for i := common.Uint64() + 15; i > 0; i /= 15 {
				word += syllables[i%15]
			}
			all = append(all, word)
			if r.IntN(3) == 0 {
				all = append(all, "the")
			}
		}
		return strings.Join(all, " ")
	}
	for i := range n {
		tools = append(tools, gongu.Tool{
			Name:        fmt.Sprintf("%s_%d", strings.ReplaceAll(some(3), " ", "_"), i),
			Description: some(14),
			Parameters: gongu.Schema(fmt.Sprintf(`{"type":"object","properties":{"%s":{"type":"string","description":"%s"},"%s":{"type":"integer","description":"%s"}}}`,
				some(1), some(8), some(2), some(8))),
		})
	}
	for range 200 {
		queries = append(queries, some(12))
	}
	return tools, queries
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		tools, queries := made(n)
		x := indexOf(tools...)
		b.Run(fmt.Sprint("gongu/", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				x.Search(queries[i%len(queries)], 10)
			}
		})
		p := newPlain(tools)
		b.Run(fmt.Sprint("plain/", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				p.search(queries[i%len(queries)], 10)
			}
		})
	}
}

func BenchmarkChange(b *testing.B) {
	tools, _ := made(10_000)
	x := indexOf(tools...)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tool := tools[i%len(tools)]
		x.Remove(tool.Name)
		x.Add(tool)
	}
}

func BenchmarkBuild(b *testing.B) {
	tools, _ := made(10_000)
	b.ReportAllocs()
	for b.Loop() {
		indexOf(tools...)
	}
}
