package dialect

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

// part is one member of a declaration, already encoded; nil is none.
type part struct {
	name  string
	value []byte
	// placed leaves it out where the template has no member of its name.
	placed bool
}

// fillTemplate writes an object from a template. A member named like a part
// gets the part's value, or is left out if that is nil; the other members stay
// unchanged. Parts that the template does not name follow. A template that is
// not a JSON object counts as empty.
func fillTemplate(template []byte, parts []part) json.RawMessage {
	var o object
	written := make([]bool, len(parts))
	eachMember(template, func(name string, value []byte) {
		for i, p := range parts {
			if p.name != name {
				continue
			}
			if p.value != nil && !written[i] {
				o.raw(name, p.value)
			}
			written[i] = true
			return
		}
		o.raw(name, value)
	})
	for i, p := range parts {
		if !written[i] && p.value != nil && !p.placed {
			o.raw(p.name, p.value)
		}
	}
	return o.bytes()
}

// eachMember visits the members of an object. What is not one valid object has
// none.
func eachMember(raw []byte, visit func(name string, value []byte)) {
	if !jsontext.Value(raw).IsValid() {
		return
	}
	_ = rawjson.Members(raw, func(name, value json.RawMessage) error { // another kind of value
		visit(rawjson.Text(name), value)
		return nil
	})
}

// annotationsOf returns the annotations of a tool: its hints and the other members
// of the template. It is nil if there are none.
func annotationsOf(t *gongu.Tool) []byte {
	var template []byte
	eachMember([]byte(t.Template), func(name string, value []byte) {
		if name == "annotations" {
			template = value
		}
	})
	hint := func(name string, value *bool) part {
		p := part{name: name}
		if value != nil {
			p.value = newBool(*value).append(nil)
		}
		return p
	}
	a := t.Annotations
	out := fillTemplate(template, []part{
		hint("readOnlyHint", a.ReadOnly), hint("destructiveHint", a.Destructive),
		hint("idempotentHint", a.Idempotent), hint("openWorldHint", a.OpenWorld),
	})
	if len(out) == len("{}") {
		return nil
	}
	return out
}
