package jsbuild

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/rawjson"
)

const (
	// maxTypings limits the declarations of all tools, maxTyping that of one.
	maxTypings  = 64 << 10
	maxTyping   = 8 << 10
	maxTypeDeep = 6
	maxUnion    = 30
	maxComment  = 200
)

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// IsIdentifier reports whether a name can follow a dot in JavaScript.
func IsIdentifier(name string) bool { return identifier.MatchString(name) }

// ToolType is what the declaration of a tool shows.
type ToolType struct {
	Name, Description string
	// Parameters and Output are JSON Schemas, or empty.
	Parameters, Output string
}

// Typings declares tools in TypeScript, with the types of their arguments and
// results. It leaves out what would make the text too long, and says so in the
// text.
func Typings(tools []ToolType) string {
	var b strings.Builder
	b.WriteString("declare const tools: {\n")
	for i, tool := range tools {
		one := declaration(tool)
		if b.Len()+len(one) > maxTypings {
			fmt.Fprintf(&b, "  %s\n", lang.CodeMoreTools.In(lang.English, len(tools)-i))
			break
		}
		b.WriteString(one)
	}
	b.WriteString("};\n")
	return b.String()
}

// declaration returns a tool as a member of the object tools.
func declaration(tool ToolType) string {
	in := &typer{root: []byte(tool.Parameters)}
	takes := in.write(in.root, 1, 0)
	if len(tool.Parameters) == 0 || len(takes) > maxTyping || takes == "unknown" {
		takes = "Record<string, unknown>"
	}
	gives := "any"
	if len(tool.Output) > 0 {
		out := &typer{root: []byte(tool.Output)}
		if text := out.write(out.root, 1, 0); len(text) <= maxTyping && text != "unknown" {
			gives = text
		}
	}
	optional := "?"
	var root shape
	if json.Unmarshal(in.root, &root) == nil && len(root.Required) > 0 {
		optional = ""
	}
	return comment(tool.Description, 1) + "  " + property(tool.Name) + "(args" + optional + ": " + takes + "): Promise<" + gives + ">;\n"
}

// comment returns a description as a comment on its own line, or "".
func comment(text string, depth int) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	if runes := []rune(text); len(runes) > maxComment {
		text = string(runes[:maxComment-1]) + "…"
	}
	return strings.Repeat("  ", depth) + "/** " + strings.ReplaceAll(text, "*/", "*\\/") + " */\n"
}

// property returns a name as a member of a type, quoted if necessary.
func property(name string) string {
	if IsIdentifier(name) {
		return name
	}
	return string(jsonx.Text(name))
}

// typer translates one JSON Schema; root resolves its references.
type typer struct{ root []byte }

// shape has the keywords of a schema that a type can show.
type shape struct {
	Type        json.RawMessage   `json:"type"`
	Description string            `json:"description"`
	Properties  json.RawMessage   `json:"properties"`
	Required    []string          `json:"required"`
	Additional  json.RawMessage   `json:"additionalProperties"`
	Items       json.RawMessage   `json:"items"`
	Prefix      []json.RawMessage `json:"prefixItems"`
	Enum        []json.RawMessage `json:"enum"`
	Const       json.RawMessage   `json:"const"`
	AnyOf       []json.RawMessage `json:"anyOf"`
	OneOf       []json.RawMessage `json:"oneOf"`
	AllOf       []json.RawMessage `json:"allOf"`
	Ref         string            `json:"$ref"`
}

