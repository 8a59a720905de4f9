package main

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/gongu-ai/gongu/internal/lang"
)

// connectReport is what gongu connect --json prints.
type connectReport struct {
	Client string `json:"client"`
	File   string `json:"file"`
	Scope  string `json:"scope"`
	// Changed says whether the file is another now, or would be.
	Changed bool `json:"changed"`
	Printed bool `json:"printed,omitempty"`
	// Server is gongu as the file has it; secrets are left out.
	Server json.RawMessage `json:"server,omitempty"`
	Import importReport    `json:"import"`
	Cost   *turnCost       `json:"cost,omitempty"`
	// Backup holds what the file held before.
	Backup string `json:"backup,omitempty"`
	// Elsewhere are files of the client's other scopes that have servers.
	Elsewhere []elsewhere `json:"elsewhere,omitempty"`

	shown string // gongu's entry, for a person
}

type elsewhere struct {
	Scope   string `json:"scope"`
	File    string `json:"file"`
	Servers int    `json:"servers"`
}

// connect moves the servers of a client into a bundle and gives it gongu.
func (c *connection) connect(ctx context.Context) error {
	text, existed, err := c.read()
	if err != nil {
		return err
	}
	found, err := readForeign(c.place.file, text, c.client.name, c.place.path, c.lang)
	if err != nil {
		return c.unreadable(err)
	}
	own, err := c.takeOwn(found)
	if err != nil {
		return err
	}
	path, err := c.bundlePath()
	if err != nil {
		return err
	}
	t, err := c.targetOf(path)
	if err != nil {
		return err
	}
	project := ""
	if c.scope != scopeUser {
		project = c.project
	}
	plan := c.planImport(t, found, c.place.file, project, c.replace)
	plan.report.DryRun = c.print
	report := &connectReport{Client: c.client.name, File: c.place.file, Scope: c.scope, Printed: c.print, Elsewhere: c.elsewhere()}
	fresh, err := c.rewrite(text, found, plan, own, report)
	if err != nil {
		return c.cannotChange(c.place.file, err)
	}
	if !c.noCount {
		cost := c.measure(ctx, found.candidates, c.project, c.timeout)
		report.Cost = &cost
	}
	if err := c.carryOut(plan); err != nil {
		return err
	}
	report.Import = plan.report
	report.Changed = string(fresh) != string(text)
	if report.Changed && !c.print {
		if report.Backup, err = c.write(text, existed, fresh); err != nil {
			return c.cannotChange(c.place.file, err)
		}
	}
	if !c.noCount && !c.print && len(plan.there) > 0 {
		c.learn(ctx, path)
	}
	if err := c.printConnect(report, plan); err != nil {
		return err
	}
	if len(plan.report.Refused) > 0 {
		return errReported
	}
	return nil
}

// takeOwn takes gongu itself out of the servers that were found.
func (c *connection) takeOwn(found *foreign) (*candidate, error) {
	i := slices.IndexFunc(found.candidates, func(s *candidate) bool { return s.kind == kindServer && s.from == c.name })
	if i < 0 {
		return nil, nil
	}
	own := found.candidates[i]
	if !isGongu(own) {
		return nil, c.fail(lang.ConnectNameTaken.In(c.lang, c.name, visible(c.place.file)), lang.ConnectNameHint.In(c.lang))
	}
	found.candidates = slices.Delete(found.candidates, i, i+1)
	return own, nil
}

// isGongu reports whether a server is one that connect has written.
func isGongu(s *candidate) bool {
	if s.live.URL != "" {
		return len(referenced([]string{s.live.Headers["Authorization"]})) == 1 &&
			referenced([]string{s.live.Headers["Authorization"]})[0] == tokenVariable
	}
	return len(s.live.Args) > 1 && s.live.Args[0] == "serve" && s.live.Args[1] == "--stdio"
}

