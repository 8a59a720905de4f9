package macro

import (
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/schema"
)

// Check validates a definition before it is called: its form, its expressions,
// steps that use later steps, and, in the catalog of the future caller, tools
// that cannot be called and arguments that do not match their schemas. A nil
// catalog leaves the tools out. All problems are reported together, as
// [Problems] in the returned error.
func (d *Definition) Check(catalog *gongu.Catalog) error {
	_, problems := d.check(catalog)
	return problems.err(d.Name)
}

// check compiles the definition, and checks it with the tools that it calls.
func (d *Definition) check(catalog *gongu.Catalog) (*program, Problems) {
	compiled, problems := d.compile()
	r := &report{list: problems}
	for i := range d.Steps {
		at := location{}.at("steps").at(i)
		if d.Steps[i].Tool == d.Name && d.Name != "" {
			r.add(at.at("tool"), lang.MacroSelf.With(clip(d.Name)), lang.MacroHintSelf.With())
			continue
		}
		if catalog != nil && compiled != nil {
			checkCall(r, at, &compiled.steps[i], catalog)
		}
	}
	return compiled, r.all()
}

func checkCall(r *report, at location, s *step, catalog *gongu.Catalog) {
	tool, ok := catalog.Get(s.tool)
	if !ok {
		hint := lang.MacroHintListTools.With()
		if found := catalog.Near(s.tool); len(found) > 0 {
			hint = lang.MacroHintNear.With(strings.Join(found, ", "))
		}
		r.add(at.at("tool"), lang.MacroNoTool.With(clip(s.tool)), hint)
		return
	}
	if tool.Parameters == "" {
		return
	}
	if s.params.literal != nil {
		checkLiteral(r, at.at("params"), s.params.literal, tool)
		return
	}
	checkNames(r, at.at("params"), s.params, tool)
}

// checkLiteral checks arguments without expressions as the executor will.
func checkLiteral(r *report, at location, args raw, tool gongu.Tool) {
	checker, err := schema.Lazy(tool.Parameters, nil)
	if err != nil {
		return // the executor reports it
	}
	failure := checker.Check(args)
	if failure == nil || failure.Broken != nil {
		return
	}
	for _, issue := range failure.Issues {
		r.add(at, lang.MacroArgs.With(tool.Name, plainIssue(issue)), lang.MacroHintSchema.With())
	}
	if failure.TooComplex {
		r.add(at, lang.MacroArgs.With(tool.Name, lang.ArgsTooComplex.With()), lang.MacroHintSchema.With())
	}
}

func plainIssue(issue schema.Issue) lang.Message {
	return lang.Text{EN: "%s: %s", KO: "%s: %s"}.With(issue.Path, issue.Message)
}

// checkNames checks what is certain of arguments with expressions: names that
// must be there, and names that must not.
func checkNames(r *report, at location, t *template, tool gongu.Tool) {
	var given []string
	for _, m := range t.members {
		key, _ := raw(m.rawKey).text()
		given = append(given, key)
	}
	required, known, closed := schemaNames(raw(tool.Parameters))
	for _, name := range required {
		if !slices.Contains(given, name) {
			r.add(at, lang.MacroMissingArg.With(tool.Name, clip(name)), lang.MacroHintAdd.With(clip(name)))
		}
	}
	for _, name := range given {
		if closed && !slices.Contains(known, name) {
			r.add(at.at(clip(name)), lang.MacroUnknownArg.With(tool.Name, clip(name)), choose(name, known))
		}
	}
}

// schemaNames reads the root of a schema. It is closed when it refuses names
// that it does not list.
func schemaNames(root raw) (required, known []string, closed bool) {
	for _, m := range root.members() {
		switch m.key {
		case "required":
			for _, item := range m.value.items() {
				if name, ok := item.text(); ok {
					required = append(required, name)
				}
			}
		case "properties":
			for _, property := range m.value.members() {
				known = append(known, property.key)
			}
		case "additionalProperties":
			closed = string(m.value) == "false"
		}
	}
	for _, m := range root.members() {
		if m.key == "patternProperties" {
			closed = false
		}
	}
	return required, known, closed
}

// Cycle returns the names of macros that call each other in a circle, the
// first one repeated at the end, or nil. A running macro refuses a circle, too;
// Cycle finds it earlier.
func Cycle(definitions ...*Definition) []string {
	calls := map[string][]string{}
	for _, d := range definitions {
		for i := range d.Steps {
			calls[d.Name] = append(calls[d.Name], d.Steps[i].Tool)
		}
	}
	done := map[string]bool{}
	var search func(name string, way []string) []string
	search = func(name string, way []string) []string {
		if i := slices.Index(way, name); i >= 0 {
			return append(slices.Clone(way[i:]), name)
		}
		if done[name] {
			return nil
		}
		for _, next := range calls[name] {
			if circle := search(next, append(slices.Clip(way), name)); circle != nil {
				return circle
			}
		}
		done[name] = true
		return nil
	}
	for _, d := range definitions {
		if circle := search(d.Name, nil); circle != nil {
			return circle
		}
	}
	return nil
}
