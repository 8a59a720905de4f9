package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/schema"
)

// Step 9 on the way back: only the nulls that strict mode added go away.
func TestArguments(t *testing.T) {
	const (
		flat    = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"n":{"type":["string","null"]},"any":{}},"required":["b"]}`
		deep    = `{"type":"object","properties":{"o":{"$ref":"#/$defs/o"},"l":{"type":"array","items":{"$ref":"#/$defs/o"}}},"$defs":{"o":{"type":"object","properties":{"x":{"enum":["v"]},"next":{"$ref":"#/$defs/o"}}}}}`
		union   = `{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind","x"]},{"properties":{"kind":{"const":"b"},"x":{"type":"string"},"y":{"type":"number"}},"required":["kind"],"additionalProperties":false}]}`
		closed  = `{"type":"object","oneOf":[{"properties":{"k":{"const":"a"}},"required":["k"],"additionalProperties":false},{"properties":{"k":{"const":"b"},"y":{"type":["string","null"]}},"required":["k"]}]}`
		outside = `{"type":"object","required":["x"],"anyOf":[{"properties":{"x":{"type":"string"}}}]}`
		rule    = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`
		all     = `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}},{"required":["a"],"properties":{"c":{"type":"string"}}}]}`
		when    = `{"type":"object","properties":{"m":{"type":"string"}},"if":{"properties":{"m":{"const":"x"}},"required":["m"]},"then":{"properties":{"q":{"type":"string"}}}}`
	)
	for _, tc := range []struct{ name, schema, in, want string }{
		{"first", flat, `{"a":null,"b":"x"}`, `{"b":"x"}`},
		{"last", flat, `{"b":"x","a":null}`, `{"b":"x"}`},
		{"the only one", flat, `{ "a" : null }`, `{  }`},
		{"bytes around stay", flat, "{\n \"b\" : \"\\u00e9\" ,\n \"a\":null , \"zz\" : 1e2 }", "{\n \"b\" : \"\\u00e9\" , \"zz\" : 1e2 }"},
		{"required stays", flat, `{"b":null}`, `{"b":null}`},
		{"allowed null stays", flat, `{"n":null,"any":null,"b":"x"}`, `{"n":null,"any":null,"b":"x"}`},
		{"unknown stays", flat, `{"zz":null,"b":"null"}`, `{"zz":null,"b":"null"}`},
		{"wrapped in a string", flat, `"{\"a\":null,\"b\":\"x\"}"`, `{"b":"x"}`},
		{"wrapped, nothing to do", flat, `"{\"b\":null}"`, `"{\"b\":null}"`},
		{"inside", deep, `{"o":{"x":null,"next":{"x":"v","next":null}},"l":[{"x":null,"next":null},{"x":"v","next":null}]}`, `{"o":{"next":{"x":"v"}},"l":[{},{"x":"v"}]}`},
		{"union, first branch", union, `{"kind":"a","x":"1","y":null}`, `{"kind":"a","x":"1"}`},
		{"union, second branch", union, `{"kind":"b","x":null,"y":2}`, `{"kind":"b","y":2}`},
		{"union, none fits", union, `{"kind":"c","x":null}`, `{"kind":"c","x":null}`},
		{"union, closed branch", closed, `{"k":"a","y":null}`, `{"k":"a"}`},
		{"union, open branch", closed, `{"k":"b","y":null}`, `{"k":"b","y":null}`},
		{"required outside of the union", outside, `{"x":null}`, `{"x":null}`},
		{"rule", rule, `{"a":null,"b":"x"}`, `{"b":"x"}`},
		{"allOf", all, `{"a":null,"c":null}`, `{"a":null}`},
		{"condition", when, `{"m":"x","q":null}`, `{"m":"x"}`},
		{"broken JSON", flat, `{"a":null`, `{"a":null`},
		{"no object", flat, `[null]`, `[null]`},
		{"no schema", ``, `{"a":null}`, `{"a":null}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Arguments(OpenAIStrict, tool(tc.schema), json.RawMessage(tc.in)); string(got) != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			for _, d := range All() {
				if got := Arguments(d, tool(tc.schema), json.RawMessage(tc.in)); d != OpenAIStrict && string(got) != tc.in {
					t.Errorf("%s: %s became %s", d, tc.in, got)
				}
			}
		})
	}
}

