package dialect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// unionKeyword returns the keyword under which a schema lists alternatives.
func unionKeyword(flat *node) string {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := flat.get(keyword); list.isArray() && len(list.items) > 0 {
			return keyword
		}
	}
	return ""
}

// isRuleOnly reports whether the alternatives only say which of the object's
// properties go together. Writing the object once for each would say little
// and cost much, so the description says the rule instead.
func isRuleOnly(flat *node, keyword string) bool {
	if properties := flat.get("properties"); !properties.isObject() || len(properties.members) == 0 {
		return false
	}
	return !slices.ContainsFunc(flat.get(keyword).items, func(branch *node) bool {
		return slices.ContainsFunc(branch.members, func(m member) bool {
			return m.name != "required" && m.name != "not" && !isAnnotation(m.name)
		})
	})
}

// union lowers the alternatives one by one. What is beside them holds for
// each, so it moves into each; a description stays outside.
func (l *lowering) union(flat *node, keyword string, at location) *node {
	if keyword == "oneOf" {
		l.lose(at.path, "oneOf", lang.LossOneOf)
	} else if flat.has("oneOf") {
		l.lose(at.path, "oneOf", lang.LossConflict)
	}
	common := newObject()
	for _, m := range flat.without("anyOf", "oneOf").members {
		if !isAnnotation(m.name) && !isStructural(m.name) {
			common.set(m.name, m.value)
		}
	}
	var branches []*node
	for i, branch := range flat.get(keyword).items {
		if branch.isFalse() {
			continue
		}
		if len(common.members) > 0 {
			branch = newObject().set("allOf", newArray(common, branch))
		}
		branches = append(branches, l.schema(branch, at.in(keyword, strconv.Itoa(i))))
	}
	return l.anyOf(flat, branches)
}

// anyOf joins lowered alternatives under the annotations of flat. Equal ones
// are written once, and null is written in the target's form.
func (l *lowering) anyOf(flat *node, branches []*node) *node {
	out := newObject()
	copyAnnotations(out, flat)
	list := newArray()
	null := false
	for _, branch := range branches {
		if isNullType(branch) {
			null = true
			continue
		}
		if !slices.ContainsFunc(list.items, func(other *node) bool { return equal(branch, other) }) {
			list.items = append(list.items, branch)
		}
	}
	switch {
	case len(list.items) == 0:
		return out.set("type", newString("null"))
	case len(list.items) == 1:
		out = underAnnotations(out, list.items[0])
	default:
		out.set("anyOf", list)
	}
	if null {
		out = l.nullable(out)
	}
	return out
}

func isNullType(n *node) bool {
	kind := n.get("type")
	return kind.isString() && kind.text == "null"
}

// underAnnotations puts the outer title and description on the one schema that
// is left, in place of its own.
func underAnnotations(outer, inner *node) *node {
	if len(outer.members) == 0 {
		return inner
	}
	if inner.has("$ref") {
		return outer.set("anyOf", newArray(inner))
	}
	out := inner.without()
	for _, m := range outer.members {
		if own := out.get(m.name); m.name == "description" && own.isString() && own.text != m.value.text {
			out.set(m.name, newString(m.value.text+" "+own.text))
			continue
		}
		out.set(m.name, m.value)
	}
	return out
}

// nullable lets a lowered schema be null as well.
func (l *lowering) nullable(n *node) *node {
	if !l.target.closed {
		return n.without().set("nullable", newBool(true))
	}
	null := newObject().set("type", newString("null"))
	if list := n.get("anyOf"); list.isArray() {
		if slices.ContainsFunc(list.items, allowsNullType) {
			return n
		}
		return n.without().set("anyOf", newArray(append(slices.Clone(list.items), null)...))
	}
	if allowsNullType(n) {
		return n
	}
	kind := n.get("type")
	if !kind.isString() || kind.text == "object" || kind.text == "array" {
		outer := newObject()
		copyAnnotations(outer, n)
		return outer.set("anyOf", newArray(n.without("title", "description"), null))
	}
	out := n.without().set("type", newStrings([]string{kind.text, "null"}))
	if enum := out.get("enum"); enum.isArray() {
		out.set("enum", newArray(append(slices.Clone(enum.items), newNull())...))
	}
	return out
}

