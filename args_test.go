package gongu_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

// H15: arguments that two readers could read differently are refused before
// anything looks at them.
func TestH15_StrictArguments(t *testing.T) {
	ran := 0
	e := newExecutor(t, &gongu.ExecutorOptions{MaxArgs: 1000}, handled("t", "", func(context.Context, gongu.Call) gongu.Result {
		ran++
		return gongu.OK(1)
	}))
	deep := strings.Repeat(`{"a":`, 129) + `1` + strings.Repeat(`}`, 129)
	for name, tc := range map[string]struct{ args, want string }{
		"duplicate key":         {`{"a":1,"a":2}`, "args.a: the same property is given twice"},
		"duplicate, escaped":    {`{"a":1,"\u0061":2}`, "args.a: the same property is given twice"},
		"duplicate inside":      {`{"x":[{"b":1,"b":2}]}`, "args.x[0].b: the same property is given twice"},
		"broken UTF-8":          {"{\"a\":\"\xff\"}", "args: not valid UTF-8"},
		"half a surrogate":      {`{"a":"\ud800"}`, "args: not valid JSON near byte"},
		"too deep":              {deep, "args: nested deeper than 128 levels, too complex to check"},
		"deep arrays":           {`{"a":` + strings.Repeat("[", 300) + `}`, "too complex to check"},
		"too large":             {`{"a":"` + strings.Repeat("x", 1000) + `"}`, "args: 1008 bytes are more than the 1000 allowed"},
		"cut off":               {`{"a":`, "args: not valid JSON near byte"},
		"two values":            {`{} {}`, "args: more text follows the JSON value"},
		"null":                  {`null`, "args: expected object but got null"},
		"array":                 {`[1]`, "args: expected object but got array"},
		"number":                {`5`, "args: expected object but got number"},
		"boolean":               {`true`, "args: expected object but got boolean"},
		"text":                  {`"hello"`, "args: expected object but got string"},
		"string with an array":  {`"[1]"`, "args: expected object but got array"},
		"string with duplicate": {`"{\"a\":1,\"a\":2}"`, "args.a: the same property is given twice"},
		"wrapped too often":     {wrap(`{}`, 4), "args: expected object but got string"},
	} {
		got := wantCode(t, run(t, e, "t", tc.args), gongu.CodeInvalidArgs)
		if want := "Invalid arguments for tool 't': "; !strings.HasPrefix(got.Message, want) || !strings.Contains(got.Message, tc.want) {
			t.Errorf("%s: %s", name, got.Message)
		}
	}
	if ran != 0 {
		t.Errorf("the handler ran %d times", ran)
	}
	for _, args := range []string{``, `  `, `{}`, " {\n} ", `"{}"`, wrap(`{}`, 3), `"  {}  "`, strings.Repeat(`{"a":`, 127) + `{}` + strings.Repeat(`}`, 127)} {
		if r := run(t, e, "t", args); r.Failed() {
			t.Errorf("%.60s: %s", args, r.Error.Message)
		}
	}
}

func wrap(raw string, times int) string {
	for range times {
		encoded, err := json.Marshal(raw)
		if err != nil {
			panic(err)
		}
		raw = string(encoded)
	}
	return raw
}

// H15: Func binds names case-sensitively, so the path that was checked is the
// path that is used.
func TestH15_FuncBindsCaseSensitively(t *testing.T) {
	type in struct {
		Path string `json:"path"`
	}
	type loose struct {
		Path string `json:"path"`
		Rest map[string]any
	}
	strict := gongu.Func("strict", "Reads.", func(_ context.Context, in in) (string, error) { return in.Path, nil })
	open := gongu.Func("open", "Reads.", func(_ context.Context, in loose) (string, error) { return in.Path, nil })
	open.Parameters = `{"type":"object"}`
	e := newExecutor(t, nil, strict, open)
	const sly = `{"path":"safe/x","PATH":"/etc/shadow"}`
	wantCode(t, run(t, e, "strict", sly), gongu.CodeInvalidArgs)
	wantOK(t, run(t, e, "open", sly), `"safe/x"`)
	wantOK(t, run(t, e, "open", `{"PATH":"/etc/shadow"}`), `""`)
}

