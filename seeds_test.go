package gongu_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu"
)

// Seed 001 §5.1 and §6.2: the names it prints are built and parsed.
func TestSeed001_PrintedNames(t *testing.T) {
	for _, tc := range [][3]string{
		{"bash", "exec", "bash__exec"}, {"bash", "script", "bash__script"},
		{"file-system", "read", "file-system__read"}, {"file-system", "write", "file-system__write"},
		{"http-fetch", "get", "http-fetch__get"}, {"http-fetch", "post", "http-fetch__post"},
		{"slack", "list-channels", "slack__list-channels"}, {"slack", "post_message", "slack__post_message"},
	} {
		built, err := gongu.BuildName(tc[0], tc[1])
		if err != nil || built != tc[2] {
			t.Errorf("BuildName(%q, %q) = %q, %v, want %q", tc[0], tc[1], built, err, tc[2])
		}
		if resource, export, ok := gongu.ParseName(tc[2]); !ok || resource != tc[0] || export != tc[1] {
			t.Errorf("ParseName(%q) = %q, %q, %v", tc[2], resource, export, ok)
		}
	}
}

// Seed 001 §5.3: what was built parses back to its parts.
func TestSeed001_BuildThenParse(t *testing.T) {
	part := rapid.StringMatching(`[A-Za-z0-9_-]{1,31}`)
	rapid.Check(t, func(rt *rapid.T) {
		resource, export := part.Draw(rt, "resource"), part.Draw(rt, "export")
		name, err := gongu.BuildName(resource, export)
		if err != nil {
			return
		}
		gotResource, gotExport, ok := gongu.ParseName(name)
		if !ok || gotResource != resource || gotExport != export {
			rt.Fatalf("%q + %q = %q, which parses to %q, %q, %v", resource, export, name, gotResource, gotExport, ok)
		}
	})
}

// Seed 001 §8.2, §10.1, §13.1: the JSON names of calls, errors and sources.
func TestSeed001_JSONNames(t *testing.T) {
	for want, value := range map[string]any{
		`{"id":"1","name":"a__b","args":{"x":1}}`: gongu.Call{ID: "1", Name: "a__b", Args: json.RawMessage(`{"x":1}`)},
		`{"message":"m"}`:                         &gongu.Error{Message: "m"},
		`{"message":"m","name":"n","code":"c","suggestion":"s","helpUrl":"h"}`:                      &gongu.Error{Message: "m", Name: "n", Code: "c", Suggestion: "s", HelpURL: "h"},
		`{"type":"config","name":"bash"}`:                                                           gongu.Source{Type: "config", Name: "bash"},
		`{"type":"extension","name":"weather-ext"}`:                                                 gongu.Source{Type: "extension", Name: "weather-ext"},
		`{"type":"mcp","name":"mcp-github","mcp":{"extensionName":"mcp-github"}}`:                   gongu.Source{Type: "mcp", Name: "mcp-github", MCP: &gongu.MCPSource{ExtensionName: "mcp-github"}},
		`{"type":"mcp","name":"g","mcp":{"extensionName":"e","serverName":"s"}}`:                    gongu.Source{Type: "mcp", Name: "g", MCP: &gongu.MCPSource{ExtensionName: "e", ServerName: "s"}},
		`{"toolCallId":"1","toolName":"t","status":"error","error":{"message":"m"}}`:                gongu.Result{ToolCallID: "1", ToolName: "t", Status: gongu.StatusError, Error: &gongu.Error{Message: "m"}},
		`{"toolCallId":"1","toolName":"t","status":"ok","output":2,"content":[],"_meta":{}}`:        gongu.Result{ToolCallID: "1", ToolName: "t", Status: gongu.StatusOK, Output: json.RawMessage(`2`), Content: json.RawMessage(`[]`), Meta: json.RawMessage(`{}`), CatalogRevision: 7},
		`{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`: gongu.Annotations{ReadOnly: new(true), Destructive: new(false), Idempotent: new(true), OpenWorld: new(false)},
		`{"domain":"style","count":4,"description":"스타일 설정"}`:                                       gongu.Domain{Name: "style", Count: 4, Description: "스타일 설정"},
	} {
		raw, err := json.Marshal(value)
		if err != nil || string(raw) != want {
			t.Errorf("%T = %s, %v, want %s", value, raw, err, want)
		}
	}
	var back gongu.Call
	if err := json.Unmarshal([]byte(`{"id":"1","name":"n","args":{"b":1,"a":2}}`), &back); err != nil || string(back.Args) != `{"b":1,"a":2}` {
		t.Errorf("call = %+v, %v", back, err)
	}
}

// Seed 000 task 1.1, mended: a registry is a value; two know nothing of each
// other.
func TestSeed000_NoSingleton(t *testing.T) {
	first, second := newRegistry(t, tool("a")), newRegistry(t)
	if second.Has("a") || !first.Has("a") {
		t.Error("two registries share their tools")
	}
}

