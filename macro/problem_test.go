package macro_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/macro"
)

// Each definition has one thing wrong: where, and words of what is said.
func TestParseRefuses(t *testing.T) {
	step := `{"tool":"echo"}`
	for _, c := range []struct{ in, path, words string }{
		{``, "", "not valid JSON"},
		{`[]`, "", "must be object, not array"},
		{`{"name":"a","name":"b","steps":[` + step + `]}`, "", "given twice"},
		{`{"steps":[` + step + `]}`, "name", "is required"},
		{`{"name":"","steps":[` + step + `]}`, "name", "must not be empty"},
		{`{"name":5,"steps":[` + step + `]}`, "name", "must be string, not number"},
		{`{"name":"a b","steps":[` + step + `]}`, "name", "draw_my_chair"},
		{`{"name":"a__b","steps":[` + step + `]}`, "name", "without \"__\""},
		{`{"name":"` + strings.Repeat("a", 65) + `","steps":[` + step + `]}`, "name", "64"},
		{`{"name":"m","step":[` + step + `],"steps":[` + step + `]}`, "step", "Did you mean: steps"},
		{`{"name":"m","domain":" x","steps":[` + step + `]}`, "domain", "furniture"},
		{`{"name":"m","implementation":"script","steps":[` + step + `]}`, "implementation", "\"macro\""},
		{`{"name":"m"}`, "steps", "is required"},
		{`{"name":"m","steps":[]}`, "steps", "1 to 50"},
		{`{"name":"m","steps":{}}`, "steps", "must be array, not object"},
		{`{"name":"m","steps":[` + strings.Repeat(step+",", 50) + step + `]}`, "steps", "1 to 50 steps, this one has 51"},
		{`{"name":"m","steps":["echo"]}`, "steps[0]", "must be object, not string"},
		{`{"name":"m","steps":[{}]}`, "steps[0].tool", "is required"},
		{`{"name":"m","steps":[{"tool":"${params.t}"}]}`, "steps[0].tool", "is computed"},
		{`{"name":"m","steps":[{"tool":"a b"}]}`, "steps[0].tool", "not a valid name of a tool"},
		{`{"name":"m","steps":[{"id":"a-b","tool":"echo"}]}`, "steps[0].id", "a_b"},
		{`{"name":"m","steps":[{"id":"in","tool":"echo"}]}`, "steps[0].id", "seat"},
		{`{"name":"m","steps":[{"id":"a","tool":"echo"},{"id":"a","tool":"echo"}]}`, "steps[1].id", "two steps"},
		{`{"name":"m","steps":[{"tool":"echo","params":[1]}]}`, "steps[0].params", "must be object, not array"},
		{`{"name":"m","steps":[{"tool":"echo","args":{}}]}`, "steps[0].args", "Use one of: id, tool"},
		{`{"name":"m","steps":[{"tool":"echo","params":{"${x}":1}}]}`, "steps[0].params", "only values may"},
		{`{"name":"m","steps":[{"tool":"echo","params":{"a":["${x"]}}]}`, "steps[0].params.a[0]", "not closed"},
		{`{"name":"m","steps":[{"tool":"echo","params":{"a b":"${ }"}}]}`, `steps[0].params["a b"]`, "expression is empty"},
		{`{"name":"m","steps":[{"tool":"echo","when":"` + strings.Repeat("1", 5000) + `"}]}`, "steps[0].when", "5000 bytes"},
		{`{"name":"m","steps":[{"tool":"echo","when":true}]}`, "steps[0].when", "must be string, not boolean"},
		{`{"name":"m","steps":[{"tool":"echo","onError":"retry"}]}`, "steps[0].onError", "\"continue\""},
		{`{"name":"m","steps":[{"tool":"echo","onError":5}]}`, "steps[0].onError", "must be string"},
		{`{"name":"m","steps":[{"tool":"echo","onError":{}}]}`, "steps[0].onError.output", "is required"},
		{`{"name":"m","steps":[{"tool":"echo","onError":{"value":1,"output":1}}]}`, "steps[0].onError.value", "output"},
		{`{"name":"m","parameters":{"type":"array"},"steps":[` + step + `]}`, "parameters", "object"},
		{`{"name":"m","parameters":{"type":"str"},"steps":[` + step + `]}`, "parameters", "JSON Schema"},
		{`{"name":"m","output":"${","steps":[` + step + `]}`, "output", "not closed"},
		{`{"name":"m","output":"` + strings.Repeat("x", 64<<10) + `","steps":[` + step + `]}`, "", "65536 are allowed"},
		{`{"name":"m","output":[` + strings.Repeat(`"${1}",`, 200) + `"${1}"],"steps":[` + step + `]}`, "output[200]", "more than 200 expressions"},
		{`{"name":"m","output":[` + strings.Repeat(`"${`+strings.Repeat("1", 2000)+`}",`, 9) + `1],"steps":[` + step + `]}`, "output[8]", "more than 16384 bytes together"},
		{`{"name":"m","output":` + strings.Repeat("[", 130) + strings.Repeat("]", 130) + `,"steps":[` + step + `]}`, "", "128"},
	} {
		_, err := macro.Parse(json.RawMessage(c.in))
		wantProblem(t, c.in, err, c.path, c.words)
	}
}

