package dialect

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The bounds of one lowering. An untrusted schema may fan out through its
// references without end; what is over a bound is declared as any value.
const (
	maxWork  = 10_000 // schemas visited, each copy of a shared one counted
	maxLevel = 64     // schemas inside each other
	// maxUnrolled is how often a recursive schema is written into itself where
	// the dialect has no references.
	maxUnrolled = 2
)

// target is what a dialect knows of JSON Schema.
type target struct {
	// closed is strict mode: every object lists all its properties, requires
	// them, and allows no others; null means a property left out.
	closed bool
	// keep are the keywords copied as they are.
	keep map[string]bool
	// formats are the values of format, by type.
	formats map[string][]string
	// property reports whether a property may have this name.
	property func(name string) bool
}

// lowering brings one schema into the subset of one target.
type lowering struct {
	*declaring
	doc    document
	target *target

	work      int
	exhausted bool
	stop      *impossibleError // why strict mode is out of reach
	refused   error            // why the tool cannot be declared

	// definitions are the recursive schemas that are kept as $defs.
	definitions map[*node]string
	queue       []*node
}

// impossibleError says which part of a schema strict mode has no form for.
type impossibleError struct {
	path   string
	reason lang.Message
}

func (e *impossibleError) Error() string {
	return fmt.Sprintf("%s: %s", "#"+e.path, e.reason.In(lang.English))
}

// location is where in the declared schema a lowering is.
type location struct {
	path  string
	level int
	trail *trail
	root  bool
}

func (p location) in(tokens ...string) location {
	for _, token := range tokens {
		p.path += "/" + escapePointer(token)
	}
	p.level++
	p.root = false
	return p
}

// lowered runs the whole sanitizer. The root is an object in every dialect.
func (w *declaring) lowered(original []byte, t *target) (*node, error) {
	root, err := parse(original)
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	l := &lowering{declaring: w, doc: document{root: root}, target: t}
	out := l.schema(root, location{root: true, trail: &trail{target: root}})
	l.define(out)
	if t.closed && l.stop == nil {
		l.checkLimits(out)
	}
	switch {
	case l.refused != nil:
		return nil, l.refused
	case l.stop != nil:
		return nil, l.stop
	}
	return out, nil
}

// schema lowers one schema: references and allOf are merged into it, then a
// union is lowered branch by branch, and anything else by its type.
func (l *lowering) schema(n *node, at location) *node {
	if !l.spend(n, at) {
		return l.anything(newObject(), at)
	}
	if n.isTrue() {
		return l.anything(newObject(), at)
	}
	if !n.isObject() {
		l.lose(at.path, n.typeName(), lang.LossBoolean)
		return l.anything(newObject(), at)
	}
	if l.target.closed && !at.root {
		if ref := l.recursion(n, at); ref != nil {
			return ref
		}
	}
	flat, trail := l.flatten(n, at)
	at.trail = trail
	keyword := unionKeyword(flat)
	switch {
	case keyword == "":
		return l.typed(flat, at, "")
	case at.root || isRuleOnly(flat, keyword):
		flat, rule := l.mergeBranches(flat, at)
		return l.typed(flat, at, rule)
	}
	return l.union(flat, keyword, at)
}

// spend charges for one more schema. Over the budget it says so once.
func (l *lowering) spend(n *node, at location) bool {
	l.work += 1 + weight(n)/16
	if l.work <= maxWork && at.level <= maxLevel {
		return true
	}
	if !l.exhausted {
		l.exhausted = true
		l.impossible(at, lang.ReasonTooLarge)
		l.lose(at.path, "$ref", lang.LossTooLarge)
	}
	return false
}

// weight returns the size of what a schema writes itself, its subschemas left out.
func weight(n *node) int {
	total := 0
	for _, m := range n.members {
		switch m.name {
		case "enum", "const", "default", "examples", "required":
			total += bulk(m.value)
		case "properties":
			for _, property := range m.value.members {
				total += len(property.name) / 16
			}
		default:
			total += len(m.value.text) / 16
		}
	}
	return total
}

func bulk(n *node) int {
	total := 1 + len(n.text)/16 + len(n.raw)/16
	for _, item := range n.items {
		total += bulk(item)
	}
	for _, m := range n.members {
		total += len(m.name)/16 + bulk(m.value)
	}
	return total
}

// impossible records the first reason why strict mode cannot carry the schema.
func (l *lowering) impossible(at location, reason lang.Text, args ...any) {
	if l.target.closed && l.stop == nil {
		l.stop = &impossibleError{path: at.path, reason: reason.With(args...)}
	}
}

// anything declares a value without any rule, in the words the target has.
func (l *lowering) anything(flat *node, at location) *node {
	if l.target.closed {
		l.impossible(at, lang.ReasonAnyValue)
		return newObject()
	}
	l.lose(at.path, "type", lang.LossAnyValue)
	out := newObject()
	copyAnnotations(out, flat)
	union := newArray()
	for _, name := range []string{"string", "number", "boolean", "object"} {
		union.items = append(union.items, newObject().set("type", newString(name)))
	}
	list := newObject().set("type", newString("array")).set("items", newObject().set("type", newString("string")))
	union.items = append(union.items, list)
	return out.set("anyOf", union).set("nullable", newBool(true))
}

// copyAnnotations keeps what only tells a reader about the value.
func copyAnnotations(out, flat *node) {
	for _, name := range []string{"title", "description"} {
		if text := flat.get(name); text.isString() {
			out.set(name, text)
		}
	}
}

// recursion answers a reference to a schema that is being written with a
// reference again, which strict mode knows.
func (l *lowering) recursion(n *node, at location) *node {
	target, named := l.doc.reference(n)
	if !named || target == nil || !target.isObject() {
		return nil
	}
	if _, defined := l.definitions[target]; !defined && at.trail.count(target) == 0 {
		return nil
	}
	for _, m := range n.members {
		if !slices.Contains(referenceKeywords, m.name) && !isAnnotation(m.name) {
			return nil
		}
	}
	ref := newObject().set("$ref", newString("#/$defs/"+l.definition(target, n)))
	wrapped := newObject()
	copyAnnotations(wrapped, n)
	if len(wrapped.members) == 0 {
		return ref
	}
	// A reference may have nothing beside it in strict mode.
	return wrapped.set("anyOf", newArray(ref))
}

// definition names a schema for $defs, after the reference to it when that has
// a plain name.
func (l *lowering) definition(target, from *node) string {
	if name, ok := l.definitions[target]; ok {
		return name
	}
	if l.definitions == nil {
		l.definitions = map[*node]string{}
	}
	name := "schema"
	if ref := from.get("$ref"); ref.isString() {
		if plain := path.Base(ref.text); plainName(plain) {
			name = plain
		}
	}
	taken := slices.Collect(maps.Values(l.definitions))
	for i := 2; slices.Contains(taken, name); i++ {
		name = "schema" + strconv.Itoa(i)
	}
	l.definitions[target] = name
	l.queue = append(l.queue, target)
	return name
}

var plainName = matches(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// define adds the definitions that the schema came to need.
func (l *lowering) define(out *node) {
	if len(l.queue) == 0 {
		return
	}
	defs := newObject()
	for len(l.queue) > 0 {
		target := l.queue[0]
		l.queue = l.queue[1:]
		name := l.definitions[target]
		defs.set(name, l.schema(target, location{}.in("$defs", name).after(target)))
	}
	out.set("$defs", defs)
}

func (p location) after(target *node) location {
	p.trail = &trail{target: target, up: p.trail}
	return p
}
