package toolschema_test

import (
	"testing"

	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/gongu-ai/gongu/internal/toolschema"
)

func TestSchema(t *testing.T) {
	text := lang.ToolText{Params: map[string]lang.Text{
		"a":          {EN: "an <a>", KO: "가"},
		"o":          {EN: "an object", KO: "객체"},
		"o.x":        {EN: "inside", KO: "안"},
		"list[].n":   {EN: "of each item", KO: "각 항목"},
		"headers{}":  {EN: "a value", KO: "값"},
		"overridden": {EN: "not shown", KO: "안 보임"},
	}}
	params := []toolschema.Param{
		{Name: "a", Rule: toolschema.Rule{Type: "string", Enum: []string{"x", "y"}, Default: "x"}},
		{Name: "o", Optional: true, Rule: toolschema.Rule{Type: []string{"object", "null"}, Members: []toolschema.Param{
			{Name: "x", Rule: toolschema.Rule{Type: "number", Minimum: new(0.0), Maximum: new(1.5)}},
		}}},
		{Name: "list", Optional: true, Rule: toolschema.Rule{Type: "array", MinItems: 1, MaxItems: 2, Items: &toolschema.Rule{
			Type: "object", Members: []toolschema.Param{{Name: "n", Optional: true, Rule: toolschema.Rule{Type: "integer"}}},
		}}},
		{Name: "headers", Optional: true, Rule: toolschema.Rule{Type: "object", Values: &toolschema.Rule{Type: "string"}}},
		{Name: "overridden", Optional: true, Rule: toolschema.Rule{Type: "boolean", Description: "shown", Default: false}},
	}
	properties := func(closed string) string {
		return `"properties":{` +
			`"a":{"type":"string","description":"an <a>","enum":["x","y"],"default":"x"},` +
			`"o":{"type":["object","null"],"description":"an object","properties":{"x":{"type":"number","description":"inside","minimum":0,"maximum":1.5}},"required":["x"]` + closed + `},` +
			`"list":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer","description":"of each item"}}` + closed + `},"minItems":1,"maxItems":2},` +
			`"headers":{"type":"object","additionalProperties":{"type":"string","description":"a value"}},` +
			`"overridden":{"type":"boolean","description":"shown","default":false}` +
			`},"required":["a"]`
	}
	if got, want := toolschema.Open(lang.English, text, params), `{"type":"object",`+properties("")+`}`; got != want {
		t.Errorf("open:\n%s\nwant\n%s", got, want)
	}
	const closed = `,"additionalProperties":false`
	if got, want := toolschema.Closed(lang.English, text, params), `{"type":"object",`+properties(closed)+closed+`}`; got != want {
		t.Errorf("closed:\n%s\nwant\n%s", got, want)
	}
	if got, want := toolschema.Closed(lang.Korean, text, nil), `{"type":"object","properties":{},"additionalProperties":false}`; got != want {
		t.Errorf("no parameters: %s", got)
	}
}
