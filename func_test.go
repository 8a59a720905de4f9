package gongu_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
)

type place struct {
	City string `json:"city" jsonschema:"the city, in any language"`
}

type forecast struct {
	place
	Unit  string            `json:"unit,omitempty" enum:"celsius,fahrenheit"`
	Days  int               `json:"days" required:"false" enum:"1,3,7"`
	Note  *string           `json:"note,omitempty" required:"true"`
	Tags  []string          `json:"tags,omitempty"`
	Extra map[string]string `json:"extra,omitempty"`
	At    time.Time         `json:"at,omitzero"`
	Near  []place           `json:"near,omitempty"`
}

// Func makes the schema from the Go type: description, enum, required.
func TestFuncSchema(t *testing.T) {
	made := gongu.Func("weather", "Tells the weather.", func(context.Context, forecast) (forecast, error) { return forecast{}, nil })
	const want = `{"type":"object","properties":{` +
		`"city":{"type":"string","description":"the city, in any language"},` +
		`"unit":{"type":"string","enum":["celsius","fahrenheit"]},` +
		`"days":{"type":"integer","enum":[1,3,7]},` +
		`"note":{"type":["null","string"]},` +
		`"tags":{"type":"array","items":{"type":"string"}},` +
		`"extra":{"type":"object","additionalProperties":{"type":"string"}},` +
		`"at":{"type":"string"},` +
		`"near":{"type":"array","items":{"type":"object","properties":{"city":{"type":"string","description":"the city, in any language"}},"required":["city"],"additionalProperties":false}}` +
		`},"required":["city","note"],"additionalProperties":false}`
	if string(made.Parameters) != want {
		t.Errorf("parameters =\n%s\nwant\n%s", made.Parameters, want)
	}
	// What is left out when it is nil is never written as null.
	written := strings.Replace(want, `["null","string"]`, `"string"`, 1)
	if string(made.Output) != written {
		t.Errorf("output =\n%s\nwant\n%s", made.Output, written)
	}
	newRegistry(t, made)
}

// What Func cannot do is said by Add, with tool and field.
func TestFuncReportsAtAdd(t *testing.T) {
	for want, bad := range map[string]gongu.Tool{
		`tool "a": parameters: string must be a struct`: gongu.Func("a", "", func(context.Context, string) (string, error) { return "", nil }),
		`tool "b": parameters:`:                         gongu.Func("b", "", func(context.Context, struct{ C chan int }) (string, error) { return "", nil }),
		`tool "c": invoke:`:                             gongu.Func[place, string]("c", "", nil),
		`field N: enum: "x" is no value`: gongu.Func("d", "", func(context.Context, struct {
			N int `enum:"1,x"`
		}) (string, error) {
			return "", nil
		}),
	} {
		r := gongu.NewRegistry(nil)
		if err := r.Add(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Add = %v, want %q", err, want)
		}
	}
}

// What Func returns: values, results with content, errors with all they say.
func TestFuncOutputs(t *testing.T) {
	type none = struct{}
	rich := errors.New("inner")
	e := newExecutor(t, nil,
		gongu.Func("text", "", func(context.Context, none) (string, error) { return "a<b & 가", nil }),
		gongu.Func("nothing", "", func(context.Context, none) (any, error) { return nil, nil }),
		gongu.Func("raw", "", func(context.Context, none) (json.RawMessage, error) { return json.RawMessage(`{"k":1}`), nil }),
		gongu.Func("result", "", func(context.Context, none) (gongu.Result, error) {
			return gongu.OK("seen").With(gongu.Content{Type: "text", Text: "block"}), nil
		}),
		gongu.Func("plain", "", func(context.Context, none) (string, error) { return "", rich }),
		gongu.Func("wrapped", "", func(context.Context, none) (string, error) {
			return "", fmt.Errorf("reading: %w", &gongu.Error{Name: "X", Code: "E_X", Message: "no", Suggestion: "try", HelpURL: "https://x"})
		}),
	)
	wantOK(t, run(t, e, "text", `{}`), `"a<b & 가"`)
	wantOK(t, run(t, e, "nothing", `{}`), `null`)
	wantOK(t, run(t, e, "raw", `{}`), `{"k":1}`)
	if r := run(t, e, "result", `{}`); string(r.Content) != `[{"type":"text","text":"block"}]` || string(r.Output) != `"seen"` {
		t.Errorf("result = %+v", r)
	}
	if got := wantCode(t, run(t, e, "plain", `{}`), gongu.CodeTool); got.Message != "inner" || !errors.Is(got, rich) {
		t.Errorf("plain error = %+v", got)
	}
	got := wantCode(t, run(t, e, "wrapped", `{}`), "E_X")
	if got.Message != "reading: no" || got.Name != "X" || got.Suggestion != "try" || got.HelpURL != "https://x" {
		t.Errorf("wrapped error = %+v", got)
	}
}
