package macro

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
	"github.com/gongu-ai/gongu/internal/schema"
)

func parseDefinition(r *report, data raw) *Definition {
	d := &Definition{}
	root := location{}
	if len(data) > maxSource {
		r.add(root, lang.MacroTooLarge.With(len(data), maxSource), lang.MacroHintShorter.With())
		return d
	}
	if problem := jsonx.Strict(data); problem != nil {
		r.add(root, lang.MacroJSON.With(problem.Message), lang.MacroHintJSON.With())
		return d
	}
	o, ok := object(r, root, data, "name", "description", "domain", "implementation", "parameters", "steps", "output")
	if !ok {
		return d
	}
	d.Name = o.text("name", true)
	d.Description = o.text("description", false)
	d.Domain = o.text("domain", false)
	if kind := o.text("implementation", false); kind != "" && kind != "macro" {
		r.add(root.at("implementation"), lang.MacroKind.With(clip(kind)), lang.MacroHintKind.With())
	}
	d.Parameters = []byte(o.take("parameters"))
	if steps := o.take("steps"); steps == nil {
		r.add(root.at("steps"), lang.MacroRequired.With(), lang.MacroHintSteps.With())
	} else if expect(r, root.at("steps"), steps, '[') {
		d.Steps = parseSteps(r, root.at("steps"), steps)
	}
	d.Output = []byte(o.take("output"))
	d.checkForm(r)
	return d
}

func parseSteps(r *report, at location, list raw) []Step {
	items := list.items()
	if len(items) > maxSteps {
		r.add(at, lang.MacroSteps.With(maxSteps, len(items)), lang.MacroHintSteps.With())
		return nil
	}
	steps := make([]Step, 0, len(items))
	for i, item := range items {
		steps = append(steps, parseStep(r, at.at(i), item))
	}
	return steps
}

func parseStep(r *report, at location, item raw) Step {
	o, ok := object(r, at, item, "id", "tool", "params", "when", "forEach", "onError")
	if !ok {
		return Step{Tool: "?"} // the problem is already reported
	}
	return Step{
		ID:      o.text("id", false),
		Tool:    o.text("tool", true),
		Params:  []byte(o.take("params")),
		When:    o.text("when", false),
		ForEach: o.text("forEach", false),
		OnError: parseOnError(r, at.at("onError"), o.take("onError")),
	}
}

func parseOnError(r *report, at location, data raw) OnError {
	switch {
	case data.isNull():
		return OnError{}
	case data.kind() == '{':
		o, _ := object(r, at, data, "output")
		output := o.members["output"] // null is a value to go on with
		if output == nil {
			r.add(at.at("output"), lang.MacroRequired.With(), lang.MacroHintOnError.With())
		}
		return OnError{Output: []byte(output)}
	}
	text, ok := data.text()
	switch {
	case !ok:
		r.add(at, lang.MacroType.With("string", jsonx.Kind(data)), lang.MacroHintOnError.With())
	case text != onErrorFail && text != onErrorContinue:
		r.add(at, lang.MacroOnError.With(clip(text)), lang.MacroHintOnError.With())
	}
	return OnError{Continue: text == onErrorContinue}
}

// fields are the members of an object with a fixed set of names.
type fields struct {
	r       *report
	at      location
	members map[string]raw
}

// object reports names that are not among the known ones.
func object(r *report, at location, data raw, known ...string) (fields, bool) {
	o := fields{r: r, at: at, members: map[string]raw{}}
	if !expect(r, at, data, '{') {
		return o, false
	}
	for _, m := range data.members() {
		if !slices.Contains(known, m.key) {
			r.add(at.at(clip(m.key)), lang.MacroUnknown.With(clip(m.key)), choose(m.key, known))
			continue
		}
		o.members[m.key] = m.value
	}
	return o, true
}

// take returns a member, or nil when it is missing or null: models write null
// for what they leave out.
func (o fields) take(name string) raw {
	if value := o.members[name]; !value.isNull() {
		return value
	}
	return nil
}

func (o fields) text(name string, required bool) string {
	value := o.take(name)
	if value == nil {
		if required {
			o.r.add(o.at.at(name), lang.MacroRequired.With(), lang.MacroHintAdd.With(name))
		}
		return ""
	}
	text, ok := value.text()
	if !ok {
		o.r.add(o.at.at(name), lang.MacroType.With("string", jsonx.Kind(value)), lang.MacroHintType.With("string"))
		return ""
	}
	if strings.TrimSpace(text) == "" {
		if required {
			o.r.add(o.at.at(name), lang.MacroEmpty.With(), lang.MacroHintFill.With())
		}
		return ""
	}
	return text
}

func expect(r *report, at location, data raw, kind byte) bool {
	if byte(data.kind()) == kind {
		return true
	}
	want := jsonx.Kind([]byte{kind})
	r.add(at, lang.MacroType.With(want, jsonx.Kind(data)), lang.MacroHintType.With(want))
	return false
}

