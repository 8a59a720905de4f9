package macro_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/macro"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a registry of small tools, and what was called in it.
type world struct {
	t        *testing.T
	registry *gongu.Registry
	executor *gongu.Executor

	mu    sync.Mutex
	calls []string
}

func newWorld(t *testing.T, options ...func(*gongu.ExecutorOptions)) *world {
	t.Helper()
	w := &world{t: t, registry: gongu.NewRegistry(nil)}
	yes, no := true, false
	echo := gongu.Tool{Name: "echo", Description: "Gives its arguments back.", Annotations: gongu.Annotations{ReadOnly: &yes, OpenWorld: &no},
		Invoke: func(_ context.Context, call gongu.Call) gongu.Result {
			return gongu.Result{Status: gongu.StatusOK, Output: call.Args}
		}}
	rect := gongu.Tool{Name: "draw_rect", Annotations: gongu.Annotations{Destructive: &no, OpenWorld: &no},
		Parameters: `{"type":"object","properties":{"name":{"type":"string"},"x":{"type":"number"},"width":{"type":"number"}},"required":["name","x"],"additionalProperties":false}`,
		Invoke: func(_ context.Context, call gongu.Call) gongu.Result {
			var in struct{ Name string }
			_ = json.Unmarshal(call.Args, &in)
			return gongu.OK(map[string]any{"success": true, "entity": in.Name, "type": "rect"})
		}}
	circle := rect
	circle.Name = "draw_circle"
	fail := gongu.Tool{Name: "fail", Invoke: func(_ context.Context, call gongu.Call) gongu.Result {
		r := gongu.Fail(&gongu.Error{Message: "it is broken", Code: "E_BROKEN", Name: "BrokenError", Suggestion: "Mend it."})
		r.Output = json.RawMessage(`{"suggestions":["mend"]}`)
		return r
	}}
	big := gongu.Tool{Name: "big", Limits: gongu.Limits{Output: 4 << 20}, Invoke: func(_ context.Context, call gongu.Call) gongu.Result {
		return gongu.OK(strings.Repeat("x", 1<<20))
	}}
	if err := w.registry.Add(echo, rect, circle, fail, big); err != nil {
		t.Fatal(err)
	}
	opts := &gongu.ExecutorOptions{Observers: []gongu.Observer{ended(func(_ context.Context, a *gongu.Attempt, r gongu.Result) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls = append(w.calls, fmt.Sprintf("%s %s %s", a.Call.ID, a.Call.Name, r.Status))
	})}}
	for _, option := range options {
		option(opts)
	}
	w.executor = gongu.NewExecutor(w.registry, opts)
	return w
}

// add registers macros given as JSON.
func (w *world) add(definitions ...string) *world {
	w.t.Helper()
	for _, text := range definitions {
		w.addWith(text, nil)
	}
	return w
}

func (w *world) addWith(text string, opts *macro.Options) {
	w.t.Helper()
	d, err := macro.Parse(json.RawMessage(text))
	if err != nil {
		w.t.Fatal(err)
	}
	tool, err := d.Tool(opts)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.registry.Add(tool); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) call(name, args string) gongu.Result {
	return w.callIn(w.t.Context(), name, args)
}

func (w *world) callIn(ctx context.Context, name, args string) gongu.Result {
	e := w.executor.WithCatalog(gongu.Everything(w.registry))
	return e.Call(ctx, gongu.Call{ID: "c1", Name: name, Args: json.RawMessage(args)})
}

// ok calls a macro that must succeed.
func (w *world) ok(name, args string) string {
	w.t.Helper()
	r := w.call(name, args)
	if r.Failed() {
		w.t.Fatalf("%s(%s): %s (%s)", name, args, r.Error.Message, r.Error.Suggestion)
	}
	return string(r.Output)
}

// failing calls a macro that must fail with these words in its message.
func (w *world) failing(name, args string, words ...string) gongu.Result {
	w.t.Helper()
	r := w.call(name, args)
	if !r.Failed() {
		w.t.Fatalf("%s(%s) gave %s", name, args, r.Output)
	}
	for _, word := range words {
		if !strings.Contains(r.Error.Message+"\n"+r.Error.Suggestion, word) {
			w.t.Errorf("%s(%s): %q is not in: %s (%s)", name, args, word, r.Error.Message, r.Error.Suggestion)
		}
	}
	return r
}

