package dialect

import (
	"github.com/gongu-ai/gongu/internal/lang"
)

// strictTarget is the subset of OpenAI's strict mode.
var strictTarget = target{
	closed: true,
	keep: set("title", "pattern", "format", "multipleOf", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"),
	formats: map[string][]string{
		"string": {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
	},
}

// openAPITarget is the subset of OpenAPI 3.0 that Gemini's parameters are.
var openAPITarget = target{
	keep: set("title", "format", "default", "pattern", "minLength", "maxLength", "minimum", "maximum",
		"minItems", "maxItems", "minProperties", "maxProperties"),
	formats: map[string][]string{
		"string":  {"date-time", "enum"},
		"number":  {"float", "double"},
		"integer": {"int32", "int64"},
	},
	property: matches(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`),
}

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, name := range names {
		out[name] = true
	}
	return out
}

// annotations tell a reader about a value and demand nothing of it.
var annotations = set("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")

func isAnnotation(keyword string) bool { return annotations[keyword] }

// structural keywords hold a schema together; a lowered one needs them no more.
var structural = set("$schema", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment",
	"$defs", "definitions", "then", "else", "minContains", "maxContains")

func isStructural(keyword string) bool { return structural[keyword] }

// appliesTo is the type of value that a keyword is about; other values pass it.
var appliesTo = map[string]string{
	"properties": "object", "required": "object", "additionalProperties": "object", "patternProperties": "object",
	"minProperties": "object", "maxProperties": "object", "propertyNames": "object", "dependentRequired": "object",
	"dependentSchemas": "object", "unevaluatedProperties": "object", "dependencies": "object",
	"items": "array", "prefixItems": "array", "additionalItems": "array", "minItems": "array", "maxItems": "array",
	"uniqueItems": "array", "contains": "array", "unevaluatedItems": "array",
	"minLength": "string", "maxLength": "string", "pattern": "string", "contentEncoding": "string",
	"contentMediaType": "string", "contentSchema": "string",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
	"multipleOf": "number",
}

// The limits of a schema in strict mode.
const (
	maxStrictProperties = 5_000
	maxStrictLevels     = 10
	maxStrictEnum       = 1_000
	maxStrictText       = 120_000
	maxStrictEnumText   = 15_000 // of one enum with more than longEnum values
	longEnum            = 250
)

// counts counts what strict mode limits.
type counts struct {
	properties, enum, text, levels int
	longText                       int // the most text of one long enum
}

func (l *lowering) checkLimits(out *node) {
	var c counts
	c.count(out, 0)
	for _, check := range []struct {
		is, most int
		what     lang.Text
	}{
		{c.properties, maxStrictProperties, lang.ReasonProperties},
		{c.levels, maxStrictLevels, lang.ReasonLevels},
		{c.enum, maxStrictEnum, lang.ReasonEnum},
		{c.text, maxStrictText, lang.ReasonText},
		{c.longText, maxStrictEnumText, lang.ReasonEnumText},
	} {
		if check.is > check.most {
			l.impossible(location{}, check.what, check.is, check.most)
			return
		}
	}
}

func (c *counts) count(n *node, level int) {
	if kind := n.get("type"); kind.isString() && kind.text == "object" {
		level++
		c.levels = max(c.levels, level)
	}
	for _, m := range n.members {
		switch {
		case (m.name == "properties" || m.name == "$defs") && m.value.isObject():
			if m.name == "properties" {
				c.properties += len(m.value.members)
			}
			for _, p := range m.value.members {
				c.text += len(p.name)
				c.count(p.value, level)
			}
		case m.name == "enum":
			c.countEnum(m.value)
		case m.name == "items":
			c.count(m.value, level)
		case m.name == "anyOf":
			for _, branch := range m.value.items {
				c.count(branch, level)
			}
		}
	}
}

func (c *counts) countEnum(values *node) {
	text := 0
	for _, value := range values.items {
		text += len(value.text)
	}
	c.enum += len(values.items)
	c.text += text
	if len(values.items) > longEnum {
		c.longText = max(c.longText, text)
	}
}
