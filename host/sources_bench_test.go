package host_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/host"
)

// BenchmarkSources is what bench/ shows. Each run is that of a new process in
// a new folder: nothing is known of the sources.
func BenchmarkSources(b *testing.B) {
	b.Run("commands/first", func(b *testing.B) {
		list := manyCommands(b)
		measureOpen(b, fmt.Sprintf("apiVersion: gongu/v1\nkind: ToolCommand\nmetadata: {name: many}\nspec: {discover: [cat, %q], call: cat}\n", list), 10_000, false)
	})
	b.Run("commands/again", func(b *testing.B) {
		list := manyCommands(b)
		measureOpen(b, fmt.Sprintf("apiVersion: gongu/v1\nkind: ToolCommand\nmetadata: {name: many}\nspec: {discover: [cat, %q], call: cat}\n", list), 10_000, true)
	})
	for _, servers := range []struct {
		name string
		n    int
	}{{"servers/slowest", 1}, {"servers/fifty", 50}} {
		b.Run(servers.name, func(b *testing.B) { measureOpen(b, slowServers(b, servers.n), servers.n, false) })
	}
}

// manyCommands is a list of ten thousand tools.
func manyCommands(b *testing.B) string {
	b.Helper()
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, `{"name":"tool_%d","description":"Does the thing with the number %d and says how it went.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Where it is."},"count":{"type":"integer","minimum":0}},"required":["path"]}}`+"\n", i, i)
	}
	path := filepath.Join(b.TempDir(), "list.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// slowServers sleep between 0.3 and 2 seconds when they start; the last is the
// slowest.
func slowServers(b *testing.B, n int) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "slowserver")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/slowserver").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: gongu/v1\nkind: McpServer\nmetadata: {name: s%d}\nspec: {command: %q, args: [%dms]}\n", i, program, 2000-i*1700/49)
	}
	return text.String()
}

// measureOpen is the time from an open bundle to all its tools, or to the open
// bundle itself when the cache knows them.
func measureOpen(b *testing.B, yaml string, tools int, cached bool) {
	b.Helper()
	b.ReportAllocs()
	quiet := &host.Options{Logger: slog.New(slog.DiscardHandler)}
	dir := ""
	var spent time.Duration
	for i := range b.N {
		if i == 0 || !cached {
			dir = b.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(yaml), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		if i == 0 && cached {
			loadAll(b, dir, quiet, tools)
		}
		spent += loadAll(b, dir, quiet, tools)
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/op")
}

func loadAll(b *testing.B, dir string, opts *host.Options, tools int) time.Duration {
	b.Helper()
	began := time.Now()
	h, err := host.Open(context.Background(), dir, opts)
	if err != nil {
		b.Fatal(err)
	}
	h.Sources().Load(context.Background())
	took := time.Since(began)
	found := 0
	for _, s := range h.Sources().Status() {
		found += s.Tools
	}
	if found != tools {
		b.Fatalf("%d of %d tools: %s", found, tools, stands(h))
	}
	if err := h.Close(); err != nil {
		b.Fatal(err)
	}
	return took
}
