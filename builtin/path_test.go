package builtin

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestPathRoundTrip writes steps in every form a path may take and reads the
// same steps back.
func TestPathRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.StringMatching(`[a-z가-힣0-9_$ -]{1,8}`), 1, 6).Draw(t, "steps")
		var path strings.Builder
		for i, step := range steps {
			form := rapid.SampledFrom([]string{".", "[", ".["}).Draw(t, "form")
			switch {
			case form != ".":
				path.WriteString(form + step + "]")
			case i == 0 && rapid.Bool().Draw(t, "bare"):
				path.WriteString(step)
			default:
				path.WriteString("." + step)
			}
		}
		got, err := parsePath(path.String())
		if err != nil || !slices.Equal(got, steps) {
			t.Fatalf("%q gave %q, %v, want %q", path.String(), got, err, steps)
		}
	})
}

// TestLookupAgainstDecoded compares with a walk over decoded data.
func TestLookupAgainstDecoded(t *testing.T) {
	const data = `{"a":[{"b":[0,1,{"c":"d"}]},[]],"":1,"constructor":{"length":2}}`
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.SampledFrom([]string{"a", "b", "c", "0", "1", "2", "-1", "length", "constructor", "__proto__"})
		steps := rapid.SliceOfN(step, 1, 5).Draw(t, "steps")
		raw, found, err := lookup(value(data), "."+strings.Join(steps, "."))
		if err != nil {
			t.Fatal(err)
		}
		var current any
		if err := json.Unmarshal([]byte(data), &current); err != nil {
			t.Fatal(err)
		}
		ok := true
		for _, s := range steps {
			if current, ok = walk(current, s); !ok {
				break
			}
		}
		if ok != found {
			t.Fatalf("%q: found %v, want %v", steps, found, ok)
		}
		if want, err := json.Marshal(current); ok && (err != nil || string(want) != string(raw)) {
			t.Fatalf("%q: %s, want %s", steps, raw, want)
		}
	})
}

func walk(from any, step string) (any, bool) {
	switch v := from.(type) {
	case map[string]any:
		member, ok := v[step]
		return member, ok
	case []any:
		if i := slices.Index([]string{"0", "1", "2"}, step); i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// FuzzPath holds for any text: no panic, no empty step, and every character of
// a step stands in the path.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"", ".", "a.b[0]", ".a.b.0", "[0].name", "a[b.c]", "$.a", "a..b", "a[", "]", "a[0]b", "가[나]", "\xff."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		steps, err := parsePath(path)
		if err != nil {
			if !utf8.ValidString(err.Error()) && utf8.ValidString(path) {
				t.Errorf("%q: broken message %q", path, err)
			}
			return
		}
		rest := path
		for _, step := range steps {
			at := strings.Index(rest, step)
			if step == "" || at < 0 {
				t.Fatalf("%q: step %q is not in the path", path, step)
			}
			rest = rest[at+len(step):]
		}
	})
}

// FuzzData holds for any data and path: what is found is JSON.
func FuzzData(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, "a[1].b")
	f.Add(`[[1],[2,[3]]]`, "[1][1]")
	f.Add(`"\ud83d\udc4d"`, ".")
	f.Fuzz(func(t *testing.T, text, path string) {
		data, err := readData("data", text)
		if err != nil {
			return
		}
		found, ok, err := lookup(data, path)
		if err != nil || !ok {
			return
		}
		if !json.Valid(found) || size(found) < 0 {
			t.Fatalf("%q at %q is %q", text, path, found)
		}
		for _, element := range flatten(nil, append(append(value("["), found...), ']'), 3) {
			if raw, ok := element.(value); !ok || !json.Valid(raw) {
				t.Fatalf("flatten of %q gave %v", found, element)
			}
		}
	})
}
