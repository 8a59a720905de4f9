package toolname_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu/internal/toolname"
)

// Names of tools that come from elsewhere are made legal, and found again.
func ExampleMap() {
	var names toolname.Map
	for _, original := range []string{"create_issue", "repo.list"} {
		name, err := names.Import("github", original)
		if err != nil {
			fmt.Println(err)
			return
		}
		_, found, _ := names.Original(name)
		fmt.Println(name, "is", found)
	}
	// Output:
	// github__create_issue is create_issue
	// github__repo_list_19676b7c is repo.list
}

// H6: a legal upstream name is kept, another is mapped and found again.
func TestH6_ImportedNames(t *testing.T) {
	var names toolname.Map
	long := strings.Repeat("very_", 20) + "long"
	for _, tc := range []struct{ resource, name, want string }{
		{"github", "create_issue", "github__create_issue"},
		{"", "draw_rect", "draw_rect"},
		{"", "calc.add", "calc__add"},
		{"", "a__b", "a__b"},
	} {
		got, err := names.Import(tc.resource, tc.name)
		if err != nil || got != tc.want {
			t.Errorf("Import(%q, %q) = %q, %v, want %q", tc.resource, tc.name, got, err, tc.want)
		}
	}
	for _, name := range []string{long, long + "er", "a.b", "a b", "a/b", "한글", "x__y", "_lead", "", "trail_" + "\x00"} {
		got, err := names.Import("github", name)
		if name == "" {
			if err == nil {
				t.Errorf("an empty upstream name became %q", got)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if resource, _, ok := toolname.Parse(got); !ok || resource != "github" {
			t.Errorf("Import(github, %q) = %q, which is no name", name, got)
		}
		if resource, original, ok := names.Original(got); !ok || resource != "github" || original != name {
			t.Errorf("Original(%q) = %q, %q, %v, want %q", got, resource, original, ok, name)
		}
	}
	if _, _, ok := names.Original("never__seen"); ok {
		t.Error("a name that was never imported has an original")
	}
}

// H6: a cut name is never silently that of another tool, and the name does not
// depend on what was imported before.
func TestH6_ImportIsStableAndApart(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringN(1, 90, 200)
		resource := rapid.StringMatching(`[a-z]{1,20}`).Draw(rt, "resource")
		a, b := word.Draw(rt, "a"), word.Draw(rt, "b")
		var first, second toolname.Map
		nameA, errA := first.Import(resource, a)
		nameB, errB := first.Import(resource, b)
		if errA != nil || errB != nil {
			rt.Fatalf("import: %v, %v", errA, errB)
		}
		if (nameA == nameB) != (a == b) {
			rt.Fatalf("%q and %q are %q and %q", a, b, nameA, nameB)
		}
		if again, err := second.Import(resource, a); err != nil || again != nameA {
			rt.Fatalf("%q is %q first and %q alone (%v)", a, nameA, again, err)
		}
		if _, _, ok := toolname.Parse(nameA); !ok {
			rt.Fatalf("%q became %q, which does not parse", a, nameA)
		}
	})
}

// H6: an upstream that lists the very name another tool was mapped to is
// told, not merged.
func TestH6_ImportCollision(t *testing.T) {
	var names toolname.Map
	mapped, err := names.Import("s", "a.b")
	if err != nil {
		t.Fatal(err)
	}
	_, export, _ := toolname.Parse(mapped)
	if got, err := names.Import("s", export); err == nil {
		t.Errorf("the forged name %q was given out as %q", export, got)
	}
	for limit, longest := range map[int]int{48: 48, 10: 32, 0: 64, 99: 64} {
		shorter := toolname.Map{Max: limit}
		if got, err := shorter.Import(strings.Repeat("server", 8), strings.Repeat("x", 60)); err != nil || len(got) > longest {
			t.Errorf("Max %d gave %q (%d), %v", limit, got, len(got), err)
		}
	}
}
