package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A comparison means something only if all do the same.
func TestContestantsGiveTheSameAnswer(t *testing.T) {
	all, err := contestants(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(all)
	work, err := loads()
	if err != nil {
		t.Fatal(err)
	}
	if len(work[0].args) < 90 || len(work[0].args) > 110 || len(work[1].args) < 3_500 || len(work[1].args) > 4_500 {
		t.Errorf("the loads have %d and %d bytes", len(work[0].args), len(work[1].args))
	}
	for _, l := range work {
		want, err := answer{raw: l.args}.decode()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			call := c.prepare(l.args)
			for range 3 {
				got, err := call(t.Context())
				if err != nil {
					t.Fatalf("%s, %s: %v", c.name, l.name, err)
				}
				if out, err := got.decode(); err != nil || !reflect.DeepEqual(out, want) {
					t.Errorf("%s, %s: got %+v, %v, want %+v", c.name, l.name, out, err, want)
				}
			}
		}
	}
}

// Those that say so check the schema.
func TestContestantsRefuseBadArguments(t *testing.T) {
	all, err := contestants(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(all)
	for _, args := range []string{
		`{"title":"a","priority":99,"mode":"append","lines":[]}`,
		`{"title":"a","priority":1,"mode":"other","lines":[]}`,
		`{"title":"a","priority":1,"mode":"append"}`,
		`{"title":"a","priority":1,"mode":"append","lines":[],"more":1}`,
	} {
		for _, c := range all {
			_, err := c.prepare([]byte(args))(t.Context())
			if refused := errors.Is(err, errRefused); refused != c.refuses {
				t.Errorf("%s, %s: refused is %v (%v), want %v", c.name, args, refused, err, c.refuses)
			}
		}
	}
}

// The whole program in small: every part runs, and what it writes is whole.
func TestQuickRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := run(t.Context(), options{quick: true, out: dir}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Benchmarks", "benchmarks.svg", "quick run", "## Gates", "make bench", "| gongu |", "| MCP go-sdk |", "Add in one batch", "10 MB schema", "Catalog.Near", "o200k", oneWriter} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if strings.Contains(string(text), "NaN") || strings.Contains(string(text), "+Inf") {
		t.Error("the page has a number that is none")
	}
	picture, err := os.ReadFile(filepath.Join(dir, "benchmarks.svg"))
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, string(picture))
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(text))
	elements := 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the chart is not XML: %v", err)
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
	if elements < 20 || strings.Contains(text, "NaN") || strings.Contains(text, "+Inf") {
		t.Errorf("the chart has %d elements or a number that is none", elements)
	}
}

func TestMedianAndQuartiles(t *testing.T) {
	got := spreadOf([]float64{9, 1, 5, 3, 7})
	if want := (spread{3, 5, 7}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := spreadOf([]float64{1, 2}).median; got != 1.5 {
		t.Errorf("the median of an even number is %v", got)
	}
	if got := spreadOf(nil).median; !math.IsNaN(got) {
		t.Errorf("the median of nothing is %v", got)
	}
	if got := (spread{3, 5, 7}).percent(); got != 40 {
		t.Errorf("percent is %v", got)
	}
}

// A ratio is taken within a round: what slows a whole round cancels out.
func TestRatiosArePaired(t *testing.T) {
	subjects := []subject{{name: "base", against: "base"}, {name: "twice", against: "base"}}
	samples := [][]sample{{{ns: 1}, {ns: 10}, {ns: 100}}, {{ns: 2}, {ns: 20}, {ns: 200}}}
	results, err := summarise(subjects, samples)
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := find(results, "twice"); !ok || m.ratio != (spread{2, 2, 2}) || m.time.median != 20 {
		t.Errorf("got %+v", m)
	}
	if _, err := summarise([]subject{{name: "a", against: "gone"}}, [][]sample{{{ns: 1}}}); err == nil {
		t.Error("a ratio to nothing was accepted")
	}
}

func TestOrderRotates(t *testing.T) {
	firsts := map[int]bool{}
	for round := range 4 {
		got := order(round, 4)
		firsts[got[0]] = true
		slices.Sort(got)
		if !slices.Equal(got, []int{0, 1, 2, 3}) {
			t.Errorf("round %d leaves one out: %v", round, got)
		}
	}
	if len(firsts) < 2 {
		t.Error("the same subject always begins")
	}
}

// The counts that the gates rely on are right.
func TestAllocationsAreCounted(t *testing.T) {
	var kept []*[64]byte
	s := subject{run: func(n int) error {
		for range n {
			kept = append(kept[:0], new([64]byte), new([64]byte))
		}
		return nil
	}}
	var m meter
	got, err := m.take(&s, 10_000)
	if err != nil || got.allocs != 2 || got.bytes < 128 || got.bytes > 140 {
		t.Errorf("two allocations of 64 bytes count as %+v, %v", got, err)
	}
	s.run = func(n int) error { return nil }
	if got, err := m.take(&s, 10_000); err != nil || got.allocs != 0 {
		t.Errorf("nothing counts as %+v, %v", got, err)
	}
}

func TestGates(t *testing.T) {
	sections := []section{{gates: []gate{atMost("a", 2, 2, times), atMost("b", 2.01, 2, times)}}}
	bad := failing(sections)
	if len(bad) != 1 || bad[0].name != "b" || bad[0].want != "at most 2.00×" {
		t.Errorf("failing gates: %+v", bad)
	}
}

func TestNumbersAsText(t *testing.T) {
	for want, got := range map[string]string{
		"0.00 ns": duration(0), "12.3 ns": duration(12.34), "1.00 µs": duration(999.9), "150 ns": duration(150),
		"1.50 ms": duration(1.5e6), "2.00 s": duration(2e9), "1.25×": times(1.25), "171×": times(171.2),
		"1,234,567": count(1_234_567), "100": count(100), "1 core": plural(1, "core"), "2 cores": plural(2, "core"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
