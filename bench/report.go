package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// section is one part of the page.
type section struct {
	title, text string
	tables      []table
	gates       []gate
	// panel is the section's part of the chart; most have none.
	panel panel
	// files are pictures that the section has for itself, by their names.
	files map[string]string
}

// table is the results of one group.
type table struct {
	title string
	// short names the table in the chart.
	short string
	// relation says what the ratios are to; empty means there are none.
	relation string
	rows     []measured
}

// gate is a promise of the project about speed.
type gate struct {
	name, got, want string
	ok              bool
}

// atMost is a gate that holds while got does not exceed the limit.
func atMost(name string, got, limit float64, format func(float64) string) gate {
	return gate{name: name, got: format(got), want: "at most " + format(limit), ok: got <= limit}
}

// failing lists the gates that do not hold.
func failing(sections []section) []gate {
	var bad []gate
	for _, s := range sections {
		for _, g := range s.gates {
			if !g.ok {
				bad = append(bad, g)
			}
		}
	}
	return bad
}

// page writes docs/benchmarks.md.
func page(sections []section, m machine, p plan, took time.Duration) string {
	var b strings.Builder
	b.WriteString("# Benchmarks\n\n")
	b.WriteString("<!-- Written by bench/; do not edit. -->\n\n")
	if p.quick {
		b.WriteString("**This is a quick run: it shows that everything works, not how fast.**\n\n")
	}
	b.WriteString("Ratios are what to look at: everything in one table was measured in one run, in turns, on the same machine. The absolute times beside them are of that machine.\n\n")
	b.WriteString("![How many times the floor a call costs, and how long a look-up takes](benchmarks.svg)\n\n")
	writeGates(&b, sections)
	writeMethod(&b, m, p, took)
	for _, s := range sections {
		writeSection(&b, s)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func writeGates(b *strings.Builder, sections []section) {
	b.WriteString("## Gates\n\nWhat the project promises. `go run . -check` in `bench/` fails when one does not hold.\n\n")
	b.WriteString("| gate | measured | promised | |\n|---|---:|---:|---|\n")
	for _, s := range sections {
		for _, g := range s.gates {
			verdict := "pass"
			if !g.ok {
				verdict = "**FAIL**"
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", g.name, g.got, g.want, verdict)
		}
	}
	b.WriteString("\n")
}

func writeMethod(b *strings.Builder, m machine, p plan, took time.Duration) {
	b.WriteString("## How it was measured\n\n")
	fmt.Fprintf(b, "- Machine: %s, %s, %s.\n", m.cpu, plural(m.cores, "core"), m.system)
	fmt.Fprintf(b, "- %s; measured on %s in %s.\n", m.version, m.date, took.Round(time.Second))
	if m.load != "" {
		fmt.Fprintf(b, "- Load average when it began: %s. A machine that does other work makes the spread larger; ratios suffer less than times.\n", m.load)
	}
	if len(m.modules) > 0 {
		fmt.Fprintf(b, "- Compared: %s.\n", strings.Join(m.modules, ", "))
	}
	fmt.Fprintf(b, "- The rows of a table take turns, in an order that rotates and turns around; garbage is collected between turns. There are %d turns of about %v, and %d where one operation takes long. For look-ups there are %d turns of %d measurements of %v, after %v of the same work unmeasured, because the other turns empty the caches.\n",
		p.calls.rounds, p.calls.slice, p.slow.rounds, p.reads.rounds, p.reads.burst, p.reads.slice, time.Duration(p.reads.warm)*p.reads.slice)
	b.WriteString("- *time* is the median for one operation, *±* half the distance between the quartiles. A *ratio* is the median of the ratios within each round. *allocs* and *bytes* are what one operation allocates, by the runtime's own count.\n")
	b.WriteString("- Repeat it, on a machine that does nothing else, with:\n\n```sh\nmake bench\n```\n\n")
}

func writeSection(b *strings.Builder, s section) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n", s.title, s.text)
	for _, t := range s.tables {
		if t.title != "" {
			fmt.Fprintf(b, "### %s\n\n", t.title)
		}
		writeTable(b, t)
	}
}

func writeTable(b *strings.Builder, t table) {
	head, rule := "| |", "|---|"
	if t.relation != "" {
		head, rule = head+" ratio to "+t.relation+" |", rule+"---:|"
	}
	head, rule = head+" time | ± | allocs | bytes |", rule+"---:|---:|---:|---:|"
	notes := hasNotes(t.rows)
	if notes {
		head, rule = head+" |", rule+"---|"
	}
	b.WriteString(head + "\n" + rule + "\n")
	for _, m := range t.rows {
		fmt.Fprintf(b, "| %s |", m.name)
		if t.relation != "" {
			fmt.Fprintf(b, " %s |", times(m.ratio.median))
		}
		fmt.Fprintf(b, " %s | %.0f %% | %s | %s |", duration(m.time.median), m.time.percent(), whole(m.allocs), whole(m.bytes))
		if notes {
			fmt.Fprintf(b, " %s |", m.note)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func hasNotes(rows []measured) bool {
	for _, m := range rows {
		if m.note != "" {
			return true
		}
	}
	return false
}

// times prints a ratio.
func times(ratio float64) string {
	if ratio >= 99.5 {
		return whole(ratio) + "×"
	}
	return fmt.Sprintf("%.2f×", ratio)
}

// duration prints nanoseconds with three digits.
func duration(ns float64) string {
	for _, unit := range []struct {
		name  string
		scale float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= unit.scale*0.9995 {
			return digits(ns/unit.scale) + " " + unit.name
		}
	}
	return digits(ns) + " ns"
}

// digits prints three significant digits.
func digits(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func whole(v float64) string { return count(int(v + 0.5)) }

// count prints a number with commas.
func count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return count(n) + " " + what + "s"
}
