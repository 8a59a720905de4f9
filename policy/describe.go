package policy

import (
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu"
)

// String returns what a match selects, on one line: tools bash__*, agents coder.
// It is empty for one that selects all calls.
func (m *Match) String() string {
	var parts []string
	for _, f := range []struct {
		name  string
		globs []string
	}{{"tools", m.Tools}, {"domains", m.Domains}, {"sources", m.Sources}, {"agents", m.Agents}, {"principals", m.Principals}} {
		if len(f.globs) > 0 {
			parts = append(parts, f.name+" "+strings.Join(f.globs, " | "))
		}
	}
	h := &m.Hints
	for _, f := range []struct {
		name string
		hint *bool
	}{{"readOnly", h.ReadOnly}, {"destructive", h.Destructive}, {"idempotent", h.Idempotent}, {"openWorld", h.OpenWorld}} {
		if f.hint != nil {
			parts = append(parts, f.name+" "+strconv.FormatBool(*f.hint))
		}
	}
	return strings.Join(parts, ", ")
}

// Selects returns which calls the rule is about, on one line; * is all of them.
func (r *Rule) Selects() string {
	text := r.Match.String()
	if when := strings.Join(strings.Fields(r.When), " "); when != "" {
		if text != "" {
			text += ", "
		}
		text += "when " + when
	}
	if text == "" {
		return "*"
	}
	return text
}

// TableRow is what holds for a caller when no rule matches.
type TableRow struct {
	Caller   string `json:"caller"`
	ReadOnly Effect `json:"readOnly"`
	Other    Effect `json:"other"`
}

// Table returns what holds when no rule matches, for people.
func Table() []TableRow {
	yes := true
	read, write := &gongu.Tool{Annotations: gongu.Annotations{ReadOnly: &yes}}, &gongu.Tool{Name: "x"}
	every := []gongu.Rule{{}}
	var rows []TableRow
	for _, c := range []struct {
		of string
		p  *gongu.Principal
	}{
		{"", nil}, {"", &gongu.Principal{Kind: "cli", Person: true}}, {"", &gongu.Principal{Kind: "cli"}},
		{"", &gongu.Principal{Kind: "stdio", Attended: true}}, {"", &gongu.Principal{Kind: "stdio"}}, {"", &gongu.Principal{Kind: "session", Person: true}},
		{"a token or login, ", &gongu.Principal{Kind: "token", Allow: []gongu.Rule{{Name: "*"}}}},
		{"a token or login, ", &gongu.Principal{Kind: "token", Allow: []gongu.Rule{{ReadOnly: &yes}}}},
		{"any of them, ", &gongu.Principal{Kind: "stdio", Ask: every}}, {"", &gongu.Principal{Kind: "agent"}},
	} {
		other := builtIn(&Request{Principal: c.p, Tool: write})
		rows = append(rows, TableRow{c.of + other.ref.Name, builtIn(&Request{Principal: c.p, Tool: read}).effect, other.effect})
	}
	return rows
}
