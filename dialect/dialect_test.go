package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
)

func TestParse(t *testing.T) {
	for _, name := range strings.Split("mcp|openai|openai-responses|openai-strict|anthropic|gemini|gemini-openapi|aisdk|plain", "|") {
		if d, err := Parse(name); err != nil || string(d) != name {
			t.Errorf("%s: %q, %v", name, d, err)
		}
	}
	_, err := Parse("antropic")
	if err == nil || !strings.Contains(err.Error(), `did you mean "anthropic"?`) || !strings.Contains(err.Error(), "gemini-openapi, aisdk, plain") {
		t.Errorf("error %v", err)
	}
	if _, err := Parse(""); err == nil {
		t.Error("the empty name is no dialect")
	}
}

func TestUnknownDialect(t *testing.T) {
	if _, err := Declare("klingon", gongu.Tool{Name: "x"}, nil); err == nil {
		t.Error("Declare took an unknown dialect")
	}
	if _, err := DeclareAll("klingon", nil, nil); err == nil {
		t.Error("DeclareAll took an unknown dialect")
	}
	if _, err := EncodeResult("klingon", gongu.OK(1), nil); err == nil {
		t.Error("EncodeResult took an unknown dialect")
	}
}

// Seed 004: getSchemas gives {name, description, input_schema}, and dispatch
// {toolUseId, content, isError} with isError in errors alone.
func TestSeed004Shape(t *testing.T) {
	declared, err := DeclareAll(Plain, catalog()[:1], nil)
	if err != nil {
		t.Fatal(err)
	}
	const schemas = `[{"name":"read_file","description":"파일 내용을 읽어 반환합니다","input_schema":{"type":"object","properties":{"path":{"type":"string","description":"읽을 파일의 절대 경로"}},"required":["path"]}}]`
	if string(declared.JSON) != schemas {
		t.Errorf("got %s", declared.JSON)
	}
	unknown := gongu.Fail(&gongu.Error{Message: "알 수 없는 툴: x", Code: gongu.CodeNotFound})
	unknown.ToolCallID = "t1"
	fine := gongu.OK([]string{"a"})
	fine.ToolCallID = "t2"
	for want, r := range map[string]gongu.Result{
		`{"toolUseId":"t1","content":"ERROR: 알 수 없는 툴: x\nCODE: E_TOOL_NOT_FOUND","isError":true}`: unknown,
		`{"toolUseId":"t2","content":"[\"a\"]"}`: fine,
	} {
		if got, err := EncodeResult(Plain, r, nil); err != nil || string(got) != want {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
}

// Seed 004: dispatch of a tool that is gone says so in the seed's words. The
// catalog still has it, so it is not outside of the catalog (seed 001).
func TestSeed004_UnknownTool(t *testing.T) {
	r := gongu.NewRegistry(nil)
	if err := r.Add(gongu.Tool{Name: "x", Invoke: func(context.Context, gongu.Call) gongu.Result { return gongu.OK(1) }}); err != nil {
		t.Fatal(err)
	}
	executor := gongu.NewExecutor(r, &gongu.ExecutorOptions{Catalog: gongu.Everything(r), Lang: "ko"})
	r.Remove("x")
	encoded, err := EncodeResult(Plain, executor.Call(t.Context(), gongu.Call{ID: "t1", Name: "x"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ToolUseID, Content string
		IsError            bool
	}
	if err := json.Unmarshal(encoded, &got); err != nil {
		t.Fatal(err)
	}
	if got.ToolUseID != "t1" || !got.IsError || !strings.HasPrefix(got.Content, "ERROR: 알 수 없는 툴: x\nCODE: E_TOOL_NOT_FOUND\n") {
		t.Errorf("got %s", encoded)
	}
}

// H10: what a tool leaves out is declared as "" and as any object.
func TestMissingParts(t *testing.T) {
	for _, d := range All() {
		declared := mustDeclare(t, d, gongu.Tool{Name: "ping"})
		if _, description := nameAndDescription(t, d, declared.JSON, "ping"); description != "" || !strings.Contains(string(declared.JSON), `"description":""`) {
			t.Errorf("%s: %s", d, declared.JSON)
		}
		schema, strict := parametersOf(t, d, declared.JSON, "ping")
		switch {
		case strict: // closed by its rules
		case d == GeminiOpenAPI:
			if schema != nil {
				t.Errorf("%s: an empty object is refused there: %s", d, schema)
			}
		case schema.String() != `{"type":"object","properties":{}}`:
			t.Errorf("%s: %s", d, schema)
		}
	}
}

func TestDeclareAll(t *testing.T) {
	for d, want := range map[Dialect]string{MCP: `[]`, Gemini: `[]`, AISDK: `{}`} {
		if none, err := DeclareAll(d, nil, nil); err != nil || string(none.JSON) != want {
			t.Errorf("%s: %s, %v", d, none.JSON, err)
		}
	}
	// H9: the order given is kept, in objects too.
	tools := []gongu.Tool{{Name: "z"}, {Name: "a"}, {Name: "m"}, {Name: "z"}, {Name: "broken", Parameters: "{"}}
	for _, d := range All() {
		all, err := DeclareAll(d, tools, nil)
		if err == nil || !strings.Contains(err.Error(), `"z"`) || !strings.Contains(err.Error(), `"broken"`) {
			t.Errorf("%s: error %v", d, err)
		}
		text := string(all.JSON)
		if !json.Valid(all.JSON) || strings.Count(text, `"z"`) != 1 || strings.Index(text, `"z"`) > strings.Index(text, `"a"`) || strings.Index(text, `"a"`) > strings.Index(text, `"m"`) {
			t.Errorf("%s: %s", d, text)
		}
	}
}

func TestNameIsReportedNotChanged(t *testing.T) {
	declared := mustDeclare(t, Gemini, gongu.Tool{Name: "7zip"})
	if !strings.Contains(string(declared.JSON), `"name":"7zip"`) || !slices.Equal(lostKeywords(declared.Losses), []string{" name"}) {
		t.Errorf("%s %v", declared.JSON, declared.Losses)
	}
}

func TestKorean(t *testing.T) {
	tl := tool(`{"type":"object","properties":{"p":{"type":"string","minLength":2}},"required":["p"]}`)
	declared, err := Declare(OpenAIStrict, tl, &Options{Lang: "ko"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(declared.JSON), "최소 길이: 2.") || declared.Losses[0].Note != "파라미터 설명에 말로 적었습니다" {
		t.Errorf("%s %v", declared.JSON, declared.Losses)
	}
}

func TestBrokenSchemas(t *testing.T) {
	for parameters, want := range map[string]string{
		`{"type":`:               "parameters: not valid JSON",
		`[]`:                     "not a value of type array",
		`{"a":{"b":1,"b":2}}`:    "parameters.a.b: the same property is given twice",
		"{\"type\":\"\xff\"}":    "not valid UTF-8",
		strings.Repeat("[", 999): "nested deeper",
	} {
		for _, d := range All() {
			if _, err := Declare(d, tool(parameters), nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", d, err, want)
			}
		}
	}
	bad := gongu.Tool{Name: "x", Output: "{"}
	if _, err := Declare(MCP, bad, nil); err == nil || !strings.Contains(err.Error(), "output: ") {
		t.Errorf("error %v", err)
	}
}

// A reference into a composition that Anthropic refuses would break the whole
// request, so the tool is refused instead.
func TestAnthropicDanglingReference(t *testing.T) {
	_, err := Declare(Anthropic, tool(`{"type":"object","oneOf":[{"properties":{"a":{"type":"string"},"b":{"$ref":"#/oneOf/0/properties/a"}}}]}`), nil)
	if err == nil || !strings.Contains(err.Error(), "#/oneOf/0/properties/a") {
		t.Errorf("error %v", err)
	}
}

func TestErrorText(t *testing.T) {
	full := &gongu.Error{Message: "m", Code: "C", Suggestion: "s", HelpURL: "h", Name: "N"}
	for want, e := range map[string]*gongu.Error{
		"ERROR: m\nCODE: C\nSUGGESTION: s\nHELP: h": full,
		"ERROR: m\nHELP: h":                         {Message: "m", HelpURL: "h"},
		"ERROR: The tool failed.":                   nil,
	} {
		if got := ErrorText(e); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// MCP keeps what a tool or an upstream wrote: blocks byte for byte, _meta, and
// the output once (V2).
func TestMCPResults(t *testing.T) {
	const blocks = "[ {\"type\":\"text\", \"text\":\"{\\\"b\\\":1, \\\"a\\\":2}\", \"annotations\":{\"x\":1}} ]"
	object := gongu.Result{Status: gongu.StatusOK, Output: json.RawMessage(`{"a":2,"b":1}`)}
	said := object
	said.Content, said.Meta = json.RawMessage(blocks), json.RawMessage(`{"k":1}`)
	own := object
	own.Content = json.RawMessage(`[{"type":"text","text":"two"}]`)
	list := gongu.OK([]int{1})
	caption := gongu.OK("caption").With(gongu.Content{Type: "text", Text: "other"})
	failed := gongu.Fail(errors.New("m"))
	failed.Output = json.RawMessage(`{"suggestions":["a"]}`)
	typed := &Options{Output: `{"type":"array"}`}
	for _, tc := range []struct {
		name string
		r    gongu.Result
		opts *Options
		want string
	}{
		{"upstream says it in text", said, nil, `{"content":` + blocks + `,"structuredContent":{"a":2,"b":1},"_meta":{"k":1}}`},
		{"upstream has its own words", own, nil, `{"content":[{"type":"text","text":"two"}],"structuredContent":{"a":2,"b":1}}`},
		{"a list", list, nil, `{"content":[{"type":"text","text":"[1]"}]}`},
		{"a list that was promised", list, typed, `{"content":[{"type":"text","text":"[1]"}],"structuredContent":[1]}`},
		{"two texts", caption, nil, `{"content":[{"type":"text","text":"caption"},{"type":"text","text":"other"}]}`},
		{"an error with output", failed, nil, `{"content":[{"type":"text","text":"ERROR: m"},{"type":"text","text":"{\"suggestions\":[\"a\"]}"}],"structuredContent":{"suggestions":["a"]},"isError":true}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, err := EncodeResult(MCP, tc.r, tc.opts); err != nil || string(got) != tc.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, tc.want)
			}
		})
	}
}

// An output that the content says already is told once, in every dialect.
func TestOutputIsToldOnce(t *testing.T) {
	for _, r := range []gongu.Result{
		{Output: json.RawMessage(`{"temp": 22}`), Content: json.RawMessage(`[{"type":"text","text":"{ \"temp\":22 }"}]`)},
		{Output: json.RawMessage(`"temp\n22"`), Content: json.RawMessage(`[{"type":"text","text":"temp"},{"type":"text","text":"22"}]`)},
		{Output: json.RawMessage(`"temp"`), Content: json.RawMessage(`[{"type":"text","text":"temp"}]`)},
	} {
		for _, d := range All() {
			raw, err := EncodeResult(d, r, nil)
			if want := 1; err != nil || strings.Count(strings.SplitN(string(raw), `"structuredContent"`, 2)[0], "temp") != want {
				t.Errorf("%s: %s, %v", d, raw, err)
			}
		}
	}
}

func TestBrokenResults(t *testing.T) {
	for _, d := range All() {
		for _, r := range []gongu.Result{{Content: json.RawMessage(`{}`)}, {Output: json.RawMessage(`{`)}} {
			if _, err := EncodeResult(d, r, nil); err == nil {
				t.Errorf("%s: took %+v", d, r)
			}
		}
		odd := gongu.Result{Output: json.RawMessage("  "), Content: json.RawMessage(` [1,{"type":"hologram","x":1},{"type":"image","mimeType":5}] `)}
		if raw, err := EncodeResult(d, odd, nil); err != nil || !json.Valid(raw) {
			t.Errorf("%s: %s, %v", d, raw, err)
		}
	}
	odd := gongu.Result{Content: json.RawMessage(`[{"type":"hologram","x":1}]`)}
	if raw, err := EncodeResult(OpenAI, odd, &Options{Lang: "ko"}); err != nil || !strings.Contains(string(raw), "[hologram, 25바이트]") {
		t.Errorf("%s, %v", raw, err)
	}
}
