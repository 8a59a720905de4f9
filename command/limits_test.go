package command

import (
	"strings"
	"testing"
)

// K12: a list of entries that are none does not take memory for each of them.
func TestK12ListEntries(t *testing.T) {
	s, err := New(Config{Name: "prog", Discover: []string{"x"}, Call: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string]string{
		"array": "[" + strings.Repeat("{},", maxEntries+1) + "{}]",
		"lines": strings.Repeat("{}\n", maxEntries+1),
	} {
		listing, err := s.read([]byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := len(listing.Problems); n == 0 || n > 64*maxProblems {
			t.Errorf("%s: %d problems", name, n)
		}
	}
}

// K12: the list of a program ends at its budget, like that of a server.
func TestK12ListBytes(t *testing.T) {
	out := &limited{limit: maxList}
	piece := make([]byte, 1<<20)
	for range 40 {
		if n, err := out.Write(piece); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	if !out.over || len(out.data) != 32<<20 {
		t.Errorf("%d bytes were kept", len(out.data))
	}
}
