package dialect

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/jsonx"
)

// tool makes a tool with these parameters.
func tool(parameters string) gongu.Tool {
	return gongu.Tool{Name: "test__tool", Description: "Tests.", Parameters: gongu.Schema(parameters)}
}

func mustDeclare(t testing.TB, d Dialect, tl gongu.Tool) Declaration {
	t.Helper()
	out, err := Declare(d, tl, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func mustParse(t testing.TB, raw []byte) *node {
	t.Helper()
	n, err := parse(raw)
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return n
}

// parametersOf finds the schema in a declaration, and whether strict mode is on.
func parametersOf(t testing.TB, d Dialect, declaration json.RawMessage, name string) (schema *node, strict bool) {
	t.Helper()
	n := mustParse(t, declaration)
	switch d {
	case MCP:
		return n.get("inputSchema"), false
	case OpenAI, OpenAIStrict:
		return n.get("function").get("parameters"), n.get("function").get("strict").isTrue()
	case OpenAIResponses, GeminiOpenAPI:
		return n.get("parameters"), n.get("strict").isTrue()
	case Gemini:
		return n.get("parametersJsonSchema"), false
	case AISDK:
		return n.get(name).get("inputSchema"), false
	}
	return n.get("input_schema"), false
}

// lostKeywords lists "path keyword" for each loss.
func lostKeywords(losses []Loss) []string {
	var out []string
	for _, l := range losses {
		out = append(out, l.Path+" "+l.Keyword)
	}
	return out
}

var strictKeywords = []string{
	"type", "enum", "anyOf", "$ref", "$defs", "title", "description", "pattern", "format", "multipleOf", "minimum",
	"maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "properties", "required",
	"additionalProperties", "items",
}

var openAPIKeywords = []string{
	"type", "format", "title", "description", "nullable", "enum", "items", "minItems", "maxItems", "properties",
	"required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "minimum", "maximum", "anyOf",
	"default",
}

// checkStrict is the rules of OpenAI's strict mode, written apart from the code
// that follows them.
func checkStrict(t testing.TB, n *node, root bool) {
	t.Helper()
	for _, m := range n.members {
		if !slices.Contains(strictKeywords, m.name) {
			t.Fatalf("strict mode does not know %q: %s", m.name, n)
		}
	}
	kinds := typeList(n.get("type"))
	if len(kinds) == 0 && !n.has("$ref") && !n.has("anyOf") {
		t.Fatalf("strict mode needs a type: %s", n)
	}
	if root && (n.has("anyOf") || !slices.Equal(kinds, []string{"object"})) {
		t.Fatalf("strict mode needs an object at the root: %s", n)
	}
	if n.has("$ref") && len(n.members) != 1 {
		t.Fatalf("a reference stands alone in strict mode: %s", n)
	}
	if len(kinds) > 2 || len(kinds) == 2 && kinds[1] != "null" {
		t.Fatalf("a list of types is for null only: %s", n)
	}
	if slices.Contains(kinds, "object") {
		if !n.get("additionalProperties").isFalse() {
			t.Fatalf("strict mode needs closed objects: %s", n)
		}
		var names []string
		for _, m := range n.get("properties").members {
			names = append(names, m.name)
			checkStrict(t, m.value, false)
		}
		if !slices.Equal(names, n.get("required").strings()) {
			t.Fatalf("strict mode needs all properties required: %s", n)
		}
	}
	if slices.Contains(kinds, "array") {
		checkStrict(t, n.get("items"), false)
	}
	if list := n.get("anyOf"); list != nil {
		for _, branch := range list.items {
			checkStrict(t, branch, false)
		}
	}
	if defs := n.get("$defs"); defs != nil {
		for _, m := range defs.members {
			checkStrict(t, m.value, false)
		}
	}
}

// checkOpenAPI is the rules of Gemini's parameters.
func checkOpenAPI(t testing.TB, n *node) {
	t.Helper()
	for _, m := range n.members {
		if !slices.Contains(openAPIKeywords, m.name) {
			t.Fatalf("the subset of OpenAPI does not know %q: %s", m.name, n)
		}
	}
	kind := n.get("type")
	if !kind.isString() && !n.has("anyOf") {
		t.Fatalf("one type is needed: %s", n)
	}
	if kind.isString() && kind.text == "array" && !n.has("items") {
		t.Fatalf("an array needs items: %s", n)
	}
	if enum := n.get("enum"); enum != nil {
		if kind.text != "string" || len(enum.strings()) != len(enum.items) || slices.Contains(enum.strings(), "") {
			t.Fatalf("an enum is for texts: %s", n)
		}
	}
	if properties := n.get("properties"); properties != nil {
		if len(properties.members) == 0 {
			t.Fatalf("properties must not be empty: %s", n)
		}
		for _, name := range n.get("required").strings() {
			if !properties.has(name) {
				t.Fatalf("%q is required but not declared: %s", name, n)
			}
		}
		for _, m := range properties.members {
			checkOpenAPI(t, m.value)
		}
	} else if len(n.get("required").strings()) > 0 {
		t.Fatalf("required without properties: %s", n)
	}
	if items := n.get("items"); items != nil {
		checkOpenAPI(t, items)
	}
	if list := n.get("anyOf"); list != nil {
		for _, branch := range list.items {
			checkOpenAPI(t, branch)
		}
	}
}

// checkDeclaration holds for every declaration in every dialect (H5).
func checkDeclaration(t testing.TB, d Dialect, tl gongu.Tool, declared Declaration) {
	t.Helper()
	if problem := jsonx.Strict(declared.JSON); problem != nil {
		// Parsers count the levels around the schema too.
		if !json.Valid(declared.JSON) {
			t.Fatalf("%s: %v: %s", d, problem, declared.JSON)
		}
		return
	}
	name, description := nameAndDescription(t, d, declared.JSON, tl.Name)
	if name != tl.Name || description != tl.Description {
		t.Fatalf("%s: name %q and description %q became %q and %q", d, tl.Name, tl.Description, name, description)
	}
	schema, strict := parametersOf(t, d, declared.JSON, tl.Name)
	switch {
	case strict:
		checkStrict(t, schema, true)
	case d == GeminiOpenAPI && schema != nil:
		checkOpenAPI(t, schema)
	case d == Anthropic && (schema.has("anyOf") || schema.has("oneOf") || schema.has("allOf")):
		t.Fatalf("composition at the root: %s", schema)
	}
	for _, l := range declared.Losses {
		if l.Tool != tl.Name || l.Keyword == "" || l.Note == "" {
			t.Fatalf("%s: loss says too little: %+v", d, l)
		}
	}
}

func nameAndDescription(t testing.TB, d Dialect, declaration json.RawMessage, name string) (string, string) {
	t.Helper()
	n := mustParse(t, declaration)
	switch d {
	case OpenAI, OpenAIStrict:
		n = n.get("function")
	case AISDK:
		if len(n.members) != 1 {
			t.Fatalf("not one entry: %s", declaration)
		}
		return n.members[0].name, n.members[0].value.get("description").text
	}
	return n.get("name").text, n.get("description").text
}
