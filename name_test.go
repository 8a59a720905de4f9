package gongu_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu"
)

// H6 and goondan case 31: parse answers no for anything but one separator
// between two parts.
func TestH6_ParseName(t *testing.T) {
	for name, want := range map[string][2]string{
		"a__b":              {"a", "b"},
		"bash__exec":        {"bash", "exec"},
		"file-system__read": {"file-system", "read"},
		"a_b__c_d":          {"a_b", "c_d"},
	} {
		resource, export, ok := gongu.ParseName(name)
		if !ok || [2]string{resource, export} != want {
			t.Errorf("ParseName(%q) = %q, %q, %v", name, resource, export, ok)
		}
	}
	for _, name := range []string{"", "x", "ab", "__", "__x", "x__", "a__b__c", "a___b", "a_____b", "a b__c", "a.b", "한글__x", strings.Repeat("a", 60) + "__bcd"} {
		if resource, export, ok := gongu.ParseName(name); ok {
			t.Errorf("ParseName(%q) = %q, %q, want no", name, resource, export)
		}
	}
}

// H6 and goondan case 32.
func TestH6_BuildNameRefuses(t *testing.T) {
	for _, parts := range [][2]string{
		{"a__x", "b"}, {"a", "b__y"}, {"a_", "b"}, {"a", "_b"}, {"", "b"}, {"a", ""}, {"A B", "c!"},
		{strings.Repeat("a", 40), strings.Repeat("b", 40)},
	} {
		if name, err := gongu.BuildName(parts[0], parts[1]); err == nil {
			t.Errorf("BuildName(%q, %q) = %q, want an error", parts[0], parts[1], name)
		}
	}
}

// H6: a legal upstream name is kept, another is mapped and found again.
func TestH6_ImportedNames(t *testing.T) {
	var names gongu.NameMap
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
		if resource, _, ok := gongu.ParseName(got); !ok || resource != "github" {
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
		var first, second gongu.NameMap
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
		if _, _, ok := gongu.ParseName(nameA); !ok {
			rt.Fatalf("%q became %q, which does not parse", a, nameA)
		}
	})
}

// H6: an upstream that lists the very name another tool was mapped to is
// told, not merged.
func TestH6_ImportCollision(t *testing.T) {
	var names gongu.NameMap
	mapped, err := names.Import("s", "a.b")
	if err != nil {
		t.Fatal(err)
	}
	_, export, _ := gongu.ParseName(mapped)
	if got, err := names.Import("s", export); err == nil {
		t.Errorf("the forged name %q was given out as %q", export, got)
	}
	for limit, longest := range map[int]int{48: 48, 10: 32, 0: 64, 99: 64} {
		shorter := gongu.NameMap{Max: limit}
		if got, err := shorter.Import(strings.Repeat("server", 8), strings.Repeat("x", 60)); err != nil || len(got) > longest {
			t.Errorf("Max %d gave %q (%d), %v", limit, got, len(got), err)
		}
	}
}

// H6: Source.Identity prints owners.
func TestH6_Identity(t *testing.T) {
	for want, source := range map[string]gongu.Source{
		"Tool/bash":         {Type: "config", Name: "bash"},
		"McpServer/github":  {Type: "mcp", Name: "github"},
		"Extension/weather": {Type: "extension", Name: "weather"},
		"ToolCommand/mine":  {Type: "command", Name: "mine"},
		"Macro/chair":       {Type: "macro", Name: "chair"},
		"Go/":               {Type: "go"},
	} {
		if got := source.Identity(); got != want {
			t.Errorf("identity of %+v = %q, want %q", source, got, want)
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, seed := range []string{"a__b", "a__b__c", "__", "x", "a___b", "한__글", strings.Repeat("_", 70)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		resource, export, ok := gongu.ParseName(name)
		if !ok {
			return
		}
		if built, err := gongu.BuildName(resource, export); err != nil || built != name {
			t.Errorf("%q parses to %q and %q, which build %q (%v)", name, resource, export, built, err)
		}
	})
}
