package dialect

import (
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// flattening merges a schema with all that it must satisfy as well: the target
// of its reference and the members of allOf.
type flattening struct {
	*lowering
	at    location
	seen  map[*node]bool
	trail *trail
	out   *node
}

// flatten returns a schema without references and allOf on its top level, and
// the references that were followed for it. Subschemas stay as they are.
func (l *lowering) flatten(n *node, at location) (*node, *trail) {
	f := &flattening{lowering: l, at: at, seen: map[*node]bool{}, trail: at.trail, out: newObject()}
	f.add(n)
	return f.out, f.trail
}

func (f *flattening) add(n *node) {
	// A schema that refers to itself without going into a value adds nothing.
	if f.seen[n] {
		return
	}
	f.seen[n] = true
	if len(f.seen) > 1 && !f.spend(n, f.at) {
		return
	}
	if !n.isObject() {
		if n.isFalse() {
			f.lose(f.at.path, "allOf", lang.LossBoolean)
		}
		return
	}
	f.merge(n.without(append([]string{"allOf"}, referenceKeywords...)...))
	if target, named := f.doc.reference(n); named {
		f.follow(n, target)
	}
	if all := n.get("allOf"); all.isArray() {
		for _, item := range all.items {
			f.add(item)
		}
	}
}

func (f *flattening) follow(n, target *node) {
	switch {
	case target == nil:
		f.lose(f.at.path, "$ref", lang.LossReference)
	case f.seen[target]:
	case f.target.closed && f.at.trail.count(target) > 0:
		f.impossible(f.at, lang.ReasonRecursion)
	case f.at.trail.count(target) >= maxUnrolled:
		f.lose(f.at.path, "$ref", lang.LossRecursion)
		if kind := target.get("type"); kind != nil {
			f.merge(newObject().set("type", kind))
		}
	default:
		f.trail = &trail{target: target, up: f.trail}
		f.add(target)
	}
}

// merge narrows the result by one more schema.
func (f *flattening) merge(n *node) {
	for _, m := range n.members {
		name, value := m.name, m.value
		if name == "const" {
			name, value = "enum", newArray(value)
		}
		have := f.out.get(name)
		if have == nil {
			f.out.set(name, value)
			continue
		}
		if both, ok := conjoin(name, have, value); ok {
			f.out.set(name, both)
			continue
		}
		f.lose(f.at.path, name, lang.LossConflict)
	}
}

// conjoin combines two values of a keyword into one that demands both. The
// result is false when one schema cannot express it.
func conjoin(keyword string, a, b *node) (*node, bool) {
	if isAnnotation(keyword) || isStructural(keyword) {
		return a, true
	}
	if equal(a, b) {
		return a, true
	}
	switch keyword {
	case "type":
		return conjoinTypes(a, b)
	case "enum":
		return intersection(a, b)
	case "required":
		return newStrings(unite(a.strings(), b.strings())), true
	case "properties", "patternProperties", "dependentSchemas":
		return conjoinMembers(a, b)
	case "items", "additionalProperties", "additionalItems", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
		return conjoinSchemas(a, b), !a.isArray() && !b.isArray()
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return tighter(a, b, 1), a.isNumber() && b.isNumber()
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
		return tighter(a, b, -1), a.isNumber() && b.isNumber()
	case "uniqueItems":
		return newBool(true), true
	}
	return nil, false
}

func tighter(a, b *node, sign int) *node {
	if compareNumbers(a, b) == sign {
		return a
	}
	return b
}

func conjoinSchemas(a, b *node) *node {
	switch {
	case a.isFalse() || b.isTrue():
		return a
	case b.isFalse() || a.isTrue():
		return b
	}
	return newObject().set("allOf", newArray(a, b))
}

func conjoinMembers(a, b *node) (*node, bool) {
	if !a.isObject() || !b.isObject() {
		return nil, false
	}
	out := a.without()
	index := make(map[string]int, len(out.members))
	for i, m := range out.members {
		index[m.name] = i
	}
	for _, m := range b.members {
		if i, ok := index[m.name]; ok {
			if !equal(out.members[i].value, m.value) {
				out.members[i].value = conjoinSchemas(out.members[i].value, m.value)
			}
			continue
		}
		out.members = append(out.members, m)
	}
	return out, true
}

// unite lists the names of both, each once.
func unite(a, b []string) []string {
	for _, name := range b {
		if !slices.Contains(a, name) {
			a = append(a, name)
		}
	}
	return a
}

func newStrings(texts []string) *node {
	out := newArray()
	for _, text := range texts {
		out.items = append(out.items, newString(text))
	}
	return out
}

// intersection keeps the values of a that b has too; none means that the two
// contradict each other.
func intersection(a, b *node) (*node, bool) {
	out := newArray()
	for _, item := range a.items {
		if slices.ContainsFunc(b.items, func(other *node) bool { return equal(item, other) }) {
			out.items = append(out.items, item)
		}
	}
	return out, len(out.items) > 0
}

func conjoinTypes(a, b *node) (*node, bool) {
	var both []string
	other := typeList(b)
	for _, name := range typeList(a) {
		switch {
		case slices.Contains(other, name):
			both = append(both, name)
		case name == "integer" && slices.Contains(other, "number"):
			both = append(both, "integer")
		case name == "number" && slices.Contains(other, "integer"):
			both = append(both, "integer")
		}
	}
	switch len(both) {
	case 0:
		return nil, false
	case 1:
		return newString(both[0]), true
	}
	return newStrings(both), true
}

// typeList reads the value of type, which is a name or a list of names.
func typeList(n *node) []string {
	if n.isString() {
		return []string{n.text}
	}
	return n.strings()
}
