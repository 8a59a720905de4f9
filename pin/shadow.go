package pin

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// shadows finds definitions that imitate a tool of another source, or that tell
// the model to use them in its place.
type shadows struct {
	names map[string]string // by how the name looks
	plain map[string]bool
}

func newShadows(known []string) *shadows {
	s := &shadows{names: make(map[string]string, len(known)), plain: make(map[string]bool, len(known))}
	for _, name := range known {
		s.names[looks(name)] = name
		s.plain[name] = true
	}
	return s
}

// insteadOf is how a definition asks to be taken for another tool.
var insteadOf = lazy("(?i)(?:instead of|rather than|in place of|replaces|supersedes|never (?:use|call)|do not (?:use|call)|don't (?:use|call)|deprecated[:,]? use|overrides?)[\\s:,]+(?:the\\s+)?([`'\"]?)([A-Za-z][A-Za-z0-9_-]{1,62}[A-Za-z0-9])")

// shortestInstead is the shortest text that can name another tool so.
const shortestInstead = len("replaces xyz")

// insteadMarks are parts of the beginnings that the form knows.
var insteadMarks = []string{"instead of", "rather than", "in place of", "replaces", "supersedes", "never ", "do not ", "don't ", "deprecated", "override"}

func insteadHits(text string) [][]string {
	if !containsAny(text, insteadMarks) {
		return nil
	}
	return insteadOf().FindAllStringSubmatch(text, 8)
}

func (s *shadows) scan(d Definition, places []place) []Finding {
	var out []Finding
	if other, ok := s.names[looks(d.Name)]; ok && other != d.Name && strings.ContainsFunc(d.Name, func(r rune) bool { return r > unicode.MaxASCII }) {
		out = append(out, Finding{Tool: d.Name, Path: "name", Rule: RuleShadow, Severity: High, Excerpt: shorten(d.Name + " looks like " + other)})
	}
	if len(s.plain) == 0 {
		return out
	}
	for _, p := range places {
		if len(p.text) < shortestInstead {
			continue
		}
		for _, hit := range insteadHits(normal(p.text)) {
			quoted, name := hit[1] != "", hit[2]
			// A name that is also a word counts only when it is quoted.
			if s.plain[name] && (quoted || strings.ContainsAny(name, "_-")) {
				out = append(out, Finding{Tool: d.Name, Path: p.path, Rule: RuleShadow, Severity: High, Excerpt: shorten(hit[0])})
			}
		}
	}
	return out
}

// looks is a name as the eye reads it: letters of other scripts that look like
// Latin ones, digits that look like letters, no separators, no case.
func looks(name string) string {
	var out strings.Builder
	for _, r := range norm.NFKC.String(strings.ToLower(name)) {
		if latin, ok := lookAlikes[r]; ok {
			r = latin
		}
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// lookAlikes are the letters of Cyrillic and Greek that are drawn like Latin
// ones, in lower case.
var lookAlikes = map[rune]rune{
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'ѕ': 's', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'у': 'y', 'в': 'b', 'к': 'k', 'м': 'm', 'н': 'h', 'т': 't', 'г': 'r',
	'α': 'a', 'ε': 'e', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'ɡ': 'g', 'ɑ': 'a', 'ı': 'i', 'ⅼ': 'l',
}
