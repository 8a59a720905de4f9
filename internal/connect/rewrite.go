package connect

import (
	"maps"
	"os"
	"slices"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// entryFor is gongu as the client is to start it. What the moved servers need
// from the environment is handed on; their secrets stay in the client's file.
func (c *Connection) entryFor(plan *importPlan, own *candidate, made *madeEntry) *entry {
	if c.HTTP {
		return &entry{url: c.URL}
	}
	e := &entry{command: "gongu", args: []string{"serve", "--stdio", "-b", plan.target.path}, env: map[string]string{}}
	if c.Scope == ScopeProject {
		if plan.target.path == c.project {
			e.args[3] = c.client.project
		}
	} else if program, err := os.Executable(); err == nil {
		e.command = program
	}
	e.args = append(e.args, clientFlag, made.id)
	needed := map[string]bool{}
	if own != nil {
		for name, value := range own.live.Env {
			if names := referenced([]string{value}); len(names) == 1 && names[0] == name {
				needed[name] = true
				continue
			}
			e.env[name] = value
		}
	}
	for _, s := range plan.inBundle {
		for _, secret := range s.secrets {
			e.env[secret.Variable] = secret.value
		}
		texts := slices.Concat([]string{s.spec.Command, s.spec.URL}, s.spec.Args,
			slices.Collect(maps.Values(s.spec.Env)), slices.Collect(maps.Values(s.spec.Headers)))
		for _, name := range referenced(texts) {
			needed[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		if _, ok := e.env[name]; !ok {
			e.variables = append(e.variables, name)
		}
	}
	return e
}

// masked is an entry that can be shown.
func (e *entry) masked() *entry {
	shown := *e
	shown.args = slices.Clone(e.args)
	if i := slices.Index(shown.args, clientFlag); i >= 0 && i+1 < len(shown.args) {
		shown.args[i+1] = "…" // who knows it counts as this client
	}
	shown.env = map[string]string{}
	for name := range e.env {
		shown.env[name] = "…"
	}
	return &shown
}

// rewrite is the client's file with gongu in place of what the bundle has.
func (c *Connection) rewrite(text []byte, found *settingsFile, plan *importPlan, own *candidate, made *madeEntry, report *Report) ([]byte, error) {
	var moved []string
	commands := false
	for _, s := range plan.inBundle {
		if s.kind == kindServer {
			moved = append(moved, s.from)
		} else {
			commands = true
		}
	}
	e := c.entryFor(plan, own, made)
	if c.client.entry == nil {
		report.Shown = codexBlock(c.Name, e.masked())
		return setTOMLServer(text, moved, c.Name, codexBlock(c.Name, e))
	}
	report.Server = jsonx.Text(c.client.entry(e.masked(), c.client))
	report.Shown = string(report.Server)
	fresh, err := setServer(text, c.place.path, moved, c.Name, jsonx.Text(c.client.entry(e, c.client)))
	if err != nil || !commands {
		return fresh, err
	}
	for _, path := range found.tools {
		parent, last := path[:len(path)-1], path[len(path)-1:]
		if fresh, err = setServer(fresh, parent, last, "", nil); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}
