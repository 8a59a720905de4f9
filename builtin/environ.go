package builtin

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// inherited are the variables that every program may see. It is a list of what
// is let through, not of what is held back: the names of secrets are unknown.
func inherited() []string {
	return []string{"PATH", "HOME", "LANG", "LC_*", "TERM", "TZ", "TMPDIR", "USER", "SHELL"}
}

// environment is all that a program gets: what is let through, then what the
// call sets.
func (s *system) environment(what program) ([]string, error) {
	allowed := append(inherited(), s.opts.Env...)
	env := map[string]string{"PWD": what.dir}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, name) }) {
			env[name] = value
		}
	}
	for name, value := range what.env {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(string(value), 0) {
			return nil, wrong(lang.EnvName, name)
		}
		env[name] = string(value)
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list, nil
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
