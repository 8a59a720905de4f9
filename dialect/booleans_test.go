package dialect_test

import (
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
)

// A bare true or false among the properties is an object of the same meaning
// for MCP: one of them would cost an older client the whole list. Elsewhere it
// may stand, and no other byte is touched.
func TestMCPHasNoBareBooleans(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":true,"b":false,"c":{"type":"string","default":"true"}}}`:      `{"type":"object","properties":{"a":{},"b":{"not":{}},"c":{"type":"string","default":"true"}}}`,
		"{ \"properties\" : { \"properties\" : true ,\n \"x\": {\"items\":true} }, \"type\":\"object\" }": "{ \"properties\" : { \"properties\" : {} ,\n \"x\": {\"items\":true} }, \"type\":\"object\" }",
		`{"type":"object","properties":{"a":{"properties":{"b":true}}},"additionalProperties":true}`:      `{"type":"object","properties":{"a":{"properties":{"b":true}}},"additionalProperties":true}`,
		`{"type":"object","required":["x"]}`: `{"type":"object","required":["x"]}`,
		`{"type":"object","patternProperties":{"^x":true},"properties":{"\u0061\"":true},"required":["a\""]}`: `{"type":"object","patternProperties":{"^x":true},"properties":{"\u0061\"":{}},"required":["a\""]}`,
	} {
		declared, err := dialect.Declare(dialect.MCP, gongu.Tool{Name: "t", Parameters: gongu.Schema(schema), Output: gongu.Schema(schema)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(declared.JSON); !strings.Contains(got, `"inputSchema":`+want) || !strings.Contains(got, `"outputSchema":`+want) {
			t.Errorf("%s\nis declared as %s\nwant %s", schema, got, want)
		}
	}
	// An output that is nothing but a boolean.
	declared, err := dialect.Declare(dialect.MCP, gongu.Tool{Name: "t", Output: `true`}, nil)
	if err != nil || !strings.Contains(string(declared.JSON), `"outputSchema":{}`) {
		t.Errorf("%s, %v", declared.JSON, err)
	}
}
