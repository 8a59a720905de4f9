package gongu_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu"
)

var allCodes = []string{
	gongu.CodeTool, gongu.CodeNotFound, gongu.CodeNotInCatalog, gongu.CodeInvalidArgs, gongu.CodeTimeout, gongu.CodeCancelled, gongu.CodePanic,
	gongu.CodeOutputTooLarge, gongu.CodeDenied, gongu.CodeRejected, gongu.CodeQuarantined, gongu.CodeChanged, gongu.CodeUnavailable, gongu.CodeOutcomeUnknown,
}

// H2: each code has a name, a suggestion in both languages, a help address and
// a page.
func TestH2_Codes(t *testing.T) {
	seen := map[string]string{}
	for _, code := range allCodes {
		page, err := os.ReadFile(filepath.Join("docs", "errors", code+".md"))
		if err != nil || !strings.HasPrefix(string(page), "# "+code) {
			t.Errorf("docs/errors/%s.md: %v", code, err)
		}
		for _, language := range []string{"en", "ko"} {
			e := newExecutor(t, &gongu.ExecutorOptions{Lang: language, HelpBase: "https://example.com/e"}, failing("t", &gongu.Error{Code: code, Message: "m"}))
			got := wantCode(t, run(t, e, "t", `{}`), code)
			if got.Name == "" || got.HelpURL != "https://example.com/e/"+code {
				t.Errorf("%s = %+v", code, got)
			}
			if code == gongu.CodeInvalidArgs {
				continue // its suggestion is about one schema
			}
			if got.Suggestion == "" || seen[got.Suggestion] != "" {
				t.Errorf("%s/%s: suggestion %q is empty or that of %s", code, language, got.Suggestion, seen[got.Suggestion])
			}
			seen[got.Suggestion] = code
		}
	}
	plain := wantCode(t, run(t, newExecutor(t, nil, failing("t", errors.New("broke"))), "t", `{}`), gongu.CodeTool)
	want := &gongu.Error{Message: "broke", Name: "Error", Code: "E_TOOL", Suggestion: "Check the input parameters.", HelpURL: "https://gongu-ai.github.io/gongu/errors/E_TOOL"}
	if diff := cmp.Diff(want, plain, cmp.Transformer("json", func(e *gongu.Error) string { raw, _ := json.Marshal(e); return string(raw) })); diff != "" {
		t.Errorf("an error without a code (-want +got):\n%s", diff)
	}
	own := wantCode(t, run(t, newExecutor(t, nil, failing("t", &gongu.Error{Code: "E_MINE", Message: "m"})), "t", `{}`), "E_MINE")
	if own.HelpURL != "" {
		t.Errorf("a code of the tool's own was sent to our pages: %s", own.HelpURL)
	}
}

// H3 and goondan case 1: seed 001 §9.2 to the letter, near names behind it.
func TestH3_NotInCatalog(t *testing.T) {
	const message = "Tool 'unknown__action' is not available in the current Tool Catalog."
	for language, suggestion := range map[string]string{
		"en": "Add the tool to spec.tools of the agent, or register it dynamically in step middleware.",
		"ko": "Agent 구성의 spec.tools에 해당 도구를 추가하거나, step 미들웨어에서 동적으로 등록하세요.",
	} {
		e := newExecutor(t, &gongu.ExecutorOptions{Lang: language}, tool("bash__exec"))
		got := wantCode(t, run(t, e, "unknown__action", `{}`), "E_TOOL_NOT_IN_CATALOG")
		if got.Message != message || got.Suggestion != suggestion || got.Name != "ToolNotInCatalogError" {
			t.Errorf("%s: %+v", language, got)
		}
		close := wantCode(t, run(t, e, "bash__exe", `{}`), gongu.CodeNotInCatalog)
		if !strings.HasPrefix(close.Suggestion, suggestion) || !strings.Contains(close.Suggestion, "bash__exec") {
			t.Errorf("%s: near names: %s", language, close.Suggestion)
		}
	}
}

