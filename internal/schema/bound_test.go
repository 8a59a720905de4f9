package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Wrong keywords are found without compiling, with the place and a way out.
func TestBoundNamesPlaceAndRemedy(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"properties":{"a":{"type":"str"}}}`, `schema at /properties/a/type: "str" is not a type of JSON Schema: did you mean "string"?`},
		{`{"type":"int"}`, `did you mean "integer"?`},
		{`{"type":"float"}`, `did you mean "number"?`},
		{`{"type":"bool"}`, `did you mean "boolean"?`},
		{`{"type":"list"}`, `did you mean "array"?`},
		{`{"type":"dict"}`, `did you mean "object"?`},
		{`{"type":"strin"}`, `use string, number, integer`},
		{`{"type":["string","float"]}`, `schema at /type/1: "float"`},
		{`{"type":["string","string"]}`, "same type twice"},
		{`{"type":[]}`, "at least one type"},
		{`{"type":{}}`, "a type name or an array of them, not an object"},
		{`{"type":[1]}`, "must be a type name, not a number"},
		{`{"properties":[]}`, "schema at /properties: must be an object of schemas, not an array"},
		{`{"properties":{"a/b~c":1}}`, "schema at /properties/a~1b~0c: must be a schema"},
		{`{"required":true}`, "must be an array of property names, not a boolean"},
		{`{"required":["a",1]}`, "schema at /required/1: must be a property name"},
		{`{"required":["a","a"]}`, `names "a" twice`},
		{`{"enum":"a"}`, "must be an array of values, not a string"},
		{`{"items":1}`, "must be a schema"},
		{`{"items":[{}]}`, "use prefixItems"},
		{`{"additionalProperties":"no"}`, "must be a schema"},
		{`{"minimum":"1"}`, "must be a number, not a string"},
		{`{"minimum":1,"exclusiveMinimum":true}`, "draft-04"},
		{`{"minLength":-1}`, "whole number"},
		{`{"minLength":1.5}`, "whole number"},
		{`{"maxItems":"5"}`, "whole number"},
		{`{"maxItems":1e30}`, "whole number"},
		{`{"multipleOf":0}`, "greater than 0"},
		{`{"pattern":1}`, "must be a string, not a number"},
		{`{"description":null}`, "must be a string, not null"},
		{`{"deprecated":1}`, "must be true or false"},
		{`{"examples":{}}`, "must be an array"},
		{`{"anyOf":{}}`, "must be an array of schemas"},
		{`{"anyOf":[]}`, "at least one schema"},
		{`{"anyOf":[true,{"type":"x"}]}`, "schema at /anyOf/1/type"},
		{`{"$defs":[]}`, "must be an object of schemas"},
		{`{"$ref":1}`, "must be a string"},
		{`{"$ref":"#/$defs/none"}`, "no subschema"},
		{`{"$ref":"#none"}`, "no subschema"},
		{`{"$ref":"#/title","title":"x"}`, "no subschema"},
		{`{"$ref":"#/%zz"}`, "is not a URL"},
		{`{"dependentRequired":{"a":[1]}}`, "schema at /dependentRequired/a/0"},
		{`{"dependencies":{"a":1}}`, "schema at /dependencies/a"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","enum":["a","a"]}`, "same value twice"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","enum":[]}`, "at least one value"},
		{`{"a":1,"a":2}`, "duplicate"},
		{`{"a":"` + "\xff" + `"}`, "UTF-8"},
		{`{} {}`, "not one JSON value"},
		{``, "schema is not"},
		{`[]`, "must be a schema, which is an object or true or false, not an array"},
	} {
		err := Bound([]byte(c.schema))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.schema, err, c.want)
		}
	}
}

