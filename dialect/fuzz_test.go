package dialect

import (
	"encoding/json"
	"testing"

	"github.com/gongu-ai/gongu"
)

// seeds are schemas of all shapes, for the fuzzer and for plain tests.
var seeds = []string{
	``,
	`{"type":"object"}`,
	`{"type":"object","properties":{"path":{"type":"string","description":"읽을 파일의 절대 경로"}},"required":["path"]}`,
	`{"type":"object","properties":{"n":{"type":["integer","null"],"minimum":1,"multipleOf":2},"s":{"type":"string","minLength":1,"format":"uri","pattern":"^a"}}}`,
	`{"type":"object","properties":{"node":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"v":{"type":"string"},"next":{"$ref":"#/$defs/n"}}}}}`,
	`{"type":"object","properties":{"self":{"$ref":"#","description":"again"}}}`,
	`{"type":"object","$ref":"#"}`,
	`{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind","x"]},{"properties":{"kind":{"const":"b"},"y":{"type":"number"}},"required":["kind"]}]}`,
	`{"type":"object","allOf":[{"properties":{"a":{"type":"number"}}},{"properties":{"a":{"type":"integer","maximum":9}},"required":["a"]}]}`,
	`{"type":"object","properties":{"t":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}}}`,
	`{"type":"object","properties":{"t":{"type":"array","items":[{"type":"string"},{"type":"integer"}]},"u":{"type":"array"}}}`,
	`{"type":"object","properties":{"e":{"enum":["a",1,null,{"x":1}]},"c":{"const":""},"any":true,"never":false,"free":{"type":"object"}}}`,
	`{"type":"object","properties":{"m":{"type":"object","additionalProperties":{"type":"string"}}},"additionalProperties":false}`,
	`{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}}}`,
	`{"type":"object","properties":{"a-b":{"type":"string"},"filter[id]":{"type":"string"},"":{}},"required":["zz"]}`,
	`{"type":"object","properties":{"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`,
	`{"type":"object","if":{"required":["a"]},"then":{"required":["b"]},"not":{"required":["c"]},"properties":{"a":{"type":"string","not":{"const":"x"}}}}`,
	`{"type":"object","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`,
	`[]`, `null`, `{"type":`, `{"a":1,"a":2}`,
}

func FuzzDeclare(f *testing.F) {
	for _, seed := range seeds {
		f.Add("tool", "Does things.", seed, `{"x":null,"kind":"b","node":{"v":null,"next":null}}`)
	}
	f.Fuzz(func(t *testing.T, name, description, schema, args string) {
		tl := gongu.Tool{
			Name:        string([]rune(name)), // what is not UTF-8 has no JSON form
			Description: string([]rune(description)),
			Parameters:  gongu.Schema(schema),
		}
		for _, d := range All() {
			declared, err := Declare(d, tl, nil)
			all, allErr := DeclareAll(d, []gongu.Tool{tl}, &Options{Lang: "ko"})
			if (err == nil) != (allErr == nil) || !json.Valid(all.JSON) {
				t.Fatalf("%s: one %v, all %v %s", d, err, allErr, all.JSON)
			}
			if err == nil {
				checkDeclaration(t, d, tl, declared)
			}
		}
		if got := Arguments(OpenAIStrict, tl, json.RawMessage(args)); json.Valid([]byte(args)) && !json.Valid(got) {
			t.Fatalf("%s became %s", args, got)
		}
	})
}
