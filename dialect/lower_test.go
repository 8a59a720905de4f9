package dialect

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

// Each row is one step of the sanitizer, or one rule of it (H5). The schema is
// that of one parameter p, which is required, so that strict mode leaves it
// alone otherwise.
func TestSanitizerSteps(t *testing.T) {
	for _, tc := range []struct {
		name, schema    string
		strict, openAPI string // the lowered p; "-" for strict:false
		lost            string // "keyword …" of strict, then of openapi after "|"
	}{
		{
			"1 references are inlined", `{"$ref":"#/$defs/d","description":"D."}`,
			`{"description":"D.","type":"integer","minimum":3}`, `{"description":"D.","type":"integer","minimum":3}`, "|",
		},
		{
			"1 recursion is kept or cut", `{"$ref":"#/$defs/tree"}`,
			`{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["kids"],"additionalProperties":false}`,
			`{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object"}}},"required":["kids"]}}},"required":["kids"]}`,
			"|$ref",
		},
		{"1 a reference to elsewhere", `{"$ref":"https://example.com/x","type":"string"}`, `{"type":"string"}`, `{"type":"string"}`, "$ref|$ref"},
		{
			"2 allOf is merged", `{"allOf":[{"type":"number","minimum":1},{"minimum":2,"maximum":9},{"type":"integer"}]}`,
			`{"type":"integer","minimum":2,"maximum":9}`, `{"type":"integer","minimum":2,"maximum":9}`, "|",
		},
		{"2 a contradiction is reported", `{"type":"string","allOf":[{"type":"boolean"}]}`, `{"type":"string"}`, `{"type":"string"}`, "type|type"},
		{
			"3 alternatives that are only a rule", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["string","null"]}},"required":["a","b"],"additionalProperties":false,"description":"Give one of these groups of properties: a | b."}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"description":"Give one of these groups of properties: a | b."}`,
			"anyOf|anyOf",
		},
		{
			"4 oneOf becomes anyOf", `{"oneOf":[{"type":"string"},{"type":"integer"}]}`,
			`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, "oneOf|oneOf",
		},
		{
			"4 what stands beside moves inside", `{"type":"string","description":"D.","anyOf":[{"pattern":"^a"},{"pattern":"^b"}]}`,
			`{"description":"D.","anyOf":[{"type":"string","pattern":"^a"},{"type":"string","pattern":"^b"}]}`,
			`{"description":"D.","anyOf":[{"type":"string","pattern":"^a"},{"type":"string","pattern":"^b"}]}`, "|",
		},
		{
			"4 one alternative that is left", `{"description":"D.","anyOf":[{"type":"string","description":"S."},{"type":"null"},false]}`,
			`{"type":["string","null"],"description":"D. S."}`, `{"type":"string","description":"D. S.","nullable":true}`, "|",
		},
		{
			"4 a recursive alternative with a description", `{"type":"object","properties":{"t":{"description":"T.","anyOf":[{"$ref":"#/$defs/tree"},{"type":"null"}]}},"required":["t"]}`,
			`{"type":"object","properties":{"t":{"description":"T.","anyOf":[{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["kids"],"additionalProperties":false},{"type":"null"}]}},"required":["t"],"additionalProperties":false}`,
			`{"type":"object","properties":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object"}}},"required":["kids"]}}},"required":["kids"],"description":"T.","nullable":true}},"required":["t"]}`, "|$ref",
		},
		{"5 const becomes an enum", `{"const":"x"}`, `{"type":"string","enum":["x"]}`, `{"type":"string","enum":["x"]}`, "|"},
		{"5 an enum of numbers", `{"enum":[1,2.5]}`, `{"type":"number","enum":[1,2.5]}`, `{"type":"number","description":"One of: 1, 2.5."}`, "|enum"},
		{"5 an empty text in an enum", `{"enum":["","a"]}`, `{"type":"string","enum":["","a"]}`, `{"type":"string","enum":["a"],"description":"One of: \"\", \"a\"."}`, "|enum"},
		{"6 null", `{"type":["string","null"]}`, `{"type":["string","null"]}`, `{"type":"string","nullable":true}`, "|"},
		{"6 null in a union", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"type":["string","null"]}`, `{"type":"string","nullable":true}`, "|"},
		{"6 null in an enum", `{"enum":["a",null]}`, `{"type":["string","null"],"enum":["a",null]}`, `{"type":"string","enum":["a"],"nullable":true}`, "|"},
		{
			"6 several types", `{"type":["string","integer","null"],"minLength":1,"minimum":2}`,
			`{"anyOf":[{"type":"string","description":"Minimum length: 1."},{"type":"integer","minimum":2},{"type":"null"}]}`,
			`{"anyOf":[{"type":"string","minLength":1},{"type":"integer","minimum":2}],"nullable":true}`, "minLength|",
		},
		{
			"7 a tuple", `{"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}],"items":false}`,
			`{"type":"array","maxItems":2,"items":{"anyOf":[{"type":"string"},{"type":"boolean"}]},"description":"Items in this order: string, boolean."}`,
			`{"type":"array","maxItems":2,"items":{"anyOf":[{"type":"string"},{"type":"boolean"}]},"description":"Items in this order: string, boolean."}`,
			"prefixItems|prefixItems",
		},
		{
			"7 a tuple of draft-07", `{"items":[{"type":"string"},{"type":"string"}],"additionalItems":{"type":"null"}}`,
			`{"type":"array","items":{"type":["string","null"]},"description":"Items in this order: string, string."}`,
			`{"type":"array","items":{"type":"string","nullable":true},"description":"Items in this order: string, string."}`,
			"items|items",
		},
		{
			"8 bounds in words", `{"type":"string","description":"D.","minLength":1,"maxLength":5,"format":"ipv4"}`,
			`{"type":"string","description":"D. Minimum length: 1. Maximum length: 5.","format":"ipv4"}`,
			`{"type":"string","description":"D. Format: ipv4.","minLength":1,"maxLength":5}`, "minLength maxLength|format",
		},
		{
			"8 numbers", `{"type":"number","exclusiveMinimum":0,"multipleOf":0.5,"default":1,"examples":[2,3],"x-unit":"m"}`,
			`{"type":"number","exclusiveMinimum":0,"multipleOf":0.5,"description":"Default: 1. Examples: 2, 3."}`,
			`{"type":"number","default":1,"description":"Greater than 0. A multiple of 0.5. Examples: 2, 3."}`,
			"default examples x-unit|exclusiveMinimum multipleOf examples x-unit",
		},
		{"8 a pattern that looks around", `{"type":"string","pattern":"(?=a)b"}`, `{"type":"string","description":"Matches the regular expression: (?=a)b"}`, `{"type":"string","pattern":"(?=a)b"}`, "pattern|"},
		{"8 conditions", `{"type":"string","not":{"const":"x"},"if":{"minLength":1},"then":{"maxLength":2}}`, `{"type":"string","description":"Must not match the schema {\"const\":\"x\"}."}`, `{"type":"string","description":"Must not match the schema {\"const\":\"x\"}."}`, "not if|not if"},
		{"8 rules about other types do not count", `{"type":"boolean","minLength":3}`, `{"type":"boolean"}`, `{"type":"boolean"}`, "|"},
		{
			"9 optional properties", `{"type":"object","properties":{"a":{"type":"string"},"b":{"enum":["x"]},"c":{"type":"array","items":{"type":"string"},"description":"C."}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["string","null"],"enum":["x",null]},"c":{"description":"C.","anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}},"required":["a","b","c"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","enum":["x"]},"c":{"type":"array","items":{"type":"string"},"description":"C."}},"required":["a"]}`, "|",
		},
		{"10 a map", `{"type":"object","additionalProperties":{"type":"string"}}`, `-`, `{"type":"object"}`, "strict|additionalProperties"},
		{"10 any object", `{"type":"object"}`, `-`, `{"type":"object"}`, "strict|"},
		{"10 any list", `{"type":"array"}`, `-`, `{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object"},{"type":"array","items":{"type":"string"}}],"nullable":true}}`, "strict|type"},
		{"10 recursion with a narrower use", `{"$ref":"#/$defs/narrow"}`, `-`, `{"type":"object","properties":{"n":{"minProperties":1,"type":"object","properties":{"n":{"minProperties":1,"type":"object"}}}}}`, "strict|$ref"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			whole := `{"type":"object","properties":{"p":` + tc.schema + `},"required":["p"],"$defs":{` +
				`"d":{"type":"integer","minimum":3},` +
				`"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["kids"]},` +
				`"narrow":{"type":"object","properties":{"n":{"$ref":"#/$defs/narrow","minProperties":1}}}}}`
			lostStrict, lostOpenAPI, _ := strings.Cut(tc.lost, "|")
			checkStep(t, OpenAIStrict, whole, tc.strict, lostStrict)
			checkStep(t, GeminiOpenAPI, whole, tc.openAPI, lostOpenAPI)
		})
	}
}

