package bundle

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/macro"
)

// Definition returns the macro in the form that package macro runs.
func (m *Macro) Definition() *macro.Definition {
	d := &macro.Definition{
		Name:        m.Name,
		Description: m.Spec.Description,
		Domain:      m.Spec.Domain,
		Parameters:  json.RawMessage(m.Spec.Parameters),
		Output:      slices.Clone(m.Spec.Output),
	}
	for _, s := range m.Spec.Steps {
		d.Steps = append(d.Steps, macro.Step{
			ID: s.ID, Tool: s.Tool, Params: slices.Clone(s.Params), When: s.When, ForEach: s.ForEach, OnError: macro.OnError(s.OnError),
		})
	}
	return d
}

// resolved checks the expressions of a macro that is otherwise well formed,
// and, now that all macros are there, whether they call each other in a circle.
func (m *Macro) resolved(l *loader, b *Bundle) {
	if l.refused(&m.Meta) {
		return
	}
	for _, p := range macro.ProblemsOf(m.Definition().Check(nil)) {
		if len(p.Way) > 0 && p.Way[0] == "name" {
			l.error(m.place.find("metadata", "name"), CodeInvalidName, p.Message, p.Hint)
			continue
		}
		l.error(m.spec.find(p.Way...), CodeSchemaInvalid, p.Message, p.Hint)
	}
	m.checkCycle(l, b)
}

// checkCycle reports a circle once, at the macro where it begins.
func (m *Macro) checkCycle(l *loader, b *Bundle) {
	definitions := []*macro.Definition{m.Definition()}
	for _, other := range b.Macros() {
		if other != m {
			definitions = append(definitions, other.Definition())
		}
	}
	circle := macro.Cycle(definitions...)
	if len(circle) < 3 || circle[0] != m.Name || slices.Min(circle) != m.Name {
		return // none, not through this one, or told at another; complete has told of the shortest
	}
	i := slices.IndexFunc(m.Spec.Steps, func(s MacroStep) bool { return s.Tool == circle[1] })
	l.error(m.spec.find("steps", i, "tool"), CodeSchemaInvalid,
		lang.MacroCycle.With(strings.Join(circle, " → ")), lang.MacroHintSelf.With())
}

// refused reports whether something is wrong with a resource already.
func (l *loader) refused(m *Meta) bool {
	path := m.place.path()
	return slices.ContainsFunc(l.list, func(d Diagnostic) bool {
		return d.Severity == SeverityError && (d.Path == path || strings.HasPrefix(d.Path, path+"."))
	})
}
