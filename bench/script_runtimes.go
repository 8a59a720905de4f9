package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// scriptBenchmarks are measured by the test program of the package: the
// engines are dependencies of gongu and not of this module.
const scriptBenchmarks = "^(BenchmarkRuntimes|BenchmarkCode)$"

// scriptPlan is how often and how long; a cold start takes long by itself.
func scriptPlan(p plan) (rounds int, slice string) {
	if p.quick {
		return 1, "1x"
	}
	return p.slow.rounds, "200ms"
}

// measureScripts is a call of a script in each runtime, and a run of code.
func measureScripts(ctx context.Context, p plan) (section, error) {
	dir, err := os.MkdirTemp("", "gongu-bench-*")
	if err != nil {
		return section{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // only a program is in it
	program := filepath.Join(dir, "script.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", program, "./script")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return section{}, fmt.Errorf("build the benchmarks of scripts: %w\n%s", err, out)
	}
	rounds, slice := scriptPlan(p)
	found := newScriptResults()
	for range rounds {
		run := exec.CommandContext(ctx, program, "-test.run=^$", "-test.bench="+scriptBenchmarks, "-test.benchtime="+slice)
		run.Dir = filepath.Join("..", "script")
		out, err := run.CombinedOutput()
		if err != nil {
			return section{}, fmt.Errorf("measure scripts: %w\n%s", err, out)
		}
		if err := found.read(out); err != nil {
			return section{}, err
		}
	}
	return scriptSection(found), nil
}

// scriptResults are the samples of each benchmark, in the order of the first
// round.
type scriptResults struct {
	order   []string
	samples map[string][]sample
}

func newScriptResults() *scriptResults { return &scriptResults{samples: map[string][]sample{}} }

// benchLine is a line of go test -bench.
var benchLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\S+) ns/op\s+(\d+) B/op\s+(\d+) allocs/op`)

func (r *scriptResults) read(out []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		m := benchLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return fmt.Errorf("%q: %w", lines.Text(), err)
		}
		size, _ := strconv.ParseFloat(m[3], 64)  // the pattern has digits only
		count, _ := strconv.ParseFloat(m[4], 64) // here as well
		if r.samples[m[1]] == nil {
			r.order = append(r.order, m[1])
		}
		r.samples[m[1]] = append(r.samples[m[1]], sample{ns: ns, allocs: count, bytes: size})
	}
	if len(r.order) == 0 {
		return fmt.Errorf("no benchmark of scripts was run:\n%.500s", out)
	}
	return lines.Err()
}

// rows are the results under a prefix, with ratios to one of them.
func (r *scriptResults) rows(prefix, against string) []measured {
	var rows []measured
	base := r.samples[prefix+against]
	for _, full := range r.order {
		name, ok := strings.CutPrefix(full, prefix)
		if !ok || strings.Contains(name, "/") {
			continue
		}
		list := r.samples[full]
		ratios := make([]float64, 0, len(list))
		for i := range min(len(list), len(base)) {
			ratios = append(ratios, list[i].ns/base[i].ns)
		}
		rows = append(rows, measured{
			name: name, against: against,
			time:   spreadOf(column(list, func(s sample) float64 { return s.ns })),
			allocs: spreadOf(column(list, func(s sample) float64 { return s.allocs })).median,
			bytes:  spreadOf(column(list, func(s sample) float64 { return s.bytes })).median,
			ratio:  spreadOf(ratios),
		})
	}
	return rows
}

func scriptSection(r *scriptResults) section {
	s := section{
		title: "Scripts in each runtime",
		text: "One TypeScript module that adds two numbers. *embedded* is QuickJS in this process, *process* the same engine in a child process, *node* and *bun* are those programs with our worker in them, over pipes. " +
			"Warm is a call of a module that is loaded; cold is everything from the file to the first answer: bundling, starting, loading, the call. " +
			"Code is a run of code mode with one tool call, each in a process of its own: cold starts it then, warm finds one that was started ahead. " +
			"Allocations are those of the host alone. Each round is a run of all of them." + r.absent(),
	}
	for _, kind := range []struct{ title, prefix string }{
		{"Warm call, sync handler", "Runtimes/warm_sync/"},
		{"Warm call, async handler", "Runtimes/warm_async/"},
		{"Cold call", "Runtimes/cold/"},
	} {
		s.tables = append(s.tables, table{title: kind.title, relation: "embedded", rows: r.rows(kind.prefix, "embedded")})
	}
	s.tables = append(s.tables, table{title: "Code mode", relation: "cold", rows: r.rows("Code/", "cold")})
	return s
}

// absent says which of the peers could not be measured.
func (r *scriptResults) absent() string {
	var missing []string
	for _, peer := range []string{"node", "bun"} {
		if r.samples["Runtimes/cold/"+peer] == nil {
			missing = append(missing, peer)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return " Not on this machine, and so not measured: " + strings.Join(missing, ", ") + "."
}
