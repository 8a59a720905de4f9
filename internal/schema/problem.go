package schema

import "strings"

// Problem is what is wrong with a schema, and where: Pointer is a JSON pointer.
// It is put together while the recursion returns, so that a good schema pays
// nothing.
type Problem struct {
	Pointer string
	Text    string
}

func problem(text string) *Problem { return &Problem{Text: text} }

// below puts the problem under the given names.
func (p *Problem) below(names ...string) *Problem {
	for i := len(names) - 1; i >= 0; i-- {
		p.Pointer = "/" + escapePointer(names[i]) + p.Pointer
	}
	return p
}

// Error implements error.
func (p *Problem) Error() string {
	if p.Pointer == "" {
		return "schema: " + p.Text
	}
	return "schema at " + p.Pointer + ": " + p.Text
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
