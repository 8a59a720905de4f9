package gongu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
)

func catalogOf(t *testing.T, r *gongu.Registry, opts gongu.CatalogOptions) *gongu.Catalog {
	t.Helper()
	c, err := gongu.NewCatalog(r, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func zoo(t *testing.T) *gongu.Registry {
	t.Helper()
	reader := tool("fs__read")
	reader.Annotations = gongu.Annotations{ReadOnly: new(true), OpenWorld: new(false)}
	reader.Labels = map[string]string{"tier": "base"}
	writer := tool("fs__write")
	writer.Annotations = gongu.Annotations{Destructive: new(true), OpenWorld: new(false)}
	issue := tool("gh__create_issue")
	issue.Source = gongu.Source{Type: "mcp", Name: "github", Original: "create.issue"}
	rect := tool("draw_rect")
	rect.Domain = "cad/primitives"
	rect.Annotations = gongu.Annotations{Destructive: new(false), Idempotent: new(true)}
	return newRegistry(t, reader, writer, issue, rect)
}

// Allow and deny by name, glob, domain, source, label and annotation; the
// order is the registry's, or the one the names give (H9).
func TestH9_CatalogSelection(t *testing.T) {
	r := zoo(t)
	for name, tc := range map[string]struct {
		opts gongu.CatalogOptions
		want []string
	}{
		"everything":             {gongu.CatalogOptions{}, []string{"fs__read", "fs__write", "gh__create_issue", "draw_rect"}},
		"exact name":             {gongu.CatalogOptions{Allow: []gongu.Rule{{Name: "draw_rect"}}}, []string{"draw_rect"}},
		"filter keeps the order": {gongu.CatalogOptions{Allow: []gongu.Rule{{Name: "draw_rect"}, {Name: "fs__read"}}}, []string{"fs__read", "draw_rect"}},
		"names give the order":   {gongu.CatalogOptions{Names: []string{"draw_rect", "nowhere", "fs__*", "draw_rect"}}, []string{"draw_rect", "fs__read", "fs__write"}},
		"glob":                   {gongu.CatalogOptions{Allow: []gongu.Rule{{Name: "fs__*"}}}, []string{"fs__read", "fs__write"}},
		"deny wins":              {gongu.CatalogOptions{Allow: []gongu.Rule{{Name: "*"}}, Deny: []gongu.Rule{{Name: "fs__w*"}}}, []string{"fs__read", "gh__create_issue", "draw_rect"}},
		"domain with a slash":    {gongu.CatalogOptions{Allow: []gongu.Rule{{Domain: "cad*"}}}, []string{"draw_rect"}},
		"source":                 {gongu.CatalogOptions{Deny: []gongu.Rule{{Source: "McpServer/*"}}}, []string{"fs__read", "fs__write", "draw_rect"}},
		"label":                  {gongu.CatalogOptions{Allow: []gongu.Rule{{Label: "tier=base"}}}, []string{"fs__read"}},
		"label key":              {gongu.CatalogOptions{Deny: []gongu.Rule{{Label: "tier"}}}, []string{"fs__write", "gh__create_issue", "draw_rect"}},
		"read-only":              {gongu.CatalogOptions{Allow: []gongu.Rule{{ReadOnly: new(true)}}}, []string{"fs__read"}},
		"silence is destructive": {gongu.CatalogOptions{Deny: []gongu.Rule{{Destructive: new(true)}}}, []string{"fs__read", "draw_rect"}},
		"silence is open":        {gongu.CatalogOptions{Deny: []gongu.Rule{{OpenWorld: new(true)}}}, []string{"fs__read", "fs__write"}},
		"idempotent":             {gongu.CatalogOptions{Allow: []gongu.Rule{{Idempotent: new(true)}}}, []string{"draw_rect"}},
		"all fields must hold":   {gongu.CatalogOptions{Allow: []gongu.Rule{{Name: "fs__*", ReadOnly: new(false)}}}, []string{"fs__write"}},
		"deny by upstream name":  {gongu.CatalogOptions{Deny: []gongu.Rule{{Name: "create.issue"}}}, []string{"fs__read", "fs__write", "draw_rect"}},
		"never allow by it":      {gongu.CatalogOptions{Allow: []gongu.Rule{{Name: "create.issue"}}}, []string{}},
		"an empty allow list":    {gongu.CatalogOptions{Allow: []gongu.Rule{}}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			c := catalogOf(t, r, tc.opts)
			if diff := cmp.Diff(tc.want, names(c.Callable())); diff != "" {
				t.Errorf("callable (-want +got):\n%s", diff)
			}
			again := catalogOf(t, r, tc.opts)
			if c.Digest() != again.Digest() {
				t.Error("the same options gave another catalog")
			}
		})
	}
	for _, opts := range []gongu.CatalogOptions{
		{Deny: []gongu.Rule{{Name: "[a"}}}, {Allow: []gongu.Rule{{Domain: "[a"}}}, {Show: []gongu.Rule{{Source: "[a"}}}, {Names: []string{"[a"}},
	} {
		if _, err := gongu.NewCatalog(r, &opts); err == nil {
			t.Errorf("the broken glob in %+v was taken", opts)
		}
	}
}

// Visible is what is declared; the rest stays callable, and the budget says
// what it left out.
func TestCatalogVisibleAndBudget(t *testing.T) {
	big := tool("big")
	big.Description = strings.Repeat("words ", 500)
	r := newRegistry(t, tool("a"), big, tool("b"))
	cost := tool("a").Tokens()
	c := catalogOf(t, r, gongu.CatalogOptions{Budget: 2 * cost})
	wantNames(t, c.Visible(), "a", "b")
	wantNames(t, c.Callable(), "a", "big", "b")
	if diff := cmp.Diff([]string{"big"}, c.LeftOut()); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	wantOK(t, run(t, overRegistry(r, &gongu.ExecutorOptions{Catalog: c}), "big", `{}`), `{}`)

	for _, opts := range []gongu.CatalogOptions{{Hide: []gongu.Rule{{Name: "b"}}}, {Show: []gongu.Rule{{Name: "*"}}, Hide: []gongu.Rule{{Name: "b"}}}} {
		without := catalogOf(t, r, opts)
		if !without.Has("b") || slices.ContainsFunc(without.Visible(), func(t gongu.Tool) bool { return t.Name == "b" }) {
			t.Errorf("%+v: a hidden tool is callable and not shown", opts)
		}
	}
	hidden := catalogOf(t, r, gongu.CatalogOptions{Show: []gongu.Rule{{Name: "b"}}})
	wantNames(t, hidden.Visible(), "b")
	wantNames(t, hidden.Restrict("b", "a").Visible(), "b")
	wantNames(t, hidden.Restrict("b", "a").Callable(), "b", "a")
	if len(hidden.LeftOut()) != 0 {
		t.Error("what is hidden on purpose counts as left out")
	}
}

// H8: a restricted catalog cannot be widened, and hides names everywhere.
func TestH8_RestrictedCatalog(t *testing.T) {
	r := zoo(t)
	c := gongu.Everything(r).Restrict("draw_rect", "fs__read", "nowhere", "fs__read")
	wantNames(t, c.Callable(), "draw_rect", "fs__read")
	wider, err := c.Select(&gongu.CatalogOptions{Names: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	wantNames(t, wider.Callable(), "draw_rect", "fs__read")
	if c.Has("fs__write") || len(c.Near("fs__wrote")) > 0 && c.Near("fs__wrote")[0] == "fs__write" {
		t.Error("fs__write is known")
	}
	if _, ok := c.Get("fs__write"); ok {
		t.Error("fs__write can be got")
	}
	domains := c.Domains()
	if len(domains) != 2 {
		t.Errorf("domains of a restricted catalog: %v", domains)
	}
	e := overRegistry(r, &gongu.ExecutorOptions{Catalog: c})
	wantOK(t, run(t, e, "draw_rect", `{}`), `{}`)
	wantCode(t, run(t, e, "fs__write", `{}`), gongu.CodeNotInCatalog)
}

// A tool that was removed or changed after the catalog was built does not run
// from it (goondan case 17 for the first).
func TestCatalogMeetsTheLiveRegistry(t *testing.T) {
	r := newRegistry(t, tool("x__none"), tool("x__changed"), tool("x__same"))
	c := gongu.Everything(r)
	e := overRegistry(r, &gongu.ExecutorOptions{Catalog: c})
	r.Remove("x__none")
	changed := tool("x__changed")
	changed.Description = "Sends your files away."
	if err := r.Add(changed, handled("x__same", "", func(ctx ctxT, call gongu.Call) gongu.Result { return gongu.OK("new handler") })); err != nil {
		t.Fatal(err)
	}
	gone := wantCode(t, run(t, e, "x__none", `{}`), gongu.CodeNotFound)
	if gone.Name != "ToolNotFoundError" || gone.Message != "Tool 'x__none' is not registered." {
		t.Errorf("error = %+v", gone)
	}
	wantCode(t, run(t, e, "x__changed", `{}`), gongu.CodeChanged)
	result := run(t, e, "x__same", `{}`)
	wantOK(t, result, `"new handler"`)
	if result.CatalogRevision != c.Revision() || c.Revision() != 1 {
		t.Errorf("the result names catalog revision %d, want %d", result.CatalogRevision, c.Revision())
	}
	fresh := e.WithCatalog(gongu.Everything(r))
	wantOK(t, run(t, fresh, "x__changed", `{}`), `{}`)
	wantCode(t, run(t, fresh, "x__none", `{}`), gongu.CodeNotInCatalog)
}

// Two executors over one registry see each other's additions.
func TestTwoExecutorsShareARegistry(t *testing.T) {
	r := newRegistry(t)
	first, second := overRegistry(r, nil), overRegistry(r, nil)
	adds := gongu.Func("add_tool", "Adds a tool.", func(ctx ctxT, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return in.Name, r.Add(tool(in.Name))
	})
	if err := r.Add(adds); err != nil {
		t.Fatal(err)
	}
	wantOK(t, run(t, first.WithCatalog(gongu.Everything(r)), "add_tool", `{"name":"fresh"}`), `"fresh"`)
	wantOK(t, run(t, second.WithCatalog(gongu.Everything(r)), "fresh", `{"n":1}`), `{"n":1}`)
}

// H12: tokens are a quarter of the bytes of the encoded declaration.
func TestH12_Tokens(t *testing.T) {
	plain := gongu.Tool{Name: "ab", Description: "한글"}
	encoded := fmt.Sprintf(`{"name":"ab","description":"한글","parameters":%s}`, plain.Parameters.OrAnyObject())
	if got, want := plain.Tokens(), (len(encoded)+3)/4; got != want {
		t.Errorf("tokens = %d, want %d", got, want)
	}
}
