package access_test

import (
	"slices"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
)

// P3: a tool that is denied whatever its arguments is not in the catalog. The
// rules are asked once for each key, and not for each call.
func TestP3_HiddenTools(t *testing.T) {
	asked, key, hidden := 0, any("one"), "erase"
	a, err := access.New(access.Options{Hidden: func(p *gongu.Principal, agent string) (func(*gongu.Tool) bool, any) {
		if p.Name == "owner" {
			return nil, nil
		}
		return func(tool *gongu.Tool) bool {
			asked++
			return tool.Name == hidden
		}, key
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := catalog(t)
	list := func(p *gongu.Principal) []string {
		t.Helper()
		narrowed, err := a.Catalog(p, "", c)
		if err != nil {
			t.Fatal(err)
		}
		return names(narrowed)
	}
	for range 3 {
		if got := list(&gongu.Principal{Name: "lee"}); !slices.Equal(got, []string{"look", "write", "find"}) {
			t.Error(got)
		}
	}
	if asked != 4 {
		t.Errorf("the rules were asked %d times about 4 tools", asked)
	}
	if got := list(&gongu.Principal{Name: "owner"}); len(got) != 4 {
		t.Error(got)
	}
	if got := list(&gongu.Principal{Name: "lee", Allow: []gongu.Rule{{Name: "erase"}, {Name: "look"}}}); !slices.Equal(got, []string{"look"}) {
		t.Error(got)
	}
	key, hidden = "two", "look"
	if got := list(&gongu.Principal{Name: "lee"}); !slices.Equal(got, []string{"write", "erase", "find"}) {
		t.Errorf("after the rules changed: %v", got)
	}
}
