package gongu_test

import (
	"strings"
	"testing"

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
