package schema

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/jsonx"
)

// FuzzBound feeds schemas of any kind: no panic, no endless work; and what Bound
// accepts, the compiler survives.
func FuzzBound(f *testing.F) {
	for _, seed := range []string{
		`true`, `{}`, `{"type":"str"}`, `{"type":["string","null"],"enum":["a",1,null,true,{"x":[1e9999]}]}`,
		`{"$ref":"#"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$anchor":"x","items":{"$ref":"#x"}}}}`, doublings(5),
		`{"$id":"http://x/y","$schema":"https://json-schema.org/draft/2020-12/schema#","$dynamicAnchor":"n","items":{"$dynamicRef":"#n"}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema","$id":"#a","definitions":{"b":{"$ref":"#a","$id":"x"}},"items":[{}],"dependencies":{"a":["b"],"c":{}}}`,
		`{"pattern":"^(?=\\u0041)[^]\\/\\1\\k<n>\\p{Script=Greek}\\cA[\\s\\b]$","patternProperties":{"[":{}}}`,
		`{"multipleOf":0,"minLength":1e99,"maximum":1e99999999,"const":-0.0e-5}`,
		`{"required":["a","a"],"properties":[],"additionalProperties":1}`, `{"a":1,"a":2}`, "{\"\xff\":1}",
		strings.Repeat(`{"not":`, 70) + `{}` + strings.Repeat(`}`, 70), `{"$ref":"#/%zz"}`, `{"$id":"%zz","$ref":"a"}`, `{"$ref":"#/x~2y"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if Bound(raw) != nil {
			return
		}
		repaired, _ := RepairTypes(raw)
		if err := Bound(repaired); err != nil {
			t.Errorf("good before the repair, then: %v", err)
		}
		c, err := Compile(raw, nil)
		if err != nil {
			if lazy, lazyErr := Lazy(raw, nil); lazyErr != nil || lazy.Fast() {
				t.Errorf("fast path on a schema that does not compile: %v", err)
			}
			return
		}
		for _, args := range []string{`{}`, `{"a":[1,"x",{"b":null}]}`, `1e5`} {
			if failure := c.Check([]byte(args)); failure != nil && failure.Broken != nil {
				t.Errorf("compiled, but broken: %v", failure.Broken)
			}
		}
	})
}

// FuzzFastEqualsFull looks for a difference between the two ways.
func FuzzFastEqualsFull(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false}`, `{"a":1.0}`},
		{`{"items":{"enum":["a","\u0062",1.5,null,true]},"minItems":1,"maxItems":3}`, ` [ "\u0061" , 15e-1 ] `},
		{`{"minLength":2,"maxLength":2,"pattern":"^.{2}$"}`, `"\ud83d\ude00x"`},
		{`{"multipleOf":0.01}`, `1e-2`}, {`{"maximum":9007199254740993}`, `9007199254740994`}, {`{"const":1e2}`, `100.0`},
		{`{"additionalProperties":{"type":["number","null"]},"minProperties":1}`, `{"x":1,"y":null}`}, {`false`, `1`}, {`{"type":"integer"}`, `1e9999`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]), false)
		f.Add([]byte(seed[0]), []byte(seed[1]), true)
	}
	f.Fuzz(func(t *testing.T, schema, args []byte, draft7 bool) {
		// The caller's promise: strict JSON of bounded depth.
		if !jsontext.Value(args).IsValid() || jsonx.TooDeep(args, maxNesting) {
			return
		}
		compareVerdicts(t, string(schema), string(args), &Options{Draft7: draft7})
	})
}
