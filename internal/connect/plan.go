package connect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gongu-ai/gongu/bundle"
	"github.com/gongu-ai/gongu/internal/fsx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// ImportReport lists what was done with each server of a file. It contains no
// secrets.
type ImportReport struct {
	From   string `json:"from"`
	Bundle string `json:"bundle"`
	DryRun bool   `json:"dryRun,omitempty"`

	Imported []ImportedItem `json:"imported"`
	Replaced []ImportedItem `json:"replaced"`
	Already  []ImportedItem `json:"already"`
	Refused  []LeftOut      `json:"refused"`
	Skipped  []LeftOut      `json:"skipped"`
	Secrets  []FoundSecret  `json:"secrets"`
	// Literal are the references of the file that the user has not accepted: the
	// bundle has them as text, and the servers get no values.
	Literal []string `json:"literal"`
	Notes   []string `json:"notes"`

	Wrote   []string `json:"wrote"`
	Backups []string `json:"backups"`

	// Path is the bundle as it was named, to load it by.
	Path string `json:"-"`
}

// ImportedItem is a resource; From is its name in the file, if that is another.
type ImportedItem struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	From string `json:"from,omitempty"`
}

// LeftOut is a server that was not moved.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// importPlan is what is to be done with the servers of a file.
type importPlan struct {
	target          *target
	report          ImportReport
	added, replaced []*candidate
	// inBundle are the candidates that the bundle has afterwards.
	inBundle []*candidate
}

// planImport decides about each server. Nothing is written.
func (o *Options) planImport(t *target, found *settingsFile, from, project string, replace, dryRun bool) *importPlan {
	p := &importPlan{target: t, report: ImportReport{
		From: from, Bundle: t.dir, DryRun: dryRun, Path: t.path, Imported: []ImportedItem{}, Replaced: []ImportedItem{}, Already: []ImportedItem{},
		Refused: []LeftOut{}, Skipped: []LeftOut{}, Secrets: []FoundSecret{}, Literal: []string{}, Notes: []string{}, Wrote: []string{}, Backups: []string{},
	}}
	vars := &variables{getenv: o.Getenv, values: map[string]string{}, users: t.variableUsers()}
	for _, c := range found.candidates {
		p.prepare(o.Lang, c, vars, project)
	}
	o.settleReferences(p, found.candidates, vars)
	for _, c := range found.candidates {
		p.decide(o.Lang, c, replace)
	}
	return p
}

// prepare finds what a bundle may hold of a server.
func (p *importPlan) prepare(l lang.Lang, c *candidate, vars *variables, project string) {
	if c.problem == "" && c.kind == kindCommand && secretValues.MatchString(c.discover+" "+c.call) {
		c.problem = lang.ConnectSecretCommand.In(l)
	}
	if c.problem != "" {
		return
	}
	makeAbsolute(c, project, p.target.dir)
	c.write(vars)
}

// write makes the spec of a server, without its secrets.
func (c *candidate) write(vars *variables) {
	if c.kind == kindServer {
		written, secrets := extractSecrets(c.live, vars)
		c.spec, c.secrets = specOf(written), secrets
	}
}

func (p *importPlan) decide(l lang.Lang, c *candidate, replace bool) {
	r := &p.report
	if c.problem != "" {
		r.Skipped = append(r.Skipped, LeftOut{c.from, c.problem})
		return
	}
	item := ImportedItem{Kind: c.kind, Name: c.name}
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
	case !replace && !c.accepted || owner.Head().Kind != c.kind:
		r.Refused = append(r.Refused, LeftOut{c.from, conflict(l, c, owner)})
		return
	default:
		p.replaced = append(p.replaced, c)
		r.Replaced = append(r.Replaced, item)
	}
	p.inBundle = append(p.inBundle, c)
	r.Secrets = append(r.Secrets, c.secrets...)
	r.Notes = append(r.Notes, c.notes...)
}

// makeAbsolute makes paths that are relative to the project of a file absolute,
// if the bundle is in another folder.
func makeAbsolute(c *candidate, project, dir string) {
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

// apply writes what was planned into the bundle, and returns the bundle as
// it is afterwards.
func (o *Options) apply(p *importPlan) (*bundle.Bundle, error) {
	if len(p.added)+len(p.replaced) == 0 {
		return p.target.bundle, nil
	}
	changes, err := p.target.changes(p.added, p.replaced)
	if err != nil {
		return nil, &WriteError{p.target.file, fsx.Cause(err)}
	}
	for _, c := range changes {
		p.report.Wrote = append(p.report.Wrote, c.path)
	}
	if p.report.DryRun {
		return p.target.bundle, nil
	}
	if err := os.MkdirAll(p.target.dir, 0o755); err != nil {
		return nil, &WriteError{p.target.dir, fsx.Cause(err)}
	}
	written, backups, err := o.writeChanges(p.target, changes, time.Now())
	if err != nil {
		return nil, &WriteError{p.target.file, fsx.Cause(err)}
	}
	p.report.Backups = backups
	return written, nil
}

// Import moves the servers of a settings file into the bundle at dir. With
// replace, a server of the file replaces one of the same name; a dry run
// changes nothing.
func Import(o *Options, file, dir string, replace, dryRun bool) (*ImportReport, error) {
	text, err := readSettings(file)
	if err != nil {
		return nil, &ReadError{file, fsx.Cause(err)}
	}
	found, err := readServers(file, text, "", nil, o.Lang)
	if err != nil {
		return nil, &ReadError{file, err}
	}
	t, err := o.targetOf(dir)
	if err != nil {
		return nil, err
	}
	p := o.planImport(t, found, file, projectOf(file), replace, dryRun)
	_, err = o.apply(p)
	return &p.report, err
}

// projectOf returns the folder of the project that a settings file belongs to. It
// is empty for the settings of a user.
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