func wantProblem(t *testing.T, in string, err error, path, words string) {
	t.Helper()
	list := macro.ProblemsOf(err)
	if len(in) > 200 {
		in = in[:200] + "…"
	}
	if len(list) != 1 {
		t.Errorf("%s\n%d problems, want one: %v", in, len(list), err)
		return
	}
	if got := list[0].Path(); got != path || !strings.Contains(list[0].Error(), words) {
		t.Errorf("%s\nat %q, want %q: %q not in %q", in, got, path, words, list[0].Error())
	}
	if list[0].Hint.IsZero() {
		t.Errorf("%s\nnothing is suggested: %s", in, list[0].Error())
	}
	if korean := list.In("ko"); korean == list.Error() {
		t.Errorf("%s\nno Korean: %s", in, korean)
	}
}

// Several problems come together.
func TestParseReportsAll(t *testing.T) {
	_, err := macro.Parse(json.RawMessage(`{"name":"a b","steps":[{"id":"1"},{"tool":"x","onError":"no"}]}`))
	if list := macro.ProblemsOf(err); len(list) != 4 {
		t.Errorf("%d problems: %v", len(list), err)
	}
	var single *macro.Problem
	if !errors.As(err, &single) {
		t.Error("a single problem cannot be found in the error")
	}
}

const withParams = `"parameters":{"type":"object","properties":{"width":{"type":"number"},"color":{"type":"string"}}}`

