package jsbuild_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/gongu-ai/gongu/internal/jsbuild"
)

func typing(parameters string) string {
	return jsbuild.Typings([]jsbuild.ToolType{{Name: "t", Parameters: parameters}})
}

// wantTypeScript wants a text that a TypeScript parser takes.
func wantTypeScript(tb interface{ Errorf(string, ...any) }, text string) {
	if result := api.Transform(text, api.TransformOptions{Loader: api.LoaderTS}); len(result.Errors) > 0 {
		tb.Errorf("%s\n%s", result.Errors[0].Text, text)
	}
}

func wantPart(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q is missing in\n%s", part, text)
	}
}

func TestTypings(t *testing.T) {
	for schema, want := range map[string]string{
		``:                  `t(args?: Record<string, unknown>): Promise<any>;`,
		`{"type":"object"}`: `t(args?: Record<string, unknown>): Promise<any>;`,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b"]}`:                                                  "t(args: {\n    a?: string;\n    b: number;\n  }): Promise<any>;",
		`{"type":"object","properties":{"z":{"type":"boolean","description":"Last\nfirst */ x"},"a-b":{"type":["string","null"]}}}`:                       "t(args?: {\n    /** Last first *\\/ x */\n    z?: boolean;\n    \"a-b\"?: string | null;\n  }): Promise<any>;",
		`{"type":"object","properties":{"m":{"enum":["a","b",1,null]},"k":{"const":"x"}}}`:                                                                `m?: "a" | "b" | 1 | null;`,
		`{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}}}`:                                                                 `l?: string[];`,
		`{"type":"object","properties":{"l":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}}}`:                                   `l?: (string | number)[];`,
		`{"type":"object","properties":{"l":{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}]}}}`:                                       `l?: [string, number];`,
		`{"type":"object","properties":{"l":{"type":"array"}}}`:                                                                                           `l?: unknown[];`,
		`{"type":"object","properties":{"o":{"type":"object","additionalProperties":{"type":"number"}}}}`:                                                 `o?: Record<string, number>;`,
		`{"type":"object","properties":{"o":{"$ref":"#/$defs/P"}},"$defs":{"P":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}}}`: "o?: {\n      x: number;\n    };",
		`{"type":"object","properties":{"o":{"$ref":"#"}}}`:                                                                                               `o?: {`,
		`{"type":"object","properties":{"o":{"$ref":"http://example.com/x"}}}`:                                                                            `o?: unknown;`,
		`{"type":"object","properties":{"o":{"allOf":[{"type":"string"},{"type":"number"}]}}}`:                                                            `o?: string & number;`,
		`{"type":"object","properties":{"o":true}}`:                                                                                                       `o?: unknown;`,
		`{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}`:                                                  `__proto__?: string;`,
	} {
		got := typing(schema)
		wantPart(t, got, want)
		wantTypeScript(t, got)
	}
	got := jsbuild.Typings([]jsbuild.ToolType{
		{Name: "file-system__read", Description: "Reads a file.", Output: `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`},
		{Name: "add"},
	})
	want := "declare const tools: {\n  /** Reads a file. */\n  \"file-system__read\"(args?: Record<string, unknown>): Promise<{\n    text: string;\n  }>;\n  add(args?: Record<string, unknown>): Promise<any>;\n};\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestTypingsAreBounded: neither one tool nor many make an endless text.
func TestTypingsAreBounded(t *testing.T) {
	var fields []string
	for i := range 2000 {
		fields = append(fields, fmt.Sprintf(`"field%d":{"type":"string","description":%q}`, i, strings.Repeat("long ", 200)))
	}
	large := jsbuild.ToolType{Name: "large", Parameters: `{"type":"object","properties":{` + strings.Join(fields, ",") + `}}`}
	wantPart(t, jsbuild.Typings([]jsbuild.ToolType{large}), "large(args?: Record<string, unknown>)")
	var many []jsbuild.ToolType
	for i := range 5000 {
		many = append(many, jsbuild.ToolType{Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("what it does ", 100)})
	}
	got := jsbuild.Typings(many)
	if len(got) > 66<<10 {
		t.Errorf("%d bytes", len(got))
	}
	wantPart(t, got, "more tools")
	wantTypeScript(t, got)
}

// TestTypingsProperty: whatever the schema, the text is TypeScript.
func TestTypingsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var schema func(depth int) string
		schema = func(depth int) string {
			kinds := []string{`{"type":"string"}`, `{"type":["null","number"]}`, `{}`, `true`, `{"enum":["a\"b",null]}`, `{"$ref":"#/$defs/a"}`, `{"type":7}`}
			if depth == 0 {
				return rapid.SampledFrom(kinds).Draw(t, "leaf")
			}
			name := rapid.StringMatching(`[a-z"*/\-\n]{0,6}`).Draw(t, "name")
			inner := schema(depth - 1)
			return rapid.SampledFrom(append(kinds,
				fmt.Sprintf(`{"type":"object","properties":{%q:%s,"b":%s},"required":["b"]}`, name, inner, schema(depth-1)),
				fmt.Sprintf(`{"type":"array","items":%s,"description":%q}`, inner, name),
				fmt.Sprintf(`{"anyOf":[%s,%s]}`, inner, schema(depth-1)),
				fmt.Sprintf(`{"allOf":[%s]}`, inner),
				fmt.Sprintf(`{"type":"object","additionalProperties":%s}`, inner),
			)).Draw(t, "schema")
		}
		wantTypeScript(t, jsbuild.Typings([]jsbuild.ToolType{{
			Name: rapid.StringMatching(`[a-z]{1,4}(-[a-z]{1,3})?`).Draw(t, "tool"), Description: rapid.String().Draw(t, "description"),
			Parameters: schema(4), Output: schema(2),
		}}))
	})
}

// FuzzTypings: no schema makes it panic, or write what is no TypeScript.
func FuzzTypings(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, "about */ it")
	f.Add(`{"anyOf":[`, "\u2028")
	f.Fuzz(func(t *testing.T, schema, description string) {
		wantTypeScript(t, jsbuild.Typings([]jsbuild.ToolType{{Name: "t", Description: description, Parameters: schema}}))
	})
}