// Seed 000, ToolDomain: the tools of a domain in the order they came.
func TestSeed000_DomainsKeepOrder(t *testing.T) {
	r := newRegistry(t)
	for _, name := range []string{"draw_rect", "set_fill", "draw_circle", "draw_line", "draw_arc"} {
		shape := tool(name)
		shape.Domain = map[bool]string{true: "primitives", false: "style"}[strings.HasPrefix(name, "draw")]
		if err := r.Add(shape); err != nil {
			t.Fatal(err)
		}
	}
	wantNames(t, r.InDomain("primitives"), "draw_rect", "draw_circle", "draw_line", "draw_arc")
	if got := gongu.Everything(r).Near("draw_rectangle"); len(got) != 1 || got[0] != "draw_rect" {
		t.Errorf("AC5: near draw_rectangle is %v, want exactly draw_rect", got)
	}
}

// Seed 004, restricted(): the view knows nothing else by any door, and follows
// the registry it was made from.
func TestSeed004_RestrictedFollowsItsParent(t *testing.T) {
	r := newRegistry(t, tool("a"), tool("b"))
	view := r.Restrict("a")
	if _, ok := view.Get("b"); ok {
		t.Error("Get gives b")
	}
	wantNames(t, gongu.Everything(view).Visible(), "a")
	other := tool("a")
	other.Description = "Replaced."
	if err := r.Add(other); err != nil {
		t.Fatal(err)
	}
	if got, _ := view.Get("a"); got.Description != "Replaced." {
		t.Error("a replaced tool is not replaced in the view")
	}
	r.Remove("a")
	if view.Has("a") || view.Len() != 0 {
		t.Error("a removed tool is still in the view")
	}
}

// Seed 002 §4: every kind of source is called alike.
func TestSeed002_AllSourcesAlike(t *testing.T) {
	var tools []gongu.Tool
	for _, kind := range []string{"go", "config", "extension", "mcp", "command", "macro"} {
		one := tool(kind + "__run")
		one.Source = gongu.Source{Type: kind, Name: kind}
		tools = append(tools, one)
	}
	e := newExecutor(t, nil, tools...)
	for _, one := range tools {
		wantOK(t, run(t, e, one.Name, `{"x":1}`), `{"x":1}`)
	}
}

// Seed 001 §8.1: what a middleware makes of the result is the result.
func TestSeed001_MiddlewareChangesTheResult(t *testing.T) {
	wrap := func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			result := next(ctx, call)
			return gongu.OK(map[string]any{"wrapped": result.Output})
		}
	}
	e := newExecutor(t, &gongu.ExecutorOptions{Middleware: []gongu.Middleware{wrap}}, tool("t"))
	wantOK(t, run(t, e, "t", `{"x":1}`), `{"wrapped":{"x":1}}`)
}

// Seed 003's third status does not exist: a handler that claims it has
// returned, and so it is ok.
func TestSeed003_NoPending(t *testing.T) {
	e := newExecutor(t, nil, handled("t", "", func(context.Context, gongu.Call) gongu.Result {
		return gongu.Result{Status: "pending", Output: json.RawMessage(`1`)}
	}))
	if result := run(t, e, "t", `{}`); result.Status != gongu.StatusOK {
		t.Errorf("status = %s", result.Status)
	}
}

// Seed 001 §10.4, in characters: one over the limit is cut, an emoji is one.
func TestSeed001_TruncationCountsCharacters(t *testing.T) {
	for length, want := range map[int]string{50: strings.Repeat("😀", 50), 51: strings.Repeat("😀", 35) + "... (truncated)"} {
		bad := failing("t", fmt.Errorf("%s", strings.Repeat("😀", length)))
		bad.Limits.ErrorMessage = 50
		if got := wantCode(t, run(t, newExecutor(t, nil, bad), "t", `{}`), gongu.CodeTool); got.Message != want {
			t.Errorf("%d emoji became %q", length, got.Message)
		}
	}
}

// Seed 001 §7.3: what a handler logs says whose it is.
func TestSeed001_LoggerNamesTheCall(t *testing.T) {
	var log strings.Builder
	e := newExecutor(t, &gongu.ExecutorOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}, handled("t", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		gongu.ContextOf(ctx).Logger.Info("working")
		return gongu.OK(1)
	}))
	run(t, e, "t", `{}`)
	if !strings.Contains(log.String(), "msg=working tool=t toolCallId=c1") {
		t.Errorf("log = %s", log.String())
	}
}

// Seed 003's example under its legal name.
func TestSeed003_CalcAdd(t *testing.T) {
	e := newExecutor(t, nil, gongu.Func("calc__add", "Adds.", func(_ context.Context, in struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}) (map[string]float64, error) {
		return map[string]float64{"result": in.A + in.B}, nil
	}))
	wantOK(t, run(t, e, "calc__add", `{"a":1,"b":2}`), `{"result":3}`)
}

// Seed 004's ReadFileTool reads a file that is there, and says path and reason
// for one that is not.
func TestSeed004_ReadFileTool(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("안녕\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := newExecutor(t, nil, readFileTool{}.tool())
	args := func(p string) string { raw, _ := json.Marshal(map[string]string{"path": p}); return string(raw) }
	wantOK(t, run(t, e, "read_file", args(path)), `"안녕\n"`)
	missing := wantCode(t, run(t, e, "read_file", args(path+"x")), gongu.CodeTool)
	if diff := cmp.Diff("파일 읽기 실패: "+path+"x: no such file or directory", missing.Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}
