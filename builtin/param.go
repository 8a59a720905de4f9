package builtin

import (
	"bytes"
	"encoding/json"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// param is one argument of a tool.
type param struct {
	name     string
	optional bool
	rule     rule
}

// rule has the keywords of JSON Schema that the starter tools need.
type rule struct {
	Type        any      `json:"type"` // a name, or a list of names
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Items       *rule    `json:"items,omitempty"`
	// Values is the rule of an object's further names, or false for none.
	Values any `json:"additionalProperties,omitempty"`
	// Properties and Required are those of an object with fixed names.
	Properties json.RawMessage `json:"properties,omitempty"`
	Required   []string        `json:"required,omitempty"`
	Minimum    *int            `json:"minimum,omitempty"`
	Maximum    *int            `json:"maximum,omitempty"`
	Default    any             `json:"default,omitempty"`
}

// parameters writes the schema of an argument object. Properties keep their
// order, because models read it.
func parameters(l lang.Lang, text lang.ToolText, params []param) gongu.Schema {
	properties, required := listed(l, text, params)
	return gongu.Schema(`{"type":"object","properties":` + string(properties) + `,"required":` +
		string(encode(required)) + `,"additionalProperties":false}`)
}

// object is the rule of an object with fixed names.
func object(l lang.Lang, text lang.ToolText, params []param) *rule {
	properties, required := listed(l, text, params)
	return &rule{Type: "object", Properties: properties, Required: required, Values: false}
}

func listed(l lang.Lang, text lang.ToolText, params []param) (json.RawMessage, []string) {
	var properties bytes.Buffer
	required := []string{}
	properties.WriteByte('{')
	for i, p := range params {
		if i > 0 {
			properties.WriteByte(',')
		}
		p.rule.Description = text.Params[p.name].In(l)
		properties.Write(encode(p.name))
		properties.WriteByte(':')
		properties.Write(encode(p.rule))
		if !p.optional {
			required = append(required, p.name)
		}
	}
	properties.WriteByte('}')
	return properties.Bytes(), required
}

// encode writes JSON that keeps "<" and "&" readable. What it is given here,
// strings, numbers and lists of them, always has a JSON form.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