// H12, case 29: an output over the cap is cut at a rune, marked, and kept where
// somebody keeps it; so is a middleware's own answer.
func TestH12_OutputCap(t *testing.T) {
	type cut struct {
		Truncated bool
		Bytes     int
		Preview   string
		Path      string
	}
	read := func(r gongu.Result) cut {
		t.Helper()
		if r.Failed() {
			t.Fatalf("%+v", r.Error)
		}
		var c cut
		if err := json.Unmarshal(r.Output, &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	huge := handled("huge", "", func(context.Context, gongu.Call) gongu.Result { return gongu.OK(strings.Repeat("가", 20<<20)) })
	object := handled("object", "", func(context.Context, gongu.Call) gongu.Result {
		return gongu.OK(map[string]string{"a": strings.Repeat("x", 200)})
	})
	object.Limits.Output = 100
	pictures := handled("pictures", "", func(context.Context, gongu.Call) gongu.Result {
		return gongu.OK("small").With(gongu.Content{Type: "image", MIMEType: "image/png", Data: make([]byte, 2<<20)})
	})
	var kept []byte
	e := newExecutor(t, &gongu.ExecutorOptions{Spill: func(_ context.Context, call gongu.Call, output []byte) (string, error) {
		kept = output
		return "spill/" + call.ID, nil
	}}, huge, object, pictures)

	got := read(run(t, e, "huge", `{}`))
	if !got.Truncated || got.Bytes != 60<<20+2 || got.Path != "spill/c1" || !utf8.ValidString(got.Preview) || strings.Trim(got.Preview, "가") != "" || got.Preview == "" {
		t.Errorf("60 MB became bytes %d, path %q, preview of %d", got.Bytes, got.Path, len(got.Preview))
	}
	if len(kept) != 60<<20+2 {
		t.Errorf("%d bytes were kept", len(kept))
	}
	if got := read(run(t, e, "object", `{}`)); got.Bytes != 208 || !strings.HasPrefix(got.Preview, `{"a":"xxx`) || len(got.Preview) > 100 {
		t.Errorf("object: %+v", got)
	}
	result := run(t, e, "pictures", `{}`)
	if got := read(result); got.Bytes < 2<<20 || result.Content != nil {
		t.Errorf("pictures: %+v", got)
	}
	answers := func(gongu.Invoke) gongu.Invoke {
		return func(context.Context, gongu.Call) gongu.Result { return gongu.OK(strings.Repeat("y", 2<<20)) }
	}
	short := newExecutor(t, &gongu.ExecutorOptions{Middleware: []gongu.Middleware{answers}}, tool("t"))
	if got := read(run(t, short, "t", `{}`)); !got.Truncated || got.Path != "" {
		t.Errorf("a middleware's own answer: %+v", got)
	}
	fails := newExecutor(t, &gongu.ExecutorOptions{Spill: func(context.Context, gongu.Call, []byte) (string, error) { panic("disk full") }}, huge)
	if got := read(run(t, fails, "huge", `{}`)); !got.Truncated || got.Path != "" {
		t.Errorf("with a broken spill: %+v", got)
	}
}

// Nothing escapes: whatever a handler or a middleware throws is a result, and
// the next call works (goondan cases 14, 30, 47, 53).
func TestNothingEscapes(t *testing.T) {
	type thrown struct{ Message, Code string }
	crash := map[string]struct {
		do            func()
		message, code string
	}{
		"string":  {func() { panic("boom") }, "boom", gongu.CodePanic},
		"error":   {func() { panic(errors.New("broke")) }, "broke", gongu.CodePanic},
		"coded":   {func() { panic(&gongu.Error{Message: "m", Code: "E_X"}) }, "m", "E_X"},
		"struct":  {func() { panic(map[string]any{"message": "said", "code": "E_Y", "suggestion": 5}) }, "said", "E_Y"},
		"any":     {func() { panic(thrown{"x", "y"}) }, "{Message:x Code:y}", gongu.CodePanic},
		"number":  {func() { panic(42) }, "42", gongu.CodePanic},
		"runtime": {func() { none := []int{}; none[len(none)]++ }, "runtime error: index out of range", gongu.CodePanic},
		"nil":     {func() { panic(nil) }, "panic called with nil argument", gongu.CodePanic},
		"exit":    {func() { runtime.Goexit() }, "Tool 't' crashed: the handler ended its goroutine", gongu.CodePanic},
	}
	for name, tc := range crash {
		t.Run(name, func(t *testing.T) {
			broken := true
			e := newExecutor(t, nil, handled("t", "", func(context.Context, gongu.Call) gongu.Result {
				if broken {
					tc.do()
				}
				return gongu.OK("fine")
			}))
			if got := wantCode(t, run(t, e, "t", `{}`), tc.code); !strings.HasPrefix(got.Message, tc.message) {
				t.Errorf("message = %q, want %q", got.Message, tc.message)
			}
			broken = false
			wantOK(t, run(t, e, "t", `{}`), `"fine"`)
			if name == "exit" {
				return // a middleware runs on the caller's own goroutine
			}
			throws := func(gongu.Invoke) gongu.Invoke {
				return func(context.Context, gongu.Call) gongu.Result { tc.do(); return gongu.Result{} }
			}
			remove := e.Use(0, throws)
			wantCode(t, run(t, e, "t", `{}`), tc.code)
			remove()
			wantOK(t, run(t, e, "t", `{}`), `"fine"`)
		})
	}
}

// A handler's answer is made sound: a broken output, a status without its
// error, an error with a status ok.
func TestUnsoundResults(t *testing.T) {
	for name, tc := range map[string]struct {
		result gongu.Result
		want   string
	}{
		"broken output":  {gongu.Result{Output: json.RawMessage(`{"a":`)}, "returned output that is not JSON"},
		"broken content": {gongu.Result{Content: json.RawMessage(`{}`)}, "returned output that is not JSON"},
		"broken meta":    {gongu.Result{Meta: json.RawMessage(`[]`)}, "returned output that is not JSON"},
		"no error":       {gongu.Result{Status: gongu.StatusError}, "without saying which"},
		"lying status":   {gongu.Result{Status: gongu.StatusOK, Error: &gongu.Error{Message: "really"}}, "really"},
		"empty message":  {gongu.Fail(&gongu.Error{}), "The tool failed."},
		"cannot encode":  {gongu.OK(func() {}), "unsupported type"},
	} {
		e := newExecutor(t, nil, handled("t", "", func(context.Context, gongu.Call) gongu.Result { return tc.result }))
		result := run(t, e, "t", `{}`)
		if got := wantCode(t, result, gongu.CodeTool); !strings.Contains(got.Message, tc.want) || result.Status != gongu.StatusError {
			t.Errorf("%s: %q", name, got.Message)
		}
	}
	e := newExecutor(t, nil, handled("t", "", func(context.Context, gongu.Call) gongu.Result { return gongu.Result{} }))
	wantOK(t, run(t, e, "t", `{}`), `null`)
}

// Timeouts and cancellation answer at once, also for a handler that does not
// listen, and its context is cancelled (goondan case 28, W13).
func TestTimeoutAndCancel(t *testing.T) {
	release := make(chan struct{})
	stopped := make(chan error, 2)
	deaf := handled("deaf", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		<-release
		stopped <- ctx.Err()
		return gongu.OK(1)
	})
	deaf.Limits.Timeout = 20 * time.Millisecond
	polite := handled("polite", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		<-ctx.Done()
		return gongu.Fail(fmt.Errorf("stopped: %w", ctx.Err()))
	})
	polite.Limits.Timeout = 20 * time.Millisecond
	unlimited := handled("unlimited", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		if _, limited := ctx.Deadline(); limited {
			return gongu.Fail(errors.New("there is a deadline"))
		}
		return gongu.OK(1)
	})
	unlimited.Limits.Timeout = -1
	e := newExecutor(t, nil, deaf, polite, unlimited)
	for _, name := range []string{"deaf", "polite"} {
		got := wantCode(t, run(t, e, name, `{}`), gongu.CodeTimeout)
		if want := "Tool '" + name + "' did not finish within 20ms."; got.Message != want {
			t.Errorf("message = %q, want %q", got.Message, want)
		}
	}
	wantOK(t, run(t, e, "unlimited", `{}`), `1`)
	hurried, stop := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer stop()
	got := wantCode(t, e.Call(hurried, gongu.Call{Name: "deaf"}), gongu.CodeTimeout)
	if !strings.HasPrefix(got.Message, "Tool 'deaf' did not finish within ") || strings.Contains(got.Message, "20ms") {
		t.Errorf("the caller's own deadline: %s", got.Message)
	}
	close(release)
	<-stopped
	if err := <-stopped; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the handler's context ended with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waiting := handled("waiting", "", func(ctx context.Context, _ gongu.Call) gongu.Result {
		cancel()
		<-ctx.Done()
		return gongu.Fail(ctx.Err())
	})
	wantCode(t, newExecutor(t, nil, waiting).Call(ctx, gongu.Call{Name: "waiting"}), gongu.CodeCancelled)
	wantCode(t, e.Call(ctx, gongu.Call{Name: "unlimited"}), gongu.CodeCancelled)
}