// choose suggests near names, or lists all.
func choose(name string, known []string) lang.Message {
	if len(known) == 0 {
		return lang.MacroHintNone.With()
	}
	if found := near.Names(name, slices.Values(known), 3); len(found) > 0 {
		return lang.MacroHintNear.With(strings.Join(found, ", "))
	}
	return lang.MacroHintOneOf.With(strings.Join(known, ", "))
}

// clip cuts a foreign text that a message repeats.
func clip(text string) string { return lang.Clip(text, 80) }

var (
	namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	idPattern   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)
)

// reservedIDs cannot follow a dot in CEL, or will not in a later version.
var reservedIDs = []string{
	"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
	"package", "namespace", "null", "return", "true", "var", "void", "while",
}

// checkForm checks all that can be checked without compiling expressions.
func (d *Definition) checkForm(r *report) {
	root := location{}
	if d.Name != "" && (!namePattern.MatchString(d.Name) || strings.Contains(d.Name, "__")) {
		r.add(root.at("name"), lang.MacroName.With(clip(d.Name)), lang.MacroHintName.With())
	}
	if !goodDomain(d.Domain) {
		r.add(root.at("domain"), lang.MacroDomain.With(clip(d.Domain)), lang.MacroHintDomain.With())
	}
	d.checkParameters(r, root.at("parameters"))
	if d.Steps != nil && (len(d.Steps) == 0 || len(d.Steps) > maxSteps) {
		r.add(root.at("steps"), lang.MacroSteps.With(maxSteps, len(d.Steps)), lang.MacroHintSteps.With())
	}
	count := &counter{report: r}
	seen := map[string]bool{}
	for i := range d.Steps {
		at := root.at("steps").at(i)
		d.Steps[i].checkForm(count, at)
		if id := d.Steps[i].ID; id != "" && seen[id] {
			r.add(at.at("id"), lang.MacroSameID.With(clip(id)), lang.MacroHintSameID.With())
		} else {
			seen[id] = true
		}
	}
	if sound(r, root.at("output"), d.Output) {
		parseTemplate(count, root.at("output"), raw(d.Output), scope{})
	}
}

// sound reports whether there is a value to look at. Definitions made in Go
// have not been parsed.
func sound(r *report, at location, data []byte) bool {
	if len(data) == 0 {
		return false
	}
	problem := jsonx.Strict(data)
	if problem != nil {
		r.add(at, lang.MacroJSON.With(problem.Message), lang.MacroHintJSON.With())
	}
	return problem == nil
}

func goodDomain(domain string) bool {
	return strings.TrimSpace(domain) == domain && utf8.RuneCountInString(domain) <= maxName &&
		!strings.ContainsFunc(domain, unicode.IsControl)
}

func (d *Definition) checkParameters(r *report, at location) {
	if !sound(r, at, d.Parameters) {
		return
	}
	checker, err := schema.Compile(d.Parameters, nil)
	switch {
	case err != nil:
		r.add(at, lang.MacroParameters.With(err), lang.MacroHintParameters.With())
	case !checker.ObjectRoot():
		r.add(at, lang.MacroNoObject.With(), lang.MacroHintParameters.With())
	}
}

func (s *Step) checkForm(count *counter, at location) {
	if s.ID != "" && (!idPattern.MatchString(s.ID) || slices.Contains(reservedIDs, s.ID)) {
		count.add(at.at("id"), lang.MacroStepID.With(clip(s.ID)), lang.MacroHintStepID.With(idLike(s.ID)))
	}
	switch {
	case strings.Contains(s.Tool, "${"):
		count.add(at.at("tool"), lang.MacroComputed.With(clip(s.Tool)), lang.MacroHintComputed.With())
	case s.Tool != "" && s.Tool != "?" && !namePattern.MatchString(s.Tool):
		count.add(at.at("tool"), lang.MacroName.With(clip(s.Tool)), lang.MacroHintListTools.With())
	}
	if sound(count.report, at.at("params"), s.Params) && expect(count.report, at.at("params"), raw(s.Params), '{') {
		parseTemplate(count, at.at("params"), raw(s.Params), scope{})
	}
	for _, field := range []struct{ name, text string }{{"when", s.When}, {"forEach", s.ForEach}} {
		if field.text != "" {
			bare(count, at.at(field.name), field.text, scope{})
		}
	}
	if sound(count.report, at.at("onError").at("output"), s.OnError.Output) {
		parseTemplate(count, at.at("onError").at("output"), raw(s.OnError.Output), scope{})
	}
}

// idLike offers a legal spelling.
func idLike(id string) string {
	legal := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, clip(id))
	if legal = strings.Trim(legal, "_"); !idPattern.MatchString(legal) || slices.Contains(reservedIDs, legal) {
		return "seat"
	}
	return legal
}
