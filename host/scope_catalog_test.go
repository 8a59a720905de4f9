package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/host"
)

// catalogIn is the catalog of the agent's next step.
func catalogIn(t *testing.T, h *host.Host, agent string) *gongu.Catalog {
	t.Helper()
	var found *gongu.Catalog
	inStep(t, h, agent, func(_ context.Context, x *gongu.Executor) { found = x.Catalog() })
	return found
}

func plainTool(name, description string) gongu.Tool {
	return gongu.Func(name, description, func(context.Context, struct{}) (string, error) { return description, nil })
}

// Steps between two changes share one catalog, and the step after a change has
// what changed: whatever of the registry it was, and in every kind of scope.
func TestV1_CatalogOfSteps(t *testing.T) {
	dir := extended(t, register(`api.tools.register({ name: 'e__made' }, () => 1);`))
	h := open(t, dir, nil)
	registry := h.Registry()
	changes := []struct {
		name string
		make func() error
		want func(c *gongu.Catalog) bool
	}{
		{"add", func() error { return registry.Add(plainTool("extra", "One.")) }, func(c *gongu.Catalog) bool { return c.Has("extra") }},
		{"replace", func() error { return registry.Add(plainTool("extra", "Two.")) }, func(c *gongu.Catalog) bool {
			got, _ := c.Get("extra")
			return got.Description == "Two."
		}},
		{"domain", func() error { registry.Domain("general", "All in Go."); return nil }, func(c *gongu.Catalog) bool {
			return strings.Contains(fmt.Sprint(c.Domains()), "All in Go.")
		}},
		{"remove", func() error { registry.Remove("extra"); return nil }, func(c *gongu.Catalog) bool { return !c.Has("extra") }},
		{"another source", func() error {
			made := plainTool("other_one", "Other.")
			made.Source = gongu.Source{Type: "go", Name: "other"}
			return registry.Replace(made.Source, made)
		}, func(c *gongu.Catalog) bool { return c.Has("other_one") }},
	}
	for _, change := range changes {
		if err := change.make(); err != nil {
			t.Fatal(err)
		}
		whole := catalogIn(t, h, "")
		if !change.want(whole) {
			t.Errorf("%s: the next step has %s", change.name, shown(whole))
		}
		for _, agent := range []string{"", "a", "plain"} {
			if first, again := catalogIn(t, h, agent), catalogIn(t, h, agent); first != again {
				t.Errorf("%s: two steps of %q without a change have two catalogs", change.name, agent)
			}
		}
	}
}

