package command

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/schema"
)

// declaration makes a tool of one entry, or reports why not.
func (r *reader) declaration(path string, e *entry) {
	if e.Name == nil {
		r.problem(path, "", true, lang.CommandEntryNoName)
		return
	}
	var name string
	if e.Name.Kind() != '"' || json.Unmarshal(e.Name, &name) != nil {
		r.problem(path, "", true, lang.CommandEntryName, e.Name)
		return
	}
	s := r.source
	full, err := s.names.Import(s.prefix(), name)
	if err != nil {
		r.problem(path, name, true, lang.CommandEntryBad, name, err)
		return
	}
	tool := gongu.Tool{
		Name: full, Title: text(e.Title), Description: text(e.Description),
		Source: gongu.Source{Type: "command", Name: s.config.Name, Original: name},
		// The program is stopped first, so that the result has its output.
		Limits: gongu.Limits{Timeout: s.config.Timeout + timeoutMargin},
		Invoke: s.invoke(name),
	}
	if !r.schemas(path, name, e, &tool) {
		return
	}
	if e.Annotations != nil {
		_ = json.Unmarshal(e.Annotations, &tool.Annotations) // hints of the wrong type are none
	}
	definition := definitionOf(name, tool) // what the program said
	if !s.config.Trust {
		tool.Annotations = tool.Annotations.Cautious()
	}
	r.keep(path, tool, definition)
}

// spelling is a key that a schema may be under.
type spelling struct {
	key string
	raw jsontext.Value
}

// schemas reads the schemas, the surest spelling first; false means that the
// tool is left out.
func (r *reader) schemas(path, name string, e *entry, tool *gongu.Tool) bool {
	input := [...]spelling{{"parametersJsonSchema", e.ParametersJSONSchema}, {"inputSchema", e.InputSchema}, {"input_schema", e.InputSchemaSnake}, {"parameters", e.Parameters}}
	output := [...]spelling{{"responseJsonSchema", e.ResponseJSONSchema}, {"outputSchema", e.OutputSchema}, {"output_schema", e.OutputSchemaSnake}}
	return r.firstSchema(path, name, input[:], &tool.Parameters) && r.firstSchema(path, name, output[:], &tool.Output)
}

func (r *reader) firstSchema(path, name string, spellings []spelling, into *gongu.Schema) bool {
	for _, s := range spellings {
		switch {
		case s.raw == nil, s.raw.Kind() == 'n':
			continue
		case s.raw.Kind() != '{':
			r.problem(path, name, false, lang.CommandEntrySchema, s.key, name)
			return true
		}
		if err := r.schema(path, name, s.raw, into); err != nil {
			r.problem(path, name, true, lang.CommandEntryBad, name, err)
			return false
		}
		return true
	}
	return true
}

// schema takes one schema, repaired where it is plain what was meant.
func (r *reader) schema(path, name string, raw jsontext.Value, into *gongu.Schema) error {
	repaired, notes := schema.RepairTypes(raw)
	repaired = schema.WithRootType(repaired)
	if len(notes) > 0 {
		r.problem(path, name, false, lang.CommandEntryRepaired, name, strings.Join(notes, "; "))
	}
	checker, err := schema.Lazy(repaired, nil)
	if err != nil {
		return err
	}
	if !checker.ObjectRoot() {
		return errors.New(`the root of the schema must have "type": "object"`)
	}
	*into = gongu.Schema(repaired)
	return nil
}

// keep adds a tool, or puts it in the place of an earlier one of its name.
func (r *reader) keep(path string, tool gongu.Tool, definition json.RawMessage) {
	name := tool.Source.Original
	if at, twice := r.at[tool.Name]; twice {
		r.problem(path, name, false, lang.CommandEntryTwice, name)
		r.listing.Tools[at], r.listing.Definitions[at] = tool, definition
		return
	}
	if len(r.listing.Tools) >= maxTools {
		if !r.full {
			r.problem(path, name, true, lang.CommandTooMany, maxTools)
		}
		r.full = true
		return
	}
	r.at[tool.Name] = len(r.listing.Tools)
	r.paths = append(r.paths, path)
	r.listing.Tools = append(r.listing.Tools, tool)
	r.listing.Definitions = append(r.listing.Definitions, definition)
}

// definitionOf is the tool as an MCP server would list it.
func definitionOf(name string, tool gongu.Tool) json.RawMessage {
	out := make([]byte, 0, 128+len(tool.Description)+len(tool.Parameters)+len(tool.Output))
	field := func(key, value string) {
		out = append(append(out, key...), value...)
	}
	quoted := func(value string) string {
		encoded, err := jsontext.AppendQuote(nil, value)
		if err != nil {
			return `""` // it came from JSON
		}
		return string(encoded)
	}
	field(`{"name":`, quoted(name))
	if tool.Title != "" {
		field(`,"title":`, quoted(tool.Title))
	}
	if tool.Description != "" {
		field(`,"description":`, quoted(tool.Description))
	}
	field(`,"inputSchema":`, string(tool.Parameters.OrAnyObject()))
	if tool.Output != "" {
		field(`,"outputSchema":`, string(tool.Output))
	}
	if tool.Annotations != (gongu.Annotations{}) {
		if encoded, err := json.Marshal(tool.Annotations); err == nil {
			field(`,"annotations":`, string(encoded))
		}
	}
	return append(out, '}')
}

func text(raw jsontext.Value) string {
	var out string
	if raw.Kind() != '"' {
		return ""
	}
	_ = json.Unmarshal(raw, &out) // it is empty then
	return out
}
