package mcpclient_test

import (
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
)

func entry(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }

func names(l *mcpclient.Listing) string {
	var out []string
	for _, d := range l.Tools {
		out = append(out, d.Tool.Name)
	}
	return strings.Join(out, " ")
}

// TestNames: names are legal, unique and lead back to the server's own, which
// is never read from the name. Gemini B25, B26 and, our way, D01 to D06; promise S8.
func TestNames(t *testing.T) {
	long := strings.Repeat("long_name_", 12)
	f := fixture{Raw: []string{
		entry("list_repos"), entry("a b"), entry("a.b"), entry("한글"), entry("my_server_tool"), entry("_x"), entry("a__b"),
		entry(long + "1"), entry(long + "2"),
	}}
	listing := list(t, start(t, f))
	seen := map[string]bool{}
	for _, d := range listing.Tools {
		if !strings.HasPrefix(d.Tool.Name, "srv__") || len(d.Tool.Name) > 64 || seen[d.Tool.Name] {
			t.Errorf("name %q", d.Tool.Name)
		}
		seen[d.Tool.Name] = true
		if s := d.Tool.Source; s.Type != "mcp" || s.Name != "srv" || !strings.Contains(string(d.Raw), `"`+s.Original+`"`) {
			t.Errorf("source %+v of %s", s, d.Raw)
		}
	}
	if len(listing.Tools) != 9 || listing.Tools[0].Tool.Name != "srv__list_repos" {
		t.Errorf("%s", names(listing))
	}
	plain := ""
	cfg := config(t, "srv", fixture{Raw: []string{entry("own"), entry("a b")}})
	cfg.Prefix = &plain
	listing = list(t, client(t, cfg, nil))
	// One that is no legal name is given another, as with a prefix (H6).
	if names(listing) != "own a_b_522207d2" || len(listing.Problems) > 0 {
		t.Errorf("%s %q", names(listing), listing.Problems)
	}
	// Two servers under their own names cannot share one: the first keeps it.
	g, err := mcpclient.NewGroup(quietly(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	first, second := config(t, "one", fixture{Raw: []string{entry("own")}}), config(t, "two", fixture{Raw: []string{entry("own"), entry("other")}})
	first.Prefix, second.Prefix = &plain, &plain
	if err := g.Add(second, first); err != nil {
		t.Fatal(err)
	}
	loads := g.Tools(t.Context())
	if names(loads[0].Listing) != "own" || names(loads[1].Listing) != "other" || !strings.Contains(strings.Join(loads[1].Listing.Problems, ""), "the server one has a tool of this name") {
		t.Errorf("%s, %s %q", names(loads[0].Listing), names(loads[1].Listing), loads[1].Listing.Problems)
	}
}

// TestSelect: include, exclude, rename and describe go by the server's names.
// Gemini E08, E09.
func TestSelect(t *testing.T) {
	cfg := config(t, "srv", fixture{})
	cfg.Include, cfg.Exclude = []string{"e*", "text", "pid"}, []string{"el?cit", "pid"}
	cfg.Rename = map[string]string{"echo": "say", "gone": "x"}
	cfg.Describe = map[string]string{"text": "greets"}
	listing := list(t, client(t, cfg, nil))
	if got := names(listing); got != "srv__say srv__text srv__endless srv__env" {
		t.Errorf("%s", got)
	}
	if listing.Tools[1].Tool.Description != "greets" || listing.Tools[0].Tool.Source.Original != "echo" {
		t.Errorf("%+v", listing.Tools[:2])
	}
	if len(listing.Problems) != 1 || !strings.Contains(listing.Problems[0], "rename.gone") {
		t.Errorf("%q", listing.Problems)
	}
	wantOutput(t, invoke(t, t.Context(), client(t, cfg, nil), "echo", `{"x":"1"}`), `"{\"x\":\"1\"}"`)
	cfg.Include, cfg.Exclude, cfg.Rename, cfg.Describe = []string{"none"}, nil, nil, nil
	if l := list(t, client(t, cfg, nil)); len(l.Tools) != 0 || len(l.Problems) != 1 {
		t.Errorf("%v %q", l.Tools, l.Problems) // zero tools are told
	}
}

// TestSchemas: parameters without a type, references and foreign type names
// survive; what cannot be a schema costs its tool only. Gemini E03, E05.
func TestSchemas(t *testing.T) {
	f := fixture{Raw: []string{
		`{"name":"untyped","inputSchema":{"type":"object","properties":{"x":{"description":"any"}}}}`,
		`{"name":"refs","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}}`,
		`{"name":"foreign","inputSchema":{"type":"object","properties":{"x":{"type":"str"}}}}`,
		`{"name":"rootless","inputSchema":{"properties":{"x":{"type":"string"}}}}`,
		`{"name":"none"}`, `{"name":"null","inputSchema":null}`,
		`{"name":"text","inputSchema":"object"}`, `{"name":"bad","inputSchema":{"type":"object","properties":{"x":{"pattern":7}}}}`,
		`{"name":"badout","inputSchema":{"type":"object"},"outputSchema":{"$ref":"http://x/y"}}`,
	}}
	listing := list(t, start(t, f))
	if got := names(listing); got != "srv__untyped srv__refs srv__foreign srv__rootless srv__none srv__null srv__badout" {
		t.Errorf("%s %q", got, listing.Problems)
	}
	by := map[string]gongu.Tool{}
	for _, d := range listing.Tools {
		by[d.Tool.Source.Original] = d.Tool
	}
	if p := by["refs"].Parameters; p != `{"type":"object","properties":{"x":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}}}` {
		t.Errorf("refs: %s", p)
	}
	if p := by["foreign"].Parameters; !strings.Contains(string(p), `{"type":"string"}`) {
		t.Errorf("foreign: %s", p)
	}
	if by["badout"].Output != "" {
		t.Error("a bad output schema was kept")
	}
	if listing.Listed != 9 || len(listing.Problems) != 6 {
		t.Errorf("%d listed, %q", listing.Listed, listing.Problems)
	}
}

// TestAnnotations: hints that make a tool look harmless count only for a server
// that is trusted. Gemini E06 (ours).
func TestAnnotations(t *testing.T) {
	f := fixture{Raw: []string{
		`{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false}}`,
		`{"name":"b","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true,"readOnlyHint":false}}`,
		`{"name":"c","inputSchema":{"type":"object"}}`,
	}}
	for trust, want := range map[bool]bool{false: false, true: true} {
		cfg := config(t, "srv", f)
		cfg.Trust = trust
		tools := list(t, client(t, cfg, nil)).Tools
		if a := tools[0].Tool.Annotations; a.IsReadOnly() != want || a.IsIdempotent() != want || a.IsOpenWorld() == want {
			t.Errorf("trust %v: %+v", trust, a)
		}
		if a := tools[1].Tool.Annotations; !a.IsDestructive() || a.Destructive == nil {
			t.Errorf("trust %v: %+v", trust, a)
		}
		if a := tools[2].Tool.Annotations; a != (gongu.Annotations{}) {
			t.Errorf("trust %v: %+v", trust, a)
		}
	}
}

// TestGeminiE16_Pages: all pages are read. Gemini E01: a server without tools
// is not asked for them.
func TestGeminiE16_Pages(t *testing.T) {
	f := fixture{Raw: []string{entry("a")}, Tools: 99, PageSize: 30}
	if n := len(list(t, start(t, f)).Tools); n != 100 {
		t.Errorf("%d tools of 100", n)
	}
	if l := list(t, start(t, fixture{NoTools: true, HangList: true})); len(l.Tools) != 0 {
		t.Errorf("%v", l)
	}
}

// TestTrustedCallsAreRepeated: a call that broke is sent again only where the
// server's word that it may be is believed.
func TestTrustedCallsAreRepeated(t *testing.T) {
	raw := `{"name":"crash","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true}}`
	for trust, code := range map[bool]string{false: gongu.CodeOutcomeUnknown, true: gongu.CodeUnavailable} {
		cfg := config(t, "srv", fixture{Raw: []string{raw}})
		cfg.Trust = trust
		c := client(t, cfg, nil)
		wantCode(t, invoke(t, t.Context(), c, "crash", `{}`), code)
		if n := c.Status().Connections; (n == 2) != trust {
			t.Errorf("trust %v: %d connections", trust, n)
		}
	}
}
