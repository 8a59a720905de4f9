package builtin

import (
	"maps"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/proc"
)

// environment is all that a program gets: what is let through, then what the
// call sets.
func (s *system) environment(what program) ([]string, error) {
	env := map[string]string{"PWD": what.dir}
	for _, variable := range proc.Environ(s.opts.Env) {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
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
