package macro_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/macro"
)

// A failed step says which it was, and keeps message, code and suggestion of
// its tool; what has been done already is told.
func TestStepFailure(t *testing.T) {
	w := newWorld(t).add(`{"name":"m","steps":[
	  {"id":"a","tool":"echo"},
	  {"id":"b","tool":"echo","forEach":"[1,2]"},
	  {"id":"c","tool":"fail","forEach":"['x','y']","when":"index == 1"},
	  {"tool":"echo"}]}`)
	r := w.failing("m", `{}`, "Step c[1] (fail) failed: it is broken", "About step c[1]: Mend it.", "3 step runs had succeeded")
	if r.Error.Code != "E_BROKEN" || r.Error.Name != "BrokenError" {
		t.Errorf("%+v", r.Error)
	}
	want := `{"failed":{"step":"c[1]","tool":"fail","toolCallId":"c1/c[1]","output":{"suggestions":["mend"]}},"completed":["a","b[0]","b[1]"]}`
	if string(r.Output) != want {
		t.Errorf("got  %s\nwant %s", r.Output, want)
	}
	if last := w.calls[len(w.calls)-2]; last != "c1/c[1] fail error" {
		t.Errorf("a step ran after the failure: %q", w.calls)
	}
}

// A step without an id is named by its number.
func TestStepFailureWithoutID(t *testing.T) {
	w := newWorld(t).add(`{"name":"m","steps":[{"tool":"draw_rect","params":{"name":"a"}}]}`)
	r := w.failing("m", `{}`, "Step 1 (draw_rect) failed", "x")
	if r.Error.Code != gongu.CodeInvalidArgs {
		t.Errorf("code %s", r.Error.Code)
	}
}

func TestKoreanMessages(t *testing.T) {
	w := newWorld(t)
	w.addWith(`{"name":"m","steps":[{"id":"a","tool":"fail"}]}`, &macro.Options{Lang: "ko"})
	w.failing("m", `{}`, "단계 a(fail) 실패: it is broken")
}

// A field that is not there is an error with its place, never null.
func TestMissingField(t *testing.T) {
	w := newWorld(t).add(`{"name":"m","steps":[{"id":"a","tool":"echo","params":{"x":1}},{"tool":"echo","params":{"v":"${1 + steps.a.output.y}"}}]}`)
	r := w.failing("m", `{}`, `there is no field "y"`, "steps[1].params.v of macro m", "1 + steps.a.output.y\n  ", "^", "has(")
	if r.Error.Name != "MacroExpressionError" || r.Error.Code != gongu.CodeTool {
		t.Errorf("%+v", r.Error)
	}
	if strings.Contains(strings.Join(w.calls, " "), "c1/2") {
		t.Error("the step was called all the same")
	}
}

func TestRuntimeErrors(t *testing.T) {
	for in, words := range map[string]string{
		`{"v":"${params.x / 0}"}`:                 "division by zero",
		`{"v":"${params.x % 0}"}`:                 "modulus by zero",
		`{"v":"${params.x + params.s}"}`:          "string(x)",
		`{"v":"${params.s.nope}"}`:                "steps[0].params.v",
		`{"v":"${[1][5]}"}`:                       "index out of bounds",
		`{"v":"${1.0 / 1e-320 * 1e300 * 1e300}"}`: "cannot be written as JSON",
		`{"v":"${type(1)}"}`:                      "type cannot be written as JSON",
		`{"v":"x ${params.?nope}"}`:               "optional.none()",
		`{"v":"${{1: 'a', '1': 'b'}}"}`:           "two keys",
		`{"v":"${int('x')}"}`:                     "steps[0].params.v",
		`{"v":"${params.l.join(',')}"}`:           "no such overload: join",
		`{"v":"${dyn(['a', 1]).join(',')}"}`:      "steps[0].params.v",
		`{"v":"${math.sin(params.s)}"}`:           "no such overload",
		`{"v":"${'a'.matches('(')}"}`:             "missing closing",
	} {
		newWorld(t).add(one(in)).failing("m", `{"x":1,"s":"a","l":[1]}`, words)
	}
	newWorld(t).add(`{"name":"m","steps":[{"tool":"echo","when":"params.x"}]}`).failing("m", `{"x":1}`, "when must give true or false, this gives int")
	newWorld(t).add(`{"name":"m","steps":[{"tool":"echo","forEach":"params.x"}]}`).failing("m", `{"x":1}`, "forEach must give a list, this gives int")
	newWorld(t).add(one(`{"v":"${params.x}"}`)).failing("m", `{"x":1e999}`, "out of range")
}

