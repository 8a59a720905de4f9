package main

import (
	"strings"
	"testing"
)

// TestSketchIsTheSeed: the sketch does what the seed's does, wrong edits too.
func TestSketchIsTheSeed(t *testing.T) {
	if got, ok := replaceSketch("a b c", "b", "x", false); !ok || got != "a x c" {
		t.Errorf("%q, %v", got, ok)
	}
	// The offset of the normalised text cuts the original in the wrong place.
	if got, ok := replaceSketch("\t\ta()\n\t\tb()\n", "    b()\n", "    c()\n", false); !ok || got == "\t\ta()\n\t\tc()\n" {
		t.Errorf("%q, %v", got, ok)
	}
	if _, ok := replaceSketch("alpha\nbeta\n", "nothing like that at all", "x", false); ok {
		t.Error("edited")
	}
}

func TestExactReplace(t *testing.T) {
	for _, tc := range []struct {
		content, old, want string
		all, ok            bool
	}{{"a b", "b", "a x", false, true}, {"b b", "b", "", false, false}, {"b b", "b", "x x", true, true}, {"a", "b", "", false, false}} {
		if got, ok := replaceExact(tc.content, tc.old, "x", tc.all); got != tc.want || ok != tc.ok {
			t.Errorf("%+v: %q, %v", tc, got, ok)
		}
	}
}

func TestOneSectionIntoThePage(t *testing.T) {
	first := section{title: "A", text: "old a", gates: []gate{{"an a", "1", "2", true}}}
	whole := page([]section{first, {title: "B", text: "old b", gates: []gate{{"a b", "1", "2", true}}}}, machine{}, quickPlan, 0)
	got := withSection(whole, section{title: "A", text: "new a", gates: []gate{{"an a", "3", "2", false}, {"another", "1", "1", true}}})
	for _, want := range []string{"## A\n\nnew a\n\n## B\n\nold b\n", "| an a | 3 | 2 | **FAIL** |\n| a b | 1 | 2 | pass |\n| another | 1 | 1 | pass |\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "old a") {
		t.Error("the old section is still there")
	}
	if got := withSection(whole, section{title: "C", text: "c"}); !strings.HasSuffix(got, "old b\n\n## C\n\nc\n") {
		t.Errorf("%q", got)
	}
}
