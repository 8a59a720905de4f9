package gongu_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

func overlay(t *testing.T, base *gongu.Registry, tools ...gongu.Tool) *gongu.Registry {
	t.Helper()
	r := gongu.NewRegistry(&gongu.RegistryOptions{Base: base, Logger: quiet()})
	if err := r.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return r
}

func namesIn(r *gongu.Registry) string {
	var out []string
	for _, tool := range r.Tools() {
		out = append(out, tool.Name)
	}
	return strings.Join(out, " ")
}

// An overlay has the tools of its base as they are, and its own, and leaves
// the base alone.
func TestOverlay(t *testing.T) {
	base := newRegistry(t, tool("a"), tool("b"))
	base.Domain("general", "everything")
	over := overlay(t, base, tool("x"))
	over.Domain("mine", "only here")
	if got := namesIn(over); got != "a b x" || over.Len() != 3 || !over.Has("a") || !over.Has("x") || base.Has("x") {
		t.Errorf("%s", got)
	}
	if d := over.Domains(); len(d) != 2 || d[0].Description != "everything" || d[0].Count != 3 || d[1].Name != "mine" || len(base.Domains()) != 1 {
		t.Errorf("domains %v", d)
	}
	if err := base.Add(tool("c")); err != nil {
		t.Fatal(err)
	}
	base.Remove("a")
	if got := namesIn(over); got != "b c x" || over.Has("a") {
		t.Errorf("after a change of the base: %s", got)
	}
	if n := over.Remove("b", "x"); n != 1 || namesIn(over) != "b c" || !base.Has("b") {
		t.Errorf("%d removed, %s left", n, namesIn(over))
	}
	if got := namesIn(gongu.NewRegistry(&gongu.RegistryOptions{Base: over})); got != "b c" {
		t.Errorf("an overlay of an overlay: %s", got)
	}
	narrow := overlay(t, base.Restrict("c"), tool("y"))
	if got := namesIn(narrow); got != "c y" || narrow.Has("b") {
		t.Errorf("an overlay of a view: %s", got)
	}
	if got := namesIn(narrow.Restrict("y", "b")); got != "y" {
		t.Errorf("a view of an overlay: %s", got)
	}
}

// A name of the base is another owner's, also for the same source.
func TestOverlayCollision(t *testing.T) {
	base := newRegistry(t, tool("a"))
	over := overlay(t, base)
	mine := tool("a")
	mine.Description = "mine"
	for name, err := range map[string]error{
		"add":     over.Add(mine),
		"replace": over.Replace(gongu.Source{Type: "go"}, mine),
	} {
		if err == nil || !strings.Contains(err.Error(), `tool "a"`) || !strings.Contains(err.Error(), "base registry") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := over.Override(mine); err != nil {
		t.Fatal(err)
	}
	if got, _ := over.Get("a"); got.Description != "mine" || over.Len() != 1 {
		t.Errorf("%+v", got)
	}
	if err := over.Add(mine); err != nil {
		t.Errorf("its own tool can be replaced: %v", err)
	}
	if got, _ := base.Get("a"); got.Description == "mine" {
		t.Error("the base has changed")
	}
	// What the base gains later stays hidden.
	if err := over.Add(tool("late")); err != nil {
		t.Fatal(err)
	}
	theirs := tool("late")
	theirs.Description = "theirs"
	if err := base.Add(theirs); err != nil {
		t.Fatal(err)
	}
	if got, _ := over.Get("late"); got.Description == "theirs" || over.Len() != 2 {
		t.Errorf("%+v of %s", got, namesIn(over))
	}
	over.Remove("late")
	if got, _ := over.Get("late"); got.Description != "theirs" {
		t.Errorf("%+v", got)
	}
}

// The revision changes with either side, and a catalog of an overlay is
// enforced against both.
func TestOverlayRevisionAndCatalog(t *testing.T) {
	base := newRegistry(t, tool("a"), tool("b"))
	over := overlay(t, base, tool("x"))
	e := gongu.NewExecutor(over, &gongu.ExecutorOptions{Catalog: gongu.Everything(over)})
	if !gongu.Everything(over).Same(gongu.Everything(over)) {
		t.Error("two catalogs of one state differ")
	}
	for _, name := range []string{"a", "x"} {
		if r := run(t, e, name, `{}`); r.Failed() {
			t.Error(r.Error)
		}
	}
	revisions := []uint64{over.Revision()}
	changed := tool("b")
	changed.Description = "another"
	for _, change := range []func() error{
		func() error { return base.Add(changed) },
		func() error { return over.Add(tool("y")) },
		func() error { base.Remove("a"); return nil },
		func() error { over.Remove("x"); return nil },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, over.Revision())
	}
	if !slices.IsSorted(revisions) || len(slices.Compact(slices.Clone(revisions))) != 5 {
		t.Errorf("revisions %v", revisions)
	}
	wantCode(t, run(t, e, "a", `{}`), gongu.CodeNotFound)
	wantCode(t, run(t, e, "b", `{}`), gongu.CodeChanged)
	wantCode(t, run(t, e, "x", `{}`), gongu.CodeNotFound)
}

// Watch of an overlay, also of an overlay of an overlay, tells of both sides.
func TestOverlayWatch(t *testing.T) {
	base := newRegistry(t, tool("a"))
	middle := overlay(t, base)
	over := overlay(t, middle, tool("x"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	changes := make(chan gongu.Change)
	watch := over.Watch(ctx)
	go func() {
		defer close(changes)
		for c := range watch {
			changes <- c
		}
	}()
	if err := base.Add(tool("b")); err != nil {
		t.Fatal(err)
	}
	if c := <-changes; !slices.Equal(c.Added, []string{"b"}) || c.Removed != nil || c.Changed != nil {
		t.Errorf("%+v", c)
	}
	over.Remove("x")
	if c := <-changes; !slices.Equal(c.Removed, []string{"x"}) {
		t.Errorf("%+v", c)
	}
	if err := middle.Add(tool("m")); err != nil {
		t.Fatal(err)
	}
	if c := <-changes; !slices.Equal(c.Added, []string{"m"}) {
		t.Errorf("%+v", c)
	}
	cancel()
	for range changes {
	}
}

// H13: a look-up in an overlay allocates nothing either.
func TestH13_OverlayLookupAllocatesNothing(t *testing.T) {
	base := newRegistry(t, tool("a"))
	over := overlay(t, base, tool("x"))
	catalog := gongu.Everything(over)
	allocations := testing.AllocsPerRun(1000, func() {
		if !over.Has("a") || !over.Has("x") || over.Has("y") || !catalog.Has("a") || catalog.Revision() != over.Revision() {
			t.Error("wrong answer")
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
}
