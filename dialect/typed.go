package dialect

import (
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// shaping writes the schema of a value of one type.
type shaping struct {
	*lowering
	at    location
	in    *node
	out   *node
	kind  string
	words []string // bounds that only words can carry
	// shaped is set once the inside of an object or array is written, which
	// several keywords ask for together.
	shaped bool
}

// typed lowers a schema without alternatives. One that allows several types
// becomes alternatives, because no target takes a list of types.
func (l *lowering) typed(flat *node, at location, rule string) *node {
	kinds, null := kindsOf(flat)
	if at.root {
		kinds, null = []string{"object"}, false
	}
	switch {
	case len(kinds) == 0 && null:
		out := newObject()
		copyAnnotations(out, flat)
		return out.set("type", newString("null"))
	case len(kinds) == 0:
		return l.anything(flat, at)
	case len(kinds) > 1:
		return l.eachKind(flat, kinds, null, at)
	}
	s := &shaping{lowering: l, at: at, in: flat, out: newObject(), kind: kinds[0]}
	s.say(rule)
	s.write()
	if null {
		return l.nullable(s.out)
	}
	return s.out
}

func (l *lowering) eachKind(flat *node, kinds []string, null bool, at location) *node {
	var branches []*node
	bare := flat.without("title", "description", "default", "examples")
	for _, kind := range kinds {
		if !l.spend(flat, at) {
			break
		}
		branches = append(branches, l.typed(bare.without().set("type", newString(kind)), at, ""))
	}
	if null {
		branches = append(branches, newObject().set("type", newString("null")))
	}
	return l.anyOf(flat, branches)
}

// kindsOf lists the types that a schema allows, null apart. A schema that does
// not say is read by its other keywords, as its author meant it.
func kindsOf(flat *node) (kinds []string, null bool) {
	declared := typeList(flat.get("type"))
	enum := flat.get("enum")
	if len(declared) == 0 && !enum.isArray() {
		declared = impliedKinds(flat)
	}
	if slices.Contains(declared, "number") {
		declared = slices.DeleteFunc(slices.Clone(declared), func(k string) bool { return k == "integer" })
	}
	if enum.isArray() {
		declared = kindsOfValues(enum, declared)
	}
	for _, kind := range declared {
		if kind == "null" {
			null = true
		} else {
			kinds = unite(kinds, []string{kind})
		}
	}
	return kinds, null
}

func kindsOfValues(enum *node, declared []string) []string {
	var kinds []string
	for _, value := range enum.items {
		kind := value.typeName()
		switch {
		case len(declared) == 0 || slices.Contains(declared, kind):
			kinds = unite(kinds, []string{kind})
		case kind == "integer" && slices.Contains(declared, "number"):
			kinds = unite(kinds, []string{"number"})
		}
	}
	if slices.Contains(kinds, "number") {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "integer" })
	}
	return kinds
}

func impliedKinds(flat *node) []string {
	for _, m := range flat.members {
		if kind, ok := appliesTo[m.name]; ok {
			return []string{kind}
		}
	}
	return nil
}

func (s *shaping) write() {
	if !s.in.has("type") {
		s.out.set("type", newString(s.kind))
	}
	for _, m := range s.in.members {
		switch m.name {
		case "type":
			s.out.set("type", newString(s.kind))
		case "enum":
			s.enum(m.value)
		case "properties", "required", "additionalProperties":
			s.object()
		case "items", "prefixItems", "additionalItems":
			s.array()
		case "description":
			s.out.set("description", m.value)
		default:
			s.keyword(m.name, m.value)
		}
	}
	s.object()
	s.array()
	if len(s.words) > 0 {
		text := strings.Join(s.words, " ")
		if own := s.out.get("description"); own.isString() && own.text != "" {
			text = own.text + " " + text
		}
		s.out.set("description", newString(text))
	}
}

// keyword copies what the target knows, and says the rest in words.
func (s *shaping) keyword(name string, value *node) {
	if isStructural(name) || value.isFalse() || name == "anyOf" || name == "oneOf" {
		return
	}
	if kind, ok := appliesTo[name]; ok && kind != s.kind && (kind != "number" || s.kind != "integer") {
		return // a rule about other types
	}
	if s.target.keep[name] && s.keeps(name, value) {
		s.out.set(name, value)
		return
	}
	s.lost(name, value)
}

func (s *shaping) keeps(name string, value *node) bool {
	switch name {
	case "format":
		return value.isString() && slices.Contains(s.target.formats[s.kind], value.text)
	case "pattern":
		return value.isString() && (!s.target.closed || !strings.Contains(value.text, "(?"))
	}
	return true
}

