package dialect

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu"
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
	err := eachMember(form, func(name string, value []byte) {
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
	if err != nil {
		o = object{}
		clear(written)
	}
	for i, p := range parts {
		if !written[i] && p.value != nil && !p.placed {
			o.raw(p.name, p.value)
		}
	}
	return o.bytes()
}

var errNoForm = errors.New("not an object")

// eachMember visits the members of an object. Values must not be kept.
func eachMember(raw []byte, visit func(name string, value []byte)) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return errNoForm
	}
	for dec.PeekKind() != '}' {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		visit(name, value)
	}
	return nil
}

// annotationsOf are the hints of a tool, among what else its server says in the
// same place. Nil means that there is nothing.
func annotationsOf(t *gongu.Tool) []byte {
	var form []byte
	if t.Form != "" {
		err := eachMember([]byte(t.Form), func(name string, value []byte) {
			if name == "annotations" {
				form = bytes.Clone(value)
			}
		})
		if err != nil {
			form = nil
		}
	}
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
