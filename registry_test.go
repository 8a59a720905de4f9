package gongu_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
)

func names(tools []gongu.Tool) []string {
	out := make([]string, len(tools))
	for i, t := range tools {
		out[i] = t.Name
	}
	return out
}

func wantNames(t *testing.T, got []gongu.Tool, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, names(got)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// Add is all or nothing and names tool and field (style rule 6, case 38).
func TestRegistryRefusesBadTools(t *testing.T) {
	good := tool("good__one")
	for want, bad := range map[string]gongu.Tool{
		`tool "": name: is empty`:                 {Invoke: echo},
		`tool "no__handler": invoke:`:             {Name: "no__handler"},
		`write "calc__add"`:                       tool("calc.add"),
		`"a__b__c": name:`:                        tool("a__b__c"),
		`"x__": name:`:                            tool("x__"),
		`has 65 characters`:                       tool(strings.Repeat("a", 65)),
		`source: type "alien"`:                    {Name: "x__y", Invoke: echo, Source: gongu.Source{Type: "alien"}},
		`"bad": name: a tool of Extension/ext`:    {Name: "bad", Invoke: echo, Source: gongu.Source{Type: "extension", Name: "ext"}},
		`"d__x": description: is not valid UTF-8`: {Name: "d__x", Description: "\xff", Invoke: echo},
		`description: has 70000 bytes`:            {Name: "d__y", Description: strings.Repeat("x", 70000), Invoke: echo},
		`"p__x": parameters: root must have`:      handled("p__x", `{"type":"string"}`, echo),
		`"p__y": parameters:`:                     handled("p__y", `[]`, echo),
		`"p__z": parameters:`:                     handled("p__z", `{"type":"object","properties":{"a":{"type":"strin"}}}`, echo),
		`"p__r": parameters:`:                     handled("p__r", `{"type":"object","$ref":"https://example.com/x"}`, echo),
		`"o__x": output:`:                         {Name: "o__x", Output: `{"$ref":"#"}`, Invoke: echo},
		`limits:`:                                 {Name: "l__x", Invoke: echo, Limits: gongu.Limits{ErrorMessage: -5}},
	} {
		r := newRegistry(t)
		err := r.Add(good, bad)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Add(%q) = %v, want %q in it", bad.Name, err, want)
		}
		if r.Len() != 0 || r.Revision() != 0 {
			t.Errorf("after a refused batch %d tools are registered at revision %d", r.Len(), r.Revision())
		}
	}
	if err := newRegistry(t).Add(good, good); err == nil {
		t.Error("the same name twice in one batch was taken")
	}
}

// Owner rules: goondan cases 34 and 35, gemini A02.
func TestRegistryOwners(t *testing.T) {
	var log strings.Builder
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	config := func(text string) gongu.Tool {
		return gongu.Tool{Name: "bash__exec", Description: text, Invoke: echo, Source: gongu.Source{Type: "config", Name: "bash"}}
	}
	hijack := config("mine now")
	hijack.Source = gongu.Source{Type: "extension", Name: "evil"}
	if err := r.Add(config("first"), tool("other")); err != nil {
		t.Fatal(err)
	}
	if err := r.Add(config("second")); err != nil {
		t.Fatalf("the same owner may replace: %v", err)
	}
	if got, _ := r.Get("bash__exec"); got.Description != "second" {
		t.Errorf("description = %q, want the later one", got.Description)
	}
	wantNames(t, r.Tools(), "bash__exec", "other")
	if !strings.Contains(log.String(), "tool replaced") {
		t.Error("a replaced tool was not logged")
	}
	err := r.Add(hijack)
	if err == nil || !strings.Contains(err.Error(), "Tool/bash") {
		t.Errorf("another owner took the tool over: %v", err)
	}
	if got, _ := r.Get("bash__exec"); got.Description != "second" {
		t.Errorf("after a refused take-over the tool is %q", got.Description)
	}
	if err := r.Override(hijack); err != nil {
		t.Errorf("a declared override was refused: %v", err)
	}
}

// A source's set is swapped as a whole, and only on success (seed 002 mended).
func TestRegistryReplace(t *testing.T) {
	r := newRegistry(t, tool("builtin"))
	server := gongu.Source{Type: "mcp", Name: "s"}
	set := func(exports ...string) []gongu.Tool {
		var tools []gongu.Tool
		for _, export := range exports {
			tools = append(tools, tool("s__"+export))
		}
		return tools
	}
	if err := r.Replace(server, set("a", "b", "c")...); err != nil {
		t.Fatal(err)
	}
	if err := r.Add(tool("later")); err != nil {
		t.Fatal(err)
	}
	before := r.Revision()
	if err := r.Replace(server, set("c", "d", "a")...); err != nil {
		t.Fatal(err)
	}
	wantNames(t, r.Tools(), "builtin", "s__c", "s__d", "s__a", "later")
	if r.Revision() != before+1 {
		t.Errorf("one replacement made %d revisions", r.Revision()-before)
	}
	if err := r.Replace(server, append(set("e"), gongu.Tool{Name: "s__broken"})...); err == nil {
		t.Error("a broken set was taken")
	}
	wantNames(t, r.Tools(), "builtin", "s__c", "s__d", "s__a", "later")
	if err := r.Replace(server, gongu.Tool{Name: "s__x", Invoke: echo, Source: gongu.Source{Type: "go"}}); err == nil {
		t.Error("a source replaced itself with a tool of another owner")
	}
	if err := r.Replace(server); err != nil {
		t.Fatal(err)
	}
	wantNames(t, r.Tools(), "builtin", "later")
}

