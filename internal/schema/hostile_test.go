package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// doublings is a chain of n definitions that each refer to the next twice.
func doublings(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{"type":"string"}}}`, n)
	return b.String()
}

func manyProperties(n int) string {
	var b strings.Builder
	b.WriteString(`{"properties":{`)
	for i := range n {
		fmt.Fprintf(&b, `"p%d":{},`, i)
	}
	return b.String() + `"last":true}}`
}

// within fails the test when f takes longer than a second: hostile input must
// be refused, not worked on.
func withinOneSecond(t *testing.T, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
}

// TestHostileSchemasAreRefused covers the schemas that broke other MCP clients.
func TestHostileSchemasAreRefused(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for _, c := range []struct{ name, schema, want string }{
		{"reference to itself", `{"$ref":"#"}`, "refers back to itself"},
		{"mutual references", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "refers back to itself"},
		{"cycle through allOf", `{"allOf":[{"$ref":"#"}]}`, "refers back to itself"},
		{"cycle through not", `{"not":{"$ref":"#"}}`, "refers back to itself"},
		{"cycle through if", `{"if":{"$ref":"#"}}`, "refers back to itself"},
		{"cycle through dependentSchemas", `{"dependentSchemas":{"a":{"$ref":"#"}}}`, "refers back to itself"},
		{"cycle through dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"$ref":"#"}}}`, "refers back to itself"},
		{"cycle through an anchor", `{"$anchor":"me","anyOf":[{"$dynamicRef":"#me"}]}`, "refers back to itself"},
		{"cycle through an id", `{"$id":"http://x/y","anyOf":[{"$ref":"y"}]}`, "refers back to itself"},
		{"two to the 25 anyOf", doublings(25), "more than 10000 ways"},
		{"allOf 3000 deep", strings.Repeat(`{"allOf":[`, 3000) + `true` + strings.Repeat(`]}`, 3000), "nests more than"},
		{"allOf 100 deep", strings.Repeat(`{"allOf":[`, 100) + `true` + strings.Repeat(`]}`, 100), "nests more than 64"},
		{"remote reference", `{"$ref":"http://example.com/schema.json"}`, "nothing is fetched"},
		{"remote dynamic reference", `{"properties":{"a":{"$dynamicRef":"https://example.com/s#x"}}}`, "nothing is fetched"},
		{"file reference", `{"$ref":"file:///etc/passwd"}`, "nothing is fetched"},
		{"relative reference", `{"$ref":"other.json"}`, "nothing is fetched"},
		{"remote dialect", `{"$schema":"http://example.com/meta"}`, "$schema must be"},
		{"old dialect", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, "$schema must be"},
		{"nested remote dialect", `{"$defs":{"a":{"$schema":"http://example.com/meta"}}}`, "2020-12"},
		{"ten megabytes", `{"description":"` + strings.Repeat("x", 10<<20) + `"}`, "the limit is 262144"},
		{"bad regular expression", `{"properties":{"a":{"pattern":"(("}}}`, "schema at /properties/a/pattern"},
		{"bad name expression", `{"patternProperties":{"[":{}}}`, "is not a regular expression"},
		{"too large repetition", `{"pattern":"(abcdefghijklmnop){1000}"}`, "too large"},
		{"many large repetitions", `{"allOf":[` + strings.Repeat(`{"pattern":"(abcdefgh){1000}"},`, 10) + `true]}`, "too large together"},
		{"100000 properties", manyProperties(100_000), "limit"},
		{"3000 properties", manyProperties(3_000), "more than 2000 subschemas"},
		{"huge enum", `{"enum":[` + strings.Repeat("1,", 200_000) + `1]}`, "limit"},
		{"extreme limit", `{"maximum":1e999999999}`, "too extreme"},
		{"extreme step", `{"multipleOf":1e-999999999}`, "too extreme"},
		{"extreme constant", `{"const":{"a":[1e999999999]}}`, "too extreme"},
		{"references to odd places", oddReferences(60), "outside of $defs"},
		{"deep data", `{"default":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, "nests more than 256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			withinOneSecond(t, func() {
				for name, f := range map[string]func() error{
					"Bound":   func() error { return Bound([]byte(c.schema)) },
					"Lazy":    func() error { _, err := Lazy([]byte(c.schema), nil); return err },
					"Compile": func() error { _, err := Compile([]byte(c.schema), nil); return err },
				} {
					if err := f(); err == nil || !strings.Contains(err.Error(), c.want) {
						t.Errorf("%s: error %.300v, want one with %q", name, err, c.want)
					}
				}
			})
		})
	}
}

// Bound looks at one document only; what comes through documents of the caller
// is found in the compiled graph.
func TestCycleThroughResourceIsRefused(t *testing.T) {
	opts := &Options{Resources: map[string][]byte{
		"http://x/a": []byte(`{"anyOf":[{"$ref":"http://x/b"}]}`),
		"http://x/b": []byte(`{"allOf":[{"$ref":"http://x/a"}]}`),
	}}
	_, err := Compile([]byte(`{"$ref":"http://x/a"}`), opts)
	if err == nil || !strings.Contains(err.Error(), "refers back to itself") {
		t.Errorf("error %v", err)
	}
}

// Documents of the caller may refer to files as well, and Bound does not look
// for that: the compiler has no loader.
func TestResourceCannotLoadFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := &Options{Resources: map[string][]byte{"http://x/a": []byte(`{"$ref":"file://` + filepath.ToSlash(file) + `"}`)}}
	_, err := Compile([]byte(`{"$ref":"http://x/a"}`), opts)
	if err == nil || !strings.Contains(err.Error(), "nothing is fetched") {
		t.Errorf("error %v", err)
	}
}

// oddReferences has n references to places where no keyword puts a schema.
func oddReferences(n int) string {
	var b strings.Builder
	b.WriteString(`{"x":{`)
	for i := range n {
		fmt.Fprintf(&b, `"t%d":{"type":"string"},`, i)
	}
	b.WriteString(`"z":0},"anyOf":[`)
	for i := range n {
		fmt.Fprintf(&b, `{"$ref":"#/x/t%d"},`, i)
	}
	return b.String() + `{"type":"null"}],"enum":[` + strings.Repeat(`"v",`, 40_000) + `1]}`
}

// longChain is a row of n references.
func longChain(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/c0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"c%d":{"$ref":"#/$defs/c%d"},`, i, i+1)
	}
	return b.String() + fmt.Sprintf(`"c%d":{"type":"string"}}}`, n)
}

// Schemas at the edge of what is allowed have to compile in reasonable time,
// because nothing can stop the compiler.
func TestLargestSchemasCompileInTime(t *testing.T) {
	var ids strings.Builder
	ids.WriteString(`{"properties":{`)
	for i := range 1900 {
		fmt.Fprintf(&ids, `"p%d":{"$id":"http://x/%d","type":"string"},`, i, i)
	}
	ids.WriteString(`"q":{}}}`)
	for name, schema := range map[string]string{
		"odd targets": oddReferences(45),
		"long chain":  longChain(1990),
		"many ids":    ids.String(),
		"properties":  manyProperties(1990),
		"big enum":    `{"enum":[` + strings.Repeat(`{"a":1},`, 30_000) + `1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			c, err := Compile([]byte(schema), nil)
			if err != nil {
				t.Fatal(err)
			}
			c.Check([]byte(`{"a":[1,2,3]}`))
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			} else {
				t.Logf("took %v", took)
			}
		})
	}
}
