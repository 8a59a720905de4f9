// Command bench measures gongu beside other ways to call a tool, all in one
// run, and writes docs/benchmarks.md and docs/benchmarks.svg.
//
// The files are: harness.go for rounds and medians; one file for each
// contestant (floor, gongu, eino, mcpgo, gosdk); one for each part of the page
// (dispatch, lookup, build, hostile, other); report.go and chart.go for what
// is written.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "only show that everything runs; prints the page unless -out is set")
	check := flag.Bool("check", false, "fail when a gate does not hold")
	out := flag.String("out", "", "folder for benchmarks.md and benchmarks.svg (default ../docs)")
	only := flag.String("only", "", "measure one part and print it: dispatch, hostile, other, lookup, build, edit, tokens, search, explore, sources, script, policy, records, gateway or consent")
	flag.Parse()
	if err := run(context.Background(), options{*quick, *check, *out, *only}); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	quick, check bool
	out, only    string
}

func run(ctx context.Context, opts options) error {
	p, out := fullPlan, opts.out
	if opts.quick {
		p = quickPlan
	} else if out == "" && opts.only == "" {
		out = filepath.Join("..", "docs")
	}
	where, start := thisMachine(), time.Now()
	sections, err := measureAll(ctx, p, opts.only, func(title string) {
		fmt.Fprintf(os.Stderr, "%6s  %s\n", time.Since(start).Round(time.Second), title)
	})
	if err != nil {
		return err
	}
	text := page(sections, where, p, time.Since(start))
	if out == "" {
		fmt.Print(text)
	} else if opts.only != "" {
		if err := replaceSections(out, sections); err != nil {
			return err
		}
	} else if err := write(out, text, chart(sections)); err != nil {
		return err
	}
	if err := writeFiles(out, sections); err != nil {
		return err
	}
	bad := failing(sections)
	for _, g := range bad {
		fmt.Fprintf(os.Stderr, "gate fails: %s: %s, %s promised\n", g.name, g.got, g.want)
	}
	if opts.check && len(bad) > 0 {
		return fmt.Errorf("%s not hold", plural(len(bad), "gate"))
	}
	return nil
}

// measureAll measures the parts of the page one after the other. Dispatch is
// first, while the heap is small.
func measureAll(ctx context.Context, p plan, only string, tell func(title string)) ([]section, error) {
	var sections []section
	for _, part := range []struct {
		name    string
		measure func() (section, error)
	}{
		{"dispatch", func() (section, error) { return measureDispatch(ctx, p) }},
		{"hostile", func() (section, error) { return measureHostile(ctx, p) }},
		{"other", func() (section, error) { return measureOther(p) }},
		{"lookup", func() (section, error) { return measureLookup(p) }},
		{"build", func() (section, error) { return measureBuild(p) }},
		{"edit", func() (section, error) { return measureEdit(p) }},
		{"tokens", measureTokens},
		{"search", func() (section, error) { return measureSearch(ctx, p) }},
		{"explore", func() (section, error) { return measureExplore(ctx, p) }},
		{"sources", func() (section, error) { return measureSources(ctx, p) }},
		{"script", func() (section, error) { return measureScripts(ctx, p) }},
		{"policy", func() (section, error) { return measurePolicy(ctx, p) }},
		{"records", func() (section, error) { return measureRecords(ctx, p) }},
		{"gateway", func() (section, error) { return measureGateway(ctx, p) }},
		{"consent", func() (section, error) { return measureConsent(ctx, p) }},
	} {
		if only != "" && only != part.name {
			continue
		}
		s, err := part.measure()
		if err != nil {
			return nil, err
		}
		sections = append(sections, s)
		tell(s.title)
	}
	if len(sections) == 0 {
		return nil, fmt.Errorf("there is no part %q", only)
	}
	return sections, nil
}

func write(dir, text, picture string) error {
	if err := os.WriteFile(filepath.Join(dir, "benchmarks.md"), []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "benchmarks.svg"), []byte(picture), 0o644)
}
