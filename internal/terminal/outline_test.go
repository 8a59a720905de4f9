package terminal

import (
	"encoding/json"
	"testing"
)

func TestOutline(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":1,"b":"x","c":true}`:                             "  a: 1\n  b: x\n  c: true\n",
		`{"z":1,"a":{"y":2,"b":[1,"two",null]}}`:               "  z: 1\n  a:\n    y: 2\n    b:\n      - 1\n      - two\n      - null\n",
		`{"list":[{"line":2,"text":"one\ntwo\n"},{"line":3}]}`: "  list:\n    - line: 2\n      text:\n          one\n          two\n    - line: 3\n",
		`{"list":[[1,2],[]]}`:                                  "  list:\n    - - 1\n      - 2\n    - []\n",
		`{"nothing":null,"none":[],"empty":{},"a":1e3}`:        "  a: 1e3\n",
		`{"nothing":null}`:                                     "",
		`"a text\nof two lines"`:                               "  a text\n  of two lines\n",
		`[]`:                                                   "  []\n",
		// What a tool says cannot steer the terminal; tabs of a file stay.
		`{"k\u001b[31m":"\u001b[2J\u202e\tx"}`: "  k\\x1b[31m: \\x1b[2J\\u202e\tx\n",
		`{"cut":`:                              "{\"cut\":\n",
		"not json":                             "not json\n",
	} {
		if got := Outline(json.RawMessage(raw)); got != want {
			t.Errorf("%s\n got %q\nwant %q", raw, got, want)
		}
	}
}

func FuzzOutline(f *testing.F) {
	f.Add(`{"a":[1,{"b":"c\nd"}]}`)
	f.Fuzz(func(_ *testing.T, raw string) { _ = Outline(json.RawMessage(raw)) })
}