// A name can move between sources that are replaced together, and only then.
func TestReplaceAllMovesNames(t *testing.T) {
	of := func(server string) gongu.Tool {
		made := tool("x")
		made.Source = gongu.Source{Type: "command", Name: server, Original: "x"}
		return made
	}
	a, b := gongu.Source{Type: "command", Name: "a"}, gongu.Source{Type: "command", Name: "b"}
	r := newRegistry(t)
	if err := r.Replace(a, of("a")); err != nil {
		t.Fatal(err)
	}
	if err := r.Replace(b, of("b")); err == nil {
		t.Error("b took a tool of a")
	}
	if err := r.ReplaceAll([]gongu.Source{a, b}, of("b")); err != nil {
		t.Error(err)
	}
}

// Several sources are swapped in one step, and only together.
func TestRegistryReplaceAll(t *testing.T) {
	of := func(server, export string) gongu.Tool {
		made := tool(server + "__" + export)
		made.Source = gongu.Source{Type: "mcp", Name: server}
		return made
	}
	both := []gongu.Source{{Type: "mcp", Name: "a"}, {Type: "mcp", Name: "b"}}
	r := newRegistry(t, tool("mine"))
	if err := r.ReplaceAll(both, of("a", "x"), of("b", "x")); err != nil {
		t.Fatal(err)
	}
	before := r.Revision()
	if err := r.ReplaceAll(both, of("b", "y")); err != nil {
		t.Fatal(err)
	}
	wantNames(t, r.Tools(), "mine", "b__y")
	if r.Revision() != before+1 {
		t.Errorf("%d revisions for one step", r.Revision()-before)
	}
	if err := r.ReplaceAll(both, of("c", "x")); err == nil || r.Has("c__x") {
		t.Errorf("a tool of another source was taken: %v", err)
	}
}

// H7: domains are listed as declared, then as tools bring them.
func TestH7_Domains(t *testing.T) {
	r := newRegistry(t)
	r.Domain("style", "Set styles")
	r.Domain("primitives", "Draw shapes")
	r.Domain("style", "Set strokes and fills")
	placed := tool("draw_rect")
	placed.Domain = "primitives"
	server := gongu.Tool{Name: "gh__list", Invoke: echo, Source: gongu.Source{Type: "mcp", Name: "github"}}
	if err := r.Add(placed, tool("wait__seconds"), server, tool("plain")); err != nil {
		t.Fatal(err)
	}
	want := []gongu.Domain{
		{Name: "style", Description: "Set strokes and fills"},
		{Name: "primitives", Count: 1, Description: "Draw shapes"},
		{Name: "wait", Count: 1},
		{Name: "github", Count: 1},
		{Name: "general", Count: 1},
	}
	if diff := cmp.Diff(want, r.Domains()); diff != "" {
		t.Errorf("domains (-want +got):\n%s", diff)
	}
	wantNames(t, r.InDomain("wait"), "wait__seconds")
	if got := r.Restrict("draw_rect").Domains(); len(got) != 1 || got[0].Name != "primitives" {
		t.Errorf("a restricted view knows the domains %v", got)
	}
}

// Goondan case 37: what is returned is a copy, all the way down.
func TestRegistryCannotBeChangedThroughItsAnswers(t *testing.T) {
	given := gongu.Tool{
		Name: "a__b", Invoke: echo, Keywords: []string{"one"}, Labels: map[string]string{"tier": "base"},
		Annotations: gongu.Annotations{ReadOnly: new(true)}, Examples: []json.RawMessage{json.RawMessage(`{"x":1}`)},
		Source:     gongu.Source{Type: "mcp", Name: "s", MCP: &gongu.MCPSource{ExtensionName: "e"}},
		Parameters: `{"type":"object","properties":{"o":{"type":"object","properties":{"x":{"type":"string"}}}}}`,
	}
	r := newRegistry(t, given)
	spoil := func(tool gongu.Tool) {
		tool.Keywords[0], tool.Labels["tier"], tool.Source.MCP.ExtensionName = "two", "x", "x"
		*tool.Annotations.ReadOnly = false
		tool.Examples[0][1] = 'X'
	}
	want := fmt.Sprint(deref(r))
	spoil(given)
	for _, from := range []func() gongu.Tool{
		func() gongu.Tool { got, _ := r.Get("a__b"); return got },
		func() gongu.Tool { return r.Tools()[0] },
		func() gongu.Tool { return r.ToolsByName("a__b")[0] },
		func() gongu.Tool { return gongu.Everything(r).Callable()[0] },
		func() gongu.Tool { return gongu.Everything(r).Visible()[0] },
		func() gongu.Tool { got, _ := gongu.Everything(r).Get("a__b"); return got },
	} {
		spoil(from())
		if got := fmt.Sprint(deref(r)); got != want {
			t.Fatalf("the registry changed from %s to %s", want, got)
		}
	}
}

