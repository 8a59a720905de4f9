package macro_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu/macro"
)

// anyJSON draws nested values; texts may look a little like expressions.
func anyJSON(depth int) *rapid.Generator[any] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"$", "{", "}", "$x", "$ {", "{{x}}", "$params.x", "<&>", "한글", "\u2028"}))
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Custom(func(t *rapid.T) any { return rapid.Bool().Draw(t, "b") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.Float64Range(-1e9, 1e9).Draw(t, "f") }),
		rapid.Custom(func(t *rapid.T) any { return float64(rapid.Int32().Draw(t, "i")) }),
		rapid.Custom(func(t *rapid.T) any { return text.Draw(t, "s") }),
	)
	if depth == 0 {
		return leaf
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return anyJSON(depth - 1) })
	return rapid.OneOf(leaf,
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(inner, 0, 4).Draw(t, "l") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(text, inner, 0, 4).Draw(t, "m") }))
}

func encode(t *rapid.T, v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// A template without expressions arrives byte for byte.
func TestTemplateWithoutExpressionsIsIdentity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		params := encode(rt, map[string]any{"v": anyJSON(3).Draw(rt, "value")})
		if strings.Contains(params, "${") {
			return
		}
		if got := newWorld(t).add(one(params)).ok("m", `{}`); got != params {
			rt.Errorf("got  %s\nwant %s", got, params)
		}
	})
}

// A value that goes through an expression is the same value.
func TestValuesPassThroughExpressions(t *testing.T) {
	w := newWorld(t).add(one(`{"v":"${params.v}","w":["${params.v}"],"t":"${[params.v][0]}"}`))
	rapid.Check(t, func(rt *rapid.T) {
		value := anyJSON(3).Draw(rt, "value")
		var got struct {
			V, T any
			W    []any
		}
		if err := json.Unmarshal([]byte(w.ok("m", encode(rt, map[string]any{"v": value}))), &got); err != nil {
			rt.Fatal(err)
		}
		var want any
		if err := json.Unmarshal([]byte(encode(rt, value)), &want); err != nil {
			rt.Fatal(err)
		}
		for _, v := range []any{got.V, got.T, got.W[0]} {
			if !reflect.DeepEqual(v, want) {
				rt.Fatalf("got %v, want %v", v, want)
			}
		}
	})
}

// An escaped text comes out as it was.
func TestEscape(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[ab{}\x20]{0,3}(\$\{[ab}]{0,3}){0,3}`).Draw(rt, "text")
		params := encode(rt, map[string]any{"v": strings.ReplaceAll(text, "${", "$${")})
		if got, want := newWorld(t).add(one(params)).ok("m", `{}`), encode(rt, map[string]any{"v": text}); got != want {
			rt.Errorf("got %s, want %s", got, want)
		}
	})
}

// Numbers add up however they are written.
func TestNumbersMix(t *testing.T) {
	w := newWorld(t).add(one(`{"sum":"${params.a + params.b}","difference":"${params.a - params.b}","product":"${params.a * params.b}","less":"${params.a < params.b}"}`))
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.Custom(func(t *rapid.T) float64 { return float64(rapid.IntRange(-1e6, 1e6).Draw(t, "n")) }))
		a, b := number.Draw(rt, "a"), number.Draw(rt, "b")
		var got struct {
			Sum, Difference, Product float64
			Less                     bool
		}
		if err := json.Unmarshal([]byte(w.ok("m", encode(rt, map[string]any{"a": a, "b": b}))), &got); err != nil {
			rt.Fatal(err)
		}
		if got.Sum != a+b || got.Difference != a-b || got.Product != a*b || got.Less != (a < b) {
			rt.Errorf("%v and %v gave %+v", a, b, got)
		}
	})
}

// Whatever is parsed is either refused with places, or can be stored, read
// again, checked and made a tool without a panic.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"name":"m","steps":[{"tool":"echo"}]}`,
		`{"name":"draw_my_chair","description":"d","implementation":"macro","steps":[{"tool":"draw_rect","params":{"x":"${params.x + 1}"}}]}`,
		`{"name":"m","domain":"d","parameters":{"type":"object","properties":{"x":{}}},"steps":[{"id":"a","tool":"t","when":"params.x > 0","forEach":"[1,2]","onError":{"output":"${error.code}"}}],"output":["${steps.a.output}","$${"]}`,
		`{"name":"m","steps":[{"tool":"echo","params":{"a":"${'}'}${r\"\\\"}${"}}]}`,
		`{"name":"m","steps":[{"tool":"echo","params":{"a":"${{'a':[1]}.a[0]}"},"onError":"continue"}],"output":null}`,
		`[`, `{"name":1}`, `{"name":"m","steps":[[]]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := macro.Parse(data)
		if err != nil {
			if len(macro.ProblemsOf(err)) == 0 || err.Error() == "" {
				t.Errorf("refused without a reason: %v", err)
			}
			return
		}
		stored, err := json.Marshal(d)
		if err != nil {
			t.Fatalf("%v", err)
		}
		again, err := macro.Parse(stored)
		if err != nil && len(stored) <= 64<<10 {
			t.Fatalf("%s: %v", stored, err)
		}
		if again == nil {
			return
		}
		first, second := d.Check(nil), again.Check(nil)
		if (first == nil) != (second == nil) {
			t.Errorf("%s: %v, and stored %v", data, first, second)
		}
		if _, err := d.Tool(nil); (err == nil) != (first == nil) {
			t.Errorf("%s: Check says %v, Tool %v", data, first, err)
		}
	})
}
