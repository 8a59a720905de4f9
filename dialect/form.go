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
	// placed leaves it out where the form has no place for it.
	placed bool
}

// inForm writes parts as the members of a form: where the form has one of their
// names the part stands, or nothing; its other members stay as they are. Parts
// that it has no place for follow. A form that cannot be read is none.
func inForm(form []byte, parts []part) json.RawMessage {
	var o object
	written := make([]bool, len(parts))
	eachMember(form, func(name string, value []byte) {
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

// eachMember visits the members of an object. What is not one sound object has
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

// annotationsOf are the hints of a tool, among what else its server says in the
// same place. Nil means that there is nothing.
func annotationsOf(t *gongu.Tool) []byte {
	var form []byte
	eachMember([]byte(t.Form), func(name string, value []byte) {
		if name == "annotations" {
			form = value
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
	out := inForm(form, []part{
		hint("readOnlyHint", a.ReadOnly), hint("destructiveHint", a.Destructive),
		hint("idempotentHint", a.Idempotent), hint("openWorldHint", a.OpenWorld),
	})
	if len(out) == len("{}") {
		return nil
	}
	return out
}
