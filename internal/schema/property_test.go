package schema

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The names and values are few, so that schemas and arguments meet.
var (
	drawName   = rapid.SampledFrom([]string{`"a"`, `"b"`, `"\u0061"`, `"é"`, `"a b"`, `""`, `"\ud83d\ude00"`, `"😀"`, `"n\n"`})
	drawNumber = rapid.OneOf(
		rapid.SampledFrom([]string{
			"0", "-0", "-0.0", "0e5", "1", "1.0", "1e0", "10e-1", "1e2", "100", "0.1", "0.3", "1.5", "-1", "-1.5", "2", "3", "1e400", "-1e400", "1e-400",
			"9007199254740992", "9007199254740993", "9007199254740993.0", "-9007199254740993", "9223372036854775807", "9223372036854775808",
			"123456789012345678", "1234567890123456789", "12345678901234567890123456789", "1.0000000000000000000000", "0.1000000000000000000000000000000000001",
			"1e18", "1e19", "999999999999999999", "1e4096", "1e-4096", "1e5000", "1E+2", "1.25e1", "12.5", "1e17", "100000000000000001e-17",
		}),
		rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.IntRange(-5, 5).Draw(t, "int")) }),
		rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%d.%d", rapid.IntRange(-3, 3).Draw(t, "whole"), rapid.IntRange(0, 30).Draw(t, "part"))
		}),
	)
	drawText = rapid.SampledFrom([]string{
		`""`, `"a"`, `"\u0061"`, `"ab"`, `"abc"`, `"é"`, `"e\u0301"`, `"😀"`, `"\ud83d\ude00"`, `"\""`, `"\\"`, `"a\/b"`, `"a/b"`, `"\n"`, `"\u2028"`, `"가나다"`, `"1"`, `"a.b"`,
	})
	drawCount   = rapid.SampledFrom([]string{"0", "1", "2", "3", "1.0", "2e0", "100"})
	drawLimit   = rapid.Custom(func(t *rapid.T) string { return plainNumber(drawNumber.Draw(t, "limit")) })
	drawStep    = rapid.SampledFrom([]string{"1", "2", "0.1", "0.01", "1e2", "3", "1.5", "7e-3", "123456789012345678901", "1e-20"})
	drawPattern = rapid.SampledFrom([]string{`"^a"`, `"b$"`, `"^.$"`, `"^[^\\d]*$"`, `"\\u0061"`, `"^\\s"`, `"(?=a)"`, `"\\/"`, `"^\\p{L}+$"`, `"a{1,2}"`, `""`})
	drawScalar  = rapid.OneOf(drawNumber, drawText, rapid.SampledFrom([]string{"null", "true", "false"}))
	drawType    = rapid.SampledFrom([]string{`"string"`, `"number"`, `"integer"`, `"boolean"`, `"object"`, `"array"`, `"null"`, `["string","null"]`, `["integer","object","array"]`, `["number"]`, `["integer","number"]`})
)

// plainNumber keeps limits within what a schema may hold.
func plainNumber(lit string) string {
	if extremeNumber(lit) {
		return "7"
	}
	return lit
}

// drawSchema makes schemas that the fast path is meant for, now and then with a
// part that it must refuse.
func drawSchema(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 15).Draw(t, "bool") == 0 {
			return rapid.SampledFrom([]string{"true", "false", "{}"}).Draw(t, "boolean")
		}
		var members []string
		for _, keyword := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
			"type", "type", "properties", "properties", "required", "additionalProperties", "items", "enum", "const",
			"minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
			"minItems", "maxItems", "minProperties", "maxProperties", "pattern",
			"title", "default", "examples", "format", "deprecated", "x-any", "$comment", "uniqueItems", "id",
		}), 0, 5, rapid.ID[string]).Draw(t, "keywords") {
			if value := drawKeyword(t, keyword, depth); value != "" {
				members = append(members, fmt.Sprintf("%q: %s", keyword, value))
			}
		}
		return "{" + strings.Join(members, " , ") + "}"
	})
}

