package mcpclient_test

import (
	"strings"
	"testing"
)

// A definition keeps its form where that says more than the fields of a tool:
// see what becomes of it in dialect.
func TestTemplates(t *testing.T) {
	const before, after = `{"name":"x","inputSchema":{"type":"object"}`, `}`
	for _, tc := range []struct{ name, raw, want, problem string }{
		{name: "nothing else", raw: `{"name":"x","title":"T","description":"D","inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{"openWorldHint":true,"readOnlyHint":false}}`},
		{name: "another order", raw: `{"inputSchema":{"type":"object"},"name":"x"}`, want: `{"inputSchema":null,"name":null}`},
		{
			name: "all kinds",
			raw:  `{"icons":[ 1 ],"name":"x","_meta":{"b":1,"a":2},"inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"},"annotations":{"title":"A","readOnlyHint":true,"zz":0}}`,
			want: `{"icons":[ 1 ],"name":null,"_meta":{"b":1,"a":2},"inputSchema":null,"execution":{"taskSupport":"optional"},"annotations":{"title":"A","readOnlyHint":null,"zz":0}}`,
		},
		// A reader that does not care about case would see these for ours.
		{name: "look-alikes", raw: before + `,"Description":"other","NAME":"y","k":1,"annotations":{"READONLYHINT":true,"t":1}` + after,
			want: `{"name":null,"inputSchema":null,"k":1,"annotations":{"t":1}}`},
		{name: "twice", raw: before + `,"k":1,"k":2` + after, want: `{"name":null,"inputSchema":null,"k":2}`},
		{name: "twice inside", raw: before + `,"k":{"a":1,"a":2}` + after, problem: "k"},
		{name: "too much", raw: before + `,"k":"` + strings.Repeat("x", 64<<10) + `"` + after, problem: "65536"},
	} {
		listing := list(t, start(t, fixture{Raw: []string{tc.raw}}))
		if len(listing.Tools) != 1 || listing.Tools[0].Tool.Template != tc.want {
			t.Errorf("%s: %+v, want %s", tc.name, listing.Tools, tc.want)
		}
		if problems := strings.Join(listing.Problems, "\n"); (tc.problem != "") != strings.Contains(problems, "not passed on") || !strings.Contains(problems, tc.problem) {
			t.Errorf("%s: %q", tc.name, problems)
		}
	}
}