func allowsNullType(n *node) bool { return slices.Contains(typeList(n.get("type")), "null") }

// mergeBranches writes the alternatives of an object into the object itself:
// it gets all their properties, and requires what each of them requires. The
// rule that is lost by this is returned in words where words can be given.
func (l *lowering) mergeBranches(flat *node, at location) (merged *node, rule string) {
	merged = flat.without("anyOf", "oneOf")
	for _, keyword := range []string{"anyOf", "oneOf"} {
		list := flat.get(keyword)
		if !list.isArray() || len(list.items) == 0 {
			continue
		}
		l.lose(at.path, keyword, lang.LossAlternatives)
		var branches []*node
		for i, branch := range list.items {
			if !l.spend(branch, at) {
				break
			}
			if !branch.isObject() {
				continue
			}
			inside := at.in(keyword, strconv.Itoa(i))
			var flatBranch *node
			flatBranch, inside.trail = l.flatten(branch, inside)
			if unionKeyword(flatBranch) != "" {
				flatBranch, _ = l.mergeBranches(flatBranch, inside)
			}
			branches = append(branches, flatBranch)
		}
		merged = withBranches(merged, branches, len(branches) == len(list.items))
		rule = strings.TrimSpace(rule + " " + l.alternatives(branches))
	}
	return merged, rule
}

// withBranches adds the properties of the branches. Only when complete, which
// is when no branch was left out, is what all require required.
func withBranches(base *node, branches []*node, complete bool) *node {
	properties := newObject()
	if own := base.get("properties"); own.isObject() {
		properties = own.without()
	}
	names, variants := variantsOf(branches)
	for _, name := range names {
		if own := properties.get(name); own == nil || own.isTrue() || own.isObject() && len(own.members) == 0 {
			properties.set(name, anyVariant(variants[name]))
		}
	}
	out := base.without()
	if len(properties.members) > 0 {
		out.set("properties", properties)
	}
	required := base.get("required").strings()
	if complete {
		required = unite(required, requiredByAll(branches))
	}
	if len(required) > 0 {
		out.set("required", newStrings(required))
	}
	return out
}

// requiredByAll lists what each of the branches requires.
func requiredByAll(branches []*node) []string {
	var names []string
	for i, branch := range branches {
		own := branch.get("required").strings()
		if i == 0 {
			names = own
			continue
		}
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(own, name) })
	}
	return names
}

// anyVariant returns a schema for what fits one of the variants. A property that
// tells the branches apart becomes one list of values.
func anyVariant(variants []*node) *node {
	if len(variants) == 1 {
		return variants[0]
	}
	values := newArray()
	for _, variant := range variants {
		for _, m := range variant.members {
			switch {
			case m.name == "const":
				values.items = append(values.items, m.value)
			case m.name == "enum" && m.value.isArray():
				values.items = append(values.items, m.value.items...)
			case m.name != "type" && !isAnnotation(m.name):
				return newObject().set("anyOf", newArray(variants...))
			}
		}
		if !variant.has("const") && !variant.has("enum") {
			return newObject().set("anyOf", newArray(variants...))
		}
	}
	out := newObject()
	copyAnnotations(out, variants[0])
	return out.set("enum", values)
}

func propertiesOf(n *node) []member {
	if properties := n.get("properties"); properties.isObject() {
		return properties.members
	}
	return nil
}

// variantsOf lists the properties of all branches, each once, and the different
// schemas that they have for it.
func variantsOf(branches []*node) (names []string, variants map[string][]*node) {
	variants = map[string][]*node{}
	for _, branch := range branches {
		for _, m := range propertiesOf(branch) {
			if m.value.isFalse() {
				continue
			}
			known := variants[m.name]
			if known == nil {
				names = append(names, m.name)
			}
			if !slices.ContainsFunc(known, func(v *node) bool { return equal(v, m.value) }) {
				variants[m.name] = append(known, m.value)
			}
		}
	}
	return names, variants
}
