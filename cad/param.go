package cad

import "github.com/gongu-ai/gongu/internal/toolschema"

type (
	param = toolschema.Param
	rule  = toolschema.Rule
)

func optional(p param) param {
	p.Optional = true
	return p
}

func number(name string) param { return param{Name: name, Rule: rule{Type: "number"}} }

func nameParam() param {
	return param{Name: "name", Rule: rule{Type: "string"}}
}

func angleUnit() param {
	return param{Name: "angle_unit", Optional: true, Rule: rule{Type: "string", Enum: []string{unitDegree, unitRadian}, Default: unitRadian}}
}

func colorParam() param {
	part := &rule{Type: "number", Minimum: new(0.0), Maximum: new(1.0)}
	return param{Name: "color", Rule: rule{Type: "array", Items: part, MinItems: 4, MaxItems: 4}}
}

func strokeMembers() []param {
	length := &rule{Type: "number", Minimum: new(0.0)}
	return []param{
		optional(colorParam()),
		optional(number("width")),
		{Name: "dash", Optional: true, Rule: rule{Type: "array", Items: length, MaxItems: maxDash}},
		{Name: "cap", Optional: true, Rule: rule{Type: "string", Enum: caps()}},
		{Name: "join", Optional: true, Rule: rule{Type: "string", Enum: joins()}},
	}
}

func styleParam() param {
	nullable := func(members ...param) rule {
		return rule{Type: []string{"object", "null"}, Members: members}
	}
	return param{Name: "style", Optional: true, Rule: rule{Type: "object", Members: []param{
		{Name: "stroke", Optional: true, Rule: nullable(strokeMembers()...)},
		{Name: "fill", Optional: true, Rule: nullable(colorParam())},
	}}}
}
