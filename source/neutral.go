package source

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/pin"
)

// neutralise makes invisible characters visible in a tool that was accepted with
// them: the model must not read more than the person who accepted it. Names
// stay, because the server needs them.
func neutralise(tool *gongu.Tool) {
	tool.Title, tool.Description = pin.Visible(tool.Title), pin.Visible(tool.Description)
	tool.Parameters, tool.Output = visibleTexts(tool.Parameters, false), visibleTexts(tool.Output, false)
	tool.Template = string(visibleTexts(gongu.Schema(tool.Template), true))
}

// mayHide reports whether a schema can contain invisible characters. Plain ASCII
// without escapes, as nearly all schemas are, cannot.
func mayHide(schema gongu.Schema) bool {
	return strings.Contains(string(schema), `\u`) || strings.ContainsFunc(string(schema), func(r rune) bool { return r >= 0x80 || r == 0x7f })
}

// visibleTexts makes invisible characters in the texts of a schema visible, and
// in names if names is set: the server needs the names of properties unchanged.
// A schema without such characters stays the same byte for byte.
func visibleTexts(schema gongu.Schema, names bool) gongu.Schema {
	if !mayHide(schema) {
		return schema
	}
	failed := schema // not JSON; the registry rejects it
	if names {
		failed = "" // two names became equal
	}
	changed := false
	var out bytes.Buffer
	decoder := jsontext.NewDecoder(bytes.NewBufferString(string(schema)))
	encoder := jsontext.NewEncoder(&out)
	for decoder.PeekKind() != 0 {
		token, err := decoder.ReadToken()
		if err != nil {
			return failed
		}
		kind, length := decoder.StackIndex(decoder.StackDepth())
		isName := kind == '{' && length%2 == 1
		if token.Kind() == '"' && (names || !isName) {
			text := token.String()
			shown := pin.Visible(text)
			changed = changed || shown != text
			token = jsontext.String(shown)
		}
		if err := encoder.WriteToken(token); err != nil {
			return failed
		}
	}
	if !changed {
		return schema
	}
	return gongu.Schema(bytes.TrimSpace(out.Bytes()))
}