// An inline handler runs on the caller's goroutine, with the same deadline,
// panic guard and order.
func TestInline(t *testing.T) {
	inline := func(name string, invoke gongu.Invoke) gongu.Tool {
		made := handled(name, "", invoke)
		made.Limits = gongu.Limits{Inline: true, Timeout: 20 * time.Millisecond}
		return made
	}
	var outlived context.Context
	e := newExecutor(t, nil,
		inline("fine", func(ctx context.Context, call gongu.Call) gongu.Result {
			outlived = ctx
			if _, limited := ctx.Deadline(); !limited || ctx.Err() != nil {
				t.Error("no deadline, or already over")
			}
			return gongu.OK(call.ID)
		}),
		inline("slow", func(ctx context.Context, _ gongu.Call) gongu.Result {
			<-ctx.Done()
			return gongu.Fail(ctx.Err())
		}),
		inline("broken", func(context.Context, gongu.Call) gongu.Result { panic("boom") }),
	)
	wantOK(t, run(t, e, "fine", `{}`), `"c1"`)
	if outlived.Err() == nil {
		t.Error("the context lives on after the call")
	}
	<-outlived.Done()
	wantCode(t, run(t, e, "slow", `{}`), gongu.CodeTimeout)
	seen := ""
	e.Use(0, func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			result := next(ctx, call)
			seen = result.Status
			return result
		}
	})
	if got := wantCode(t, run(t, e, "broken", `{}`), gongu.CodePanic); got.Message != "boom" || seen != gongu.StatusError {
		t.Errorf("message %q; the middleware saw status %q", got.Message, seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waits := inline("waits", func(ctx context.Context, _ gongu.Call) gongu.Result {
		cancel()
		<-ctx.Done()
		return gongu.Fail(ctx.Err())
	})
	waits.Limits.Timeout = -1
	wantCode(t, newExecutor(t, nil, waits).Call(ctx, gongu.Call{Name: "waits"}), gongu.CodeCancelled)
}

// Rich content survives beside the output, for errors too.
func TestContentSurvives(t *testing.T) {
	image := gongu.Content{Type: "image", MIMEType: "image/png", Data: []byte{1, 2}}
	e := newExecutor(t, nil,
		handled("ok", "", func(context.Context, gongu.Call) gongu.Result { return gongu.OK("x").With(image) }),
		handled("bad", "", func(context.Context, gongu.Call) gongu.Result {
			r := gongu.Fail(errors.New("no")).With(image)
			r.Meta = json.RawMessage(`{"up":1}`)
			r.Output = json.RawMessage(`{"suggestions":["a"]}`)
			return r
		}))
	const block = `[{"type":"image","data":"AQI=","mimeType":"image/png"}]`
	if r := run(t, e, "ok", `{}`); string(r.Content) != block {
		t.Errorf("content = %s", r.Content)
	}
	if r := run(t, e, "bad", `{}`); string(r.Content) != block || string(r.Meta) != `{"up":1}` || string(r.Output) != `{"suggestions":["a"]}` {
		t.Errorf("result = %+v", r)
	}
}

// Middleware: priority, removal, a second next, a lost context (cases 41, 48).
func TestMiddleware(t *testing.T) {
	var order []string
	ran := 0
	layer := func(name string) gongu.Middleware {
		return func(next gongu.Invoke) gongu.Invoke {
			return func(ctx context.Context, call gongu.Call) gongu.Result {
				order = append(order, name)
				defer func() { order = append(order, name) }()
				return next(ctx, call)
			}
		}
	}
	e := newExecutor(t, nil, handled("t", "", func(context.Context, gongu.Call) gongu.Result { ran++; return gongu.OK(ran) }))
	e.Use(10, layer("A"))
	e.Use(5, layer("B"))
	remove := e.Use(10, layer("C"))
	wantOK(t, run(t, e, "t", `{}`), `1`)
	if got := strings.Join(order, ""); got != "BACCAB" {
		t.Errorf("order = %s, want BACCAB", got)
	}
	remove()
	remove()
	order = nil
	twice := e.Use(0, func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			first, second := next(ctx, call), next(ctx, call)
			if string(first.Output) != string(second.Output) {
				t.Errorf("the second next gave %s after %s", second.Output, first.Output)
			}
			return second
		}
	})
	wantOK(t, run(t, e, "t", `{}`), `2`)
	if got := strings.Join(order, ""); got != "BAABBAAB" || ran != 2 {
		t.Errorf("order = %s, handler ran %d times", got, ran)
	}
	twice()
	e.Use(0, func(next gongu.Invoke) gongu.Invoke {
		return func(_ context.Context, call gongu.Call) gongu.Result { return next(context.Background(), call) }
	})
	if got := wantCode(t, run(t, e, "t", `{}`), gongu.CodeTool); !strings.Contains(got.Message, "context") || ran != 2 {
		t.Errorf("a lost context: %s, handler ran %d times", got.Message, ran)
	}
}