// What two schemas demand of the same value, and what one of them then says.
func TestConjoin(t *testing.T) {
	for _, tc := range []struct{ keyword, a, b, want string }{
		{"type", `"number"`, `"integer"`, `"integer"`},
		{"type", `["integer","string","null"]`, `["null","number"]`, `["integer","null"]`},
		{"type", `"string"`, `"null"`, ``},
		{"enum", `["a","b",1]`, `[1.0,"b"]`, `["b",1]`},
		{"enum", `["a"]`, `["b"]`, ``},
		{"required", `["a"]`, `["b","a"]`, `["a","b"]`},
		{"properties", `{"a":true,"b":{"type":"string"},"c":{"x":1}}`, `{"b":{"minLength":1},"a":{"y":2},"c":{"x":1},"d":false}`, `{"a":{"y":2},"b":{"allOf":[{"type":"string"},{"minLength":1}]},"c":{"x":1},"d":false}`},
		{"additionalProperties", `{"type":"string"}`, `false`, `false`},
		{"additionalProperties", `false`, `true`, `false`},
		{"items", `{"type":"string"}`, `{"minLength":1}`, `{"allOf":[{"type":"string"},{"minLength":1}]}`},
		{"items", `[{}]`, `{}`, ``},
		{"minimum", `1`, `2`, `2`},
		{"maxLength", `1`, `2`, `1`},
		{"uniqueItems", `false`, `true`, `true`},
		{"description", `"a"`, `"b"`, `"a"`},
		{"$defs", `{}`, `{"a":1}`, `{}`},
		{"pattern", `"a"`, `"a"`, `"a"`},
		{"pattern", `"a"`, `"b"`, ``},
		{"anyOf", `[true]`, `[false]`, ``},
	} {
		got, ok := conjoin(tc.keyword, mustParse(t, []byte(tc.a)), mustParse(t, []byte(tc.b)))
		if ok != (tc.want != "") || ok && got.String() != tc.want {
			t.Errorf("%s: %s and %s gave %s, %v; want %q", tc.keyword, tc.a, tc.b, got, ok, tc.want)
		}
	}
}

