// Package toolschema writes the JSON Schemas of the parameters of our own
// tools, with descriptions from package lang.
package toolschema

import (
	"bytes"
	"encoding/json"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// Param is one argument, or one member of an object.
type Param struct {
	Name     string
	Optional bool
	Rule     Rule
}

// Rule has the keywords of JSON Schema that our tools need.
type Rule struct {
	Type any // a name, or a list of names
	// Description overrides that of the text.
	Description        string
	Enum               []string
	Items              *Rule
	MinItems, MaxItems int
	Minimum, Maximum   *float64
	Default            any
	// Members are those of an object with fixed names, Values is the rule of an
	// object with any names.
	Members []Param
	Values  *Rule
}

// Closed writes the schema of an object that has no other members than these.
func Closed(l lang.Lang, text lang.ToolText, params []Param) string {
	return string(jsonx.Text(writer{l, text, false}.object("", params)))
}

// Open writes the schema of an object that may have other members, for a tool
// that reports wrong names itself.
func Open(l lang.Lang, text lang.ToolText, params []Param) string {
	return string(jsonx.Text(writer{l, text, true}.object("", params)))
}

type writer struct {
	lang lang.Lang
	text lang.ToolText
	open bool
}

// keywords are in the order that a reader wants them.
type keywords struct {
	Type        any             `json:"type"`
	Description string          `json:"description,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Items       *keywords       `json:"items,omitempty"`
	MinItems    int             `json:"minItems,omitempty"`
	MaxItems    int             `json:"maxItems,omitempty"`
	Minimum     *float64        `json:"minimum,omitempty"`
	Maximum     *float64        `json:"maximum,omitempty"`
	Default     any             `json:"default,omitempty"`
	Properties  json.RawMessage `json:"properties,omitempty"`
	Required    []string        `json:"required,omitempty"`
	Additional  any             `json:"additionalProperties,omitempty"`
}

func (w writer) object(path string, params []Param) *keywords {
	k := &keywords{Type: "object"}
	w.members(k, path, params)
	return k
}

// members adds the members of an object. They keep their order, because models
// read it.
func (w writer) members(k *keywords, path string, params []Param) {
	var properties bytes.Buffer
	for i, p := range params {
		if i > 0 {
			properties.WriteByte(',')
		}
		properties.Write(jsonx.Text(p.Name))
		properties.WriteByte(':')
		properties.Write(jsonx.Text(w.rule(path+p.Name, &p.Rule)))
		if !p.Optional {
			k.Required = append(k.Required, p.Name)
		}
	}
	k.Properties = json.RawMessage("{" + properties.String() + "}")
	if !w.open {
		k.Additional = false
	}
}

// rule writes one rule. The text describes it by its path, whose names are
// joined with dots.
func (w writer) rule(path string, r *Rule) *keywords {
	k := &keywords{
		Type: r.Type, Description: r.Description, Enum: r.Enum, MinItems: r.MinItems, MaxItems: r.MaxItems,
		Minimum: r.Minimum, Maximum: r.Maximum, Default: r.Default,
	}
	if k.Description == "" {
		k.Description = w.text.Params[path].In(w.lang)
	}
	if r.Items != nil {
		k.Items = w.rule(path+"[]", r.Items)
	}
	if r.Members != nil {
		w.members(k, path+".", r.Members)
	}
	if r.Values != nil {
		k.Additional = w.rule(path+"{}", r.Values)
	}
	return k
}
