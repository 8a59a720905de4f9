package macro

import (
	"encoding/json"
	"fmt"
	"slices"

	"cel.dev/cel-go/cel"

	"github.com/gongu-ai/gongu/internal/expr"
	"github.com/gongu-ai/gongu/internal/lang"
)

// program is a definition with all expressions compiled. It never changes.
type program struct {
	name   string
	steps  []step
	output *template
}

type step struct {
	id, tool string
	params   *template
	when     *expression
	forEach  *expression
	onError  OnError
	fallback *template
	// kept says that a later expression, or the answer, needs the output.
	kept bool
}

// compile compiles the definition. All problems of form and expressions are
// reported. The program is nil when there are any of form; with others it can
// be looked at, but not run.
func (d *Definition) compile() (*program, Problems) {
	r := &report{}
	d.checkWhole(r)
	if len(r.list) > 0 {
		return nil, r.all()
	}
	env, err := environment()
	if err != nil { // nothing of the caller's can cause it
		r.add(location{}, plain(fmt.Sprintf("CEL: %v", err)), lang.MacroHintCEL.With())
		return nil, r.all()
	}
	c := &compiler{report: r, env: env, used: usage{steps: map[string]bool{}}}
	c.declared, c.closed = declaredParameters(d.Parameters)
	p := &program{name: d.Name}
	var ids []string
	for i := range d.Steps {
		p.steps = append(p.steps, c.step(location{}.at("steps").at(i), &d.Steps[i], ids))
		if id := d.Steps[i].ID; id != "" {
			ids = append(ids, id)
		}
	}
	if len(d.Output) > 0 {
		p.output = parseTemplate(c, location{}.at("output"), raw(d.Output), scope{steps: ids})
	}
	for i := range p.steps {
		s := &p.steps[i]
		s.kept = c.used.allSteps && s.id != "" || c.used.steps[s.id]
	}
	return p, r.all()
}

// checkWhole is checkForm for a definition that may never have been parsed.
func (d *Definition) checkWhole(r *report) {
	if d.Name == "" {
		r.add(location{}.at("name"), lang.MacroRequired.With(), lang.MacroHintName.With())
	}
	if len(d.Steps) == 0 {
		r.add(location{}.at("steps"), lang.MacroSteps.With(maxSteps, 0), lang.MacroHintSteps.With())
	}
	for i := range d.Steps {
		if d.Steps[i].Tool == "" {
			r.add(location{}.at("steps").at(i).at("tool"), lang.MacroRequired.With(), lang.MacroHintAdd.With("tool"))
		}
	}
	d.checkForm(r)
}

func (c *compiler) step(at location, s *Step, before []string) step {
	outer := scope{steps: slices.Clone(before)}
	inner := outer
	inner.item = s.ForEach != ""
	out := step{id: s.ID, tool: s.Tool, onError: s.OnError}
	if s.ForEach != "" {
		out.forEach = bare(c, at.at("forEach"), s.ForEach, outer)
		c.expectType(out.forEach, cel.ListKind, lang.MacroNotList, lang.MacroHintList)
	}
	if s.When != "" {
		out.when = bare(c, at.at("when"), s.When, inner)
		c.expectType(out.when, cel.BoolKind, lang.MacroNotBool, lang.MacroHintBool)
	}
	params := s.Params
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	out.params = parseTemplate(c, at.at("params"), raw(params), inner)
	if len(s.OnError.Output) > 0 {
		inner.error = true
		out.fallback = parseTemplate(c, at.at("onError").at("output"), raw(s.OnError.Output), inner)
	}
	return out
}

// expectType refuses what cannot be of the type needed; what is not known
// before it runs is checked then.
func (c *compiler) expectType(x *expression, want cel.Kind, message, hint lang.Text) {
	if x == nil {
		return
	}
	if got := x.Type(); got.Kind() != want && got.Kind() != cel.DynKind {
		c.add(x.at, lang.MacroExpr.With(message.With(got.String()), snippet(x.Source, expr.Position{Line: 1})), hint.With())
	}
}

// declaredParameters returns the names of the parameters, and whether a schema
// leaves no room for others. Only a plain list of properties says so: there a
// name that is not listed is a slip, even where the schema would admit it.
func declaredParameters(schema json.RawMessage) (names []string, closed bool) {
	if len(schema) == 0 {
		return nil, false
	}
	for _, m := range raw(schema).members() {
		switch m.key {
		case "properties":
			closed = true
			for _, property := range m.value.members() {
				names = append(names, property.key)
			}
		case "additionalProperties":
			if string(m.value) != "false" {
				return names, false
			}
		case "patternProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "if", "$ref", "$dynamicRef", "dependentSchemas":
			return names, false
		}
	}
	return names, closed
}