// one is a macro of one echo step.
func one(params string) string {
	return fmt.Sprintf(`{"name":"m","steps":[{"tool":"echo","params":%s}]}`, params)
}

// promise E6, seed 000 phase 2: the call as it is printed, with arguments in
// place of its dots.
func TestE6SeedsCall(t *testing.T) {
	const call = `{
	  "name": "draw_my_chair",
	  "description": "내 스타일 의자",
	  "implementation": "macro",
	  "steps": [
	    { "tool": "draw_rect", "params": { "name": "seat", "x": 1 } },
	    { "tool": "draw_circle", "params": { "name": "back", "x": 2 } }
	  ]
	}`
	w := newWorld(t).add(call)
	if got := w.ok("draw_my_chair", `{}`); got != `{"entity":"back","success":true,"type":"rect"}` {
		t.Errorf("output %s", got)
	}
	tool, _ := w.registry.Get("draw_my_chair")
	if tool.Description != "내 스타일 의자" || tool.Source.Identity() != "Macro/draw_my_chair" || tool.Parameters != "" {
		t.Errorf("%+v", tool)
	}
	if !tool.Annotations.IsDestructive() || tool.Annotations.IsReadOnly() {
		t.Error("a macro that nothing is known about must count as destructive")
	}
	want := []string{"c1/1 draw_rect ok", "c1/2 draw_circle ok", "c1 draw_my_chair ok"}
	if fmt.Sprint(w.calls) != fmt.Sprint(want) {
		t.Errorf("calls %q, want %q", w.calls, want)
	}
}