// Each definition has one expression wrong.
func TestCheckExpressions(t *testing.T) {
	for _, c := range []struct{ step, path, words string }{
		{`{"tool":"echo","params":{"a":"${width * 2}"}}`, "params.a", "Write params.width"},
		{`{"tool":"echo","params":{"a":"${foo}"}}`, "params.a", "no variable \"foo\""},
		{`{"tool":"echo","params":{"a":"${params.widht}"}}`, "params.a", "Did you mean: width"},
		{`{"tool":"echo","params":{"a":"${params['widht']}"}}`, "params.a", "Did you mean: width"},
		{`{"tool":"echo","params":{"a":"${params.?widht}"}}`, "params.a", "Did you mean: width"},
		{`{"tool":"echo","params":{"a":"${steps.later.output}"}}`, "params.a", "have an id: first"},
		{`{"tool":"echo","params":{"a":"${steps.me.output}"}}`, "params.a", "no step \"me\" before"},
		{`{"tool":"echo","params":{"a":"${item}"}}`, "params.a", "only in a step with forEach"},
		{`{"tool":"echo","params":{"a":"${[1].map(x, index)}"}}`, "params.a", "index exists only"},
		{`{"tool":"echo","forEach":"[item]"}`, "forEach", "item exists only"},
		{`{"tool":"echo","params":{"a":"${error.code}"},"onError":"continue"}`, "params.a", "error exists only"},
		{`{"tool":"echo","when":"1 + 1 == 2 ? 'a' : 'b'"}`, "when", "this gives string"},
		{`{"tool":"echo","forEach":"5"}`, "forEach", "this gives int"},
		{`{"tool":"echo","params":{"a":"${1 + 'a'}"}}`, "params.a", "string(x)"},
		{`{"tool":"echo","params":{"a":"${1 +}"}}`, "params.a", "Syntax error"},
		{`{"tool":"echo","params":{"a":"${nope(1)}"}}`, "params.a", "no variable \"nope\""},
		{`{"tool":"echo","params":{"a":"x ${params.width} ${bad}"}}`, "params.a", "no variable \"bad\""},
		{`{"tool":"echo","params":{"a":"` + "${" + strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200) + `}"}}`, "params.a", "recursion"},
		{`{"tool":"m"}`, "tool", "calls itself"},
	} {
		step := strings.Replace(c.step, `{"tool"`, `{"id":"me","tool"`, 1)
		in := `{"name":"m",` + withParams + `,"steps":[{"id":"first","tool":"echo"},` + step + `,{"id":"later","tool":"echo"}]}`
		d, err := macro.Parse(json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		wantProblem(t, c.step, d.Check(nil), "steps[1]."+c.path, c.words)
		if _, err := d.Tool(nil); len(macro.ProblemsOf(err)) != 1 {
			t.Errorf("%s: Tool gave %v", c.step, err)
		}
	}
}

