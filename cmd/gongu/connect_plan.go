package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/lang"
)

// importReport is what came of the servers of a file. It holds no secret.
type importReport struct {
	From   string `json:"from"`
	Bundle string `json:"bundle"`
	DryRun bool   `json:"dryRun,omitempty"`

	Imported []importedItem `json:"imported"`
	Replaced []importedItem `json:"replaced"`
	Already  []importedItem `json:"already"`
	Refused  []leftOut      `json:"refused"`
	Skipped  []leftOut      `json:"skipped"`
	Secrets  []foundSecret  `json:"secrets"`
	Notes    []string       `json:"notes"`

	Wrote   []string `json:"wrote"`
	Backups []string `json:"backups"`
}

// importedItem is a resource; From is its name in the file, if that is another.
type importedItem struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	From string `json:"from,omitempty"`
}

type leftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// importPlan is what is to be done with the servers of a file.
type importPlan struct {
	target          *target
	report          importReport
	added, replaced []*candidate
	// there are the candidates that the bundle has, then or already.
	there []*candidate
}

// planImport decides about each server. Nothing is written.
func (a *app) planImport(t *target, found *foreign, from, project string, replace bool) *importPlan {
	p := &importPlan{target: t, report: importReport{
		From: from, Bundle: t.dir, Imported: []importedItem{}, Replaced: []importedItem{}, Already: []importedItem{},
		Refused: []leftOut{}, Skipped: []leftOut{}, Secrets: []foundSecret{}, Notes: []string{}, Wrote: []string{}, Backups: []string{},
	}}
	vars := &variables{getenv: a.getenv, values: map[string]string{}, users: t.variableUsers()}
	for _, c := range found.candidates {
		p.candidate(a, c, vars, project, replace)
	}
	return p
}

func (p *importPlan) candidate(a *app, c *candidate, vars *variables, project string, replace bool) {
	r := &p.report
	if c.problem == "" && c.kind == kindCommand && secretValues.MatchString(c.discover+" "+c.call) {
		c.problem = lang.ConnectSecretCommand.In(a.lang)
	}
	if c.problem != "" {
		r.Skipped = append(r.Skipped, leftOut{c.from, c.problem})
		return
	}
	settle(c, project, p.target.dir)
	if c.kind == kindServer {
		written, secrets := hideSecrets(c.live, vars)
		c.spec, c.secrets = specOf(written), secrets
	}
	item := importedItem{Kind: c.kind, Name: c.name}
	if c.from != c.name {
		item.From = c.from
	}
	owner := p.target.owner(c.name)
	switch {
	case owner == nil:
		p.added = append(p.added, c)
		r.Imported = append(r.Imported, item)
	case c.sameAs(owner):
		r.Already = append(r.Already, item)
	case !replace || owner.Head().Kind != c.kind:
		r.Refused = append(r.Refused, leftOut{c.from, conflict(a.lang, c, owner)})
		return
	default:
		p.replaced = append(p.replaced, c)
		r.Replaced = append(r.Replaced, item)
	}
	p.there = append(p.there, c)
	r.Secrets = append(r.Secrets, c.secrets...)
	r.Notes = append(r.Notes, c.notes...)
}

// settle makes what is relative to the project of a file absolute, if the
// bundle lies elsewhere.
func settle(c *candidate, project, dir string) {
	if project == "" || c.live.URL != "" {
		return
	}
	own, err := filepath.Abs(dir)
	if err != nil || own == project {
		return
	}
	if strings.ContainsAny(c.live.Command, `/\`) && !filepath.IsAbs(c.live.Command) && !strings.Contains(c.live.Command, "${") {
		c.live.Command = filepath.Join(project, c.live.Command)
	}
	switch {
	case c.live.Cwd == "":
		c.live.Cwd = project
	case !filepath.IsAbs(c.live.Cwd) && !strings.Contains(c.live.Cwd, "${"):
		c.live.Cwd = filepath.Join(project, c.live.Cwd)
	}
}

func (c *candidate) sameAs(owner bundle.Item) bool {
	switch have := owner.(type) {
	case *bundle.McpServer:
		return c.kind == kindServer && sameLaunch(&have.Spec, &c.spec)
	case *bundle.ToolCommand:
		return c.kind == kindCommand && sameWords(have.Spec.Discover, c.discover) && sameWords(have.Spec.Call, c.call)
	}
	return false
}

// sameWords compares words with the text that they came from.
func sameWords(words []string, text string) bool {
	plain := func(text string) string {
		return strings.Join(strings.Fields(strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(text)), " ")
	}
	return plain(strings.Join(words, " ")) == plain(text)
}

// carryOut writes what was planned into the bundle.
func (a *app) carryOut(p *importPlan) error {
	if len(p.added)+len(p.replaced) == 0 {
		return nil
	}
	changes, err := p.target.changes(p.added, p.replaced)
	if err != nil {
		return a.cannotChange(p.target.file, err)
	}
	for _, c := range changes {
		p.report.Wrote = append(p.report.Wrote, c.path)
	}
	if p.report.DryRun {
		return nil
	}
	if err := os.MkdirAll(p.target.dir, 0o755); err != nil {
		return a.cannotChange(p.target.dir, err)
	}
	p.report.Backups, err = a.writeChanges(p.target, changes, time.Now())
	if err != nil {
		return a.cannotChange(p.target.file, err)
	}
	return nil
}

func (a *app) cannotChange(path string, err error) error {
	return a.fail(lang.ConnectCannotWrite.In(a.lang, visible(path), reason(err)), lang.ConnectNothingChanged.In(a.lang))
}

// projectOf is the folder that a file of a project speaks about, or nothing
// for the file of a person.
func projectOf(file string) string {
	file, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	dir := filepath.Dir(file)
	if slices.Contains([]string{".cursor", ".vscode", ".gemini", ".codex"}, filepath.Base(dir)) {
		dir = filepath.Dir(dir)
	} else if !slices.Contains([]string{".mcp.json", "opencode.json", "opencode.jsonc"}, filepath.Base(file)) {
		return ""
	}
	home, err := os.UserHomeDir()
	if err == nil && (dir == home || dir == filepath.Join(home, ".config", "opencode")) {
		return ""
	}
	if config, err := os.UserConfigDir(); err == nil && dir == filepath.Join(config, "opencode") {
		return ""
	}
	return dir
}
