package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/near"
)

// Dialect names a form of declarations and results.
type Dialect string

// The dialects. The values are the names that people type.
const (
	// MCP is a tool of tools/list and a CallToolResult.
	MCP Dialect = "mcp"
	// OpenAI is a function tool of chat completions and a tool message.
	OpenAI Dialect = "openai"
	// OpenAIResponses is a function tool and a function_call_output of the
	// Responses API.
	OpenAIResponses Dialect = "openai-responses"
	// OpenAIStrict is OpenAI with strict mode on, wherever the schema can be
	// brought into its subset.
	OpenAIStrict Dialect = "openai-strict"
	// Anthropic is a tool and a tool_result of the Messages API.
	Anthropic Dialect = "anthropic"
	// Gemini is a function declaration with parametersJsonSchema, which takes
	// JSON Schema as it is.
	Gemini Dialect = "gemini"
	// GeminiOpenAPI is a function declaration with parameters, a subset of
	// OpenAPI 3.0.
	GeminiOpenAPI Dialect = "gemini-openapi"
	// AISDK is an entry of the AI SDK's tools object and a tool-result part.
	// Its schemas are plain JSON, to be passed to jsonSchema().
	AISDK Dialect = "aisdk"
	// Plain is {name, description, input_schema} and
	// {toolUseId, content, isError}, for programs that speak no provider's.
	Plain Dialect = "plain"
)

// All lists the dialects in a fixed order.
func All() []Dialect {
	return []Dialect{MCP, OpenAI, OpenAIResponses, OpenAIStrict, Anthropic, Gemini, GeminiOpenAPI, AISDK, Plain}
}

// Names returns the names of all dialects.
func Names() []string {
	var names []string
	for _, d := range All() {
		names = append(names, string(d))
	}
	return names
}

// Parse finds the dialect with this name. Its error lists the names there are.
func Parse(name string) (Dialect, error) {
	d := Dialect(name)
	if d.known() {
		return d, nil
	}
	names := Names()
	hint := ""
	if close := near.Names(name, slices.Values(names), 1); len(close) > 0 {
		hint = fmt.Sprintf("; did you mean %q?", close[0])
	}
	return "", fmt.Errorf("unknown dialect %q: use one of %s%s", name, strings.Join(names, ", "), hint)
}

func (d Dialect) known() bool { return slices.Contains(All(), d) }

// Options adjust the texts and the forms. A nil *Options means the defaults.
type Options struct {
	// Lang is the language of the words added to parameters, of the notes of
	// losses and of the lines that describe media: en (default) or ko.
	Lang string
	// Output is the output schema of the tool whose result is encoded. With
	// one, an MCP result has structured content for any JSON value; without,
	// for objects alone, which is all that older clients accept.
	Output gongu.Schema
}

func (o *Options) lang() lang.Lang {
	if o == nil {
		return lang.English
	}
	l, _ := lang.Parse(o.Lang)
	return l
}

// Loss is something of a tool's definition that a declaration does not carry.
type Loss struct {
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Path is a JSON pointer to the place in the declared parameters; empty
	// for the root.
	Path string `json:"path"`
	// Keyword is what was lost there.
	Keyword string `json:"keyword"`
	// Note says what became of it.
	Note string `json:"note"`
}

// String prints the loss on one line.
func (l Loss) String() string {
	return fmt.Sprintf("%s %s %s: %s", l.Tool, "#"+l.Path, l.Keyword, l.Note)
}
