package access_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
)

func catalog(t *testing.T) *gongu.Catalog {
	t.Helper()
	r := gongu.NewRegistry(nil)
	tool := func(name string, readOnly bool, domain string) gongu.Tool {
		made := gongu.Func(name, name, func(context.Context, struct{}) (string, error) { return "", nil })
		made.Domain, made.Annotations.ReadOnly = domain, &readOnly
		return made
	}
	if err := r.Add(tool("look", true, "x"), tool("write", false, "x"), tool("erase", false, "x"), tool("find", false, "registry")); err != nil {
		t.Fatal(err)
	}
	return gongu.Everything(r)
}

func newAccess(t *testing.T, globs ...string) *access.Access {
	t.Helper()
	a, err := access.New(access.Options{Offer: access.ReadOnlyAnd(globs), Always: []gongu.Rule{{Domain: "registry"}}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func names(c *gongu.Catalog) []string {
	var out []string
	for _, tool := range c.Callable() {
		out = append(out, tool.Name)
	}
	return out
}

func TestCatalog(t *testing.T) {
	all := []string{"look", "write", "erase", "find"}
	for _, tc := range []struct {
		name      string
		globs     []string
		principal *gongu.Principal
		want      []string
	}{
		{"the program itself", nil, nil, all},
		{"read-only and what is always offered", nil, &gongu.Principal{Name: "a"}, []string{"look", "find"}},
		{"named tools beside them", []string{"wr*"}, &gongu.Principal{Name: "a"}, []string{"look", "write", "find"}},
		{"everything", []string{"*"}, &gongu.Principal{Name: "a"}, all},
		{"a limited token", []string{"*"}, &gongu.Principal{Name: "a", Allow: []gongu.Rule{{Name: "write"}}}, []string{"write"}},
		{"a limit does not offer more", nil, &gongu.Principal{Name: "a", Allow: []gongu.Rule{{Name: "write"}, {Name: "look"}}}, []string{"look"}},
		{"no tool at all", []string{"*"}, &gongu.Principal{Name: "a", Allow: []gongu.Rule{}}, nil},
		{"the principal's own offer", nil, &gongu.Principal{Name: "a", Offer: []gongu.Rule{{Name: "erase"}}}, []string{"erase", "find"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := newAccess(t, tc.globs...).Catalog(tc.principal, "", catalog(t))
			if err != nil || !slices.Equal(names(got), tc.want) {
				t.Errorf("got %v, %v; want %v", names(got), err, tc.want)
			}
		})
	}
}

// Without an Access every tool is offered, and a principal still has its limits.
func TestNilAccess(t *testing.T) {
	var none *access.Access
	got, err := none.Catalog(&gongu.Principal{Name: "a", Allow: []gongu.Rule{{Name: "write"}}}, "", catalog(t))
	if err != nil || !slices.Equal(names(got), []string{"write"}) {
		t.Errorf("got %v, %v", names(got), err)
	}
	if got, err := none.Catalog(&gongu.Principal{Name: "a"}, "", catalog(t)); err != nil || len(names(got)) != 4 {
		t.Errorf("got %v, %v", names(got), err)
	}
}

// Principals with the same rules share one narrowed catalog, so that what is
// made of it is made once; others do not get it.
func TestCatalogIsShared(t *testing.T) {
	a, c := newAccess(t), catalog(t)
	narrow := func(p *gongu.Principal) *gongu.Catalog {
		t.Helper()
		got, err := a.Catalog(p, "", c)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	one := narrow(&gongu.Principal{Name: "one"})
	if narrow(&gongu.Principal{Name: "two"}) != one {
		t.Error("two principals with the same rules have two catalogs")
	}
	if narrow(&gongu.Principal{Name: "two", Allow: []gongu.Rule{}}) == one {
		t.Error("an empty list of rules is taken for none")
	}
}

// A broken glob would silently offer nothing.
func TestNewRefusesBrokenGlobs(t *testing.T) {
	for _, opts := range []access.Options{{Offer: access.ReadOnlyAnd([]string{"["})}, {Always: []gongu.Rule{{Domain: "["}}}} {
		if _, err := access.New(opts); err == nil {
			t.Errorf("%+v is accepted", opts)
		}
	}
}

func TestAgent(t *testing.T) {
	a := newAccess(t)
	limited := &gongu.Principal{Name: "a", Agents: []string{"helper"}}
	if err := access.Agent(limited, "helper"); err != nil {
		t.Error(err)
	}
	for _, agent := range []string{"", "other"} {
		if err := access.Agent(limited, agent); !errors.Is(err, access.ErrForbidden) {
			t.Errorf("%q: %v", agent, err)
		}
		if _, err := a.Catalog(limited, agent, catalog(t)); !errors.Is(err, access.ErrForbidden) {
			t.Errorf("catalog of %q: %v", agent, err)
		}
		if err := access.Source(limited, agent, "McpServer/far", access.Prompts); !errors.Is(err, access.ErrForbidden) {
			t.Errorf("source under %q: %v", agent, err)
		}
	}
}

func TestSource(t *testing.T) {
	only := []gongu.Rule{{Name: "look"}}
	for _, tc := range []struct {
		name      string
		principal *gongu.Principal
		kind      access.Kind
		allowed   bool
	}{
		{"the program itself", nil, access.Resources, true},
		{"without limits", &gongu.Principal{}, access.Resources, true},
		{"limited to a tool", &gongu.Principal{Allow: only}, access.Resources, false},
		{"limited to a tool, prompts", &gongu.Principal{Allow: only}, access.Prompts, false},
		{"granted", &gongu.Principal{Allow: only, Resources: []gongu.Rule{{Source: "McpServer/f*"}}}, access.Resources, true},
		{"another source granted", &gongu.Principal{Allow: only, Resources: []gongu.Rule{{Source: "McpServer/other"}}}, access.Resources, false},
		{"another kind granted", &gongu.Principal{Allow: only, Resources: []gongu.Rule{{}}}, access.Prompts, false},
		{"none granted", &gongu.Principal{Prompts: []gongu.Rule{}}, access.Prompts, false},
	} {
		if err := access.Source(tc.principal, "", "McpServer/far", tc.kind); (err == nil) != tc.allowed {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestOwnsAndDecide(t *testing.T) {
	model, person := &gongu.Principal{Name: "m"}, &gongu.Principal{Name: "p", Manage: "all"}
	if access.Owns(model, "m") != nil || access.Owns(model, "p") == nil {
		t.Error("owns")
	}
	if access.Decide(model, "accept pins") == nil || access.Decide(person, "accept pins") != nil {
		t.Error("decide")
	}
	if access.Whole(&gongu.Principal{Allow: []gongu.Rule{}}) == nil || access.Whole(model) != nil {
		t.Error("whole")
	}
}
