package dialect

import (
	"maps"
	"slices"
)

// The bounds of one fitting. Alternatives inside alternatives are tried in
// every combination, which a hostile schema makes exponential.
const (
	maxSteps      = 100_000
	maxFittedDeep = 1_000
)

// fitting compares a value with a schema, to learn which alternative the value
// follows and which of its nulls stand for properties that were left out. It
// does not validate: it reads the keywords that shape a value and ignores bounds.
type fitting struct {
	doc   *document
	steps int
	deep  int
	// cut holds the values to remove, order the sequence in which they were
	// found, so that a failed attempt can be undone.
	cut   map[*node]bool
	order []*node
}

func (f *fitting) spent() bool { return f.steps > maxSteps }

// fitsNull reports whether a schema allows null.
func fitsNull(doc *document, schema *node) bool {
	f := &fitting{doc: doc}
	return f.fits(schema, newNull(), nil)
}

// around is what the schema outside of an alternative knows: the names it
// requires, and the schemas that the other alternatives have for properties. A
// merged declaration shows the model the properties of all alternatives, so
// their nulls arrive wherever the value follows another one.
type around struct {
	required []string
	others   map[string][]*node
}

func (a *around) requires(name string) bool { return a != nil && slices.Contains(a.required, name) }

func (a *around) other(name string) []*node {
	if a == nil {
		return nil
	}
	return a.others[name]
}

// fits reports whether the value has the shape of the schema, and marks the
// nulls to cut on the way. Out of steps everything fits.
func (f *fitting) fits(schema, value *node, outer *around) bool {
	f.steps++
	f.deep++
	defer func() { f.deep-- }()
	if f.deep > maxFittedDeep {
		f.steps = maxSteps + 1
	}
	if f.spent() || !schema.isObject() {
		return !schema.isFalse()
	}
	parts := f.parts(nil, schema)
	if slices.ContainsFunc(parts, func(part *node) bool { return part.isFalse() || !f.hasType(part, value) }) {
		return false
	}
	ok := true
	switch value.kind {
	case '{':
		ok = f.fitsMembers(parts, value, outer)
	case '[':
		ok = f.fitsItems(parts, value)
	}
	for _, part := range parts {
		ok = f.fitsAlternatives(parts, part, value, outer) && ok
		ok = f.fitsConditions(part, value, outer) && ok
	}
	return ok
}

// parts lists the schema and all that holds along with it.
func (f *fitting) parts(list []*node, schema *node) []*node {
	if slices.Contains(list, schema) || f.spent() {
		return list
	}
	f.steps += 1 + len(list)/8
	list = append(list, schema)
	if target, named := f.doc.reference(schema); named && target != nil {
		list = f.parts(list, target)
	}
	if all := schema.get("allOf"); all.isArray() {
		for _, item := range all.items {
			list = f.parts(list, item)
		}
	}
	return list
}

func (f *fitting) hasType(part, value *node) bool {
	if constant := part.get("const"); constant != nil && !equal(constant, value) {
		return false
	}
	if enum := part.get("enum"); enum.isArray() {
		f.steps += len(enum.items) / 16
		if !slices.ContainsFunc(enum.items, func(v *node) bool { return equal(v, value) }) {
			return false
		}
	}
	kinds := typeList(part.get("type"))
	if len(kinds) == 0 {
		return true
	}
	kind := value.typeName()
	return slices.Contains(kinds, kind) || kind == "integer" && slices.Contains(kinds, "number")
}

func (f *fitting) fitsMembers(parts []*node, value *node, outer *around) bool {
	required := requiredBy(parts)
	ok := true
	for _, m := range value.members {
		if f.cut[m.value] {
			continue
		}
		ok = f.fitsMember(parts, m, required, outer) && ok
	}
	for _, name := range required {
		if given := value.get(name); given == nil || f.cut[given] {
			ok = false
		}
	}
	return ok
}

