package source

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/pin"
)

// neutralise makes what cannot be seen visible in a tool that somebody
// accepted all the same: the model must not read more than that person did.
// Names stay, because the server knows them.
func neutralise(tool *gongu.Tool) {
	tool.Title, tool.Description = pin.Visible(tool.Title), pin.Visible(tool.Description)
	tool.Parameters, tool.Output = visibleTexts(tool.Parameters), visibleTexts(tool.Output)
}

// mayHide: plain ASCII without escapes hides nothing, and nearly all schemas
// are that.
func mayHide(schema gongu.Schema) bool {
	return strings.Contains(string(schema), `\u`) || strings.ContainsFunc(string(schema), func(r rune) bool { return r >= 0x80 || r == 0x7f })
}

// visibleTexts rewrites the texts of a schema that hide something, and no names
// of properties. Other schemas stay as they are, byte for byte.
func visibleTexts(schema gongu.Schema) gongu.Schema {
	if !mayHide(schema) {
		return schema
	}
	changed := false
	var out bytes.Buffer
	decoder := jsontext.NewDecoder(bytes.NewBufferString(string(schema)))
	encoder := jsontext.NewEncoder(&out)
	for decoder.PeekKind() != 0 {
		token, err := decoder.ReadToken()
		if err != nil {
			return schema // it is not JSON, and the registry refuses it
		}
		kind, length := decoder.StackIndex(decoder.StackDepth())
		isName := kind == '{' && length%2 == 1
		if token.Kind() == '"' && !isName {
			text := token.String()
			shown := pin.Visible(text)
			changed = changed || shown != text
			token = jsontext.String(shown)
		}
		if err := encoder.WriteToken(token); err != nil {
			return schema // it is not JSON, and the registry refuses it
		}
	}
	if !changed {
		return schema
	}
	return gongu.Schema(bytes.TrimSpace(out.Bytes()))
}
