package gongu_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/gongu-ai/gongu"
)

func TestCatalogSame(t *testing.T) {
	r := gongu.NewRegistry(nil)
	add := func(names ...string) {
		t.Helper()
		for _, name := range names {
			if err := r.Add(gongu.Func(name, name, func(context.Context, struct{}) (string, error) { return name, nil })); err != nil {
				t.Fatal(err)
			}
		}
	}
	add("a", "b", "c")
	all := gongu.Everything(r)
	choose := func(opts *gongu.CatalogOptions) *gongu.Catalog {
		t.Helper()
		c, err := all.Select(opts)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	same := map[string]*gongu.Catalog{
		"itself":       all,
		"again":        gongu.Everything(r),
		"all by name":  all.Restrict("a", "b", "c", "a"),
		"all by globs": choose(&gongu.CatalogOptions{Names: []string{"*"}}),
	}
	other := map[string]*gongu.Catalog{
		"none":          nil,
		"another order": all.Restrict("b", "a", "c"),
		"fewer":         all.Restrict("a", "b"),
		"one hidden":    choose(&gongu.CatalogOptions{Hide: []gongu.Rule{{Name: "b"}}}),
	}
	for name, c := range same {
		if !all.Same(c) {
			t.Errorf("%s is not the same", name)
		}
	}
	add("d")
	other["later, with another tool"] = gongu.Everything(r)
	r.Remove("d")
	other["later, with the same tools"] = gongu.Everything(r)
	for name, c := range other {
		if all.Same(c) || c.Same(all) {
			t.Errorf("%s counts as the same", name)
		}
	}
}

// Naming every one of many tools costs about as much as there are names.
func TestRestrictToMany(t *testing.T) {
	const count = 20_000
	tools, names := make([]gongu.Tool, count), make([]string, 0, 2*count)
	for i := range tools {
		tools[i] = gongu.Tool{Name: fmt.Sprintf("t%d", i), Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.Result{} }}
		names = append(names, tools[i].Name, tools[i].Name)
	}
	r := gongu.NewRegistry(nil)
	if err := r.Add(tools...); err != nil {
		t.Fatal(err)
	}
	if got := gongu.Everything(r).Restrict(names...).Callable(); len(got) != count || got[count-1].Name != "t19999" {
		t.Errorf("%d tools", len(got))
	}
}