// An agent's own catalog follows its declared tools when they change in the
// registry, and nothing else of it.
func TestV1_CatalogOfAnAgentFollows(t *testing.T) {
	h := open(t, extended(t, register(`api.tools.register({ name: 'e__made' }, () => 1);`)), nil)
	for _, name := range []string{"a", "plain"} {
		before, _ := catalogIn(t, h, name).Get("x__echo")
		changed := before
		changed.Description += " Changed for " + name + "."
		if err := h.Registry().Add(changed); err != nil {
			t.Fatal(err)
		}
		if got, _ := catalogIn(t, h, name).Get("x__echo"); got.Description != changed.Description {
			t.Errorf("%s: %q", name, got.Description)
		}
		h.Registry().Remove("x__fail")
		if got := shown(catalogIn(t, h, name)); strings.Contains(got, "x__fail") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A tool that an extension registers in one step is there in the next one of
// its agent, and never in another agent's.
func TestV1_CatalogHasWhatAnExtensionAdds(t *testing.T) {
	dir := extended(t)
	write(t, dir, "extensions.yaml", "apiVersion: gongu/v1\nkind: Extension\nmetadata: { name: late }\nspec: { entry: \"builtin:late\" }\n---\napiVersion: gongu/v1\nkind: Agent\nmetadata: { name: b }\nspec:\n  modelConfig: { modelRef: Model/m }\n  tools: [Tool/x]\n  extensions: [Extension/late]\n")
	apis := map[*agent.API]bool{}
	late := agent.ExtensionFunc(func(_ context.Context, api *agent.API, _ json.RawMessage) error {
		apis[api] = true
		return nil
	})
	h := open(t, dir, &host.Options{Extensions: map[string]agent.Extension{"late": late}})
	if got := shown(catalogIn(t, h, "b")); got != "x__echo x__fail" {
		t.Fatal(got)
	}
	catalogIn(t, h, "plain")
	for api := range apis {
		if err := api.RegisterTool(plainTool("late__made", "Made late.")); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"b": "x__echo x__fail late__made", "plain": "x__echo x__fail"} {
		if got := shown(catalogIn(t, h, name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// What pins hold back or accept shows in the next step.
func TestV1_CatalogFollowsThePins(t *testing.T) {
	p := newPlant(t)
	p.pin = "  pin: {maxAge: 0}\n"
	p.behave("srv", upstream{Tools: []json.RawMessage{tool("x", "Does x.")}})
	p.write("", "srv")
	h := open(t, p.dir, nil)
	h.Sources().Load(t.Context())
	expect := func(when string, want bool) {
		t.Helper()
		if got := catalogIn(t, h, ""); got.Has("srv__x") != want {
			t.Errorf("%s: %s", when, shown(got))
		}
	}
	expect("pinned", true)
	p.behave("srv", upstream{Tools: []json.RawMessage{tool("x", "Does y.")}})
	if err := h.Sources().Refresh(t.Context(), "srv"); err != nil {
		t.Fatal(err)
	}
	expect("changed", false)
	if _, err := h.Sources().AcceptPins(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	expect("accepted", true)
	if got, _ := catalogIn(t, h, "").Get("srv__x"); got.Description != "Does y." {
		t.Errorf("%q", got.Description)
	}
}

// What a person approves, and what a reload brings, shows in the next step of
// an agent that has been at work before.
func TestV1_CatalogFollowsApprovalsAndReloads(t *testing.T) {
	dir := folder(t, base)
	h := open(t, dir, nil)
	before := catalogIn(t, h, "reader")
	id := ask(t, h, "request_tool", `{"name":"shout","description":"Writes a word loudly"}`)
	approve(t, h, id, shout, "")
	if got := catalogIn(t, h, "reader"); got == before || !got.Has("shout") {
		t.Errorf("after the approval: %s", shown(got))
	}
	write(t, dir, "gongu.yaml", strings.Replace(base, "tools: [Tool/file-system]", "tools: [Tool/bash]", 1))
	if r := h.Reload(t.Context()); r.Err != nil {
		t.Fatal(r.Err)
	}
	if got := catalogIn(t, h, "reader"); !got.Has("bash__exec") || got.Has("file-system__read") {
		t.Errorf("after the reload: %s", shown(got))
	}
}

// A reload may bring a tool together with an agent that requires it.
func TestB12_ReloadWithARequiredTool(t *testing.T) {
	required := base + "---\napiVersion: gongu/v1\nkind: Agent\nmetadata: { name: must }\nspec:\n  modelConfig: { modelRef: Model/m }\n  tools: [Tool/file-system]\n  requiredTools: [file-system__read]\n"
	dir := folder(t, required)
	h := open(t, dir, nil)
	catalogIn(t, h, "must")
	later := strings.Replace(required, "requiredTools: [file-system__read]", "requiredTools: [file-system__read, json__query]", 1)
	later = strings.Replace(later, "tools: [Tool/file-system]\n  requiredTools", "tools: [Tool/file-system, Tool/json]\n  requiredTools", 1)
	write(t, dir, "gongu.yaml", later+"---\napiVersion: gongu/v1\nkind: Tool\nmetadata: { name: json }\nspec: { entry: \"builtin:json-query\", exports: [{ name: query }] }\n")
	if r := h.Reload(t.Context()); r.Err != nil {
		t.Fatal(r.Err)
	}
	if got := catalogIn(t, h, "must"); !got.Has("json__query") {
		t.Errorf("%s", shown(got))
	}
}

// Whoever has added a tool finds it in every step that begins afterwards,
// while others take steps and change things as well.
func TestV1_CatalogsUnderChange(t *testing.T) {
	h := open(t, extended(t, register(`api.tools.register({ name: 'e__made' }, () => 1);`)), nil)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			agent := []string{"", "a"}[worker%2]
			for i := range 25 {
				name := fmt.Sprintf("w%d_%d", worker, i)
				if err := h.Registry().Add(plainTool(name, "One.")); err != nil {
					t.Error(err)
					return
				}
				changed, _ := h.Registry().Get("x__echo")
				err := h.Step(t.Context(), agent, func(_ context.Context, x *gongu.Executor) error {
					if agent == "" && !x.Catalog().Has(name) {
						t.Errorf("%s was added and is not in the next step", name)
					}
					if got, ok := x.Catalog().Get("x__echo"); !ok || got.Digest() != changed.Digest() {
						t.Error("x__echo is not as it is in the registry")
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
