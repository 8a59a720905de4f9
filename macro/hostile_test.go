package macro_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/macro"
)

// soon means "does not hang".
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%s took %v", what, took)
	}
}

// A macro that calls itself, or others that call it, is refused where it is
// seen, and else where it runs.
func TestRecursion(t *testing.T) {
	d, err := macro.Parse(json.RawMessage(`{"name":"m","steps":[{"tool":"m"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Tool(nil); len(macro.ProblemsOf(err)) != 1 {
		t.Errorf("a macro that calls itself: %v", err)
	}
	w := newWorld(t).add(
		`{"name":"a","steps":[{"tool":"b"}]}`,
		`{"name":"b","steps":[{"tool":"c"}]}`,
		`{"name":"c","steps":[{"tool":"a"}]}`,
		`{"name":"p","steps":[{"tool":"q","onError":"continue"}]}`,
		`{"name":"q","steps":[{"tool":"p","onError":"continue"}]}`)
	r := w.failing("b", `{}`, "Step 1 (c) failed: Step 1 (a) failed: ", "Macros call each other in a circle: b → c → a → b")
	if r.Error.Name != "MacroCycleError" {
		t.Errorf("%+v", r.Error)
	}
	if got := w.ok("p", `{}`); got != "null" { // each goes on
		t.Errorf("p gave %s", got)
	}
	if len(w.calls) != 4+3 {
		t.Errorf("%d calls: %q", len(w.calls), w.calls)
	}
}

// A hundred macros in each other end at the eighth.
func TestDepth(t *testing.T) {
	w := newWorld(t)
	for i := range 100 {
		next := fmt.Sprintf("m%d", i+1)
		if i == 99 {
			next = "echo"
		}
		w.add(fmt.Sprintf(`{"name":"m%d","steps":[{"id":"s","tool":%q}]}`, i, next))
	}
	w.failing("m0", `{}`, "at most 8 deep", "m0 → m1")
	if got := w.ok("m92", `{}`); got != `{}` {
		t.Errorf("eight macros in each other gave %s", got)
	}
	w.failing("m91", `{}`, "at most 8 deep")
	if !strings.Contains(strings.Join(w.calls, "\n"), "c1/s/s/s/s/s/s/s/s echo ok") {
		t.Error("the ids of the calls do not show the tree")
	}
}

// Loops are bounded, each by itself and all of a call together.
func TestLoops(t *testing.T) {
	w := newWorld(t).add(
		`{"name":"items","steps":[{"tool":"echo","forEach":"lists.range(params.n)"}],"output":1}`,
		`{"name":"inner","steps":[{"tool":"echo","forEach":"lists.range(100)"}],"output":1}`,
		`{"name":"middle","steps":[{"tool":"inner","forEach":"lists.range(100)","onError":"continue"}],"output":1}`,
		`{"name":"outer","steps":[{"tool":"middle","forEach":"lists.range(100)","onError":"continue"}],"output":1}`)
	w.ok("items", `{"n":100}`)
	w.failing("items", `{"n":101}`, "101 items, at most 100")
	w.calls = nil
	soon(t, "nested loops", func() {
		w.failing("outer", `{}`, "at most 500 steps")
	})
	echoes := 0
	for _, call := range w.calls {
		if strings.Contains(call, " echo ") {
			echoes++
		}
	}
	if echoes > 500 || len(w.calls) > 1000 {
		t.Errorf("%d calls, %d of echo", len(w.calls), echoes)
	}
}

func TestLimitsCanBeSet(t *testing.T) {
	w := newWorld(t)
	w.addWith(`{"name":"m","steps":[{"tool":"echo","forEach":"lists.range(params.n)"}]}`, &macro.Options{Limits: macro.Limits{Items: 3, Runs: 2}})
	w.ok("m", `{"n":2}`)
	w.failing("m", `{"n":3}`, "at most 2 steps")
	w.failing("m", `{"n":4}`, "at most 3")
	w.addWith(`{"name":"b","steps":[{"tool":"echo","params":{"v":"${params.s + params.s}"}}]}`, &macro.Options{Limits: macro.Limits{Bytes: 20}})
	w.ok("b", `{"s":"aa"}`)
	r := w.failing("b", `{"s":"aaaaaaaaaa"}`, "larger than 20 bytes")
	if r.Error.Name != "MacroExpressionError" {
		t.Error(r.Error.Name)
	}
	w.addWith(`{"name":"t","steps":[{"tool":"echo","params":{"v":"- ${params.s}${params.s}"}}]}`, &macro.Options{Limits: macro.Limits{Bytes: 20}})
	w.failing("t", `{"s":"aaaaaaaaaa"}`, "larger than 20 bytes")
	w.addWith(`{"name":"c","steps":[{"tool":"echo","forEach":"lists.range(100)","params":{"v":"${lists.range(50).map(x, x * 2)}"}}]}`, &macro.Options{Limits: macro.Limits{Cost: 10_000}})
	w.failing("c", `{}`, "too much work together")
	w.addWith(`{"name":"h","steps":[{"id":"a","tool":"big","forEach":"lists.range(10)"}],"output":"${size(steps.a.output)}"}`, nil)
	w.failing("h", `{}`, "larger than 8388608 bytes together", "a[7]")
	w.addWith(`{"name":"k","steps":[{"id":"a","tool":"big","forEach":"lists.range(10)"}],"output":1}`, nil)
	w.ok("k", `{}`) // nobody looks at them
}

// What a macro held is free again when it returns.
func TestHeldIsReleased(t *testing.T) {
	w := newWorld(t).add(
		`{"name":"inner","steps":[{"id":"a","tool":"big"}],"output":"${size(steps.a.output)}"}`,
		`{"name":"outer","steps":[{"id":"i","tool":"inner","forEach":"lists.range(20)"}],"output":"${steps.i.output[19]}"}`)
	if got := w.ok("outer", `{}`); got != "1048576" {
		t.Errorf("got %s", got)
	}
}

// nested writes cel.bind(a0, first, cel.bind(a1, each, … last)).
func nested(n int, first, each, last string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cel.bind(a0, %s, ", first)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "cel.bind(a%d, %s, ", i, strings.ReplaceAll(each, "$", fmt.Sprintf("a%d", i-1)))
	}
	return b.String() + strings.ReplaceAll(last, "$", fmt.Sprintf("a%d", n)) + strings.Repeat(")", n+1)
}

// Expressions that want all time or all memory get neither. Without the
// guards some of these end the process.
func TestExpressionBombs(t *testing.T) {
	tens := "[1,2,3,4,5,6,7,8,9,10]"
	loops := "1"
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		loops = tens + ".map(" + name + ", " + loops + ")"
	}
	for name, src := range map[string]string{
		"nested loops":      loops,
		"ranges":            "lists.range(1000).map(x, lists.range(1000).map(y, lists.range(1000)))",
		"huge range":        "lists.range(1000000000)",
		"doubled text":      nested(30, "'xxxxxxxx'", "$ + $", "size($)"),
		"doubled bytes":     nested(30, "b'xxxxxxxx'", "$ + $", "size($)"),
		"sum of lists":      "(lists.range(4000) + lists.range(4000)).size()",
		"doubled list":      nested(30, "[1]", "$ + $", "size($)"),
		"shared lists":      nested(40, "[1]", "[$, $]", "$ == $"),
		"shared maps":       nested(40, "[1]", "{'a': $, 'b': $}", "$ == $"),
		"shared value":      nested(40, "[1]", "[$, $]", "$"),
		"shared text":       nested(12, "[params.big]", "[$, $]", "$"),
		"replace":           "params.big.replace('', params.big).size()",
		"replace some":      "params.big.replace('x', params.big, 1000).size()",
		"join":              "params.big.split('').join(params.big)",
		"join few":          "lists.range(5000).map(x, params.big).join(params.big)",
		"pattern":           "params.big.matches('(x{100}){9}y')",
		"pattern over some": "params.big.substring(0, 30000).matches('(x{100}){9}y')",
		"patterns":          "lists.range(5000).exists(i, params.big.substring(0, 30000).matches('(x+x+)+y'))",
		"all pairs":         "params.big.split('').all(x, params.big.split('').all(y, x == y))",
		"distinct":          "lists.range(200).map(x, lists.range(5000).map(y, string(y))).distinct()",
		"long list":         "params.long.map(x, x)",
		"long lists":        "lists.range(100).map(x, lists.range(5000).map(y, y))",
		"long maps":         "lists.range(100).all(i, lists.range(5000).map(y, {'a': y, 'b': [y, y]}).size() > 0)",
		"flatten":           "lists.range(5000).map(x, lists.range(5000)).flatten()",
		"in":                "lists.range(5000).exists(x, (x + 20000) in lists.range(5000))",
		"infinite":          "math.pow(10, 400)",
	} {
		if raceDetector && slices.Contains([]string{"patterns", "long list", "long lists", "long maps", "distinct"}, name) {
			continue // they use up the whole budget, which costs ten times as much then; see make heavy
		}
		soon(t, name, func() {
			definition, err := json.Marshal(map[string]any{"name": "m", "steps": []any{map[string]any{"tool": "echo", "params": map[string]any{"v": "${" + src + "}"}}}})
			if err != nil {
				t.Fatal(err)
			}
			args, err := json.Marshal(map[string]any{"big": strings.Repeat("x", 200_000), "long": make([]int, 90_000)})
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			r := newWorld(t).add(string(definition)).call("m", string(args))
			if !r.Failed() {
				t.Errorf("%s gave %.100s", name, r.Output)
				return
			}
			t.Logf("%-18s %8v %s", name, time.Since(start).Round(time.Millisecond), strings.SplitN(r.Error.Message, "\n", 2)[0])
		})
	}
}

// A definition cannot be a bomb either.
func TestCompileBombs(t *testing.T) {
	for name, src := range map[string]string{
		"deep":   strings.Repeat("[", 1500),
		"nots":   strings.Repeat("!", 2000) + "true",
		"minus":  strings.Repeat("-", 2000) + "1",
		"sum":    strings.Repeat("1+", 1000) + "1",
		"ors":    strings.Repeat("a||", 600) + "a",
		"macros": strings.Repeat("[1].map(x,", 150) + "1" + strings.Repeat(")", 150),
		"has":    strings.Repeat("has(", 500),
		"tern":   strings.Repeat("true?1:", 250) + "1",
		"binds":  nested(44, "[1]", "[$, $]", "$"),
	} {
		soon(t, name, func() {
			definition, err := json.Marshal(map[string]any{"name": "m", "steps": []any{map[string]any{"tool": "echo", "when": src}}})
			if err != nil {
				t.Fatal(err)
			}
			d, err := macro.Parse(definition)
			if err != nil {
				t.Fatal(name, err)
			}
			start := time.Now()
			err = d.Check(nil)
			t.Logf("%-8s %8v %.100v", name, time.Since(start).Round(time.Millisecond), err)
		})
	}
}

// An output that is too large is cut by the executor as that of any tool.
func TestHugeOutput(t *testing.T) {
	w := newWorld(t).add(`{"name":"m","steps":[{"id":"a","tool":"big"}],"output":["${steps.a.output}"]}`,
		`{"name":"n","steps":[{"id":"a","tool":"big"}]}`)
	w.failing("m", `{}`, "larger than 1048576 bytes")
	if r := w.call("n", `{}`); r.Failed() || !strings.Contains(string(r.Output), `"truncated":true`) {
		t.Errorf("%.200s", r.Output)
	}
}

// Many calls of one tool at a time share nothing.
func TestConcurrentCalls(t *testing.T) {
	w := newWorld(t).add(`{"name":"m","steps":[{"id":"a","tool":"echo","forEach":"lists.range(3)","params":{"v":"${item + params.x}"}}],"output":"${steps.a.output.map(o, o.v)}"}`)
	e := w.executor.WithCatalog(gongu.Everything(w.registry))
	var calls []gongu.Call
	for i := range 50 {
		calls = append(calls, gongu.Call{Name: "m", Args: json.RawMessage(fmt.Sprintf(`{"x":%d}`, i))})
	}
	for i, r := range e.Batch(t.Context(), calls) {
		if want := fmt.Sprintf("[%d,%d,%d]", i, i+1, i+2); string(r.Output) != want {
			t.Errorf("call %d gave %s %v", i, r.Output, r.Error)
		}
	}
}
