package explore_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/toolrequest"
)

// Seed 000, AC1, promise E1: tools of a domain, in the order of registration.
func TestSeed000AC1ListToolsOfADomain(t *testing.T) {
	a := everything(t, drawing(t, nil), nil)
	a.want("list_tools", `{"domain":"primitives"}`, `{
		"domain": "primitives",
		"tools": [
			{"name": "draw_rect", "description": "직사각형을 그립니다"},
			{"name": "draw_circle", "description": "원을 그립니다"},
			{"name": "draw_line", "description": "선분/폴리라인을 그립니다"},
			{"name": "draw_arc", "description": "호를 그립니다"}
		]}`)
}

// Seed 000, AC1, promise E1: without a domain all tools, and "domain":null.
func TestSeed000AC1ListAllTools(t *testing.T) {
	r := drawing(t, all())
	a := everything(t, r, nil)
	for _, args := range []string{`{}`, `{"domain":""}`} {
		result := a.call("list_tools", args)
		if !strings.HasPrefix(string(result.Output), `{"domain":null,"tools":[`) || strings.Contains(string(result.Output), "total") {
			t.Errorf("%s: %.80s", args, result.Output)
		}
		var got page
		a.into("list_tools", args, &got)
		var want []string
		for _, tool := range r.Tools() {
			want = append(want, tool.Name)
		}
		if !slices.Equal(got.names(), want) {
			t.Errorf("got %q, want %q", got.names(), want)
		}
	}
}

// Seed 000, AC2, promise E1: every domain with its count; design: the registry
// is one of them.
func TestSeed000AC2ListDomains(t *testing.T) {
	a := everything(t, drawing(t, &explore.Options{Lang: "ko", Requests: toolrequest.NewMemory(), Macros: checkSteps}), nil)
	a.want("list_domains", `{}`, `[
		{"domain": "primitives", "count": 4, "description": "기본 도형 그리기"},
		{"domain": "style", "count": 4, "description": "스타일 설정"},
		{"domain": "export", "count": 1, "description": "씬 내보내기"},
		{"domain": "query", "count": 3, "description": "씬 상태 조회"},
		{"domain": "registry", "count": 8, "description": "도구 탐색 및 요청"}
	]`)
}

// Seed 000, AC3: the whole schema, and nothing else for a tool without examples.
func TestSeed000AC3GetToolSchema(t *testing.T) {
	r := drawing(t, nil)
	a := everything(t, r, nil)
	rect, _ := r.Get("draw_rect")
	a.want("get_tool_schema", `{"name":"draw_rect"}`,
		`{"name":"draw_rect","description":"직사각형을 그립니다","parameters":`+string(rect.Parameters)+`}`)
	// H10: a tool that says nothing about its arguments takes any object.
	a.want("get_tool_schema", `{"name":"draw_arc"}`,
		`{"name":"draw_arc","description":"호를 그립니다","parameters":{"type":"object","properties":{}}}`)
}

func TestGetToolSchemaShowsExamples(t *testing.T) {
	r := drawing(t, nil)
	hidden := tool("draw_star", "primitives", "별을 그립니다")
	hidden.Examples = []json.RawMessage{[]byte(`{"points":5}`)}
	if err := r.Add(hidden); err != nil {
		t.Fatal(err)
	}
	everything(t, r, nil).want("get_tool_schema", `{"name":"draw_star"}`,
		`{"name":"draw_star","description":"별을 그립니다","parameters":{"type":"object","properties":{}},"examples":[{"points":5}]}`)
}

// Seed 000, AC4, promise H4: the answer and the sentence of the seed.
func TestSeed000AC4RequestTool(t *testing.T) {
	store := toolrequest.NewMemory()
	const ask = `{"name":"draw_rounded_rect","description":"모서리가 둥근 직사각형","rationale":"가구 모서리 표현에 필요","suggested_params":["x","y","width","height","corner_radius"]}`
	a := everything(t, drawing(t, &explore.Options{Lang: "ko", Requests: store}), &gongu.ExecutorOptions{Lang: "ko"})
	var got struct {
		RequestID string `json:"request_id"`
		Status    string
		Message   string
		Similar   []struct{ Name, Description string }
	}
	a.into("request_tool", ask, &got)
	if got.RequestID != "req_001" || got.Status != "queued" || got.Message != "도구 요청이 등록되었습니다. 개발자 검토 후 추가됩니다." {
		t.Errorf("got %+v", got)
	}
	// Promise E5: up to three similar tools.
	if len(got.Similar) == 0 || len(got.Similar) > 3 || got.Similar[0].Name != "draw_rect" || got.Similar[0].Description != "직사각형을 그립니다" {
		t.Errorf("similar: %+v", got.Similar)
	}
	kept, err := store.Get(t.Context(), "req_001")
	if err != nil || kept.Rationale != "가구 모서리 표현에 필요" || len(kept.SuggestedParams) != 5 || kept.Proposal != nil {
		t.Errorf("kept %+v, %v", kept, err)
	}
}

