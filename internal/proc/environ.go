package proc

import (
	"os"
	"slices"
	"strings"
)

// Environ returns the part of this process's environment that a program gets: the
// few variables that every program needs, and those that more names; PREFIX_*
// matches all with that prefix. It is an allowlist, because the names of secrets
// are unknown.
func Environ(more []string) []string {
	allowed := append([]string{"PATH", "HOME", "LANG", "LC_*", "TERM", "TZ", "TMPDIR", "USER", "SHELL"}, more...)
	var kept []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, name) }) {
			kept = append(kept, variable)
		}
	}
	return kept
}

// matches compares a name with another, or with a prefix that ends in a star.
// A star alone matches nothing: it would allow all variables.
func matches(pattern, name string) bool {
	prefix, isPrefix := strings.CutSuffix(pattern, "*")
	if isPrefix && prefix != "" {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