// promise E6: every field of a step.
func TestE6Steps(t *testing.T) {
	w := newWorld(t).add(`{
	  "name": "chair", "domain": "furniture",
	  "parameters": {"type":"object","properties":{"w":{"type":"number"},"legs":{"type":"array"},"arms":{"type":"boolean"}},"required":["w","legs"]},
	  "steps": [
	    {"id":"seat","tool":"draw_rect","params":{"name":"seat","x":"${params.w / 2}"}},
	    {"id":"legs","tool":"draw_rect","forEach":"params.legs","when":"item > 0","params":{"name":"leg_${index}","x":"${item + params.w}"}},
	    {"id":"arms","tool":"draw_rect","when":"has(params.arms) && params.arms","params":{"name":"arms","x":0}},
	    {"id":"broken","tool":"fail","onError":"continue"},
	    {"id":"mended","tool":"fail","onError":{"output":{"why":"${error.code}: ${error.message}"}}}
	  ],
	  "output": {"seat":"${steps.seat.output.entity}","legs":"${steps.legs.output.map(l, l.entity)}","arms":"${steps.arms.status}",
	    "broken":"${steps.broken.error.code}","mended":"${steps.mended.output.why}","status":"${steps.mended.status}","items":"${steps.legs.items.map(i, i.status)}"}
	}`)
	got := w.ok("chair", `{"w":5,"legs":[1,0,2.5]}`)
	want := `{"seat":"seat","legs":["leg_0","leg_2"],"arms":"skipped","broken":"E_BROKEN","mended":"E_BROKEN: it is broken","status":"error","items":["ok","skipped","ok"]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if tool, _ := w.registry.Get("chair"); tool.Domain != "furniture" {
		t.Errorf("domain %q", tool.Domain)
	}
	want = "c1/legs[2] draw_rect ok"
	if !strings.Contains(strings.Join(w.calls, "\n"), want) {
		t.Errorf("%q is not among the calls %q", want, w.calls)
	}
}

// A table of templates: params of an echo step and what arrives.
func TestTemplates(t *testing.T) {
	const args = `{"x":5,"y":5.0,"z":5.5,"s":"a","l":[1,2.0,3.5],"m":{"k":"v","n":null},"id":1234567890123456789,"u":18446744073709551615,"t":true}`
	for _, c := range []struct{ in, want string }{
		{`{"v":"${params.x}"}`, `{"v":5}`},
		{`{"v":"${ params.x + 10 }"}`, `{"v":15}`},
		{`{"v":"${params.y + 10}"}`, `{"v":15}`},
		{`{"v":"${params.z + 10}"}`, `{"v":15.5}`},
		{`{"v":"${10 + params.z - 0.5}"}`, `{"v":15}`},
		{`{"v":"${params.x / 2}"}`, `{"v":2.5}`},
		{`{"v":"${7 / 2}"}`, `{"v":3.5}`},
		{`{"v":"${4 / 2}"}`, `{"v":2}`},
		{`{"v":"${params.x % 2}"}`, `{"v":1}`},
		{`{"v":"${params.z % 2}"}`, `{"v":1.5}`},
		{`{"v":"${params.x * 1.5}"}`, `{"v":7.5}`},
		{`{"v":"${-params.z}"}`, `{"v":-5.5}`},
		{`{"v":"${params.x == 5.0 && params.y == 5 && params.z > params.x}"}`, `{"v":true}`},
		{`{"v":"${params.id}"}`, `{"v":1234567890123456789}`},
		{`{"v":"${params.id + 1}"}`, `{"v":1234567890123456790}`},
		{`{"v":"${params.u}"}`, `{"v":18446744073709551615}`},
		{`{"v":"${9223372036854775807 + 1}"}`, `{"v":9223372036854776000}`},
		{`{"v":"${params.l}"}`, `{"v":[1,2,3.5]}`},
		{`{"v":"${params.l[0] + size(params.l)}"}`, `{"v":4}`},
		{`{"v":"${params.l[params.x - 4]}"}`, `{"v":2}`},
		{`{"v":"${'hello'.substring(0, params.y - 3)}"}`, `{"v":"he"}`},
		{`{"v":"${'hello'.substring(math.floor(params.z / 2))}"}`, `{"v":"llo"}`},
		{`{"v":"${params.m}"}`, `{"v":{"k":"v","n":null}}`},
		{`{"v":"${params.m.n}"}`, `{"v":null}`},
		{`{"v":"a ${params.s} ${params.x} ${params.z} ${params.t} ${params.l} ${params.m.n}"}`, `{"v":"a a 5 5.5 true [1,2,3.5] null"}`},
		{`{"v":"${params.s}${params.s}"}`, `{"v":"aa"}`},
		{`{"v":"$${params.s} costs $5"}`, `{"v":"${params.s} costs $5"}`},
		{`{"v":"$${"}`, `{"v":"${"}`},
		{`{"v":"${ {'a': {'b': 1}}.a.b }"}`, `{"v":1}`},
		{`{"v":"${'}' + \"{\" + '''}'''}"}`, `{"v":"}{}"}`},
		{`{"v":"${r'\\'}"}`, `{"v":"\\"}`},
		{`{"a":"${params.?nope}","b":1,"c":["${params.?nope}",2,"${params.?x}"]}`, `{"b":1,"c":[2,5]}`},
		{`{"v":"${params.?nope.orValue(3)}"}`, `{"v":3}`},
		{`{"v":"${has(params.nope) ? 1 : 2}"}`, `{"v":2}`},
		{`{"v":"${math.sin(0)}","c":"${math.cos(0)}","p":"${math.round(math.pi * 100) / 100}"}`, `{"v":0,"c":1,"p":3.14}`},
		{`{"v":"${math.greatest(params.x, params.z)}","a":"${math.abs(-3)}","q":"${math.pow(2, 10)}"}`, `{"v":5.5,"a":3,"q":1024}`},
		{`{"v":"${lists.range(3).map(i, {'x': i * params.z})}"}`, `{"v":[{"x":0},{"x":5.5},{"x":11}]}`},
		{`{"v":"${['a','b'].join('-')}","r":"${'aXbX'.replace('X','.')}","m":"${'abc'.matches('^a.c$')}"}`, `{"v":"a-b","r":"a.b.","m":true}`},
		{`{"v":"${[1]+[2]}","f":"${[3,1,2].sort()}"}`, `{"v":[1,2],"f":[1,2,3]}`},
		{`{"v":"${[1, 1.0, 'a', 'a', [1], [1], params.x, 5].distinct()}"}`, `{"v":[1,"a",[1],5]}`},
		{`{"v":"${b'hi'}","d":"${duration('90s')}","t":"${timestamp('2026-01-02T03:04:05Z') + duration('1h')}"}`, `{"v":"aGk=","d":"90s","t":"2026-01-02T04:04:05Z"}`},
		{`{"v":"${cel.bind(s, params.x, s * s)}"}`, `{"v":25}`},
		{`{"v":"${[1,2].map(item, item * 2)}"}`, `{"v":[2,4]}`},
		{`{"v":"${1 == 1 // a comment with }\n}"}`, `{"v":true}`},
		{`{"v":"<&>","w":"${'<&>'}"}`, `{"v":"<&>","w":"<&>"}`},
		{`{"한글":"${params.s}","\u0041":1.50}`, `{"한글":"a","\u0041":1.50}`},
	} {
		w := newWorld(t).add(one(c.in))
		if got := w.ok("m", args); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

// Each function that the documents name.
func TestFunctions(t *testing.T) {
	for src, want := range map[string]string{
		"math.sin(0)": "0", "math.cos(0)": "1", "math.tan(0)": "0", "math.asin(0)": "0", "math.acos(1)": "0", "math.atan(0)": "0",
		"math.atan2(0, 1)": "0", "math.sqrt(9)": "3", "math.pow(2, 3)": "8", "math.hypot(3, 4)": "5", "math.exp(0)": "1", "math.log(1)": "0",
		"math.abs(-2.5)": "2.5", "math.sign(-3)": "-1", "math.sign(0)": "0", "math.sign(0.5)": "1", "math.floor(-1.5)": "-2", "math.ceil(1.2)": "2",
		"math.round(2.5)": "3", "math.trunc(-1.5)": "-1", "math.greatest(1, 2.5)": "2.5", "math.least([3, 1])": "1", "math.pi > 3.14": "true",
		"'abc'.charAt(1)": `"b"`, "'abc'.indexOf('c')": "2", "['a', 'b'].join()": `"ab"`, "'AB'.lowerAscii()": `"ab"`,
		"'aaa'.replace('a', 'bb', 2)": `"bbbba"`, "'a,b'.split(',')": `["a","b"]`, "'abc'.substring(1, 2)": `"b"`, "' a '.trim()": `"a"`,
		"'ab'.upperAscii()": `"AB"`, "lists.range(3)": "[0,1,2]", "[1, 2, 3].slice(0, 2)": "[1,2]", "[[1], [2]].flatten()": "[1,2]",
		"[2, 1].sort()": "[1,2]", "[{'a': 2}, {'a': 1}].sortBy(x, x.a)": `[{"a":1},{"a":2}]`, "[1, 1].distinct()": "[1]", "[1, 2].reverse()": "[2,1]",
		"cel.bind(x, 2, x * x)": "4", "optional.none().orValue(1)": "1", "{'a': optional.none(), 'b': optional.of(1)}": `{"b":1}`,
		"5u + 1": "6", "2 - 5u": "-3", "5 % -1": "0", "6 / -1": "-6", "-7 % 3": "-1", "b'a' + b'b'": `"YWI="`, "duration('1m') - duration('1s')": `"59s"`,
	} {
		definition, err := json.Marshal(map[string]any{"name": "m", "steps": []any{map[string]any{"tool": "echo"}}, "output": "${" + src + "}"})
		if err != nil {
			t.Fatal(err)
		}
		if got := newWorld(t).add(string(definition)).ok("m", `{}`); got != want {
			t.Errorf("%s gave %s, want %s", src, got, want)
		}
	}
}

// ended is an observer of the ends of calls.
type ended func(ctx context.Context, a *gongu.Attempt, r gongu.Result)

func (ended) Begin(ctx context.Context, _ *gongu.Attempt) context.Context { return ctx }

func (e ended) End(ctx context.Context, a *gongu.Attempt, r gongu.Result) { e(ctx, a, r) }
