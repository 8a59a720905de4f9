package schema

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"
)

// nestedB is {"b":{"b":...}} of a depth.
func nestedB(depth int) string {
	return strings.Repeat(`{"b":`, depth) + `1` + strings.Repeat(`}`, depth)
}

func mustCompile(t testing.TB, schema string) *Checker {
	t.Helper()
	c, err := Compile([]byte(schema), nil)
	if err != nil {
		t.Fatalf("%.200s: %v", schema, err)
	}
	return c
}

// TestWorkBudget is H16: small schemas and small arguments that together make
// the validator work without end.
func TestWorkBudget(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	doubled := `{"properties":{"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}],"type":"object"}},"required":["b"]}`
	numbers := strings.TrimSuffix(strings.Repeat("1.5,", 4_000), ",")
	for _, c := range []struct {
		name, schema, args string
	}{
		{"H16, 20 deep", `{"properties":{"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nestedB(20)},
		{"H16, 9000 deep", `{"properties":{"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nestedB(9_000)},
		{"H16, as a tool has it", `{"type":"object","properties":{"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nestedB(20)},
		{"different branches", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"b":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/m"}]}}},"m":{"properties":{"b":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/m"}]}},"type":"object"}}}`, nestedB(60)},
		{"with types", doubled, nestedB(100)},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"b":{"oneOf":[{"$ref":"#"},{"$ref":"#"}]}},"required":["b"]}`, nestedB(60)},
		{"dynamic references only", `{"$dynamicRef":"#n","$defs":{"n":{"$dynamicAnchor":"n","properties":{"b":{"anyOf":[{"$dynamicRef":"#n"},{"$dynamicRef":"#n"}]}},"type":"object"}}}`, nestedB(60)},
		{"target that only a dynamic reference reaches", `{"$id":"http://x/root","$ref":"inner","$defs":{"hot":{"$dynamicAnchor":"n","type":"object","properties":{"b":{"anyOf":[{"$ref":"#/$defs/hot"},{"$ref":"#/$defs/hot"}]}}},"in":{"$id":"inner","$dynamicRef":"#n","$defs":{"t":{"$dynamicAnchor":"n"}}}}}`, nestedB(20)},
		{"deep stack", strings.Replace(longChain(1_900), `{"$ref":"#/$defs/c0"`, `{"items":{"$ref":"#/$defs/c0"}`, 1), `[""]`},
		{"unique items many times", `{"allOf":[` + strings.Repeat(`{"uniqueItems":true},`, 150) + `true]}`, `[` + manyNumbers(10_000) + `]`},
		{"unevaluated names many times", `{"allOf":[` + strings.Repeat(`{"minProperties":1},`, 500) + `true],"unevaluatedProperties":true}`, `{"` + strings.ReplaceAll(manyNamesList(10_000), `,`, `:1,`) + `":1}`},
		{"recursive references", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"b":{"anyOf":[{"$recursiveRef":"#"},{"$recursiveRef":"#"}]}},"type":"object"}`, nestedB(60)},
		{"large enum of numbers", `{"items":{"enum":[` + strings.Repeat("7,", 60_000) + `8]}}`, `[` + numbers + `]`},
		{"large required list", `{"items":{"required":["` + manyNamesList(20_000) + `"]}}`, `[` + strings.TrimSuffix(strings.Repeat("{},", 30_000), ",") + `]`},
		{"false branches", `{"items":{"anyOf":[` + strings.Repeat("false,", 1_900) + `false]}}`, `[` + numbers + `]`},
		{"large expression", `{"pattern":"^(a?b?c?){900}$","type":["string"]}`, `"` + strings.Repeat("abc", 30_000) + `"`},
		{"name expressions", `{"patternProperties":{"^(a?b?c?d?){900}$":{}}}`, `{"` + strings.Repeat("abcd", 30_000) + `":1}`},
		{"extreme integer", `{"type":"integer"}`, `1e999999999`},
		{"extreme limit", `{"maximum":1}`, `1e999999`},
		{"extreme constant", `{"const":[1]}`, `[1e999999]`},
		{"extreme unique items", `{"uniqueItems":true}`, `[1e999999,1]`},
		{"long number", `{"maximum":1}`, strings.Repeat("9", 100_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			checker := mustCompile(t, c.schema)
			start := time.Now()
			failure := checker.Check([]byte(c.args))
			if failure == nil || !failure.TooComplex {
				t.Errorf("failure %.200v, want too complex", failure)
			}
			// The budget is what counts; the time only has to be far from
			// endless, on a busy machine with the race detector as well.
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			if failure := checker.Check([]byte(`0`)); failure != nil && failure.TooComplex {
				t.Error("the next check is too complex as well: the budget is not per check")
			}
		})
	}
}

func manyNumbers(n int) string {
	return strings.NewReplacer(`"`, "", "n", "").Replace(manyNamesList(n))
}

func manyNamesList(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("n", i)
	}
	return strings.Join(names, `","`)
}

// Honest work of some size fits the budget.
func TestBudgetIsEnoughForHonestWork(t *testing.T) {
	tree := `{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}},"required":["name"]}`
	node := `{"name":"n"}`
	for range 12 {
		node = `{"name":"n","children":[` + node + `,` + node + `]}`
	}
	texts := make([]string, 20_000)
	for i := range texts {
		texts[i] = fmt.Sprintf(`"item %d"`, i)
	}
	for _, c := range []struct{ schema, args string }{
		{tree, node},
		{`{"uniqueItems":true}`, `[` + strings.Join(texts, ",") + `]`},
		{`{"anyOf":[{"items":{"type":"integer"}},{"items":{"type":"string","maxLength":20}}]}`, `[` + strings.Join(texts, ",") + `]`},
		{`{"pattern":"^(.*)end$","anyOf":[true]}`, `"` + strings.Repeat("x", 50_000) + `end"`},
	} {
		if failure := mustCompile(t, c.schema).Check([]byte(c.args)); failure != nil {
			t.Errorf("%.80s: %.200v", c.schema, failure)
		}
	}
}

// A million wrong items must not become a million errors in memory.
func TestIssuesAreCapped(t *testing.T) {
	failure := mustCompile(t, `{"items":{"type":"string"}}`).Check([]byte(`[` + strings.Repeat("1,", 100_000) + `1]`))
	if failure == nil || len(failure.Issues) != maxIssues {
		t.Fatalf("got %d issues, want %d", len(failure.Issues), maxIssues)
	}
	p := mustCompile(t, `{"items":{"type":"string"}}`).full.idle[0]
	value, err := decode([]byte(`[` + strings.Repeat("1,", 100_000) + `1]`))
	if err != nil {
		t.Fatal(err)
	}
	p.meter.reset(300_000)
	invalid, _ := p.validate(value)
	different := map[*jsonschema.ValidationError]bool{}
	for _, cause := range invalid.Causes {
		different[cause] = true
	}
	if len(different) > keptErrors+1 {
		t.Errorf("%d errors in memory", len(different))
	}
	if got := failure.Issues[maxIssues-1].Path; got != "args[999]" {
		t.Errorf("last path %s, want args[999]", got)
	}
}

// The fast path hands over when regular expressions become expensive.
func TestFastPathHasBudget(t *testing.T) {
	c := mustCompile(t, `{"items":{"pattern":"^(a?b?c?){900}$"}}`)
	if got := c.fast.verdict([]byte(`["` + strings.Repeat("abc", 300) + `"]`)); got != fastUndecided {
		t.Errorf("verdict %d, want undecided", got)
	}
}

// Each check has a meter of its own, also at the same time.
func TestConcurrentChecks(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	c, err := Lazy([]byte(`{"properties":{"b":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}},"not":{"required":["c"],"type":"object"}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 {
				if f := c.Check([]byte(nestedB(30))); f == nil || !f.TooComplex {
					t.Errorf("hard: %v", f)
				}
				if f := c.Check([]byte(nestedB(3))); f != nil {
					t.Errorf("easy: %v", f)
				}
				if f := c.Check([]byte(`{"c":1}`)); f == nil || len(f.Issues) != 1 {
					t.Errorf("wrong: %v", f)
				}
			}
		})
	}
	wg.Wait()
}