// What a handler or a middleware writes into its arguments is its own: the
// audit hears what was checked, and the caller's bytes stay.
func TestArgumentsAreNotShared(t *testing.T) {
	var heard string
	scribble := func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			result := next(ctx, call)
			copy(call.Args, `{"path":"MINE"}`)
			return result
		}
	}
	e := newExecutor(t, &gongu.ExecutorOptions{
		Middleware: []gongu.Middleware{scribble},
		Observers:  []gongu.Observer{ended(func(_ context.Context, a *gongu.Attempt, _ gongu.Result) { heard = string(a.Call.Args) })},
	}, handled("t", "", func(_ context.Context, call gongu.Call) gongu.Result {
		copy(call.Args, `{"path":"good"}`)
		return gongu.OK(1)
	}))
	given := []byte(`{"path":"evil"}`)
	wantOK(t, e.Call(t.Context(), gongu.Call{Name: "t", Args: given}), `1`)
	if heard != `{"path":"evil"}` || string(given) != `{"path":"evil"}` {
		t.Errorf("the audit heard %s, the caller holds %s", heard, given)
	}
}

// A batch answers every call although a middleware ends its goroutine.
func TestBatchSurvivesGoexit(t *testing.T) {
	e := newExecutor(t, &gongu.ExecutorOptions{Parallel: -1}, tool("t"), tool("x"))
	e.Use(0, func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			if call.Name == "x" {
				runtime.Goexit()
			}
			return next(ctx, call)
		}
	})
	results := e.Batch(t.Context(), []gongu.Call{{ID: "1", Name: "x"}, {ID: "2", Name: "x"}, {ID: "3", Name: "t"}})
	for i, result := range results[:2] {
		wantCode(t, result, gongu.CodePanic)
		if result.ToolCallID != fmt.Sprint(i+1) || result.ToolName != "x" {
			t.Errorf("result %d = %+v", i, result)
		}
	}
	wantOK(t, results[2], `{}`)
}

// A preview never shows half an escape sequence or half a rune.
func TestPreviewOfEscapes(t *testing.T) {
	for _, text := range []string{strings.Repeat("\n", 400), strings.Repeat("\"\\", 400), strings.Repeat("\u2028", 400), strings.Repeat("가", 400), strings.Repeat("a😀", 300)} {
		for limit := 90; limit < 110; limit++ {
			big := handled("big", "", func(context.Context, gongu.Call) gongu.Result { return gongu.OK(text) })
			big.Limits.Output = limit
			var cut struct{ Preview string }
			result := run(t, newExecutor(t, nil, big), "big", `{}`)
			if err := json.Unmarshal(result.Output, &cut); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(text, cut.Preview) || len(cut.Preview) < limit/6-12 {
				t.Fatalf("limit %d: the preview %q is not the beginning of %.20q", limit, cut.Preview, text)
			}
		}
	}
}