// onError does not hide a mistake in the macro itself.
func TestOnErrorKeepsExpressionErrors(t *testing.T) {
	w := newWorld(t).add(`{"name":"m","steps":[{"tool":"echo","params":{"v":"${params.x}"},"onError":"continue"}]}`)
	w.failing("m", `{}`, `there is no field "x"`)
}

func TestOnErrorInLoop(t *testing.T) {
	w := newWorld(t).add(`{"name":"m","steps":[
	  {"id":"a","tool":"fail","forEach":"[1,2]","onError":{"output":"${item}: ${error.message}"}},
	  {"id":"b","tool":"draw_rect","forEach":"['p', 5]","params":{"name":"${item}","x":0},"onError":"continue"}],
	  "output":{"a":"${steps.a.output}","as":"${steps.a.status}","b":"${steps.b.output.map(o, o.entity)}","items":"${steps.b.items.map(i, has(i.error) ? i.error.code : i.status)}","first":"${steps.b.error.code}"}}`)
	want := `{"a":["1: it is broken","2: it is broken"],"as":"error","b":["p"],"items":["ok","E_TOOL_INVALID_ARGS"],"first":"E_TOOL_INVALID_ARGS"}`
	if got := w.ok("m", `{}`); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Without output the last step that gave one answers, content and all.
func TestDefaultOutput(t *testing.T) {
	w := newWorld(t)
	image := gongu.Tool{Name: "shot", Invoke: func(context.Context, gongu.Call) gongu.Result {
		return gongu.OK("done").With(gongu.Content{Type: "image", Data: []byte("x"), MIMEType: "image/png"})
	}}
	if err := w.registry.Add(image); err != nil {
		t.Fatal(err)
	}
	w.add(`{"name":"last","steps":[{"tool":"echo"},{"tool":"shot"},{"tool":"echo","when":"false"},{"tool":"fail","onError":"continue"}]}`,
		`{"name":"loop","steps":[{"tool":"echo","forEach":"[1,2]","params":{"i":"${item}"}}]}`,
		`{"name":"none","steps":[{"tool":"echo","when":"false"}]}`,
		`{"name":"gone","steps":[{"tool":"echo"}],"output":"${params.?x}"}`)
	r := w.call("last", `{}`)
	if string(r.Output) != `"done"` || !strings.Contains(string(r.Content), "image/png") {
		t.Errorf("%s, content %s", r.Output, r.Content)
	}
	for name, want := range map[string]string{"loop": `[{"i":1},{"i":2}]`, "none": "null", "gone": "null"} {
		if got := w.ok(name, `{}`); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A macro reaches nothing that its caller cannot, and every guard sees every
// step under the step's own name (promise H8, H11).
func TestNoBypass(t *testing.T) {
	var seen []string
	guard := gongu.Guard{Name: "watch", Check: func(_ context.Context, a *gongu.Attempt) *gongu.Error {
		seen = append(seen, a.Call.Name+" "+string(a.Call.Args))
		if a.Call.Name == "draw_circle" {
			return &gongu.Error{Code: gongu.CodeDenied, Message: "no circles"}
		}
		return nil
	}}
	w := newWorld(t, func(o *gongu.ExecutorOptions) { o.Guards = []gongu.Guard{guard} })
	w.add(`{"name":"m","steps":[{"tool":"echo","params":{"v":"${params.x}"}},{"tool":"draw_circle","params":{"name":"c","x":0}}]}`)
	if r := w.failing("m", `{"x":1}`, "no circles"); r.Error.Code != gongu.CodeDenied {
		t.Errorf("code %s", r.Error.Code)
	}
	if want := []string{`m {"x":1}`, `echo {"v":1}`, `draw_circle {"name":"c","x":0}`}; strings.Join(seen, "\n") != strings.Join(want, "\n") {
		t.Errorf("guards saw %q, want %q", seen, want)
	}
	narrow := w.executor.WithCatalog(gongu.Everything(w.registry).Restrict("m"))
	r := narrow.Call(t.Context(), gongu.Call{Name: "m", Args: json.RawMessage(`{"x":1}`)})
	if !r.Failed() || r.Error.Code != gongu.CodeNotInCatalog || !strings.Contains(r.Error.Message, "Step 1 (echo)") {
		t.Errorf("a tool outside of the caller's catalog: %+v", r)
	}
}

func TestOutsideOfExecutor(t *testing.T) {
	d := &macro.Definition{Name: "m", Steps: []macro.Step{{Tool: "echo"}}}
	tool, err := d.Tool(nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := tool.Invoke(t.Context(), gongu.Call{Name: "m"}); !r.Failed() || r.Error.Code != gongu.CodeUnavailable {
		t.Errorf("%+v", r)
	}
}

func TestAnnotations(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		tools                            []string
		readOnly, destructive, openWorld bool
	}{
		{[]string{"echo", "echo"}, true, false, false},
		{[]string{"echo", "draw_rect"}, false, false, false},
		{[]string{"echo", "fail"}, false, true, true},
		{[]string{"echo", "unknown"}, false, true, true},
	} {
		d := &macro.Definition{Name: "m"}
		for _, tool := range c.tools {
			d.Steps = append(d.Steps, macro.Step{Tool: tool})
		}
		tool, err := d.Tool(&macro.Options{Catalog: gongu.Everything(w.registry), Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		a := tool.Annotations
		if a.IsReadOnly() != c.readOnly || a.IsDestructive() != c.destructive || a.IsOpenWorld() != c.openWorld {
			t.Errorf("%q: %v %v %v", c.tools, a.IsReadOnly(), a.IsDestructive(), a.IsOpenWorld())
		}
		if tool.Limits.Timeout != time.Second {
			t.Errorf("timeout %v", tool.Limits.Timeout)
		}
	}
}

// The macro stops where its context ends, between steps and inside of one,
// whatever onError says.
func TestCancelled(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stop := gongu.Tool{Name: "stop", Limits: gongu.Limits{Inline: true},
		Invoke: func(context.Context, gongu.Call) gongu.Result { cancel(); return gongu.OK(nil) }}
	hang := gongu.Tool{Name: "hang", Invoke: func(ctx context.Context, _ gongu.Call) gongu.Result {
		<-ctx.Done()
		return gongu.Fail(ctx.Err())
	}}
	if err := w.registry.Add(stop, hang); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*macro.Definition{
		{Name: "between", Steps: []macro.Step{{Tool: "stop"}, {Tool: "echo", OnError: macro.OnError{Continue: true}}}},
		{Name: "within", Steps: []macro.Step{{Tool: "hang", OnError: macro.OnError{Continue: true}}, {Tool: "echo"}}},
	} {
		tool, err := d.Tool(nil)
		if err != nil {
			t.Fatal(err)
		}
		tool.Limits.Inline = true // so that the call returns when the macro does
		if err := w.registry.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	if r := w.callIn(ctx, "between", `{}`); !r.Failed() || r.Error.Code != gongu.CodeCancelled {
		t.Errorf("between: %+v %v", r, r.Error)
	}
	limited, done := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer done()
	if r := w.callIn(limited, "within", `{}`); !r.Failed() || r.Error.Code != gongu.CodeTimeout {
		t.Errorf("within: %+v %v", r, r.Error)
	}
	for _, call := range w.calls {
		if strings.Contains(call, "echo") {
			t.Errorf("a step was tried after the end: %q", w.calls)
		}
	}
}

// An expression is left when its context ends.
func TestCancelledInExpression(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	d := &macro.Definition{Name: "m", Steps: []macro.Step{{
		Tool: "echo", Params: json.RawMessage(`{"v":"${lists.range(1000).map(x, lists.range(1000).map(y, x + y)).size()}"}`),
	}}}
	tool, err := d.Tool(nil)
	if err != nil {
		t.Fatal(err)
	}
	tool.Limits.Inline = true
	if err := w.registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	// The context ends once the expression has begun: the guard of the call
	// is the last thing before it.
	time.AfterFunc(time.Millisecond, cancel)
	r := w.callIn(ctx, "m", `{}`)
	if !r.Failed() || r.Error.Code != gongu.CodeCancelled {
		t.Errorf("%+v %v", r, r.Error)
	}
}
