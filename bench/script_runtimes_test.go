package main

import (
	"strings"
	"testing"
)

// What the test program prints becomes rows, and a peer that is absent is
// named.
func TestScriptRows(t *testing.T) {
	found := newScriptResults()
	for _, factor := range []string{"100", "300"} {
		out := strings.ReplaceAll(`goos: linux
BenchmarkRuntimes/warm_sync/embedded-2         	   10	     100 ns/op	     48 B/op	       2 allocs/op
BenchmarkRuntimes/warm_sync/process         	   10	     FACTOR.5 ns/op	     48 B/op	       2 allocs/op
BenchmarkRuntimes/cold/embedded         	   10	     1000 ns/op	     48 B/op	       2 allocs/op
BenchmarkRuntimes/cold/node         	   10	     1000 ns/op	     48 B/op	       2 allocs/op
BenchmarkCode/cold-2         	   10	     1000 ns/op	     48 B/op	       2 allocs/op
PASS
`, "FACTOR", factor)
		if err := found.read([]byte(out)); err != nil {
			t.Fatal(err)
		}
	}
	rows := found.rows("Runtimes/warm_sync/", "embedded")
	if len(rows) != 2 || rows[1].name != "process" || rows[1].time.median != 200.5 || rows[1].ratio.median != 2.005 || rows[1].allocs != 2 {
		t.Errorf("%+v", rows)
	}
	s := scriptSection(found)
	if len(s.tables) != 4 || !strings.HasSuffix(s.text, "not measured: bun.") {
		t.Errorf("%d tables, %s", len(s.tables), s.text)
	}
	if err := newScriptResults().read([]byte("nothing")); err == nil {
		t.Error("a run without results is no error")
	}
}
