package schema

import "strings"

// schemaProblem is what is wrong with a schema, and where. The pointer is put
// together while the recursion returns, so that a good schema pays nothing.
type schemaProblem struct {
	pointer string
	text    string
}

func problem(text string) *schemaProblem { return &schemaProblem{text: text} }

// below puts the problem under the given names.
func (p *schemaProblem) below(names ...string) *schemaProblem {
	for i := len(names) - 1; i >= 0; i-- {
		p.pointer = "/" + escapePointer(names[i]) + p.pointer
	}
	return p
}

// Error implements error.
func (p *schemaProblem) Error() string {
	if p.pointer == "" {
		return "schema: " + p.text
	}
	return "schema at " + p.pointer + ": " + p.text
}

// escapePointer writes one token of a JSON pointer.
func escapePointer(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// unescapePointer reads one token of a JSON pointer.
func unescapePointer(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}