// write returns the type of a schema. depth is the indentation of the text, deep
// the depth in the schema.
func (t *typer) write(raw []byte, depth, deep int) string {
	var s shape
	if deep > maxTypeDeep || json.Unmarshal(raw, &s) != nil {
		return "unknown"
	}
	switch {
	case s.Ref != "":
		found, ok := t.resolve(s.Ref)
		if !ok {
			return "unknown"
		}
		return t.write(found, depth, deep+1)
	case len(s.Const) > 0:
		return constant(s.Const)
	case len(s.Enum) > 0:
		return union(s.Enum, constant)
	case len(s.AnyOf)+len(s.OneOf) > 0:
		return union(append(s.AnyOf, s.OneOf...), func(one json.RawMessage) string { return t.write(one, depth, deep+1) })
	case len(s.AllOf) > 0 && len(s.Properties) == 0:
		var parts []string
		for _, one := range s.AllOf {
			parts = append(parts, t.write(one, depth, deep+1))
		}
		return strings.Join(parts, " & ")
	}
	return t.plain(&s, depth, deep)
}

// plain returns the type of a schema with one or several type names.
func (t *typer) plain(s *shape, depth, deep int) string {
	var one string
	if json.Unmarshal(s.Type, &one) == nil && one != "" {
		return t.named(one, s, depth, deep)
	}
	var many []json.RawMessage
	if json.Unmarshal(s.Type, &many) == nil && len(many) > 0 {
		return union(many, func(raw json.RawMessage) string {
			var name string
			if json.Unmarshal(raw, &name) != nil {
				return "unknown"
			}
			return t.named(name, s, depth, deep)
		})
	}
	if len(s.Properties) > 0 {
		return t.object(s, depth, deep)
	}
	return "unknown"
}

func (t *typer) named(name string, s *shape, depth, deep int) string {
	switch name {
	case "string", "boolean", "null":
		return name
	case "number", "integer":
		return "number"
	case "array":
		if len(s.Prefix) > 0 {
			var parts []string
			for _, one := range s.Prefix {
				parts = append(parts, t.write(one, depth, deep+1))
			}
			return "[" + strings.Join(parts, ", ") + "]"
		}
		if len(s.Items) == 0 {
			return "unknown[]"
		}
		item := t.write(s.Items, depth, deep+1)
		if strings.ContainsAny(item, "|&") && !strings.HasPrefix(item, "{") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		return t.object(s, depth, deep)
	}
	return "unknown"
}

func (t *typer) object(s *shape, depth, deep int) string {
	var b strings.Builder
	_ = rawjson.Members(s.Properties, func(key, value json.RawMessage) error {
		name := rawjson.Text(key)
		var about shape
		_ = json.Unmarshal(value, &about) // one that is no object has no description
		optional := "?"
		if slices.Contains(s.Required, name) {
			optional = ""
		}
		b.WriteString(comment(about.Description, depth+1))
		b.WriteString(strings.Repeat("  ", depth+1) + property(name) + optional + ": " + t.write(value, depth+1, deep+1) + ";\n")
		if b.Len() > maxTyping {
			return errTooLong
		}
		return nil
	})
	switch {
	case b.Len() > maxTyping:
		return "Record<string, unknown>"
	case b.Len() > 0:
		return "{\n" + b.String() + strings.Repeat("  ", depth) + "}"
	case len(s.Additional) > 0 && s.Additional[0] == '{':
		return "Record<string, " + t.write(s.Additional, depth, deep+1) + ">"
	}
	return "Record<string, unknown>"
}

// errTooLong ends the reading of properties whose type is too long.
var errTooLong = errors.New("the type is too long")

func union(list []json.RawMessage, write func(json.RawMessage) string) string {
	var parts []string
	seen := map[string]bool{}
	for _, one := range list {
		text := write(one)
		if text == "unknown" || len(parts) == maxUnion {
			return "unknown"
		}
		if !seen[text] {
			seen[text] = true
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " | ")
}

func constant(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return "unknown"
	}
	switch value.(type) {
	case string, float64, bool, nil:
		return string(jsonx.Text(value))
	}
	return "unknown"
}

// resolve returns the part of the schema that a local reference points to.
func (t *typer) resolve(ref string) ([]byte, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	at := json.RawMessage(t.root)
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if step == "" {
			continue
		}
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		var fields map[string]json.RawMessage
		if json.Unmarshal(at, &fields) != nil || fields[step] == nil {
			return nil, false
		}
		at = fields[step]
	}
	return at, true
}
