package gongu_test

import (
	"context"
	"testing"

	"github.com/gongu-ai/gongu"
)

// An overlay can be prepared on one base and put on another: it keeps its own
// tools, and its revision grows although the new base is younger.
func TestRegistryRebase(t *testing.T) {
	tool := func(name, description string) gongu.Tool {
		return gongu.Func(name, description, func(context.Context, struct{}) (string, error) { return "", nil })
	}
	add := func(r *gongu.Registry, tools ...gongu.Tool) {
		t.Helper()
		if err := r.Add(tools...); err != nil {
			t.Fatal(err)
		}
	}
	staged, live := gongu.NewRegistry(nil), gongu.NewRegistry(nil)
	for range 20 {
		staged.Domain("d", "changes the revision")
	}
	add(staged, tool("both", "Staged."), tool("staged", "Staged."))
	add(live, tool("both", "Live."), tool("live", "Live."))
	overlay := gongu.NewRegistry(&gongu.RegistryOptions{Base: staged})
	add(overlay, tool("own", "Own."))
	before := overlay.Revision()
	catalog := gongu.Everything(overlay)

	if err := overlay.Rebase(live); err != nil {
		t.Fatal(err)
	}
	if overlay.Revision() <= before {
		t.Errorf("revision %d after %d", overlay.Revision(), before)
	}
	if got, _ := overlay.Get("both"); got.Description != "Live." {
		t.Errorf("both is %q", got.Description)
	}
	for name, want := range map[string]bool{"own": true, "live": true, "staged": false} {
		if _, ok := overlay.Get(name); ok != want {
			t.Errorf("%s: found %v", name, ok)
		}
	}
	x := gongu.NewExecutor(overlay, &gongu.ExecutorOptions{Catalog: catalog})
	if got := x.Call(t.Context(), gongu.Call{Name: "both"}); got.Error == nil || got.Error.Code != gongu.CodeChanged {
		t.Errorf("a catalog from before calls the tool of the new base: %+v", got)
	}
	if err := live.Rebase(staged); err == nil {
		t.Error("a registry that is no overlay got a base")
	}
}