// Alternatives inside alternatives end in bounded time, with the arguments as
// they came (H16 refuses them later).
func TestArgumentsHostile(t *testing.T) {
	tl := tool(`{"type":"object","properties":{"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]},"z":{"type":"string"}},"required":["q"]}`)
	in := `{"z":null}`
	for range 100 {
		in = `{"b":` + in + `,"z":null}`
	}
	start := time.Now()
	if got := Arguments(OpenAIStrict, tl, json.RawMessage(in)); string(got) != in {
		t.Errorf("got %s", got)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// drawing makes random schemas together with values that fit them.
type drawing struct {
	t *rapid.T
	// nullables counts the optional properties that may be null themselves,
	// where a null cannot be told from a property left out.
	nullables int
}

// drawn is a schema and a way to draw values of it.
type drawn struct {
	schema string
	value  func() string
}

func (d *drawing) schema(depth int) drawn {
	kinds := []string{"string", "integer", "boolean", "enum", "const", "nullable"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array", "union", "allOf", "ref")
	}
	pick := func(values ...string) func() string {
		return func() string { return rapid.SampledFrom(values).Draw(d.t, "value") }
	}
	switch rapid.SampledFrom(kinds).Draw(d.t, "kind") {
	case "integer":
		return drawn{`{"type":"integer","minimum":1}`, pick("1", "7")}
	case "boolean":
		return drawn{`{"type":"boolean"}`, pick("true", "false")}
	case "enum":
		return drawn{`{"enum":["x","y",3]}`, pick(`"x"`, `"y"`, "3")}
	case "const":
		return drawn{`{"const":"k"}`, pick(`"k"`)}
	case "nullable":
		return drawn{`{"type":["string","null"]}`, pick(`"s"`, "null")}
	case "object":
		return d.object(depth, nil)
	case "array":
		item := d.schema(depth - 1)
		return drawn{`{"type":"array","items":` + item.schema + `}`, func() string {
			return "[" + strings.Join(d.several(item), ",") + "]"
		}}
	case "union":
		return d.union(depth)
	case "allOf":
		a, b := d.object(depth-1, []string{"a", "b"}), d.object(depth-1, []string{"c", "d"})
		return drawn{`{"allOf":[` + a.schema + "," + b.schema + "]}", func() string { return join(a.value(), b.value()) }}
	case "ref":
		return drawn{`{"$ref":"#/$defs/list"}`, pick(`{"v":1}`, `{"v":1,"next":{"v":2,"w":"w"}}`)}
	}
	return drawn{`{"type":"string"}`, pick(`""`, `"s"`, `"null"`)}
}

func (d *drawing) several(item drawn) []string {
	var items []string
	for range rapid.IntRange(0, 2).Draw(d.t, "items") {
		items = append(items, item.value())
	}
	return items
}

func (d *drawing) union(depth int) drawn {
	keyword := rapid.SampledFrom([]string{"anyOf", "oneOf"}).Draw(d.t, "keyword")
	a, b := d.object(depth-1, []string{"a", "b"}), d.object(depth-1, []string{"b", "c"})
	if strings.Contains(a.schema+b.schema, `"null"`) {
		d.nullables++ // what one branch requires the merged object leaves open
	}
	tag := func(o drawn, tag string) drawn {
		schema := strings.Replace(o.schema, `"properties":{`, `"properties":{"tag":{"const":"`+tag+`"},`, 1)
		schema = strings.Replace(strings.Replace(schema, ",}", "}", 1), `"required":[`, `"required":["tag",`, 1)
		return drawn{strings.Replace(schema, ",]", "]", 1), func() string { return join(`{"tag":"`+tag+`"}`, o.value()) }}
	}
	a, b = tag(a, "A"), tag(b, "B")
	return drawn{`{"` + keyword + `":[` + a.schema + "," + b.schema + "]}", func() string {
		if rapid.Bool().Draw(d.t, "branch") {
			return a.value()
		}
		return b.value()
	}}
}

// object has the named properties, each required or not.
func (d *drawing) object(depth int, names []string) drawn {
	if names == nil {
		names = []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(d.t, "properties")]
	}
	var properties, required []string
	children := map[string]drawn{}
	for _, name := range names {
		child := d.schema(max(depth-1, 0))
		children[name] = child
		properties = append(properties, fmt.Sprintf(`%q:%s`, name, child.schema))
		if rapid.Bool().Draw(d.t, "required") {
			required = append(required, name)
		} else if strings.Contains(child.schema, `"null"`) {
			d.nullables++
		}
	}
	quoted := strings.Join(required, `","`)
	if quoted != "" {
		quoted = `"` + quoted + `"`
	}
	text := `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + quoted + `]}`
	return drawn{text, func() string {
		var members []string
		for _, name := range names {
			if slices.Contains(required, name) || rapid.Bool().Draw(d.t, "given") {
				members = append(members, fmt.Sprintf(`%q:%s`, name, children[name].value()))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}}
}

// join puts the members of two objects into one.
func join(a, b string) string {
	switch {
	case a == "{}":
		return b
	case b == "{}":
		return a
	}
	return a[:len(a)-1] + "," + b[1:]
}

// fill adds null for each property that a strict schema demands and a value
// does not have, as a model in strict mode would.
func fill(t rapid.TB, root, s, value *node) *node {
	if ref := s.get("$ref"); ref != nil {
		s = (&document{root: root}).resolve(ref.text)
	}
	if list := s.get("anyOf"); list != nil {
		for _, branch := range list.items {
			whole := newObject().set("$defs", newObject())
			if defs := root.get("$defs"); defs != nil {
				whole.set("$defs", defs)
			}
			filled := fill(t, root, branch, value)
			if valid(t, whole.set("allOf", newArray(branch)).String(), filled.String()) {
				return filled
			}
		}
		return value
	}
	out := &node{kind: value.kind, raw: value.raw, text: value.text}
	for _, item := range value.items {
		out.items = append(out.items, fill(t, root, s.get("items"), item))
	}
	for _, m := range value.members {
		child := m.value
		if own := s.get("properties").get(m.name); own != nil {
			child = fill(t, root, own, m.value)
		}
		out.set(m.name, child)
	}
	if value.isObject() {
		for _, name := range s.get("required").strings() {
			if !out.has(name) {
				out.set(name, newNull())
			}
		}
	}
	return out
}

func valid(t rapid.TB, text, value string) bool {
	checker, err := schema.Compile([]byte(text), nil)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return checker.Check([]byte(value)) == nil
}

// For random schemas and values that fit them: the value, with null for all
// that it leaves out, fits the strict declaration, and what Arguments makes of
// it fits the original again (H5, step 9). Where no property may be null by
// itself, it is the very value.
func TestStrictRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawing{t: t}
		var root drawn
		if rapid.Bool().Draw(t, "union at the root") {
			root = d.union(2)
			root.schema = `{"type":"object",` + root.schema[1:]
		} else {
			root = d.object(3, nil)
		}
		const list = `"$defs":{"list":{"type":"object","properties":{"v":{"type":"integer"},"w":{"type":"string"},"next":{"$ref":"#/$defs/list"}},"required":["v"]}}`
		original := "{" + list + "," + root.schema[1:]
		value := root.value()
		if !valid(t, original, value) {
			t.Skip("not valid by itself, such as a oneOf that fits twice") //rules:skip rapid draws another
		}
		tl := gongu.Tool{Name: "t", Parameters: gongu.Schema(original)}
		declared, err := Declare(OpenAIStrict, tl, nil)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parse(declared.JSON)
		if err != nil {
			t.Fatal(err)
		}
		function := parsed.get("function")
		if !function.get("strict").isTrue() {
			t.Fatalf("%s is not strict: %v", original, declared.Losses)
		}
		strict := function.get("parameters")
		given, err := parse([]byte(value))
		if err != nil {
			t.Fatal(err)
		}
		filled := fill(t, strict, strict, given).String()
		if !valid(t, strict.String(), filled) {
			t.Fatalf("%s\ndeclared as %s\nrefuses %s\nfor %s", original, strict, filled, value)
		}
		back := Arguments(OpenAIStrict, tl, json.RawMessage(filled))
		if !valid(t, original, string(back)) {
			t.Fatalf("%s\nrefuses %s\nmade from %s\nfor %s", original, back, filled, value)
		}
		if d.nullables == 0 {
			same, err := parse(back)
			if err != nil || !equal(same, given) {
				t.Fatalf("%s\n%s came back as %s from %s", original, value, back, filled)
			}
		}
	})
}

// H5: no dialect rewrites a tool's name or description.
func TestNameAndDescriptionNeverChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawing{t: t}
		tl := gongu.Tool{
			Name:        rapid.StringN(1, 80, -1).Draw(t, "name"),
			Description: rapid.String().Draw(t, "description"),
			Parameters:  gongu.Schema(d.object(2, nil).schema),
		}
		if strings.Contains(string(tl.Parameters), "$ref") {
			tl.Parameters = tl.Parameters[:len(tl.Parameters)-1] + `,"$defs":{"list":{"type":"object","properties":{"n":{"$ref":"#/$defs/list"}}}}}`
		}
		for _, dialect := range All() {
			declared, err := Declare(dialect, tl, &Options{Lang: rapid.SampledFrom([]string{"", "ko"}).Draw(t, "lang")})
			if err != nil {
				t.Fatal(err)
			}
			raw, err := parse(declared.JSON)
			if err != nil {
				t.Fatal(err)
			}
			name, description := raw.get("name"), raw.get("description")
			switch dialect {
			case OpenAI, OpenAIStrict:
				name, description = raw.get("function").get("name"), raw.get("function").get("description")
			case AISDK:
				name, description = newString(raw.members[0].name), raw.members[0].value.get("description")
			}
			if name.text != tl.Name || description.text != tl.Description {
				t.Fatalf("%s: %q %q became %q %q", dialect, tl.Name, tl.Description, name.text, description.text)
			}
		}
	})
}
