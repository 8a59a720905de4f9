package host_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
)

// declaration is a tool of the registry as an MCP client is told.
func declaration(t *testing.T, r *gongu.Registry, name string) string {
	t.Helper()
	tool, ok := r.Get(name)
	if !ok {
		return ""
	}
	out, err := dialect.Declare(dialect.MCP, tool, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(out.JSON)
}

// Promise S4 for what a definition has beside what we know: it is passed on in
// the server's order, pinned like the rest, and shown in plain sight when a
// person accepts what it hides.
func TestS4_FormOfDefinitions(t *testing.T) {
	const odd = `{"vendor/x":{"b":1,"a":[2]},"annotations":{"title":"Shown","readOnlyHint":true,"destructiveHint":true},"icons":[{"src":"https://example.com/i.png"}],"inputSchema":{"type":"object","properties":{"q":{"type":"string"}}},"name":"odd","_meta":{"com.example/ui":"ui://x"},"title":"Odd","execution":{"taskSupport":"optional"}}`
	// The name is ours, and a server that is not trusted cannot call itself
	// harmless.
	want := strings.NewReplacer(`"name":"odd"`, `"name":"srv__odd"`, `"readOnlyHint":true,`, ``).Replace(odd)
	p := newPlant(t)
	lists := func(raw string) {
		t.Helper()
		p.behave("srv", upstream{Tools: []json.RawMessage{json.RawMessage(raw), tool("plain", "Plain.")}})
		p.now = p.now.Add(time.Second)
	}
	lists(odd)
	p.write("", "srv")
	h := p.open(nil)
	h.Sources().Load(t.Context())
	again := p.open(nil) // from the cache, before the server is reached
	for _, registry := range []*gongu.Registry{h.Registry(), again.Registry()} {
		if got := declaration(t, registry, "srv__odd"); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
		if got := declaration(t, registry, "srv__plain"); got != `{"description":"Plain.","inputSchema":{"type":"object"},"name":"srv__plain"}` {
			t.Errorf("%s", got)
		}
	}
	before, _ := h.Registry().Get("srv__odd")
	refresh := func() {
		t.Helper()
		if err := h.Sources().Refresh(t.Context(), "srv"); err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range [][2]string{{"i.png", "j.png"}, {`"a":[2]`, `"a":[3]`}, {"optional", "required"}, {`"title":"Shown"`, `"title":"Other"`}} {
		lists(strings.Replace(odd, change[0], change[1], 1))
		refresh()
		if got := declaration(t, h.Registry(), "srv__odd"); got != "" {
			t.Errorf("%s was changed, and is offered: %s", change[0], got)
		}
	}
	lists(strings.Replace(odd, "i.png", "i\u200b.png", 1))
	refresh()
	if _, err := h.Sources().AcceptPins(t.Context(), "odd"); err != nil {
		t.Fatal(err)
	}
	if got := declaration(t, h.Registry(), "srv__odd"); got != strings.Replace(want, "i.png", "i[U+200B].png", 1) {
		t.Errorf("accepted: %s", got)
	}
	// A step that began with the old form does not call the new one.
	after, _ := h.Registry().Get("srv__odd")
	if before.Digest() == after.Digest() {
		t.Error("the digest of the tool does not cover its form")
	}
}
