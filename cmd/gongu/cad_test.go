package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
)

// seed000 is the registry of gongu cad exec, in the seed's language, asked for
// results instead of answers.
func seed000(t *testing.T, requests string) (*gongu.Executor, func(name, args string) gongu.Result) {
	t.Helper()
	a := &app{environment: environment{stderr: io.Discard}, lang: lang.Korean, stateRoot: t.TempDir()}
	executor, err := a.cadExecutor(&cadFlags{requests: requests})
	if err != nil {
		t.Fatal(err)
	}
	return executor, func(name, args string) gongu.Result {
		ctx, err := cadContext(t.Context(), defaultInstance)
		if err != nil {
			t.Fatal(err)
		}
		return executor.Call(ctx, gongu.Call{Name: name, Args: json.RawMessage(args)})
	}
}

func into(t *testing.T, r gongu.Result, v any) {
	t.Helper()
	if err := json.Unmarshal(r.Output, v); err != nil {
		t.Fatalf("%v in %s %+v", err, r.Output, r.Error)
	}
}

type listedTool struct {
	Name, Description string
}

func TestSeed000AC1ToolsOfADomain(t *testing.T) {
	executor, call := seed000(t, filepath.Join(t.TempDir(), "r.json"))
	var list struct {
		Domain *string
		Tools  []listedTool
	}
	into(t, call("list_tools", `{"domain":"primitives"}`), &list)
	want := []listedTool{
		{"draw_rect", "직사각형을 그립니다"}, {"draw_circle", "원을 그립니다"},
		{"draw_line", "선분/폴리라인을 그립니다"}, {"draw_arc", "호를 그립니다"},
	}
	if list.Domain == nil || *list.Domain != "primitives" || !slices.Equal(list.Tools, want) {
		t.Errorf("%+v", list)
	}
	result := call("list_tools", `{}`)
	into(t, result, &list)
	if !strings.HasPrefix(string(result.Output), `{"domain":null,`) || len(list.Tools) != len(executor.Catalog().Callable()) {
		t.Errorf("all: %d tools, %s", len(list.Tools), result.Output)
	}
}

func TestSeed000AC2Domains(t *testing.T) {
	executor, call := seed000(t, filepath.Join(t.TempDir(), "r.json"))
	var domains []gongu.Domain
	into(t, call("list_domains", `{}`), &domains)
	for _, want := range []gongu.Domain{
		{Name: "primitives", Count: 4, Description: "기본 도형 그리기"},
		{Name: "style", Count: 4, Description: "스타일 설정"},
		{Name: "query", Count: 3, Description: "씬 상태 조회"},
		{Name: "export", Count: 2, Description: "씬 내보내기"},
		{Name: "registry", Count: len(executor.Catalog().Callable()) - 19, Description: "도구 탐색 및 요청"},
	} {
		if !slices.Contains(domains, want) {
			t.Errorf("no %+v in %+v", want, domains)
		}
	}
}

func TestSeed000AC3Schema(t *testing.T) {
	_, call := seed000(t, filepath.Join(t.TempDir(), "r.json"))
	type property struct{ Type, Description string }
	var tool struct {
		Name, Description string
		Parameters        struct {
			Type       string
			Properties map[string]property
			Required   []string
		}
	}
	into(t, call("get_tool_schema", `{"name":"draw_rect"}`), &tool)
	p := tool.Parameters
	if tool.Name != "draw_rect" || tool.Description != "직사각형을 그립니다" || p.Type != "object" ||
		p.Properties["name"] != (property{"string", "엔티티 이름"}) || p.Properties["x"] != (property{"number", "X 좌표"}) ||
		!slices.Equal(p.Required, []string{"name", "x", "y", "width", "height"}) {
		t.Errorf("%+v", tool)
	}
}

func TestSeed000AC4Request(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tool-requests.json")
	_, call := seed000(t, file)
	var answer struct {
		RequestID string `json:"request_id"`
		Status    string
		Message   string
	}
	into(t, call("request_tool", `{"name":"draw_rounded_rect","description":"모서리가 둥근 직사각형","rationale":"가구 모서리 표현에 필요","suggested_params":["x","y","width","height","corner_radius"]}`), &answer)
	if answer.RequestID != "req_001" || answer.Status != "queued" || answer.Message != "도구 요청이 등록되었습니다. 개발자 검토 후 추가됩니다." {
		t.Errorf("%+v", answer)
	}
	// Task 3.3: the file; Task 3.5: a new process reads it.
	if raw, err := os.ReadFile(file); err != nil || !strings.Contains(string(raw), `"name": "draw_rounded_rect"`) {
		t.Errorf("%s, %v", raw, err)
	}
	_, again := seed000(t, file)
	var list struct{ Requests []struct{ ID, Name string } }
	into(t, again("list_tool_requests", `{}`), &list)
	if len(list.Requests) != 1 || list.Requests[0].Name != "draw_rounded_rect" {
		t.Errorf("%+v", list)
	}
}

func TestSeed000AC5UnknownTool(t *testing.T) {
	_, call := seed000(t, filepath.Join(t.TempDir(), "r.json"))
	r := call("get_tool_schema", `{"name":"draw_rectangle"}`)
	if !r.Failed() || r.Error.Message != "Tool 'draw_rectangle' not found" || string(r.Output) != `{"suggestions":["draw_rect"]}` {
		t.Errorf("%s %+v", r.Output, r.Error)
	}
}
