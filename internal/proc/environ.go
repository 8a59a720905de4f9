package proc

import (
	"os"
	"slices"
	"strings"
)

// Environ is the part of our environment that a program may see: the few
// variables that every program needs, and those that more names; PREFIX_*
// stands for all with that prefix. It is a list of what is let through, not of
// what is held back: the names of secrets are unknown.
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
// A star alone is no prefix: it would let everything through.
func matches(pattern, name string) bool {
	prefix, isPrefix := strings.CutSuffix(pattern, "*")
	if isPrefix && prefix != "" {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