// H16: a schema and a value that multiply into endless work are refused, and
// nothing is left running.
func TestH16_WorkBudget(t *testing.T) {
	schema := gongu.Schema(`{"type":"object","properties":{"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`)
	e := newExecutor(t, nil, handled("t", schema, echo))
	for _, depth := range []int{20, 9000} {
		args := strings.Repeat(`{"b":`, depth) + `5` + strings.Repeat(`}`, depth)
		start := time.Now()
		got := wantCode(t, run(t, e, "t", args), gongu.CodeInvalidArgs)
		if !strings.Contains(got.Message, "too complex to check") {
			t.Errorf("depth %d: %s", depth, got.Message)
		}
		if time.Since(start) > 10*time.Second {
			t.Errorf("depth %d took %s", depth, time.Since(start))
		}
	}
	wantOK(t, run(t, e, "t", `{"b":{"b":{}}}`), `{"b":{"b":{}}}`)
}

// Hostile schemas get a clear error at once, and nothing is registered.
func TestHostileSchemas(t *testing.T) {
	defs := new(strings.Builder)
	for i := range 25 {
		fmt.Fprintf(defs, `"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]},`, i, i+1, i+1)
	}
	for name, schema := range map[string]string{
		"self":       `{"type":"object","$ref":"#"}`,
		"mutual":     `{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		"2^25 anyOf": `{"type":"object","$ref":"#/$defs/a0","$defs":{` + defs.String() + `"a25":{"type":"object"}}}`,
		"deep allOf": `{"type":"object","allOf":[` + strings.Repeat(`{"allOf":[`, 3000) + `{}` + strings.Repeat(`]}`, 3000) + `]}`,
		"remote":     `{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}`,
		"file":       `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`,
		"10 MB":      `{"type":"object","description":"` + strings.Repeat("x", 10<<20) + `"}`,
		"bad regex":  `{"type":"object","properties":{"a":{"type":"string","pattern":"(["}}}`,
	} {
		for _, bulk := range []int{0, 100} {
			r := newRegistry(t)
			var tools []gongu.Tool
			for i := range bulk {
				tools = append(tools, tool(fmt.Sprintf("filler%d", i)))
			}
			start := time.Now()
			err := r.Add(append(tools, handled("evil", gongu.Schema(schema), echo))...)
			if err == nil || !strings.Contains(err.Error(), `tool "evil": parameters:`) || len(err.Error()) > 1000 {
				t.Errorf("%s in a batch of %d: %.300v", name, bulk, err)
			}
			if r.Len() != 0 {
				t.Errorf("%s: %d tools are registered", name, r.Len())
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%s took %s", name, took)
			}
		}
	}
}

// Big integers are kept exact on their way to a raw handler and into Go.
func TestBigIntegersStayExact(t *testing.T) {
	schema := gongu.Schema(`{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}}}`)
	exact := gongu.Func("exact", "Counts.", func(_ context.Context, in struct {
		N int64 `json:"n"`
	}) (int64, error) {
		return in.N, nil
	})
	e := newExecutor(t, nil, handled("raw", schema, echo), exact)
	wantOK(t, run(t, e, "raw", `{"n":9007199254740993}`), `{"n":9007199254740993}`)
	wantCode(t, run(t, e, "raw", `{"n":9007199254740994}`), gongu.CodeInvalidArgs)
	wantOK(t, run(t, e, "exact", `{"n":9007199254740993}`), `9007199254740993`)
	got := wantCode(t, run(t, e, "exact", `{"n":99999999999999999999}`), gongu.CodeInvalidArgs)
	if !strings.Contains(got.Message, "args.n: 99999999999999999999 does not fit int64") {
		t.Errorf("message = %s", got.Message)
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"a":1,"a":2}`, `"{\"s\":\"x\"}"`, `{"s":"\ud800"}`, "{\"s\":\"\xff\"}", `[[[[`, `{"s":"가","n":1e400}`, `{"n":1.0}`} {
		f.Add([]byte(seed))
	}
	type in struct {
		S string   `json:"s,omitempty"`
		N int64    `json:"n,omitempty"`
		L []string `json:"l,omitempty"`
	}
	r := gongu.NewRegistry(&gongu.RegistryOptions{Logger: quiet()})
	if err := r.Add(gongu.Func("t", "Fuzzed.", func(_ context.Context, in in) (in, error) { return in, nil })); err != nil {
		f.Fatal(err)
	}
	e := overRegistry(r, nil)
	f.Fuzz(func(t *testing.T, args []byte) {
		result := e.Call(t.Context(), gongu.Call{Name: "t", Args: args})
		if _, err := json.Marshal(result); err != nil {
			t.Fatalf("the result cannot be encoded: %v", err)
		}
		if result.Failed() && result.Error.Code != gongu.CodeInvalidArgs {
			t.Fatalf("%q gave %s: %s", args, result.Error.Code, result.Error.Message)
		}
	})
}