// fitsMember decides about one member: it is cut, or compared with the schemas
// that the parts have for it.
func (f *fitting) fitsMember(parts []*node, m member, required []string, outer *around) bool {
	f.steps += len(parts)
	schemas := f.schemasFor(parts, m.name)
	demanded := slices.Contains(required, m.name) || outer.requires(m.name)
	if m.value.isNull() && !demanded && f.isLeftOut(parts, m.name, schemas, outer) {
		f.cut[m.value] = true
		f.order = append(f.order, m.value)
		return true
	}
	ok := true
	for _, schema := range schemas {
		ok = f.fits(schema, m.value, nil) && ok
	}
	for _, part := range parts {
		if part.get("properties").get(m.name) != nil || part.has("patternProperties") {
			continue
		}
		if extra := part.get("additionalProperties"); extra != nil {
			ok = f.fits(extra, m.value, nil) && ok
		}
	}
	return ok
}

// isLeftOut tells a null that only says "not given" from one that is a value.
func (f *fitting) isLeftOut(parts []*node, name string, schemas []*node, outer *around) bool {
	null := newNull()
	allowed := func(schema *node) bool { return f.fits(schema, null, nil) }
	if len(schemas) > 0 {
		return slices.ContainsFunc(schemas, func(schema *node) bool { return !allowed(schema) })
	}
	others := outer.other(name)
	if len(others) == 0 {
		return false
	}
	closed := slices.ContainsFunc(parts, func(part *node) bool {
		return part.get("additionalProperties").isFalse() || part.get("unevaluatedProperties").isFalse()
	})
	return closed || !slices.ContainsFunc(others, allowed)
}

func (f *fitting) schemasFor(parts []*node, name string) []*node {
	var schemas []*node
	for _, part := range parts {
		if schema := part.get("properties").get(name); schema != nil {
			schemas = append(schemas, schema)
		}
	}
	return schemas
}

func requiredBy(parts []*node) []string {
	var names []string
	for _, part := range parts {
		names = append(names, part.get("required").strings()...)
	}
	return names
}

func (f *fitting) fitsItems(parts []*node, value *node) bool {
	ok := true
	for _, part := range parts {
		places := part.get("prefixItems")
		rest := part.get("items")
		if rest.isArray() {
			places, rest = rest, part.get("additionalItems")
		}
		for i, item := range value.items {
			switch {
			case places.isArray() && i < len(places.items):
				ok = f.fits(places.items[i], item, nil) && ok
			case rest != nil:
				ok = f.fits(rest, item, nil) && ok
			}
		}
	}
	return ok
}

// fitsAlternatives follows the first alternative that fits.
func (f *fitting) fitsAlternatives(parts []*node, part, value *node, outer *around) bool {
	ok := true
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list := part.get(keyword)
		if !list.isArray() || len(list.items) == 0 {
			continue
		}
		inside := f.inside(parts, list, value, outer)
		found := slices.ContainsFunc(list.items, func(branch *node) bool {
			return f.attempt(branch, value, inside)
		})
		ok = ok && found
	}
	return ok
}

// inside returns what the schema outside of an alternative requires.
func (f *fitting) inside(parts []*node, list, value *node, outer *around) *around {
	if value.kind != '{' {
		return nil
	}
	a := &around{required: requiredBy(parts), others: map[string][]*node{}}
	if outer != nil {
		a.required = append(a.required, outer.required...)
		maps.Copy(a.others, outer.others)
	}
	for _, branch := range list.items {
		for _, part := range f.parts(nil, branch) {
			for _, m := range propertiesOf(part) {
				if value.has(m.name) {
					a.others[m.name] = append(slices.Clip(a.others[m.name]), m.value)
				}
			}
		}
	}
	return a
}

// attempt undoes its cuts when the value does not fit.
func (f *fitting) attempt(schema, value *node, outer *around) bool {
	mark := len(f.order)
	if f.fits(schema, value, outer) {
		return true
	}
	f.undo(mark)
	return false
}

// undo takes back the cuts after a mark.
func (f *fitting) undo(mark int) {
	for _, undone := range f.order[mark:] {
		delete(f.cut, undone)
	}
	f.order = f.order[:mark]
}

func (f *fitting) fitsConditions(part, value *node, outer *around) bool {
	ok := true
	if not := part.get("not"); not != nil {
		mark := len(f.order)
		ok = !f.attempt(not, value, outer)
		f.undo(mark)
	}
	if condition := part.get("if"); condition != nil {
		next := part.get("else")
		if f.attempt(condition, value, outer) {
			next = part.get("then")
		}
		if next != nil {
			ok = f.attempt(next, value, outer) && ok
		}
	}
	return ok
}
