package explore_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/macro"
	"github.com/gongu-ai/gongu/toolrequest"
)

// checkMacro is how a host wires the two packages.
func checkMacro(definition json.RawMessage, catalog *gongu.Catalog) error {
	d, err := macro.Parse(definition)
	if err != nil {
		return err
	}
	return d.Check(catalog)
}

// Promise E6, from the seed's call to the first use: proposed by a model,
// approved by a person, called under the plain name that was asked for, each
// step through the guards under its own name.
func TestE6FromProposalToTool(t *testing.T) {
	store := toolrequest.NewMemory()
	r := drawing(t, &explore.Options{Requests: store, Macros: checkMacro})
	var h heard
	a := everything(t, r, h.options())
	if got := a.call("register_tool", seedMacro); got.Failed() {
		t.Fatalf("%+v", got.Error)
	}
	kept, err := store.Review(t.Context(), "req_001", toolrequest.Decision{Status: toolrequest.Approved})
	if err != nil {
		t.Fatal(err)
	}
	d, err := macro.Parse(kept.Proposal)
	if err != nil {
		t.Fatal(err)
	}
	chair, err := d.Tool(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Add(chair); err != nil {
		t.Fatal(err)
	}
	h = heard{}
	a = everything(t, r, h.options())
	if got := a.call("call_tool", `{"name":"draw_my_chair"}`); got.Failed() {
		t.Fatalf("%+v", got.Error)
	}
	if want := []string{"call_tool", "draw_my_chair", "draw_rect", "draw_circle"}; !slices.Equal(h.guard, want) {
		t.Errorf("the guard saw %q", h.guard)
	}
}

// Promise E6, E2: what package macro finds is said in the caller's language.
func TestE6RealMacroErrors(t *testing.T) {
	for language, want := range map[string]string{"en": "there is no tool", "ko": "도구가 없습니다"} {
		opts := &explore.Options{Lang: language, Requests: toolrequest.NewMemory(), Macros: checkMacro}
		a := everything(t, drawing(t, opts), &gongu.ExecutorOptions{Lang: language})
		err, names := a.refused("register_tool", strings.ReplaceAll(seedMacro, "draw_circle", "draw_circel"))
		if !strings.Contains(err.Message, want) || !strings.Contains(err.Message, "steps[1]") || len(names) == 0 || names[0] != "draw_circle" {
			t.Errorf("%s: %+v, %q", language, err, names)
		}
	}
}
