package wire_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

func TestGet(t *testing.T) {
	raw := []byte(` {"a" : "x\"}\\" , "b":{"c":[1, {"d":"]"}],"e":null}, "f":-1.5e3,"g":true}`)
	for _, c := range []struct {
		want string
		path []string
	}{
		{`"x\"}\\"`, []string{"a"}},
		{`[1, {"d":"]"}]`, []string{"b", "c"}},
		{`null`, []string{"b", "e"}},
		{`-1.5e3`, []string{"f"}},
		{`true`, []string{"g"}},
		{``, []string{"h"}},
		{``, []string{"a", "b"}},
	} {
		if got := string(wire.Get(raw, c.path...)); got != c.want {
			t.Errorf("%v: got %q, want %q", c.path, got, c.want)
		}
	}
	if got := string(wire.First(wire.Get(raw, "b", "c"))); got != "1" {
		t.Errorf("the first element is %q", got)
	}
}

// What the scanner cuts out of valid JSON is what a decoder finds, and nothing
// makes it hang or panic.
func FuzzGet(f *testing.F) {
	for _, seed := range []string{`{"a":"b"}`, `{"a":{"a":[]}}`, `[{"a":1}]`, `{"a":"\\\""}`, `{"a`, `[1,`, `{"a":}`, `[,]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := wire.Get(raw, "a")
		wire.Elements(raw, func(value []byte) bool { return wire.First(value) != nil })
		var decoded map[string]json.RawMessage
		if json.Unmarshal(raw, &decoded) != nil {
			return
		}
		// A decoder takes the last of two, any case, and reads escapes.
		if bytes.Contains(raw, []byte(`\`)) || bytes.Count(bytes.ToLower(raw), []byte(`"a"`)) != 1 {
			return
		}
		if want := decoded["a"]; string(want) != string(got) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