// References that are local: by pointer, by anchor, by the root's own address.
func TestResolve(t *testing.T) {
	root := mustParse(t, []byte(`{"$id":"https://example.com/s","$defs":{"a/b~c d":{"title":"pointer"},"x":{"$anchor":"anchor","title":"anchor"},"y":{"$id":"#old","title":"old"}},"anyOf":[{"title":"item"}]}`))
	doc := &document{root: root}
	for ref, want := range map[string]string{
		"#/$defs/a~1b~0c%20d":                "pointer",
		"https://example.com/s#/$defs/x":     "anchor",
		"#anchor":                            "anchor",
		"#old":                               "old",
		"#/anyOf/0":                          "item",
		"#/anyOf/1":                          "",
		"#/anyOf/x":                          "",
		"#/$defs/x/title/deeper":             "",
		"#nowhere":                           "",
		"#/%zz":                              "",
		"https://example.com/other#/$defs/x": "",
	} {
		got := ""
		if n := doc.resolve(ref); n != nil {
			got = n.get("title").text
		}
		if got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	if doc.resolve("#") != root || doc.resolve("https://example.com/s") != root {
		t.Error("the root is not found")
	}
}

func checkStep(t *testing.T, d Dialect, whole, want, wantLost string) {
	t.Helper()
	tl := tool(whole)
	declared := mustDeclare(t, d, tl)
	checkDeclaration(t, d, tl, declared)
	schema, strict := parametersOf(t, d, declared.JSON, tl.Name)
	got := schema.get("properties").get("p").String()
	if want == "-" {
		if strict || schema.String() != mustParse(t, []byte(whole)).String() {
			t.Errorf("%s: want the original without strict mode, got %s", d, declared.JSON)
		}
	} else if got != want {
		t.Errorf("%s:\n got %s\nwant %s", d, got, want)
	}
	var lost []string
	for _, l := range declared.Losses {
		lost = append(lost, l.Keyword)
	}
	if strings.Join(lost, " ") != wantLost {
		t.Errorf("%s: lost %q, want %q: %v", d, lost, wantLost, declared.Losses)
	}
}

// H5: a rule of the root has no parameter to be said at, and the tool's
// description is not ours, so it is listed and nothing else.
func TestRootRulesAreOnlyListed(t *testing.T) {
	const schema = `{"type":"object","description":"Root.","minProperties":1,"properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}],"not":{"required":["a","b"]}}`
	for _, d := range []Dialect{OpenAIStrict, GeminiOpenAPI} {
		declared := mustDeclare(t, d, tool(schema))
		got, _ := parametersOf(t, d, declared.JSON, "")
		if text := got.get("description").text; text != "Root." {
			t.Errorf("%s: description of the root became %q", d, text)
		}
		for _, want := range []string{" anyOf", " not"} {
			if lost := lostKeywords(declared.Losses); !slices.Contains(lost, want) {
				t.Errorf("%s: lost %q, want %q among them", d, lost, want)
			}
		}
	}
}

// Step 3 at the root: all the properties of the branches, and required only
// what each of them requires.
func TestRootComposition(t *testing.T) {
	const schema = `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"allOf":[{"properties":{"v":{"type":"integer"}}}],` +
		`"anyOf":[{"$ref":"#/$defs/a"},{"properties":{"kind":{"const":"b"},"y":{"type":"number"}},"required":["kind"]}],` +
		`"$defs":{"a":{"properties":{"kind":{"const":"a"},"x":{"$ref":"#/$defs/s"}},"required":["kind","x"]},"s":{"type":"string"}}}`
	for d, want := range map[Dialect]string{
		Anthropic:     `{"type":"object","properties":{"id":{"type":"string"},"v":{"type":"integer"},"kind":{"enum":["a","b"]},"x":{"$ref":"#/$defs/s"},"y":{"type":"number"}},"required":["id","kind"],"$defs":{"a":{"properties":{"kind":{"const":"a"},"x":{"$ref":"#/$defs/s"}},"required":["kind","x"]},"s":{"type":"string"}}}`,
		GeminiOpenAPI: `{"type":"object","properties":{"id":{"type":"string"},"v":{"type":"integer"},"kind":{"type":"string","enum":["a","b"]},"x":{"type":"string"},"y":{"type":"number"}},"required":["id","kind"]}`,
		OpenAIStrict:  `{"type":"object","properties":{"id":{"type":"string"},"v":{"type":["integer","null"]},"kind":{"type":"string","enum":["a","b"]},"x":{"type":["string","null"]},"y":{"type":["number","null"]}},"required":["id","v","kind","x","y"],"additionalProperties":false}`,
	} {
		declared := mustDeclare(t, d, tool(schema))
		got, _ := parametersOf(t, d, declared.JSON, "")
		if got.String() != want {
			t.Errorf("%s:\n got %s\nwant %s", d, got, want)
		}
		if lost := lostKeywords(declared.Losses); !slices.Equal(lost, []string{" anyOf"}) {
			t.Errorf("%s: lost %q", d, lost)
		}
	}
}

// A branch that demands nothing lets the others' demands go.
func TestRootCompositionWithOpenBranch(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},true]}`
	for _, d := range []Dialect{Anthropic, GeminiOpenAPI} {
		got, _ := parametersOf(t, d, mustDeclare(t, d, tool(schema)).JSON, "")
		if got.String() != `{"type":"object","properties":{"a":{"type":"string"}}}` {
			t.Errorf("%s: %s", d, got)
		}
	}
}

// A schema that nests deeper than the bound is cut there, with a loss.
func TestDepthIsCut(t *testing.T) {
	deep := `{"type":"object","properties":{"x":` + strings.Repeat(`{"items":`, 100) + `{"type":"string"}` + strings.Repeat(`}`, 100) + `}}`
	declared := mustDeclare(t, GeminiOpenAPI, tool(deep))
	if n := strings.Count(string(declared.JSON), `"items"`); n > maxLevel+1 {
		t.Errorf("%d levels", n)
	}
	if !slices.ContainsFunc(declared.Losses, func(l Loss) bool { return l.Keyword == "$ref" }) {
		t.Errorf("no loss: %v", declared.Losses)
	}
}

// H5: where a dialect takes JSON Schema, it gets the bytes that the tool has.
func TestSchemasPassByteForByte(t *testing.T) {
	const schema = "{ \"type\" : \"object\",\n\t\"properties\": {\"b\":{\"const\":1e2},\"a\":{\"$ref\":\"#/$defs/x\"}}, \"$defs\":{\"x\":{\"oneOf\":[true]}} }"
	for _, d := range []Dialect{MCP, OpenAI, OpenAIResponses, Anthropic, Gemini, AISDK, Plain} {
		declared := mustDeclare(t, d, tool(schema))
		if !strings.Contains(string(declared.JSON), schema) {
			t.Errorf("%s: the schema was changed: %s", d, declared.JSON)
		}
		if len(declared.Losses) > 0 {
			t.Errorf("%s: losses %v of an unchanged schema", d, declared.Losses)
		}
	}
}

// A parameter whose name the provider refuses is left out, and the tool is
// refused when it demands the parameter: renaming it would hide it.
func TestPropertyNames(t *testing.T) {
	optional := tool(`{"type":"object","properties":{"ok":{"type":"string"},"filter[id]":{"type":"string"}}}`)
	required := tool(`{"type":"object","properties":{"filter[id]":{"type":"string"}},"required":["filter[id]"]}`)
	required.Name = "other__tool"
	for _, d := range []Dialect{Anthropic, GeminiOpenAPI} {
		declared := mustDeclare(t, d, optional)
		schema, _ := parametersOf(t, d, declared.JSON, "")
		if schema.get("properties").has("filter[id]") || !schema.get("properties").has("ok") {
			t.Errorf("%s: %s", d, schema)
		}
		if lost := lostKeywords(declared.Losses); !slices.Equal(lost, []string{"/properties/filter[id] properties"}) {
			t.Errorf("%s: lost %q", d, lost)
		}
		all, err := DeclareAll(d, []gongu.Tool{required, optional}, nil)
		if err == nil || !strings.Contains(err.Error(), `"other__tool"`) || !strings.Contains(err.Error(), `"filter[id]"`) {
			t.Errorf("%s: error %v", d, err)
		}
		if text := string(all.JSON); strings.Contains(text, "other__tool") || !strings.Contains(text, "test__tool") {
			t.Errorf("%s: the good tool must survive alone: %s", d, text)
		}
	}
}

// Step 10: each limit of strict mode leads to strict:false with the original.
func TestStrictLimits(t *testing.T) {
	nested := `{"type":"string"}`
	for range 10 {
		nested = `{"type":"object","properties":{"x":` + nested + `},"required":["x"]}`
	}
	values := func(n, length int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"%0*d"`, length, i))
		}
		return `{"enum":[` + strings.Join(list, ",") + `]}`
	}
	for name, p := range map[string]string{
		"levels": nested, "enum": values(1001, 4), "enum text": values(251, 60), "text": `{"enum":["` + strings.Repeat("x", 120_001) + `"]}`,
	} {
		declared := mustDeclare(t, OpenAIStrict, tool(`{"type":"object","properties":{"p":`+p+`}}`))
		if !strings.HasSuffix(string(declared.JSON), `"strict":false}}`) || len(declared.Losses) != 1 || declared.Losses[0].Keyword != "strict" {
			t.Errorf("%s: %.200s %v", name, declared.JSON, declared.Losses)
		}
	}
	within := `{"type":"object","properties":{"p":` + values(250, 60) + `,"q":` + values(748, 4) + `}}`
	if declared := mustDeclare(t, OpenAIStrict, tool(within)); !strings.HasSuffix(string(declared.JSON), `"strict":true}}`) {
		t.Errorf("within the limits: %v", declared.Losses)
	}
}