func deref(r *gongu.Registry) []any {
	t, _ := r.Get("a__b")
	return []any{t.Keywords, t.Labels, *t.Source.MCP, *t.Annotations.ReadOnly, string(t.Examples[0]), t.Parameters}
}

// H8: a restricted view knows nothing else and cannot be widened.
func TestH8_RestrictedRegistry(t *testing.T) {
	r := newRegistry(t, tool("a"), tool("b"), tool("c"))
	view := r.Restrict("c", "a", "nowhere")
	wantNames(t, view.Tools(), "a", "c")
	wantNames(t, view.ToolsByName("c", "b", "a"), "c", "a")
	if view.Has("b") || view.Len() != 2 {
		t.Error("the view knows b")
	}
	wantNames(t, view.Restrict("b", "a").Tools(), "a")
	if err := view.Add(tool("b")); err == nil {
		t.Error("a tool was added through a view")
	}
	if err := view.Replace(gongu.Source{Type: "go"}); err == nil || r.Len() != 3 {
		t.Error("a view replaced a source")
	}
	if view.Remove("a") != 0 || !r.Has("a") {
		t.Error("a view removed a tool")
	}
	view.Domain("x", "y")
	e := overRegistry(view, nil)
	wantOK(t, run(t, e, "a", `{}`), `{}`)
	refused := wantCode(t, run(t, e, "b", `{}`), gongu.CodeNotInCatalog)
	if strings.Contains(refused.Suggestion, "Did you mean") && strings.Contains(refused.Suggestion, " b") {
		t.Errorf("the view gave away a name: %s", refused.Suggestion)
	}
	if err := r.Add(tool("nowhere")); err != nil {
		t.Fatal(err)
	}
	if !view.Has("nowhere") {
		t.Error("an allowed name that was added later is not seen")
	}
}

// Watchers see every change, several as one when they are slow.
func TestRegistryWatch(t *testing.T) {
	r := newRegistry(t, tool("old"), tool("kept"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changes := r.Watch(ctx)
	if err := r.Add(tool("new"), tool("brief")); err != nil {
		t.Fatal(err)
	}
	changed := tool("kept")
	changed.Description = "Other."
	if err := r.Add(changed); err != nil {
		t.Fatal(err)
	}
	r.Remove("old", "brief")
	var got []gongu.Change
	for change := range changes {
		got = append(got, change)
		if len(got) == 1 {
			if err := r.Add(tool("last")); err != nil {
				t.Fatal(err)
			}
			continue
		}
		cancel()
	}
	want := []gongu.Change{
		{Revision: 4, Added: []string{"new"}, Changed: []string{"kept"}, Removed: []string{"old"}},
		{Revision: 5, Added: []string{"last"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// Goondan case 36.
func TestRegistryRemoveUnknown(t *testing.T) {
	r := newRegistry(t, tool("a"))
	if n := r.Remove("zzz"); n != 0 || r.Has("zzz") || r.Revision() != 1 {
		t.Errorf("removing an unknown tool: %d removed, revision %d", n, r.Revision())
	}
	if n := r.Remove("a", "a"); n != 1 || r.Has("a") {
		t.Errorf("removed %d", n)
	}
}

// Two tools with one schema share the compiled form, and a changed digest is
// noticed whichever field changed.
func TestToolDigest(t *testing.T) {
	base := tool("a__b")
	changed := map[string]gongu.Tool{}
	for field, change := range map[string]func(*gongu.Tool){
		"title":       func(t *gongu.Tool) { t.Title = "x" },
		"description": func(t *gongu.Tool) { t.Description = "x" },
		"parameters":  func(t *gongu.Tool) { t.Parameters = `{"type":"object"}` },
		"output":      func(t *gongu.Tool) { t.Output = `{"type":"object"}` },
		"annotations": func(t *gongu.Tool) { t.Annotations.ReadOnly = new(false) },
		"source":      func(t *gongu.Tool) { t.Source.Name = "x" },
		"domain":      func(t *gongu.Tool) { t.Domain = "x" },
		"examples":    func(t *gongu.Tool) { t.Examples = []json.RawMessage{json.RawMessage(`{}`)} },
	} {
		other := base
		change(&other)
		changed[field] = other
	}
	seen := []string{base.Digest()}
	for field, other := range changed {
		if slices.Contains(seen, other.Digest()) {
			t.Errorf("a changed %s does not change the digest", field)
		}
		seen = append(seen, other.Digest())
	}
}
