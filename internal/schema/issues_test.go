package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gongu-ai/gongu/internal/lang"
)

// issueLines renders a failure the way the tests compare it.
func issueLines(f *Failure, l lang.Lang) []string {
	if f == nil {
		return nil
	}
	var lines []string
	for _, issue := range f.Issues {
		lines = append(lines, issue.Path+": "+issue.Message.In(l))
	}
	return lines
}

// TestIssueTexts holds the texts of goondan's own checker; the numbers are those
// of the goondan cases in the root package.
func TestIssueTexts(t *testing.T) {
	for _, c := range []struct {
		name, schema, args string
		want               []string
	}{
		{"case 3: missing", `{"type":"object","required":["command"],"properties":{"command":{"type":"string"}}}`, `{}`,
			[]string{"args.command: required property is missing"}},
		{"case 4: type", `{"properties":{"command":{"type":"string"}}}`, `{"command":123}`,
			[]string{"args.command: expected string but got integer"}},
		{"case 5: unexpected", `{"properties":{"command":{}},"additionalProperties":false}`, `{"command":"pwd","extra":"x"}`,
			[]string{"args.extra: unexpected property"}},
		{"case 21: seven missing, in the order of the schema", `{"required":["g","a","f","b","e","c","d"]}`, `{}`, []string{
			"args.g: required property is missing", "args.a: required property is missing",
			"args.f: required property is missing", "args.b: required property is missing",
			"args.e: required property is missing", "args.c: required property is missing",
			"args.d: required property is missing"}},
		{"case 22: nested", `{"properties":{"o":{"type":"object","required":["x"]}}}`, `{"o":{}}`,
			[]string{"args.o.x: required property is missing"}},
		{"case 23: minLength", `{"properties":{"s":{"minLength":3}}}`, `{"s":"é"}`,
			[]string{"args.s: must be at least 3 characters long"}},
		{"case 23: pattern", `{"properties":{"s":{"pattern":"^a+$"}}}`, `{"s":"b"}`,
			[]string{"args.s: must match the pattern ^a+$"}},
		{"case 23: minimum", `{"properties":{"n":{"minimum":0.5}}}`, `{"n":0}`,
			[]string{"args.n: must be at least 0.5"}},
		{"case 24: enum", `{"properties":{"e":{"enum":["a","b"]}}}`, `{"e":"c"}`,
			[]string{`args.e: value must be one of ["a", "b"]`}},
		{"case 25: types in the schema's order", `{"properties":{"v":{"type":["string","number"]}}}`, `{"v":true}`,
			[]string{"args.v: expected string|number but got boolean"}},
		{"case 25: five is fine", `{"properties":{"v":{"type":["string","number"]}}}`, `{"v":5}`, nil},
		{"types in the other order", `{"type":["object","array","null"]}`, `1.5`,
			[]string{"args: expected object|array|null but got number"}},
		{"whole number with a point", `{"type":"string"}`, `1.0`, []string{"args: expected string but got integer"}},
		{"mixed enum", `{"enum":[1,null,"<a>",{"k":[1.50]}]}`, `2`,
			[]string{`args: value must be one of [1, null, "<a>", {"k":[1.50]}]`}},
		{"const", `{"const":{"a":1}}`, `2`, []string{`args: value must be {"a":1}`}},
		{"big integers are exact", `{"const":9007199254740993,"anyOf":[true]}`, `9007199254740992`,
			[]string{"args: value must be 9007199254740993"}},
		{"array paths", `{"properties":{"x":{"items":{"properties":{"y":{"type":"string"}}}}}}`, `{"x":[{"y":"a"},{"y":null}]}`,
			[]string{"args.x[1].y: expected string but got null"}},
		{"indexes in order of number", `{"items":{"type":"string"}}`, `["a",1,"a","a","a","a","a","a","a","a",1]`,
			[]string{"args[1]: expected string but got integer", "args[10]: expected string but got integer"}},
		{"odd names", `{"additionalProperties":{"type":"string"}}`, `{"a b":1,"":1,"0":1,"이름":1,"q\"":1}`, []string{
			`args[""]: expected string but got integer`, `args["0"]: expected string but got integer`,
			`args["a b"]: expected string but got integer`, `args["q\""]: expected string but got integer`,
			`args.이름: expected string but got integer`}},
		{"several at once", `{"required":["z","a"],"properties":{"m":{"type":"integer"},"b":{"maxLength":1}},"additionalProperties":false}`,
			`{"m":"x","b":"long","y":1,"c":2}`, []string{
				"args.z: required property is missing", "args.a: required property is missing",
				"args.b: must be at most 1 characters long", "args.c: unexpected property",
				"args.m: expected integer but got string", "args.y: unexpected property"}},
		{"the same through allOf only once", `{"allOf":[{"required":["a"]},{"$ref":"#/$defs/r"}],"$defs":{"r":{"required":["a"]}}}`, `{}`,
			[]string{"args.a: required property is missing"}},
		{"limits", `{"properties":{"a":{"maximum":10},"b":{"exclusiveMinimum":1},"c":{"exclusiveMaximum":1e2},"d":{"multipleOf":0.1},"e":{"minItems":2},"f":{"maxItems":1},"g":{"minProperties":1},"h":{"maxProperties":0}}}`,
			`{"a":11,"b":1,"c":100,"d":0.25,"e":[1],"f":[1,2],"g":{},"h":{"x":1}}`, []string{
				"args.a: must be at most 10", "args.b: must be greater than 1", "args.c: must be less than 100",
				"args.d: must be a multiple of 0.1", "args.e: must have at least 2 items", "args.f: must have at most 1 items",
				"args.g: must have at least 1 properties", "args.h: must have at most 0 properties"}},
		{"unique items", `{"uniqueItems":true}`, `[1,{"a":[2]},{"a":[2.0]}]`, []string{"args: items must be different, but [1] and [2] are equal"}},
		{"contains", `{"contains":{"type":"string"}}`, `[1]`, []string{"args: must contain a matching item"}},
		{"contains, counted", `{"contains":{"type":"string"},"minContains":2}`, `["a"]`, []string{"args: must contain at least 2 matching items"}},
		{"contains, too often", `{"contains":{"type":"string"},"maxContains":1}`, `["a","b"]`, []string{"args: must contain at most 1 matching items"}},
		{"not", `{"not":{"required":["a"]}}`, `{"a":1}`, []string{"args: matches a form that is not allowed"}},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{`args.b: required property is missing because "a" is present`}},
		{"property names", `{"properties":{"o":{"propertyNames":{"maxLength":2}}}}`, `{"o":{"abc":1}}`,
			[]string{"args.o.abc: property name is not allowed: must be at most 2 characters long"}},
		{"property names of siblings", `{"items":{"items":{"propertyNames":{"maxLength":1}}}}`, `[[{"ab":1},{"cd":1}],[{"ef":1}]]`, []string{
			"args[0][0].ab: property name is not allowed: must be at most 1 characters long",
			"args[0][1].cd: property name is not allowed: must be at most 1 characters long",
			"args[1][0].ef: property name is not allowed: must be at most 1 characters long"}},
		{"false property", `{"properties":{"a":false}}`, `{"a":1}`, []string{"args.a: unexpected property"}},
		{"false item", `{"prefixItems":[true],"items":false}`, `[1,2]`, []string{"args[1]: unexpected item"}},
		{"tuple of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[true],"additionalItems":false}`, `[1,2]`,
			[]string{"args: must have at most 1 items"}},
		{"unevaluated", `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, []string{"args.b: unexpected property"}},
		{"false", `false`, `1`, []string{"args: no value is allowed here"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			failure := mustCompile(t, c.schema).Check([]byte(c.args))
			if diff := cmp.Diff(c.want, issueLines(failure, lang.English)); diff != "" {
				t.Error(diff)
			}
			for _, line := range issueLines(failure, lang.Korean) {
				if strings.Contains(line, "%!") || !strings.ContainsFunc(line, func(r rune) bool { return r >= '가' && r <= '힣' }) {
					t.Errorf("Korean text: %s", line)
				}
			}
		})
	}
}

// anyOf and oneOf name the branch that was meant, when there is one.
func TestIssuesOfForms(t *testing.T) {
	shapes := `{"oneOf":[
		{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
		{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]}`
	for _, c := range []struct {
		name, schema, args string
		want               []string
	}{
		{"types are joined", `{"anyOf":[{"type":"string"},{"type":["integer","null"]}]}`, `[]`,
			[]string{"args: expected string|integer|null but got array"}},
		{"the only branch of the right type", `{"anyOf":[{"type":"object","required":["a"]},{"type":"null"}]}`, `{}`,
			[]string{"args.a: required property is missing"}},
		{"the discriminator decides", shapes, `{"kind":"square"}`, []string{"args.side: required property is missing"}},
		{"no discriminator fits", shapes, `{"kind":"hexagon"}`, []string{"args: matches none of the 2 allowed forms"}},
		{"constants are joined", `{"oneOf":[{"const":"a","title":"A"},{"enum":["b",3]}]}`, `"c"`,
			[]string{`args: value must be one of ["a", "b", 3]`}},
		{"more than one", `{"oneOf":[{"type":"number"},{"type":"string"},{"minimum":1}]}`, `5`,
			[]string{"args: matches more than one of the allowed forms (numbers 1 and 3), but must match exactly one"}},
		{"no branch stands out", `{"anyOf":[{"minimum":5},{"multipleOf":2}]}`, `3`, []string{"args: matches none of the 2 allowed forms"}},
		{"through a reference", `{"anyOf":[{"$ref":"#/$defs/o"},{"type":"string"}],"$defs":{"o":{"type":"object","properties":{"n":{"type":"integer"}}}}}`, `{"n":"x"}`,
			[]string{"args.n: expected integer but got string"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, issueLines(mustCompile(t, c.schema).Check([]byte(c.args)), lang.English)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The validator walks maps; the issues must not.
func TestIssuesAreInFixedOrder(t *testing.T) {
	c := mustCompile(t, `{"dependentSchemas":{"a":{"required":["p","q"]},"b":{"required":["q","r"]}},"properties":{"a":{"type":"null"},"b":{"type":"null"},"c":{"type":"null"}},"propertyNames":{"maxLength":0}}`)
	first := issueLines(c.Check([]byte(`{"a":1,"b":2,"c":3}`)), lang.English)
	for range 50 {
		if diff := cmp.Diff(first, issueLines(c.Check([]byte(`{"a":1,"b":2,"c":3}`)), lang.English)); diff != "" {
			t.Fatal(diff)
		}
	}
	if len(first) != 9 {
		t.Errorf("got %d issues, want 9: %q", len(first), first)
	}
}

func TestFailureNamesRequiredAndAllowed(t *testing.T) {
	f := mustCompile(t, `{"required":["b","a"],"properties":{"z":{},"b":{},"\u0061":{}}}`).Check([]byte(`{}`))
	if diff := cmp.Diff([]string{"b", "a"}, f.Required); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"z", "b", "a"}, f.Allowed); diff != "" {
		t.Error(diff)
	}
}
