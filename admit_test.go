package gongu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkAdmit is what dispatch does to find and admit a tool, with random
// names: the same name again and again would only measure a warm cache.
func BenchmarkAdmit(b *testing.B) {
	for _, size := range []int{10, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			catalog, names := catalogOfSize(b, size)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if e, _ := catalog.admit(names[i]); e == nil {
					b.Fatal("a tool is missing")
				}
				if i++; i == len(names) {
					i = 0
				}
			}
		})
	}
}

// H13: admission allocates nothing, also when the registry has moved on.
func TestH13_AdmissionAllocatesNothing(t *testing.T) {
	catalog, names := catalogOfSize(t, 1000)
	for _, moved := range []bool{false, true} {
		if moved {
			if err := catalog.registry.Add(Tool{Name: "later", Invoke: func(context.Context, Call) Result { return OK(nil) }}); err != nil {
				t.Fatal(err)
			}
		}
		i := 0
		if n := testing.AllocsPerRun(500, func() {
			if e, code := catalog.admit(names[i]); e == nil || code != "" {
				t.Error("refused with", code)
			}
			i++
		}); n != 0 {
			t.Errorf("%v allocations for each admission (registry moved on: %v)", n, moved)
		}
	}
}

func catalogOfSize(tb testing.TB, size int) (*Catalog, []string) {
	tb.Helper()
	tools := make([]Tool, size)
	names := make([]string, size)
	for i := range tools {
		tools[i] = Tool{Name: fmt.Sprintf("server%d__tool_number_%d", i%97, i), Invoke: func(context.Context, Call) Result { return OK(nil) }}
		names[i] = strings.Clone(tools[i].Name)
	}
	rand.Shuffle(size, func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i := range names {
		names[i] = strings.Clone(names[i]) // in the order of use, as a call brings its name along
	}
	r := NewRegistry(nil)
	if err := r.Add(tools...); err != nil {
		tb.Fatal(err)
	}
	return Everything(r), names
}