// Seed 000, AC5, promise E2: the sentence to the letter, and one near name.
func TestSeed000AC5UnknownToolHasNearNames(t *testing.T) {
	for _, language := range []string{"en", "ko"} {
		a := everything(t, drawing(t, &explore.Options{Lang: language}), &gongu.ExecutorOptions{Lang: language})
		err, names := a.refused("get_tool_schema", `{"name":"draw_rectangle"}`)
		if err.Message != "Tool 'draw_rectangle' not found" || err.Code != gongu.CodeNotFound {
			t.Errorf("%s: %+v", language, err)
		}
		if !slices.Equal(names, []string{"draw_rect"}) || !strings.Contains(err.Suggestion, "draw_rect") {
			t.Errorf("%s: names %q, suggestion %q", language, names, err.Suggestion)
		}
	}
}

// Promise E2: nothing near is an empty array, and a sentence that helps.
func TestE2NothingNear(t *testing.T) {
	a := everything(t, drawing(t, nil), nil)
	err, names := a.refused("get_tool_schema", `{"name":"qqqqqqqqqq"}`)
	if len(names) != 0 || !strings.Contains(err.Suggestion, "search_tools") {
		t.Errorf("%q, %q", names, err.Suggestion)
	}
}

// Promise E2 and the design: the original silently returned every tool.
func TestE2UnknownDomain(t *testing.T) {
	a := everything(t, drawing(t, nil), nil)
	for _, args := range []string{`{"domain":"primitive"}`, `{"domain":"Primitives"}`} {
		err, names := a.refused("list_tools", args)
		if !slices.Equal(names, []string{"primitives"}) || !strings.Contains(err.Message, "not found") || err.Code != gongu.CodeInvalidArgs {
			t.Errorf("%s: %q, %+v", args, names, err)
		}
	}
	// A glob is no domain.
	a.refused("list_tools", `{"domain":"*"}`)
}

// Promise E2: a parameter that does not exist.
func TestE2UnknownParameter(t *testing.T) {
	a := everything(t, drawing(t, all()), nil)
	for args, want := range map[string]string{
		`{"domian":"style"}`:            "domain",
		`{"Domain":"style"}`:            "domain",
		`{"domain":"style","limits":3}`: "limit",
	} {
		err, names := a.refused("list_tools", args)
		if err.Code != gongu.CodeInvalidArgs || len(names) == 0 || names[0] != want || !strings.Contains(err.Suggestion, "domain, limit, cursor") {
			t.Errorf("%s: %q, %+v", args, names, err)
		}
	}
	a.refused("request_tool", `{"name":"a","description":"b","suggested_parameters":["x"]}`)
	a.refused("request_tool", `{"name":"a","description":"b","needed_params":"x"}`)
}

// Promise E4, V4: names, and both languages for everything that is read.
func TestE4BothLanguages(t *testing.T) {
	options := func(language string) *explore.Options {
		o := all()
		o.Lang = language
		return o
	}
	english, korean := explore.Tools(options("en")), explore.Tools(options("ko"))
	want := []string{
		"list_domains", "list_tools", "get_tool_schema", "search_tools", "call_tool",
		"request_tool", "list_tool_requests", "register_tool", "run_code",
	}
	for i, e := range english {
		k := korean[i]
		if e.Name != want[i] || k.Name != want[i] || e.Domain != "registry" {
			t.Errorf("%d: %s and %s in %s", i, e.Name, k.Name, e.Domain)
		}
		if hasHangul(e.Description+e.Title+string(e.Parameters)) || !hasHangul(k.Description) || !hasHangul(k.Title) {
			t.Errorf("%s: %q, %q", e.Name, e.Description, k.Description)
		}
		for name, text := range descriptions(t, k) {
			if !hasHangul(text) {
				t.Errorf("%s: %s is described as %q", k.Name, name, text)
			}
		}
		for name, text := range descriptions(t, e) {
			if text == "" {
				t.Errorf("%s: %s is not described", e.Name, name)
			}
		}
	}
}

func descriptions(t *testing.T, tool gongu.Tool) map[string]string {
	t.Helper()
	var schema struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal([]byte(tool.Parameters), &schema); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	texts := map[string]string{}
	for name, p := range schema.Properties {
		texts[name] = p.Description
	}
	return texts
}

func hasHangul(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return 0xAC00 <= r && r <= 0xD7A3 })
}

func TestToolsThatNeedSomething(t *testing.T) {
	count := func(opts *explore.Options) int { return len(explore.Tools(opts)) }
	if got := count(nil); got != 5 {
		t.Errorf("%d tools without anything", got)
	}
	if got := count(&explore.Options{Requests: toolrequest.NewMemory()}); got != 7 {
		t.Errorf("%d tools with a queue", got)
	}
	if got := count(&explore.Options{Macros: checkSteps}); got != 5 {
		t.Errorf("%d tools with macros and no queue", got)
	}
	if got := count(all()); got != 9 {
		t.Errorf("%d tools with all", got)
	}
}

// What the tools cost a model in every request; bench/ counts with a tokenizer.
func TestDeclarationsAreSmall(t *testing.T) {
	tokens := 0
	for _, tool := range explore.Tools(all()) {
		tokens += tool.Tokens()
	}
	if tokens > 900 {
		t.Errorf("the declarations take about %d tokens", tokens)
	}
}
