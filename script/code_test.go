package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/script"
)

func newCode(tb testing.TB, opts script.CodeOptions) *script.Code {
	tb.Helper()
	opts.Child = self()
	if opts.Logger == nil {
		opts.Logger = quiet()
	}
	c := script.NewCode(&opts)
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

// codeTools are what the code of these tests may call.
func codeTools() []script.Binding {
	return []script.Binding{{Name: "add"}, {Name: "draw_rect"}, {Name: "file-system__read"}, {Name: "wait"}, {Name: "fails"}}
}

func callTool(ctx context.Context, name string, args json.RawMessage) gongu.Result {
	switch name {
	case "add":
		var in struct{ A, B float64 }
		if err := json.Unmarshal(args, &in); err != nil {
			return gongu.Fail(err)
		}
		return gongu.OK(in.A + in.B)
	case "wait":
		<-ctx.Done()
		return gongu.Fail(ctx.Err())
	case "fails":
		return gongu.Fail(&gongu.Error{Code: "E_DENIED_HERE", Name: "Denied", Message: "not today", Suggestion: "ask tomorrow"})
	}
	out := gongu.OK(map[string]any{"tool": name, "args": args})
	out.ToolCallID = "own_" + name
	return out
}

func runCode(tb testing.TB, c *script.Code, source string) (script.CodeResult, *gongu.Error) {
	tb.Helper()
	return c.Run(tb.Context(), source, codeTools(), callTool)
}

// TestCode_Values: what code gives back.
func TestCode_Values(t *testing.T) {
	c := newCode(t, script.CodeOptions{Warm: true})
	for source, want := range map[string]string{
		"return 1 + 2":               "3",
		"1 + 2":                      "3",
		"const x: number = 4; x * 2": "8",
		"const x = await tools.add({ a: 1, b: 2 });\nx":            "3",
		"await tools.add({ a: 1, b: 2 })":                          "3",
		"const a = await tools.add({ a: 1 , b: 1 }); return { a }": `{"a":2}`,
		"if (true) return 'early';\n'late'":                        `"early"`,
		"if (false) return 'early';\n'late'":                       `"late"`,
		"":                                                         "",
		"// only a comment":                                        "null",
		"const x = 1;":                                             "null",
		"return":                                                   "null",
		"const s = `a\nreal text\nb`;\ns.length":                   "13",
		"const s = `\nnot an expression`;":                         "null",
		"[1, 2, 3].map((x) => {\n  return x * 2;\n})":              "[2,4,6]",
		"({ a: 1 })":                                               `{"a":1}`,
		"interface P { x: number }\nconst p: P = { x: 1 };\nenum E { A = 5 }\np.x + E.A": "6",
		"for (const x of [1]) x;":                                                  "null",
		"function f() { return 1 }\nf()":                                           "1",
		"async function f() { return 1 }\nf()":                                     "1",
		"label: for (;;) break label;":                                             "null",
		"new Date(0)":                                                              `"1970-01-01T00:00:00.000Z"`,
		"await new Promise((r) => setTimeout(r, 5)); 'later'":                      `"later"`,
		`await tools["file-system__read"]({ path: "x" })`:                          `{"args":{"path":"x"},"tool":"file-system__read"}`,
		"(await Promise.all([1, 2, 3].map((a) => tools.add({ a, b: a })))).join()": `"2,4,6"`,
		"Object.keys(tools).join()":                                                `"add,draw_rect,file-system__read,wait,fails"`,
		"'draw_rect' in tools":                                                     "true",
		"typeof tools.add":                                                         `"function"`,
		"await tools; 1":                                                           "1",
	} {
		result, err := runCode(t, c, source)
		if source == "" {
			if err == nil || err.Code != gongu.CodeInvalidArgs {
				t.Errorf("empty: %+v", err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %+v", source, *err)
			continue
		}
		if got := string(result.Value); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", source, got, want)
		}
	}
}

// TestCode_Errors: what is wrong, the line of the model's own source, and a way
// out.
func TestCode_Errors(t *testing.T) {
	c := newCode(t, script.CodeOptions{Warm: true, MaxOutput: 1000})
	for _, test := range []struct {
		source, code string
		line         int
		parts        []string
	}{
		{"const a = 1;\nawait tools.draw_rct({});", gongu.CodeNotInCatalog, 2, []string{`no tool "draw_rct"`, "Did you mean tools.draw_rect?", "Line 2"}},
		{"tools.file_system__read({})", gongu.CodeNotInCatalog, 1, []string{`tools["file-system__read"]`}},
		{"const a = 1;\n\ndraw_rect({})", gongu.CodeTool, 3, []string{"draw_rect", "use tools.draw_rect", "Line 3"}},
		{"fetch('http://x')", gongu.CodeTool, 1, []string{"fetch", "nothing beside tools"}},
		{"const a = 1;\nconst b = ;\n", gongu.CodeTool, 2, []string{"Line 2", "Unexpected \";\""}},
		{"const a = 1;\nconst a = 2;\n", gongu.CodeTool, 2, []string{"Line 2", "already been declared"}},
		{"type X = string;\nlet y: X = 'a';\nthrow new Error('my own ' + y);", gongu.CodeTool, 3, []string{"my own a", "Line 3"}},
		{"const f = () => {\n  null.x;\n};\nf();", gongu.CodeTool, 2, []string{"Line 2"}},
		{"await tools.fails({ a: 1 });", "E_DENIED_HERE", 1, []string{"not today", "ask tomorrow", "Line 1"}},
		{"import fs from 'fs';\nreturn fs;", gongu.CodeTool, 1, []string{"cannot import"}},
		{"export default 5", gongu.CodeTool, 1, []string{"write return"}},
		{"return 'x'.repeat(5000)", gongu.CodeOutputTooLarge, 0, []string{"1000", "summary"}},
		{"return { f: () => 1 }", gongu.CodeTool, 0, []string{"output.f is a function"}},
		{"await tools.add({ f: () => 1 })", gongu.CodeTool, 1, []string{"args.f is a function"}},
		{"await tools.add(1)", gongu.CodeTool, 1, []string{"one object"}},
		{"await tools.add({}, {})", gongu.CodeTool, 1, []string{"one object"}},
		{"await tools.add([])", gongu.CodeTool, 1, []string{"one object"}},
		{"await new Promise(() => {})", gongu.CodeTool, 0, []string{"nothing is under way"}},
		{"tools.x = 1", gongu.CodeTool, 1, []string{"cannot be changed"}},
	} {
		result, err := runCode(t, c, test.source)
		if err == nil {
			t.Errorf("%s gave %s", test.source, result.Value)
			continue
		}
		if err.Code != test.code || result.Line != test.line || result.Value != nil {
			t.Errorf("%s: line %d, %+v", test.source, result.Line, *err)
		}
		wantPart(t, err.Message+" "+err.Suggestion, test.parts...)
	}
}

// TestCode_ToolErrors: a failing call rejects with an Error that has what the
// result says, and code may go on.
func TestCode_ToolErrors(t *testing.T) {
	c := newCode(t, script.CodeOptions{})
	result, err := runCode(t, c, `try { await tools.fails() } catch (e) { return [e instanceof Error, e.name, e.code, e.message, e.suggestion] }`)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, string(result.Value), `[true,"Denied","E_DENIED_HERE","not today","ask tomorrow"]`)
	if len(result.Calls) != 1 || result.Calls[0].Status != "error" || result.Calls[0].Code != "E_DENIED_HERE" {
		t.Errorf("%+v", result.Calls)
	}
	if _, err := c.Run(t.Context(), "tools.boom()", []script.Binding{{Name: "boom"}}, func(context.Context, string, json.RawMessage) gongu.Result { panic("no") }); err == nil || err.Code != gongu.CodePanic {
		t.Errorf("%+v", err)
	}
}

// TestCode_Record: the log and the calls of a run, also of one that failed.
func TestCode_Record(t *testing.T) {
	c := newCode(t, script.CodeOptions{MaxLog: 3})
	result, err := runCode(t, c, `console.log('one', { a: 1 }); console.error('two');
		await tools.add({ a: 1, b: 2 }); await tools.draw_rect({ x: 1 });
		for (let i = 0; i < 100; i++) console.log('more ' + i);
		throw new Error('in the end');`)
	if err == nil || err.Message != "in the end" {
		t.Fatalf("%+v", err)
	}
	if len(result.Log) != 4 || result.Log[0] != "one {a: 1}" || result.Log[1] != "two" || result.Log[2] != "more 0" || !strings.Contains(result.Log[3], "left out") {
		t.Errorf("%q", result.Log)
	}
	if len(result.Calls) != 2 || result.Calls[0].ID != "call_1" || result.Calls[0].Status != "ok" || result.Calls[1].ID != "own_draw_rect" || result.Calls[1].Name != "draw_rect" {
		t.Errorf("%+v", result.Calls)
	}
}

// TestCode_InFlight: calls run at a time, up to the limit.
func TestCode_InFlight(t *testing.T) {
	c := newCode(t, script.CodeOptions{MaxInFlight: 4})
	var now, most atomic.Int64
	var barrier sync.WaitGroup
	barrier.Add(4)
	slow := func(context.Context, string, json.RawMessage) gongu.Result {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		barrier.Done()
		barrier.Wait()
		return gongu.OK(1)
	}
	result, err := c.Run(t.Context(), `
		const all = await Promise.allSettled(Array.from({ length: 6 }, () => new Promise((r) => r(tools.add({})))));
		return all.map((x) => x.status === 'fulfilled' ? 'ok' : x.reason.message)`, codeTools(), slow)
	if err != nil {
		t.Fatal(*err)
	}
	if most.Load() != 4 || strings.Count(string(result.Value), `"ok"`) != 4 || strings.Count(string(result.Value), "which is the limit") != 2 {
		t.Errorf("%d at a time, %s", most.Load(), result.Value)
	}
}

// TestCode_Ends: a run ends with its context, its time and the runner.
func TestCode_Ends(t *testing.T) {
	c := newCode(t, script.CodeOptions{Timeout: time.Minute})
	ctx, cancel := context.WithCancel(t.Context())
	result, err := c.Run(ctx, "await tools.wait()", codeTools(), func(ctx context.Context, name string, args json.RawMessage) gongu.Result {
		cancel()
		return callTool(ctx, name, args)
	})
	if err == nil || err.Code != gongu.CodeCancelled || len(result.Calls) != 1 {
		t.Errorf("%+v %+v", err, result)
	}
	hasty := newCode(t, script.CodeOptions{Timeout: hostileLimit})
	if _, err := runCode(t, hasty, "await tools.wait()"); err == nil || err.Code != gongu.CodeTimeout {
		t.Errorf("%+v", err)
	}
	if _, err := c.Run(ctx, "1", codeTools(), callTool); err == nil || err.Code != gongu.CodeCancelled {
		t.Errorf("%+v", err)
	}
	// What nobody waits for is cancelled with the run.
	ended := make(chan error, 1)
	if _, err := c.Run(t.Context(), "tools.add(); return 1", codeTools(), func(ctx context.Context, _ string, _ json.RawMessage) gongu.Result {
		<-ctx.Done()
		ended <- ctx.Err()
		return gongu.Fail(ctx.Err())
	}); err != nil {
		t.Errorf("%+v", *err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	default: // the code ended before its call was made
	}
	go c.Close()
	if _, err := runCode(t, c, "for (;;);"); err == nil {
		t.Error("a closed runner runs")
	}
	if _, err := runCode(t, c, "1"); err == nil || err.Code != gongu.CodeUnavailable {
		t.Errorf("%+v", err)
	}
	none := script.NewCode(nil)
	if _, err := none.Run(t.Context(), "1", nil, callTool); err == nil || err.Code != gongu.CodeUnavailable {
		t.Errorf("%+v", err)
	}
}

// TestCode_Language: messages in Korean.
func TestCode_Language(t *testing.T) {
	c := newCode(t, script.CodeOptions{Lang: "ko"})
	_, err := runCode(t, c, "tools.draw_rct()")
	if err == nil {
		t.Fatal("it ran")
	}
	wantPart(t, err.Message+err.Suggestion, `도구 "draw_rct"이(가) 없습니다`, "tools.draw_rect", "코드 1행")
}

// TestCode_Parallel: runs do not meet.
func TestCode_Parallel(t *testing.T) {
	c := newCode(t, script.CodeOptions{Warm: true})
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			result, err := runCode(t, c, fmt.Sprintf("globalThis.x = (globalThis.x ?? 0) + 1; return [x, await tools.add({ a: %d, b: 1 })]", i))
			if err != nil {
				t.Errorf("%+v", *err)
				return
			}
			wantText(t, string(result.Value), fmt.Sprintf("[1,%d]", i+1))
		})
	}
	wg.Wait()
}
