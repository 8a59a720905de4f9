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
	Values      *rule    `json:"additionalProperties,omitempty"` // of an object with free names
	Minimum     *int     `json:"minimum,omitempty"`
	Maximum     *int     `json:"maximum,omitempty"`
	Default     any      `json:"default,omitempty"`
}

// parameters writes the schema of an argument object. Properties keep their
// order, because models read it.
func parameters(l lang.Lang, text lang.ToolText, params []param) gongu.Schema {
	var properties bytes.Buffer
	required := []string{}
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
	return gongu.Schema(`{"type":"object","properties":{` + properties.String() + `},"required":` +
		string(encode(required)) + `,"additionalProperties":false}`)
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
