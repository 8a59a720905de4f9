package dialect_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/dialect"
)

var find = gongu.Tool{
	Name:        "notes__find",
	Description: "Finds notes.",
	Parameters: `{"type":"object","properties":{` +
		`"query":{"type":"string","minLength":2},` +
		`"limit":{"type":"integer"}},"required":["query"]}`,
}

// Strict mode has no form for minLength and for an optional property: the
// first is said in words, the second becomes a property that may be null.
func ExampleDeclare() {
	declared, err := dialect.Declare(dialect.OpenAIStrict, find, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(declared.JSON))
	for _, loss := range declared.Losses {
		fmt.Println(loss)
	}
	// Output:
	// {"type":"function","function":{"name":"notes__find","description":"Finds notes.","parameters":{"type":"object","properties":{"query":{"type":"string","description":"Minimum length: 2."},"limit":{"type":["integer","null"]}},"required":["query","limit"],"additionalProperties":false},"strict":true}}
	// notes__find #/properties/query minLength: said in words in the description of the parameter
}

func ExampleDeclareAll() {
	tools := []gongu.Tool{find, {Name: "notes__ping", Description: "Says pong."}}
	declared, err := dialect.DeclareAll(dialect.Gemini, tools[1:], nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(declared.JSON))
	// Output:
	// [{"functionDeclarations":[{"name":"notes__ping","description":"Says pong.","parametersJsonSchema":{"type":"object","properties":{}}}]}]
}

// The null that strict mode made the model write goes away again.
func ExampleArguments() {
	fmt.Println(string(dialect.Arguments(dialect.OpenAIStrict, find, json.RawMessage(`{"query":"go","limit":null}`))))
	// Output: {"query":"go"}
}

func ExampleEncodeResult() {
	found := gongu.OK("3 notes")
	found.ToolCallID = "call_1"
	failed := gongu.Fail(fmt.Errorf("the index is locked: %w", errors.ErrUnsupported))
	failed.ToolCallID = "call_2"
	for _, result := range []gongu.Result{found, failed} {
		block, err := dialect.EncodeResult(dialect.Anthropic, result, nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(block))
	}
	// Output:
	// {"type":"tool_result","tool_use_id":"call_1","content":"3 notes"}
	// {"type":"tool_result","tool_use_id":"call_2","content":"ERROR: the index is locked: unsupported operation","is_error":true}
}

func ExampleErrorText() {
	fmt.Println(dialect.ErrorText(&gongu.Error{
		Message:    "Tool 'bash__run' is not registered.",
		Code:       gongu.CodeNotFound,
		Suggestion: "Did you mean: bash__exec?",
	}))
	// Output:
	// ERROR: Tool 'bash__run' is not registered.
	// CODE: E_TOOL_NOT_FOUND
	// SUGGESTION: Did you mean: bash__exec?
}

func ExampleParse() {
	_, err := dialect.Parse("openai-response")
	fmt.Println(err)
	// Output: unknown dialect "openai-response": use one of mcp, openai, openai-responses, openai-strict, anthropic, gemini, gemini-openapi, aisdk, plain; did you mean "openai-responses"?
}