// entryFor is gongu as the client is to start it. What the moved servers need
// from the environment is handed on; their secrets stay in the client's file.
func (c *connection) entryFor(plan *importPlan, own *candidate) *entry {
	if c.http {
		return &entry{url: c.url}
	}
	e := &entry{command: "gongu", args: []string{"serve", "--stdio", "-b", plan.target.path}, env: map[string]string{}}
	if c.scope == scopeProject {
		if plan.target.path == c.project {
			e.args[3] = c.client.project
		}
	} else if program, err := os.Executable(); err == nil {
		e.command = program
	}
	for _, glob := range c.allow {
		e.args = append(e.args, "--allow", glob)
	}
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
	for _, s := range plan.there {
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
	shown.env = map[string]string{}
	for name := range e.env {
		shown.env[name] = "…"
	}
	return &shown
}

// rewrite is the client's file with gongu in place of what the bundle has.
func (c *connection) rewrite(text []byte, found *foreign, plan *importPlan, own *candidate, report *connectReport) ([]byte, error) {
	var moved []string
	commands := false
	for _, s := range plan.there {
		if s.kind == kindServer {
			moved = append(moved, s.from)
		} else {
			commands = true
		}
	}
	e := c.entryFor(plan, own)
	if c.client.entry == nil {
		block := codexBlock(c.name, e)
		report.shown = codexBlock(c.name, e.masked())
		if own != nil && len(moved) == 0 && sameTable(text, c.name, block) {
			return text, nil
		}
		return setTOMLServer(text, codexTable, moved, c.name, block)
	}
	value, err := c.client.entry(e, c.client)
	if err != nil {
		return nil, err
	}
	if report.Server, err = c.client.entry(e.masked(), c.client); err != nil {
		return nil, err
	}
	report.shown = string(report.Server)
	fresh := text
	if own == nil || len(moved) > 0 || !sameEntry(text, c.place.path, c.name, value) {
		if fresh, err = setServer(text, c.place.path, moved, c.name, value); err == nil {
			err = checkJSONC(text, fresh, c.place.path, moved, c.name, value)
		}
	}
	if err != nil || !commands {
		return fresh, err
	}
	for _, path := range found.tools {
		before := fresh
		parent, last := path[:len(path)-1], path[len(path)-1:]
		if fresh, err = setServer(before, parent, last, "", nil); err == nil {
			err = checkJSONC(before, fresh, parent, last, "", nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// sameEntry reports whether a file has a server just so already.
func sameEntry(text []byte, path []string, name string, value json.RawMessage) bool {
	old, err := decodeJSONC(text)
	if err != nil {
		return false
	}
	fresh, err := decodeJSONC(value)
	return err == nil && reflect.DeepEqual(descend(old, path)[name], any(fresh))
}

// sameTable is sameEntry for TOML.
func sameTable(text []byte, name, block string) bool {
	old, err := decodeTOML(text)
	if err != nil {
		return false
	}
	fresh, err := decodeTOML([]byte(block))
	return err == nil && reflect.DeepEqual(descend(old, []string{codexTable})[name], descend(fresh, []string{codexTable})[name])
}

// write keeps the old file and writes the new one.
func (c *connection) write(text []byte, existed bool, fresh []byte) (backup string, err error) {
	kept, err := c.stepsOf(c.client.name, c.place.file)
	if err != nil {
		return "", err
	}
	record, err := kept.add(step{Client: c.client.name, File: c.place.file, At: time.Now().UTC(), Existed: existed, Before: text, After: digestOf(fresh)})
	if err != nil {
		return "", err
	}
	if err := replaceFile(c.place.file, text, existed, fresh, 0o600); err != nil {
		_ = os.Remove(record.path) // nothing was changed, so nothing is to be taken back
		return "", err
	}
	return record.path, nil
}

// elsewhere counts the servers of the client's other scopes.
func (c *connection) elsewhere() []elsewhere {
	var found []elsewhere
	for _, scope := range slices.Sorted(maps.Keys(c.others)) {
		other := c.others[scope]
		text, err := readSmall(other.file)
		if err != nil {
			continue
		}
		servers, err := readForeign(other.file, text, c.client.name, other.path, c.lang)
		if err != nil {
			continue
		}
		n := 0
		for _, s := range servers.candidates {
			if s.kind == kindServer && s.from != c.name {
				n++
			}
		}
		if n > 0 {
			found = append(found, elsewhere{scope, filepath.Clean(other.file), n})
		}
	}
	return found
}
