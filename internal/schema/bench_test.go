package schema

import "testing"

// typicalSchema has the size and the keywords of a usual tool.
const typicalSchema = `{"type":"object","properties":{"substance":{"type":"string","description":"The substance to be analyzed (e.g., white powder, unknown liquid)"},"technique":{"type":"string","description":"The technique to be used for analysis"},"sample_source":{"type":"string","description":"The source of the sample (e.g., crime scene)"},"priority":{"type":"integer","minimum":0,"description":"The priority level for analysis (e.g., 1, 2, 3)"},"mode":{"type":"string","enum":["fast","slow"]}},"required":["substance","technique","sample_source"],"additionalProperties":false}`

const typicalArgs = `{"substance":"white powder","technique":"NMR","sample_source":"lab 4","priority":2,"mode":"fast"}`

func BenchmarkLazy(b *testing.B) {
	raw := []byte(typicalSchema)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Lazy(raw, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBound(b *testing.B) {
	raw := []byte(typicalSchema)
	b.ReportAllocs()
	for b.Loop() {
		if err := Bound(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLazyWithReferences(b *testing.B) {
	raw := []byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}},"$defs":{"A":{"type":"object","properties":{"x":{"type":"integer"},"next":{"$ref":"#/$defs/A"}}}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Lazy(raw, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	raw := []byte(typicalSchema)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(raw, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckFast(b *testing.B) {
	c := mustCompile(b, typicalSchema)
	args := []byte(typicalArgs)
	b.ReportAllocs()
	for b.Loop() {
		if c.Check(args) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkCheckFull(b *testing.B) {
	c := mustCompile(b, typicalSchema)
	c.fast = nil
	args := []byte(typicalArgs)
	b.ReportAllocs()
	for b.Loop() {
		if c.Check(args) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkCheckInvalid(b *testing.B) {
	c := mustCompile(b, typicalSchema)
	args := []byte(`{"substance":"white powder","technique":7,"sample_source":"lab 4","priority":2,"mode":"fast"}`)
	b.ReportAllocs()
	for b.Loop() {
		if c.Check(args) == nil {
			b.Fatal("accepted")
		}
	}
}

// The fast path of usual arguments allocates nothing; a benchmark would only
// tell, this fails.
func TestFastCheckDoesNotAllocate(t *testing.T) {
	c := mustCompile(t, typicalSchema)
	for _, args := range []string{typicalArgs, `{"substance":"a","technique":"b","sample_source":"c","priority":1.0}`} {
		raw := []byte(args)
		if n := testing.AllocsPerRun(100, func() { c.Check(raw) }); n != 0 {
			t.Errorf("%s: %v allocations", args, n)
		}
	}
}
