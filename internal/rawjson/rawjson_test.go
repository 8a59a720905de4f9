package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

var seeds = []string{
	``, ` `, `{}`, `[]`, `""`, `0`, `-0`, `-`, `01`, `1.`, `1.5e+3`, `1e`, `.5`, `true`, `tru`, `nulll`, `{"a":1}`, ` { "a" : [ 1 , {} ] } `,
	`{"a":1,}`, `{,}`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `"\ud83d\ude00"`, `"\ud83d"`,
	`"\x"`, `"\u12g4"`, `"\`, `"`, "\"\n\"", "\"\x00\"", "\"\xff\"", `"ñ한"`, `{}x`, `[[[[]]]]`, `{"a":{"b":{"c":{}}}}`, `{"12345678":"12345678901234567\"890"}`,
	`{"text":"the quick brown fox\njumps \\ over the lazy dog"}`, `[1 2]`, "[1\f2]", `{"a":"b"}{"a":"b"}`,
}

func lenient(raw []byte) bool {
	return jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// agree holds everything of this package against a decoder.
func agree(t interface{ Errorf(string, ...any) }, raw []byte) {
	const depth = 9000 // the decoder's own limit is 10,000
	valid := lenient(raw)
	if got := rawjson.Valid(raw, depth) == nil; got != valid {
		t.Errorf("Valid(%q) is %v", raw, got)
	}
	if rawjson.Strict(raw, depth) && !jsontext.Value(raw).IsValid() {
		t.Errorf("Strict(%q) is true", raw)
	}
	type pair struct{ name, value string }
	var checked, plain []pair
	collect := func(into *[]pair) func(name, value json.RawMessage) error {
		return func(name, value json.RawMessage) error {
			*into = append(*into, pair{rawjson.Text(name), string(value)})
			return nil
		}
	}
	err := rawjson.CheckedMembers(raw, depth, collect(&checked))
	other := rawjson.Members(raw, collect(&plain))
	trimmed := bytes.TrimSpace(raw)
	isObject := valid && trimmed[0] == '{'
	if (err == nil) != isObject {
		t.Errorf("CheckedMembers(%q) says %v", raw, err)
	}
	if valid && !isObject && !errors.Is(err, rawjson.ErrKind) {
		t.Errorf("CheckedMembers(%q) says %v", raw, err)
	}
	_ = rawjson.Elements(raw, func(json.RawMessage) error { return nil }) // does not hang
	if !isObject {
		return
	}
	var want []pair
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		t.Errorf("%q: %v", raw, err)
	}
	for dec.PeekKind() != '}' {
		name, _ := dec.ReadToken()
		text := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			t.Errorf("%q: %v", raw, err)
			return
		}
		want = append(want, pair{text, string(value)})
		// A broken rune in a name reads differently; nothing looks for one.
		if rawjson.Member(raw, text) == nil && !strings.ContainsRune(text, '\uFFFD') {
			t.Errorf("Member(%q, %q) is not there", raw, text)
		}
	}
	if other != nil || len(want) != len(checked) || len(want) != len(plain) {
		t.Errorf("%q: %v; %d members, checked %d, plain %d", raw, other, len(want), len(checked), len(plain))
		return
	}
	for i := range want {
		if want[i].value != checked[i].value || checked[i] != plain[i] || !strings.ContainsRune(want[i].name, '\uFFFD') && want[i].name != checked[i].name {
			t.Errorf("%q: member %d is %q, want %q", raw, i, checked[i], want[i])
		}
	}
}

func TestAgreesWithADecoder(t *testing.T) {
	for _, seed := range seeds {
		agree(t, []byte(seed))
		agree(t, []byte(`{"x":`+seed+`,"y":[`+seed+`]}`))
	}
}

func FuzzAgrees(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) < 8000 {
			agree(t, raw)
		}
	})
}

// Any value that Go encodes is valid, strict where it has no doubles, and
// broken by taking any one bracket or quote away.
func TestGenerated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.MapOfN(rapid.StringMatching(`[a-z\\"é한]{0,12}`), rapid.OneOf(
			rapid.String().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny(),
			rapid.SliceOf(rapid.String()).AsAny()), 0, 20).Draw(t, "fields")
		raw, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, raw)
		at := rapid.IntRange(0, len(raw)-1).Draw(t, "at")
		agree(t, append(append([]byte(nil), raw[:at]...), raw[at+1:]...))
	})
}

func TestDepth(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want error
	}{
		{`[[[]]]`, nil}, {`[[[[]]]]`, rawjson.ErrDepth}, {`{"a":{"b":[]}}`, nil}, {`{"a":{"b":[{}]}}`, rawjson.ErrDepth},
		{strings.Repeat("[", 1_000_000), rawjson.ErrDepth}, {`"[[[[[["`, nil},
	} {
		if err := rawjson.Valid([]byte(c.raw), 3); !errors.Is(err, c.want) {
			t.Errorf("%.20s: %v", c.raw, err)
		}
		if err := rawjson.CheckedMembers([]byte(c.raw), 3, func(_, _ json.RawMessage) error { return nil }); c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("members of %.20s: %v", c.raw, err)
		}
	}
}

// What is too unusual for the fast check is never taken for strict.
func TestStrictLeavesTheUnusual(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"a":1,"b":[{"a":2}]}`: true, `{"a":1,"a":2}`: false, `{"a":{"b":1,"b":2}}`: false, "{\"a\":\"\xff\"}": false,
		`{"a":"\ud83d"}`: false, `{"a":"\u00e9"}`: true, `{"a":1,"\u0061":1}`: false,
	} {
		if got := rawjson.Strict([]byte(raw), 10); got != want {
			t.Errorf("Strict(%s) is %v", raw, got)
		}
	}
}

func BenchmarkValid100KB(b *testing.B) {
	raw := []byte(`{"text":"` + strings.Repeat(`the quick brown fox jumps over the lazy dog, and 0123456789 others look at it.\n`, 1250) + `"}`)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if rawjson.Valid(raw, 100) != nil {
			b.Fatal("not valid")
		}
	}
}