// A schema made to grow without end is declared in bounded time and space.
func TestHostileSchemas(t *testing.T) {
	var fan []string
	for i := range 40 {
		next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		fan = append(fan, fmt.Sprintf(`"d%d":{"type":"object","description":"%s","properties":{"a":%s,"b":%s}}`, i, strings.Repeat("x", 1000), next, next))
	}
	var chain, alternatives []string
	for i := range 800 {
		chain = append(chain, fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1))
		alternatives = append(alternatives, fmt.Sprintf(`{"properties":{"p%d":{"$ref":"#"}},"anyOf":[{"$ref":"#"}]}`, i))
	}
	for name, schema := range map[string]string{
		"fan-out":      `{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(fan, ",") + `,"d40":{"type":"string"}}}`,
		"chain":        `{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(chain, ",") + `,"d800":{"type":"string"}}}`,
		"alternatives": `{"type":"object","anyOf":[` + strings.Join(alternatives, ",") + `]}`,
		"large value":  `{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(fan, ",") + `,"d40":{"enum":["` + strings.Repeat("y", 100_000) + `"]}}}`,
		"depth":        `{"type":"object","properties":{"x":` + strings.Repeat(`{"items":`, 100) + `{}` + strings.Repeat(`}`, 100) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range All() {
				start := time.Now()
				declared, err := Declare(d, tool(schema), nil)
				if err != nil {
					t.Fatal(err)
				}
				checkDeclaration(t, d, tool(schema), declared)
				if took := time.Since(start); took > 5*time.Second || len(declared.JSON) > 4<<20+len(schema) {
					t.Errorf("%s: %d bytes after %v", d, len(declared.JSON), took)
				}
			}
		})
	}
}