func drawKeyword(t *rapid.T, keyword string, depth int) string {
	switch keyword {
	case "type":
		return drawType.Draw(t, keyword)
	case "properties":
		if depth == 0 {
			return "{}"
		}
		return drawObject(t, drawSchema(depth-1))
	case "items", "additionalProperties":
		if depth == 0 {
			return rapid.SampledFrom([]string{"true", "false", "{}"}).Draw(t, keyword)
		}
		return drawSchema(depth-1).Draw(t, keyword)
	case "required":
		return "[" + strings.Join(rapid.SliceOfNDistinct(drawName, 0, 3, rapid.ID[string]).Draw(t, keyword), ",") + "]"
	case "enum":
		return "[" + strings.Join(rapid.SliceOfN(rapid.Map(drawScalar, plainNumber), 0, 15).Draw(t, keyword), ", ") + "]"
	case "const":
		return plainNumber(drawScalar.Draw(t, keyword))
	case "pattern":
		return drawPattern.Draw(t, keyword)
	case "multipleOf":
		return drawStep.Draw(t, keyword)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return drawLimit.Draw(t, keyword)
	case "title", "format", "$comment":
		return `"email"`
	case "deprecated":
		return "true"
	case "uniqueItems":
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, keyword)
	case "default", "x-any", "id":
		return `{"type":["x",{}]}`
	case "examples":
		return `[[1],{"a":"]"}]`
	}
	return drawCount.Draw(t, keyword)
}

// drawObject makes an object with distinct names.
func drawObject(t *rapid.T, values *rapid.Generator[string]) string {
	seen := map[string]bool{}
	var members []string
	for _, name := range rapid.SliceOfN(drawName, 0, 4).Draw(t, "names") {
		if plain := string(unquote([]byte(name))); !seen[plain] {
			seen[plain] = true
			members = append(members, name+" :"+values.Draw(t, "value"))
		}
	}
	if rapid.IntRange(0, 20).Draw(t, "many") == 0 {
		for i := range 15 {
			members = append(members, fmt.Sprintf(`"m%d":%s`, i, values.Draw(t, "value")))
		}
	}
	return "{" + strings.Join(members, ", ") + " }"
}

func drawValue(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		switch {
		case depth > 0 && kind <= 2:
			return drawObject(t, drawValue(depth-1))
		case depth > 0 && kind == 3:
			return "[ " + strings.Join(rapid.SliceOfN(drawValue(depth-1), 0, 3).Draw(t, "items"), " , ") + "]"
		}
		return drawScalar.Draw(t, "scalar")
	})
}

// compareVerdicts runs both ways and reports any difference. Equal means: the
// fast path says valid exactly when the full validator does; only undecided
// leaves it open.
func compareVerdicts(t interface {
	Fatalf(string, ...any)
	Helper()
}, schema, args string, opts *Options) (fast bool) {
	t.Helper()
	c, err := Lazy([]byte(schema), opts)
	if err != nil || !c.Fast() {
		return false
	}
	if err := c.full.prepare(c.source, &c.options); err != nil {
		t.Fatalf("%s has a fast path but does not compile: %v", schema, err)
	}
	got := c.fast.verdict([]byte(args))
	failure := c.full.check(c.source, &c.options, []byte(args))
	if got != fastUndecided && (got == fastValid) != (failure == nil) {
		t.Fatalf("schema %s\nargs %s\nfast verdict %d, full validator %+v", schema, args, got, failure)
	}
	return true
}

func TestFastEqualsFull(t *testing.T) {
	taken, total := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		opts := &Options{Draft7: rapid.Bool().Draw(t, "draft7")}
		schema := drawSchema(2).Draw(t, "schema")
		for range 8 {
			total++
			if compareVerdicts(t, schema, drawValue(3).Draw(t, "args"), opts) {
				taken++
			}
		}
	})
	if taken*2 < total {
		t.Errorf("only %d of %d comparisons had a fast path: the generator is off", taken, total)
	}
}

// Values right at a limit, for each numeric keyword and each spelling.
func TestFastEqualsFullAtLimits(t *testing.T) {
	numbers := []string{
		"0", "-0", "0.0", "1", "1.0", "1e0", "10e-1", "0.1", "0.10", "1e-1", "-1", "9007199254740992", "9007199254740993", "9007199254740992.5",
		"123456789012345678", "123456789012345678.5", "1234567890123456789", "1e18", "1e19", "1e400", "1e-400", "-1e400", "1e4096", "1e4097",
		"99999999999999999999999999", "0.3", "0.30000000000000004", "1e17", "100000000000000000", "3e2", "300", "0e9999",
	}
	for _, keyword := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const"} {
		for _, limit := range numbers {
			for _, value := range numbers {
				compareVerdicts(t, fmt.Sprintf(`{%q:%s}`, keyword, limit), value, nil)
			}
		}
	}
	for _, value := range numbers {
		compareVerdicts(t, `{"type":"integer"}`, value, nil)
		compareVerdicts(t, `{"type":"number"}`, value, nil)
	}
}
