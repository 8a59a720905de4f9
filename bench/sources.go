package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// measureSources is how long it takes until the tools of programs and servers
// can be used. It is measured by the test programs of the packages, which have
// the fixtures.
func measureSources(ctx context.Context, p plan) (section, error) {
	dir, err := os.MkdirTemp("", "gongu-bench-*")
	if err != nil {
		return section{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // only programs are in it
	found := newScriptResults()
	rounds := 1
	if !p.quick {
		rounds = p.slow.rounds
	}
	for _, part := range []struct{ pkg, pattern string }{{"command", "^BenchmarkDiscovered$"}, {"host", "^BenchmarkSources$"}} {
		program := filepath.Join(dir, part.pkg+".test")
		build := exec.CommandContext(ctx, "go", "test", "-c", "-o", program, "./"+part.pkg)
		build.Dir = ".."
		if out, err := build.CombinedOutput(); err != nil {
			return section{}, fmt.Errorf("build the benchmarks of %s: %w\n%s", part.pkg, err, out)
		}
		for range rounds {
			run := exec.CommandContext(ctx, program, "-test.run=^$", "-test.bench="+part.pattern, "-test.benchtime=1x", "-test.benchmem")
			run.Dir = filepath.Join("..", part.pkg)
			out, err := run.CombinedOutput()
			if err != nil {
				return section{}, fmt.Errorf("measure %s: %w\n%s", part.pkg, err, out)
			}
			if err := found.read(out); err != nil {
				return section{}, err
			}
		}
	}
	return sourcesSection(found), nil
}

func sourcesSection(r *scriptResults) section {
	list, servers := r.rows("Discovered/", "program"), r.rows("Sources/servers/", "slowest")
	s := section{
		title: "Tools from programs and servers",
		text: "*program* is a command that prints 10,000 declarations; *discovered* is that command run by gongu, its list read and checked, and the tools put into a registry. " +
			"*first* is a whole bundle with it: opened for the first time, with every definition scanned, pinned and kept; *again* is the same bundle in a new process, which knows the list and starts nothing. " +
			"*fifty* are MCP servers that sleep between 0.3 and 2 seconds when they start, from an open bundle to all their tools; *slowest* is the slowest of them alone.",
		tables: []table{
			{title: "10,000 tools of a command", relation: "program", rows: list},
			{title: "A bundle with 10,000 tools of a command", rows: r.rows("Sources/commands/", "first")},
			{title: "50 servers that start slowly", relation: "slowest", rows: servers},
		},
	}
	const milliseconds = 1e6
	program, discovered := medianOf(list, "program"), medianOf(list, "discovered")
	s.gates = append(s.gates,
		atMost("10,000 command tools, beyond the command's own time", (discovered-program)/milliseconds, 150, func(ms float64) string { return fmt.Sprintf("%.0f ms", ms) }),
		atMost("50 slow servers, to the slowest", medianOf(servers, "fifty")/medianOf(servers, "slowest"), 1.1, func(ratio float64) string { return fmt.Sprintf("%.2fx", ratio) }))
	return s
}

func medianOf(rows []measured, name string) float64 {
	for _, row := range rows {
		if row.name == name {
			return row.time.median
		}
	}
	return 0
}
