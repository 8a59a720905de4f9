package expr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"cel.dev/cel-go/cel"

	"github.com/gongu-ai/gongu/internal/expr"
)

// shared is made once: that takes longer than any test here.
var shared = sync.OnceValues(newEnvironment)

func newEnvironment() (*expr.Env, error) {
	return expr.New(expr.Variable{Name: "args", Type: cel.MapType(cel.StringType, cel.DynType)})
}

func environment(t testing.TB) *expr.Env {
	t.Helper()
	env, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func compile(t *testing.T, src string) *expr.Expression {
	t.Helper()
	x, err := environment(t).Compile(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return x
}

func decode(t *testing.T, text string) any {
	t.Helper()
	v, err := expr.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEval(t *testing.T) {
	vars := map[string]any{"args": decode(t, `{"n":5,"s":"text","list":[1,2.0,3e0]}`)}
	for src, want := range map[string]string{
		`args.n / 2`:                        `2.5`,
		`args.n * 2.0`:                      `10`,
		`args.list.map(x, x + 1)`:           `[2,3,4]`,
		`args.s.matches("^te.t$")`:          `true`,
		`{"b": args.n, "a": args.?missing}`: `{"b":5}`,
		`args.?missing.orValue("other")`:    `"other"`,
		`math.floor(args.n / 2)`:            `2`,
	} {
		value, cost, failure := compile(t, src).Eval(t.Context(), vars)
		if failure != nil {
			t.Errorf("%s: %v", src, failure)
			continue
		}
		out := expr.Encoder{Limit: 1000}
		if err := out.Append(value); err != nil || string(out.Out) != want || cost == 0 {
			t.Errorf("%s: %s at cost %d, %v", src, out.Out, cost, err)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	env := environment(t)
	for src, want := range map[string]string{
		"1 +":        "Syntax error",
		"params.x":   "undeclared reference",
		"args.x + ":  "Syntax error",
		`"a" + true`: "found no matching overload",
		"1 + " + strings.Repeat("1", expr.MaxSource):              "size exceeds limit",
		strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200): "recursion",
	} {
		if _, err := env.Compile(src); err == nil || !strings.Contains(err.Message, want) {
			t.Errorf("%.40s: got %v", src, err)
		}
	}
}

// An evaluation ends at its bounds, says which, and says where.
func TestEvalIsBounded(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		src  string
		ctx  context.Context
		want expr.Reason
	}{
		{`args.missing`, t.Context(), expr.NoSuchKey},
		{`lists.range(1000).map(x, lists.range(1000).map(y, x * y))`, t.Context(), expr.TooCostly},
		{`lists.range(4000) + lists.range(4000)`, t.Context(), expr.TooLarge},
		{`args.big + args.big`, t.Context(), expr.TooLarge},
		{`args.big.replace("a", "aa")`, t.Context(), expr.TooLarge},
		{`[args.big, args.big].join(",")`, t.Context(), expr.TooLarge},
		{`args.big.matches("a")`, t.Context(), expr.Failed},
		{`"a".matches("a{1000}")`, t.Context(), expr.Failed},
		{`1 / (args.n - 1)`, t.Context(), expr.Failed},
		{`args.n`, cancelled, expr.Cancelled},
	} {
		vars := map[string]any{"args": map[string]any{"n": int64(1), "big": strings.Repeat("a", 600<<10)}}
		value, _, failure := compile(t, tc.src).Eval(tc.ctx, vars)
		if failure == nil {
			t.Errorf("%s: %.40v", tc.src, value)
			continue
		}
		if failure.Reason != tc.want || failure.Error() == "" {
			t.Errorf("%s: reason %d, %v", tc.src, failure.Reason, failure)
		}
		if tc.want == expr.NoSuchKey && failure.Key != "missing" {
			t.Errorf("key %q", failure.Key)
		}
		if tc.want == expr.Cancelled && !errors.Is(failure, context.Canceled) {
			t.Errorf("cancelled: %v", failure)
		}
	}
}

func TestEncoderIsBounded(t *testing.T) {
	value, _, failure := compile(t, `lists.range(100)`).Eval(t.Context(), map[string]any{"args": map[string]any{}})
	if failure != nil {
		t.Fatal(failure)
	}
	out := expr.Encoder{Limit: 50}
	if err := out.Append(value); !errors.Is(err, expr.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}

func TestUses(t *testing.T) {
	var got []string
	compile(t, `args.a == args["b"] || has(args.?c.d) && [1].exists(args, args > 0) || size(args) > 0`).Uses(func(u expr.Use) {
		got = append(got, u.Name+"."+u.Field)
	})
	if want := []string{"args.a", "args.b", "args.c", "args."}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := newEnvironment(); err != nil {
			b.Fatal(err)
		}
	}
}
