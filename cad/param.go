package cad

import (
	"bytes"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// param is one argument, or one member of an object inside one.
type param struct {
	name     string
	optional bool
	rule     rule
	// members are those of an object.
	members []param
}

// rule has the keywords of JSON Schema that the tools need, in the order that
// a reader wants them.
type rule struct {
	Type        any      `json:"type"` // a name, or a list of names
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Items       *rule    `json:"items,omitempty"`
	MinItems    int      `json:"minItems,omitempty"`
	MaxItems    int      `json:"maxItems,omitempty"`
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
	Default     any      `json:"default,omitempty"`
}

func (p param) or() param { p.optional = true; return p }

func number(name string) param { return param{name: name, rule: rule{Type: "number"}} }

func nameParam() param {
	return param{name: "name", rule: rule{Type: "string"}}
}

func angleUnit() param {
	return param{name: "angle_unit", optional: true, rule: rule{Type: "string", Enum: []string{unitDegree, unitRadian}, Default: unitRadian}}
}

func colorParam() param {
	part := &rule{Type: "number", Minimum: new(0.0), Maximum: new(1.0)}
	return param{name: "color", rule: rule{Type: "array", Items: part, MinItems: 4, MaxItems: 4}}
}

func strokeMembers() []param {
	length := &rule{Type: "number", Minimum: new(0.0)}
	return []param{
		colorParam().or(),
		number("width").or(),
		{name: "dash", optional: true, rule: rule{Type: "array", Items: length, MaxItems: maxDash}},
		{name: "cap", optional: true, rule: rule{Type: "string", Enum: caps()}},
		{name: "join", optional: true, rule: rule{Type: "string", Enum: joins()}},
	}
}

func styleParam() param {
	nullable := rule{Type: []string{"object", "null"}}
	return param{name: "style", optional: true, rule: rule{Type: "object"}, members: []param{
		{name: "stroke", optional: true, rule: nullable, members: strokeMembers()},
		{name: "fill", optional: true, rule: nullable, members: []param{colorParam()}},
	}}
}

// parameters writes the schema of an argument object. Properties keep their
// order, because models read it.
func parameters(l lang.Lang, text lang.ToolText, params []param) gongu.Schema {
	describe := func(path string) string { return text.Params[path].In(l) }
	return gongu.Schema(object(rule{Type: "object"}, "", params, describe))
}

// object writes a rule with its members. Paths of descriptions join names with
// dots.
func object(r rule, path string, members []param, describe func(string) string) []byte {
	var properties bytes.Buffer
	required := []string{}
	for i, m := range members {
		if i > 0 {
			properties.WriteByte(',')
		}
		at := m.name
		if path != "" {
			at = path + "." + m.name
		}
		m.rule.Description = describe(at)
		properties.Write(encode(m.name))
		properties.WriteByte(':')
		if m.members != nil {
			properties.Write(object(m.rule, at, m.members, describe))
		} else {
			properties.Write(encode(m.rule))
		}
		if !m.optional {
			required = append(required, m.name)
		}
	}
	var b bytes.Buffer
	b.Write(bytes.TrimSuffix(encode(r), []byte("}")))
	b.WriteString(`,"properties":{` + properties.String() + `}`)
	if len(required) > 0 {
		b.WriteString(`,"required":` + string(encode(required)))
	}
	b.WriteString(`,"additionalProperties":false}`)
	return b.Bytes()
}

// encode is marshal for strings, numbers and lists of them, which always have
// a JSON form.
func encode(v any) []byte {
	raw, err := marshal(v)
	if err != nil {
		return []byte("null")
	}
	return raw
}