// The place in an expression is pointed at.
func TestProblemPointsIntoExpression(t *testing.T) {
	d, err := macro.Parse(json.RawMessage(`{"name":"m","steps":[{"tool":"echo","params":{"a":"${1 + foo * 2}"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := "steps[0].params.a: there is no variable \"foo\"\n  1 + foo * 2\n      ^"
	if got := d.Check(nil).Error(); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A schema that may admit more names does not make params.x a mistake.
func TestOpenParameters(t *testing.T) {
	for _, parameters := range []string{
		`{"type":"object"}`, `{"type":"object","properties":{"a":{}},"additionalProperties":true}`,
		`{"type":"object","properties":{"a":{}},"patternProperties":{"^x":{}}}`, `{"type":"object","properties":{"a":{}},"anyOf":[{"required":["a"]}]}`,
	} {
		d, err := macro.Parse(json.RawMessage(`{"name":"m","parameters":` + parameters + `,"steps":[{"tool":"echo","params":{"a":"${params.x}"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Check(nil); err != nil {
			t.Errorf("%s: %v", parameters, err)
		}
	}
}

// What the catalog knows is checked too.
func TestCheckCatalog(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ step, path, words string }{
		{`{"tool":"draw_rekt","params":{"name":"a","x":1}}`, "tool", "Did you mean: draw_rect"},
		{`{"tool":"zzzzzz"}`, "tool", "List the tools"},
		{`{"tool":"draw_rect","params":{"name":"a","x":"1"}}`, "params", "args.x: expected number"},
		{`{"tool":"draw_rect","params":{"name":"a"}}`, "params", "x"},
		{`{"tool":"draw_rect"}`, "params", "name"},
		{`{"tool":"draw_rect","params":{"name":"${'a'}"}}`, "params", "draw_rect needs \"x\""},
		{`{"tool":"draw_rect","params":{"name":"${'a'}","x":1,"widht":2}}`, "params.widht", "Did you mean: width"},
	} {
		d, err := macro.Parse(json.RawMessage(`{"name":"m","steps":[` + c.step + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		err = d.Check(gongu.Everything(w.registry))
		if list := macro.ProblemsOf(err); len(list) == 2 && c.step == `{"tool":"draw_rect"}` {
			continue // name and x
		}
		wantProblem(t, c.step, err, "steps[0]."+c.path, c.words)
	}
	d, err := macro.Parse(json.RawMessage(`{"name":"m","steps":[{"tool":"draw_rect","params":{"name":"${'a'}","x":1}},{"tool":"echo","params":{"any":1}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Check(gongu.Everything(w.registry)); err != nil {
		t.Error(err)
	}
	if err := d.Check(gongu.Everything(w.registry).Restrict("echo")); len(macro.ProblemsOf(err)) != 1 {
		t.Errorf("a tool outside of the catalog: %v", err)
	}
}

// A definition survives being stored.
func TestDefinitionRoundTrip(t *testing.T) {
	const in = `{"name":"m","description":"d","domain":"x","parameters":{"type":"object"},` +
		`"steps":[{"id":"a","tool":"echo","params":{"v":"${params.x}"},"when":"true","forEach":"[1]","onError":"continue"},` +
		`{"tool":"fail","onError":{"output":null}},{"tool":"echo"}],"output":{"a":1}}`
	var d macro.Definition
	if err := json.Unmarshal([]byte(in), &d); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(d)
	if err != nil || string(out) != in {
		t.Errorf("%v\n got %s\nwant %s", err, out, in)
	}
	if err := json.Unmarshal([]byte(`{"name":"m"}`), &d); err == nil {
		t.Error("a definition without steps was taken")
	}
	var o macro.OnError
	if err := json.Unmarshal([]byte(`"no"`), &o); err == nil {
		t.Error("onError: no was taken")
	}
}

// A definition made in Go is checked like a parsed one.
func TestDefinitionInGo(t *testing.T) {
	for _, d := range []*macro.Definition{
		{},
		{Name: "m"},
		{Name: "m", Steps: []macro.Step{{}}},
		{Name: "m", Steps: []macro.Step{{Tool: "echo", Params: json.RawMessage(`{`)}}},
		{Name: "m", Steps: []macro.Step{{Tool: "echo", Params: json.RawMessage(`[]`)}}},
		{Name: "m", Steps: []macro.Step{{Tool: "echo"}}, Output: json.RawMessage(`x`)},
		{Name: "m", Steps: []macro.Step{{Tool: "echo"}}, Parameters: json.RawMessage(`{`)},
		{Name: "m", Steps: []macro.Step{{Tool: "echo", OnError: macro.OnError{Output: json.RawMessage(`{`)}}}},
	} {
		if err := d.Check(nil); err == nil {
			t.Errorf("%+v passed Check", d)
		}
		if _, err := d.Tool(nil); err == nil {
			t.Errorf("%+v became a tool", d)
		}
	}
	d := &macro.Definition{Name: "m", Steps: []macro.Step{{Tool: "echo"}}}
	if err := d.Check(nil); err != nil {
		t.Error(err)
	}
}

func TestCycle(t *testing.T) {
	calls := func(name string, tools ...string) *macro.Definition {
		d := &macro.Definition{Name: name}
		for _, tool := range tools {
			d.Steps = append(d.Steps, macro.Step{Tool: tool})
		}
		return d
	}
	for _, c := range []struct {
		want string
		in   []*macro.Definition
	}{
		{"[]", nil},
		{"[]", []*macro.Definition{calls("a", "b", "x"), calls("b", "c"), calls("c", "x")}},
		{"[a a]", []*macro.Definition{calls("a", "x", "a")}},
		{"[b c b]", []*macro.Definition{calls("a", "x", "b"), calls("b", "c"), calls("c", "b")}},
		{"[a b c a]", []*macro.Definition{calls("a", "b"), calls("b", "c"), calls("c", "a")}},
	} {
		if got := fmt.Sprint(macro.Cycle(c.in...)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
