package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
)

// many registers n tools of a domain beside the explore tools.
func many(t testing.TB, n int) *gongu.Registry {
	t.Helper()
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	var tools []gongu.Tool
	for i := range n {
		tools = append(tools, tool(fmt.Sprintf("tool_%04d", i), "bulk", fmt.Sprintf("Does thing %d.", i)))
	}
	if err := r.Add(append(tools, explore.Tools(nil)...)...); err != nil {
		t.Fatal(err)
	}
	return r
}

// Promise E1: 200 tools are one page without total and cursor, 201 are two.
func TestE1PagesAbove200(t *testing.T) {
	a := everything(t, many(t, 200), nil)
	if r := a.call("list_tools", `{"domain":"bulk"}`); strings.Contains(string(r.Output), "total") || strings.Contains(string(r.Output), "next_cursor") {
		t.Errorf("200 tools are paged: %.60s", r.Output)
	}
	a = everything(t, many(t, 201), nil)
	var first, second page
	a.into("list_tools", `{"domain":"bulk"}`, &first)
	if len(first.Tools) != 200 || first.Total == nil || *first.Total != 201 || first.NextCursor == "" {
		t.Fatalf("%d tools, total %v, cursor %q", len(first.Tools), first.Total, first.NextCursor)
	}
	a.into("list_tools", fmt.Sprintf(`{"domain":"bulk","cursor":%q}`, first.NextCursor), &second)
	if !slices.Equal(second.names(), []string{"tool_0200"}) || second.NextCursor != "" || *second.Total != 201 {
		t.Errorf("second page: %+v", second)
	}
}

// Promise E1: a limit pages, too, and says the total.
func TestE1LimitPages(t *testing.T) {
	a := everything(t, drawing(t, nil), nil)
	var got page
	a.into("list_tools", `{"domain":"style","limit":3}`, &got)
	if !slices.Equal(got.names(), []string{"set_stroke", "set_fill", "remove_stroke"}) || *got.Total != 4 || got.NextCursor == "" {
		t.Errorf("got %+v", got)
	}
	a.into("list_tools", fmt.Sprintf(`{"domain":"style","limit":3,"cursor":%q}`, got.NextCursor), &got)
	if !slices.Equal(got.names(), []string{"remove_fill"}) {
		t.Errorf("got %+v", got)
	}
	for _, args := range []string{`{"limit":0}`, `{"limit":1001}`, `{"limit":"3"}`} {
		if r := a.call("list_tools", args); !r.Failed() || r.Error.Code != gongu.CodeInvalidArgs {
			t.Errorf("%s: %+v", args, r)
		}
	}
}

// A cursor is for one list; what is none is refused with a way out.
func TestForeignCursors(t *testing.T) {
	a := everything(t, drawing(t, nil), nil)
	var got page
	a.into("list_tools", `{"domain":"style","limit":1}`, &got)
	for _, args := range []string{
		fmt.Sprintf(`{"domain":"query","cursor":%q}`, got.NextCursor),
		fmt.Sprintf(`{"cursor":%q}`, got.NextCursor),
		fmt.Sprintf(`{"domain":"style","cursor":%q}`, got.NextCursor+"AA"),
		fmt.Sprintf(`{"domain":"style","cursor":%q}`, got.NextCursor[:6]),
		`{"cursor":"!!"}`, `{"cursor":"AAAA"}`,
	} {
		err, _ := a.refused("list_tools", args)
		if !strings.Contains(err.Suggestion, "without cursor") {
			t.Errorf("%s: %+v", args, err)
		}
	}
}

// However the catalog changes between two pages, no tool that was there all the
// time and stands after the cursor is skipped, and none is shown twice as long
// as a tool of the last page is left.
func TestCursorSurvivesChanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(rt, "tools")
		limit := rapid.IntRange(1, n-1).Draw(rt, "limit")
		r := many(t, n)
		a := everything(t, r, nil)
		var first page
		a.into("list_tools", fmt.Sprintf(`{"domain":"bulk","limit":%d}`, limit), &first)
		var gone []string
		for i := range n {
			if rapid.Bool().Draw(rt, "gone") && len(gone) < n-1 {
				gone = append(gone, fmt.Sprintf("tool_%04d", i))
			}
		}
		r.Remove(gone...)
		if rapid.Bool().Draw(rt, "added") {
			if err := r.Add(tool("zzz_new", "bulk", "")); err != nil {
				rt.Fatal(err)
			}
		}
		a = everything(t, r, nil)
		var second page
		a.into("list_tools", fmt.Sprintf(`{"domain":"bulk","limit":1000,"cursor":%q}`, first.NextCursor), &second)
		lastLeft := false
		shown := first.names()
		for _, name := range shown[max(0, len(shown)-4):] {
			lastLeft = lastLeft || !slices.Contains(gone, name)
		}
		for i := range n {
			name := fmt.Sprintf("tool_%04d", i)
			again := slices.Contains(second.names(), name)
			if i >= limit && !slices.Contains(gone, name) && !again && lastLeft {
				rt.Errorf("%s was skipped: %q then %q without %q", name, shown, second.names(), gone)
			}
			if i < limit && again && lastLeft {
				rt.Errorf("%s was shown twice: %q then %q without %q", name, shown, second.names(), gone)
			}
		}
	})
}

// Tools that talk too much are paged by size, instead of being cut to a preview
// that is no list.
func TestHugeDescriptionsArePaged(t *testing.T) {
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	const n = 40
	var tools []gongu.Tool
	for i := range n {
		tools = append(tools, tool(fmt.Sprintf("t%d", i), "huge", strings.Repeat("ㅋ", 64<<10/3)))
	}
	if err := r.Add(append(tools, explore.Tools(nil)...)...); err != nil {
		t.Fatal(err)
	}
	a := everything(t, r, nil)
	var names []string
	cursor := ""
	for range n {
		var got page
		args := `{"domain":"huge"}`
		if cursor != "" {
			args = fmt.Sprintf(`{"domain":"huge","cursor":%q}`, cursor)
		}
		a.into("list_tools", args, &got)
		for _, tool := range got.Tools {
			if len(tool.Description) < 60<<10 {
				t.Fatalf("the description of %s was cut", tool.Name)
			}
		}
		names = append(names, got.names()...)
		if cursor = got.NextCursor; cursor == "" {
			break
		}
	}
	if len(names) != n {
		t.Errorf("%d of %d tools were listed", len(names), n)
	}
}

// A domain may have the characters of a glob in its name.
func TestDomainNamesAreNoGlobs(t *testing.T) {
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: silence()})
	odd := []string{"a*", "ab", `a\b`, "a/b", "a/[c]", "?"}
	for i, domain := range odd {
		if err := r.Add(tool(fmt.Sprintf("t%d", i), domain, "")); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Add(explore.Tools(nil)...); err != nil {
		t.Fatal(err)
	}
	a := everything(t, r, nil)
	for i, domain := range odd {
		var got page
		a.into("list_tools", fmt.Sprintf(`{"domain":%q}`, domain), &got)
		if want := fmt.Sprintf("t%d", i); !slices.Equal(got.names(), []string{want}) || *got.Domain != domain {
			t.Errorf("%s: got %q, want %q", domain, got.names(), want)
		}
	}
}
