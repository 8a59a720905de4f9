package jsonx

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/internal/lang"
)

func TestObject(t *testing.T) {
	for in, want := range map[string]string{
		"":                     `{}`,
		"  ":                   `{}`,
		" {\"a\":1} ":          `{"a":1}`,
		`"{\"a\":1}"`:          `{"a":1}`,
		`"\"{}\""`:             `{}`,
		`"  "`:                 "args: expected object but got string",
		`"x"`:                  "args: expected object but got string",
		`"[]"`:                 "args: expected object but got array",
		`[]`:                   "args: expected object but got array",
		`{"a b":{"c":1,"c"`:    `args["a b"].c: the same property is given twice`,
		`{"x":[0,{"y":1]}`:     "args: not valid JSON near byte 14",
		`{}x`:                  "args: more text follows the JSON value at byte 2",
		`{"a":"\xff"}`:         "args: not valid JSON near byte 6",
		"{\"a\":\"\xc3\x28\"}": "args: not valid UTF-8",
	} {
		got, problem := Object([]byte(in), 100)
		text := string(got)
		if problem != nil {
			text = problem.Error()
		}
		if text != want {
			t.Errorf("Object(%q) = %s, want %s", in, text, want)
		}
	}
	_, problem := Object([]byte(strings.Repeat(" ", 101)), 100)
	if problem == nil || problem.Message.In(lang.Korean) != "101바이트는 허용된 100바이트보다 큽니다" {
		t.Errorf("too large: %v", problem)
	}
}

// Brackets inside strings are not nesting; those outside are, closed or not.
func TestDepth(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if p := Strict([]byte(deep)); p != nil {
		t.Errorf("%d levels: %v", MaxDepth, p)
	}
	if p := Strict([]byte("[" + deep + "]")); p == nil {
		t.Errorf("%d levels were taken", MaxDepth+1)
	}
	if p := Strict([]byte(`{"a":"` + strings.Repeat(`[\"{`, 500) + `"}`)); p != nil {
		t.Errorf("brackets in a string: %v", p)
	}
}

func TestPaths(t *testing.T) {
	for token, want := range map[string]string{"x": "args.x", "0": "args[0]", "a-b": "args.a-b", "a b": `args["a b"]`, "": `args[""]`, "한글": "args.한글", "-x": `args["-x"]`} {
		if got := Join("args", token); got != want {
			t.Errorf("Join(%q) = %s, want %s", token, got, want)
		}
	}
	if got := JoinKey("args", "0"); got != `args["0"]` {
		t.Errorf("a key of digits is %s", got)
	}
}

func FuzzStrict(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,"a":2}`, `[[[]]]`, `"\ud83d\ude00"`, "\xff", `1e999`, `{"a":"\u0000"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if Strict(raw) == nil && !json.Valid(raw) {
			t.Errorf("%q was taken and is no JSON", raw)
		}
		if object, problem := Object(raw, 1<<20); problem == nil && (len(object) == 0 || object[0] != '{') {
			t.Errorf("%q gave the object %q", raw, object)
		}
	})
}