func TestBoundAcceptsWhatIsLegal(t *testing.T) {
	for _, schema := range []string{
		`true`, `false`, `{}`, `{"type":["string","null"]}`, `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}]}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`,
		`{"properties":{"next":{"$ref":"#"}}}`, `{"properties":{"$ref":{"type":"string"}},"enum":[{"$ref":"http://x"}]}`,
		`{"$id":"http://x/y","$defs":{"a":{"$id":"z","type":"string"}},"properties":{"a":{"$ref":"http://x/z"},"b":{"$ref":"z#"}}}`,
		`{"$defs":{"a":{"$anchor":"n"}},"$ref":"#n"}`, `{"x-note":{"type":"str"},"default":{"type":"str"}}`,
	} {
		if err := Bound([]byte(schema)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
		if _, err := Compile([]byte(schema), nil); err != nil {
			t.Errorf("%s: compile: %v", schema, err)
		}
	}
}

// ECMA expressions that RE2 cannot run are let through with a warning; the
// others mean what they mean in ECMA.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		match   []string
		differ  []string
		dropped bool
	}{
		{pattern: `^\u0041\/\cA?$`, match: []string{"A/", "A/\x01"}, differ: []string{"a/"}},
		{pattern: `^\uD83D\uDE00$`, match: []string{"😀"}, differ: []string{"x"}},
		{pattern: `^\u{1F600}+$`, match: []string{"😀😀"}},
		{pattern: `^\p{Letter}+$`, match: []string{"가é"}, differ: []string{"1"}},
		{pattern: `^\p{Script=Hangul}+$`, match: []string{"가"}, differ: []string{"a"}},
		{pattern: `^\s$`, match: []string{"\u00a0", "\v", "\ufeff"}, differ: []string{"x"}},
		{pattern: `^[^\s]$`, match: []string{"x"}, differ: []string{"\u00a0"}},
		{pattern: `^\S$`, match: []string{"x"}, differ: []string{"\u2028"}},
		{pattern: `^.$`, match: []string{"x"}, differ: []string{"\n", "\r", "\u2028"}},
		{pattern: `^[^]$`, match: []string{"\n"}},
		{pattern: `[]`, differ: []string{"", "x"}},
		{pattern: `^[[:alpha:]]$`, match: []string{"a]", ":]"}, differ: []string{"b"}},
		{pattern: `^(?<y>\d{4})$`, match: []string{"2024"}, differ: []string{"٢٠٢٤"}},
		{pattern: `a$`, match: []string{"a"}, differ: []string{"a\n"}},
		{pattern: `^(?=.*\d).{8,}$`, dropped: true, match: []string{"no digit"}},
		{pattern: `(a)\1`, dropped: true},
		{pattern: `(?<n>a)\k<n>`, dropped: true},
		{pattern: `^.{1,5000}$`, dropped: true},
		{pattern: `\p{RGI_Emoji}`, dropped: true},
	} {
		p, err := compilePattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if p.dropped() != c.dropped {
			t.Errorf("%s: dropped = %v", c.pattern, p.dropped())
		}
		for _, s := range c.match {
			if !p.MatchString(s) {
				t.Errorf("%s does not match %q", c.pattern, s)
			}
		}
		for _, s := range c.differ {
			if p.MatchString(s) {
				t.Errorf("%s matches %q", c.pattern, s)
			}
		}
	}
	for _, wrong := range []string{`(`, `[`, `a{5,3}`, `*`, `(?=(`, `\`, `a**`, `\u00`, `(?<=[)`} {
		if p, err := compilePattern(wrong); err == nil {
			t.Errorf("%s was accepted (dropped = %v)", wrong, p.dropped())
		}
	}
}

func TestDroppedPatternsWarn(t *testing.T) {
	c := mustCompile(t, `{"properties":{"a":{"pattern":"(?!x)"}},"patternProperties":{"(?=b)":{"type":"integer"}},"additionalProperties":false}`)
	if len(c.Warnings()) != 2 || !strings.Contains(c.Warnings()[0], "(?!x)") {
		t.Errorf("warnings %q", c.Warnings())
	}
	// What a dropped name expression might have meant is let through.
	if failure := c.Check([]byte(`{"a":"x","b":"text","c":1}`)); failure != nil {
		t.Errorf("%+v", failure)
	}
}

// A schema that only the compiler finds wrong.
func TestLazyReportsBrokenSchema(t *testing.T) {
	c, err := Lazy([]byte(`{"$vocabulary":1}`), nil)
	if err != nil || c.Err() != nil || c.Fast() {
		t.Fatalf("Lazy: %v, Err: %v", err, c.Err())
	}
	if f := c.Check([]byte(`{}`)); f == nil || f.Broken == nil || f.Broken != c.Err() {
		t.Errorf("failure %+v, Err %v", f, c.Err())
	}
	if _, err := Compile([]byte(`{"$vocabulary":1}`), nil); err == nil || !strings.Contains(err.Error(), "/$vocabulary") {
		t.Errorf("Compile: %v", err)
	}
}

// Valid calls through the fast path never compile anything.
func TestLazyDoesNotCompileForValidCalls(t *testing.T) {
	c, err := Lazy([]byte(typicalSchema), nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := c.Check([]byte(typicalArgs)); f != nil || len(c.full.idle) != 0 {
		t.Errorf("failure %v, %d compiled copies", f, len(c.full.idle))
	}
	if f := c.Check([]byte(`{}`)); f == nil || len(c.full.idle) != 1 {
		t.Errorf("failure %v, %d compiled copies", f, len(c.full.idle))
	}
}

// A cycle that exists only for the dynamic scope of a call shows at run time.
func TestDynamicCycleIsBroken(t *testing.T) {
	c := mustCompile(t, `{"$id":"http://x/root","$dynamicAnchor":"n","$ref":"inner","$defs":{"a":{"$id":"inner","$dynamicRef":"#n","$defs":{"t":{"$dynamicAnchor":"n"}}}}}`)
	if f := c.Check([]byte(`{}`)); f == nil || f.Broken == nil || !strings.Contains(f.Broken.Error(), "refers back to itself") {
		t.Errorf("failure %+v", f)
	}
}

func TestResources(t *testing.T) {
	raw := []byte(`{"type":"string"}`)
	opts := &Options{Resources: map[string][]byte{"http://x/text": raw}}
	c, err := Compile([]byte(`{"properties":{"a":{"$ref":"http://x/text"}}}`), opts)
	if err != nil {
		t.Fatal(err)
	}
	if f := c.Check([]byte(`{"a":1}`)); f == nil || f.Issues[0].Path != "args.a" {
		t.Errorf("%+v", f)
	}
	opts.Resources["http://x/text"] = []byte(`{"type":"str"}`)
	if _, err := Compile([]byte(`true`), opts); err == nil || !strings.Contains(err.Error(), "resource http://x/text") {
		t.Errorf("error %v", err)
	}
}

func TestRepairTypes(t *testing.T) {
	in := `{ "type":"dict", "properties":{"a":{"type" : "str","default":{"type":"str"}},"type":{"type":["int","null"]}},"items":[{"type":"list"}],"anyOf":[{"type":"strange"}] }`
	want := `{ "type":"object", "properties":{"a":{"type" : "string","default":{"type":"str"}},"type":{"type":["integer","null"]}},"items":[{"type":"array"}],"anyOf":[{"type":"strange"}] }`
	out, notes := RepairTypes([]byte(in))
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		`/type: type "dict" was read as "object"`, `/properties/a/type: type "str" was read as "string"`,
		`/properties/type/type/0: type "int" was read as "integer"`, `/items/0/type: type "list" was read as "array"`,
	}, notes); diff != "" {
		t.Error(diff)
	}
	for _, same := range []string{`{"type":"string"}`, `not json`, `[]`, ``} {
		if out, notes := RepairTypes([]byte(same)); string(out) != same || notes != nil {
			t.Errorf("%s became %s, %q", same, out, notes)
		}
	}
}