// lost lists a keyword as lost and says it in words, which only a parameter
// has room for: the root's rules would have to go into the tool's description,
// and that is not ours to change.
func (s *shaping) lost(name string, value *node) {
	words := inWords(name, value, s.lang)
	if words == "" || s.at.root {
		s.lose(s.at.path, name, lang.LossDropped)
		return
	}
	s.lose(s.at.path, name, lang.LossInWords)
	s.say(words)
}

func (s *shaping) say(words string) {
	if words != "" && !s.at.root {
		s.words = append(s.words, words)
	}
}

func (s *shaping) enum(values *node) {
	kept := newArray()
	for _, value := range values.items {
		kind := value.typeName()
		if kind == s.kind || kind == "integer" && s.kind == "number" {
			kept.items = append(kept.items, value)
		}
	}
	if s.target.closed {
		s.out.set("enum", kept)
		return
	}
	// Lists of values are for texts in OpenAPI's subset, and an empty text is
	// refused in one.
	texts := newArray()
	for _, value := range kept.items {
		if value.isString() && value.text != "" {
			texts.items = append(texts.items, value)
		}
	}
	if len(texts.items) > 0 {
		s.out.set("enum", texts)
	}
	if len(texts.items) < len(kept.items) {
		s.lost("enum", kept)
	}
}

func (s *shaping) object() {
	if s.kind != "object" || s.shaped {
		return
	}
	s.shaped = true
	d := s.properties()
	extra := s.in.get("additionalProperties")
	if !s.target.closed {
		if len(d.properties.members) > 0 {
			s.out.set("properties", d.properties)
		}
		if len(d.required) > 0 {
			s.out.set("required", newStrings(d.required))
		}
		if extra.isFalse() || extra.isObject() {
			s.lose(s.at.path, "additionalProperties", lang.LossDropped)
		}
		return
	}
	open := extra.isTrue() || extra.isObject() || s.in.has("patternProperties")
	if len(d.properties.members) == 0 && !extra.isFalse() && (open || !s.at.root) {
		s.impossible(s.at, lang.ReasonOpenObject)
	}
	if extra.isTrue() || extra.isObject() {
		s.lose(s.at.path, "additionalProperties", lang.LossClosed)
	}
	s.out.set("properties", d.properties)
	s.out.set("required", newStrings(d.required))
	s.out.set("additionalProperties", newBool(false))
}

// declared are the properties of an object in the declaration.
type declared struct {
	properties *node
	required   []string
}

func (s *shaping) properties() declared {
	d := declared{properties: newObject()}
	required := s.in.get("required").strings()
	members := slices.Clone(propertiesOf(s.in))
	for _, name := range required {
		// A name that is demanded but not described would be refused.
		if !slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
			members = append(members, member{name: name, value: newBool(true)})
		}
	}
	for _, m := range members {
		demanded := slices.Contains(required, m.name)
		at := s.at.in("properties", m.name)
		if !s.mayDeclare(m, demanded, at) {
			continue
		}
		child := s.schema(m.value, at)
		if s.target.closed && !demanded {
			if fitsNull(&s.doc, m.value) {
				s.lose(at.path, "required", lang.LossAbsent)
			}
			child = s.nullable(child)
		}
		d.properties.members = append(d.properties.members, member{name: m.name, value: child})
		if demanded || s.target.closed {
			d.required = append(d.required, m.name)
		}
	}
	return d
}

// mayDeclare leaves out a property that nothing fits, and one whose name the
// target refuses. A tool that demands such a property cannot be declared.
func (s *shaping) mayDeclare(m member, demanded bool, at location) bool {
	if m.value.isFalse() {
		s.lose(at.path, "false", lang.LossNever)
		return false
	}
	if s.target.property == nil || s.target.property(m.name) {
		return true
	}
	s.lose(at.path, "properties", lang.LossPropertyName)
	if demanded {
		s.refuse(m.name)
	}
	return false
}

func (s *shaping) array() {
	if s.kind != "array" || s.shaped {
		return
	}
	s.shaped = true
	items := s.in.get("items")
	if tuple := s.in.get("prefixItems"); tuple.isArray() && len(tuple.items) > 0 {
		s.tuple("prefixItems", tuple.items, items)
		return
	}
	if items.isArray() && len(items.items) > 0 {
		s.tuple("items", items.items, s.in.get("additionalItems"))
		return
	}
	if items == nil || items.isArray() {
		items = newBool(true)
	}
	s.out.set("items", s.schema(items, s.at.in("items")))
}
