package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// panel is one picture of the chart.
type panel interface {
	// draw writes the panel below y and returns where it ends.
	draw(s *svg, y float64) float64
}

// chart stacks the panels of all sections into one SVG. It brings its own
// background and follows the reader's light or dark setting.
func chart(sections []section) string {
	s, y := &svg{}, 12.0
	for _, section := range sections {
		if section.panel != nil {
			y = section.panel.draw(s, y)
		}
	}
	return fmt.Sprintf(frame, chartWidth, y, style, chartWidth-1, y-1, s.body.String())
}

const (
	chartWidth = 860.0
	left       = 150.0 // where bars and plots begin
	right      = 780.0 // where they end; values stand behind
)

const frame = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]g" height="%[2]g" role="img" aria-label="Benchmarks of gongu">
<style>%[3]s</style>
<rect class="paper" x="0.5" y="0.5" width="%[4]g" height="%[5]g" rx="8"/>
%[6]s</svg>
`

const style = `
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}
.title{font-size:16px;font-weight:600}.small{font-size:12px;fill:#59636e}
.paper{fill:#ffffff;stroke:#d1d9e0}.grid{stroke:#d1d9e0}.gate{stroke:#cf222e;stroke-width:1.5;stroke-dasharray:5 4}.limit{fill:#cf222e;font-size:12px}
.c0{fill:#0550ae;stroke:#0550ae}.c1{fill:#54aeff;stroke:#54aeff}.c2{fill:#8250df;stroke:#8250df}
.line{fill:none;stroke-width:2.5}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.small{fill:#9198a1}
.paper{fill:#0d1117;stroke:#3d444d}.grid{stroke:#3d444d}.gate{stroke:#f85149}.limit{fill:#f85149}
.c0{fill:#58a6ff;stroke:#58a6ff}.c1{fill:#1158c7;stroke:#1158c7}.c2{fill:#bc8cff;stroke:#bc8cff}
.line{fill:none}
}
`

// svg collects elements.
type svg struct{ body strings.Builder }

func (s *svg) text(x, y float64, class, anchor, text string) {
	fmt.Fprintf(&s.body, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">%s</text>\n", x, y, class, anchor, html.EscapeString(text))
}

func (s *svg) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&s.body, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, class)
}

func (s *svg) bar(x, y, width, height float64, class string) {
	fmt.Fprintf(&s.body, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\" class=\"%s\"/>\n", x, y, max(width, 1), height, class)
}

func (s *svg) dot(x, y float64, class string) {
	fmt.Fprintf(&s.body, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"%s\"/>\n", x, y, class)
}

// head writes the title and the legend and returns where the plot begins.
func (s *svg) head(y float64, title string, legend []string) float64 {
	s.text(24, y+20, "title", "start", title)
	x := left
	for i, name := range legend {
		s.bar(x, y+34, 12, 12, color(i))
		s.text(x+18, y+45, "small", "start", name)
		x += 34 + 7*float64(len(name))
	}
	return y + 60
}

func color(i int) string { return fmt.Sprintf("c%d", i%3) }

// bars compares contestants by ratios, on a logarithmic scale.
type bars struct {
	title  string
	legend []string
	rows   []barRow
	gate   float64
}

type barRow struct {
	name   string
	values []float64
}

// barsOf makes the panel from tables with the same rows.
func barsOf(title string, gate float64, tables []table) bars {
	b := bars{title: title, gate: gate}
	for _, t := range tables {
		b.legend = append(b.legend, t.short)
		for i, m := range t.rows {
			if i == len(b.rows) {
				b.rows = append(b.rows, barRow{name: m.name})
			}
			b.rows[i].values = append(b.rows[i].values, m.ratio.median)
		}
	}
	return b
}

func (b bars) draw(s *svg, y float64) float64 {
	const thick, gap = 13.0, 10.0
	low, high := 0.5, 2*b.gate
	for _, row := range b.rows {
		low, high = min(low, slices.Min(row.values)/1.2), max(high, slices.Max(row.values)*1.1)
	}
	place := func(v float64) float64 { return left + (right-left)*math.Log(v/low)/math.Log(high/low) }
	top := s.head(y, b.title, b.legend)
	bottom := top + float64(len(b.rows))*(thick*float64(len(b.legend))+gap)
	for _, tick := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if tick < high {
			s.line(place(tick), top, place(tick), bottom, "grid")
			s.text(place(tick), bottom+16, "small", "middle", fmt.Sprintf("%g×", tick))
		}
	}
	at := top + gap/2
	for _, row := range b.rows {
		s.text(left-10, at+thick*float64(len(row.values))/2+4, "", "end", row.name)
		for i, v := range row.values {
			s.bar(left, at+1, place(v)-left, thick-2, color(i))
			s.text(place(v)+6, at+thick-2, "small", "start", times(v))
			at += thick
		}
		at += gap
	}
	s.line(place(b.gate), top-6, place(b.gate), bottom, "gate")
	s.text(place(b.gate)+4, top-2, "limit", "start", fmt.Sprintf("gate %g×", b.gate))
	return bottom + 34
}

// lines shows times over the number of tools.
type lines struct {
	title  string
	legend []string
	ticks  []int
	// values holds nanoseconds for each name of the legend and each tick.
	values [][]float64
	gate   float64
}

func (l lines) draw(s *svg, y float64) float64 {
	const height = 170.0
	high := l.gate * 1.15
	for _, series := range l.values {
		high = max(high, slices.Max(series)*1.1)
	}
	top := s.head(y, l.title, l.legend)
	bottom := top + height
	placeX := func(i int) float64 { return left + 30 + (right-left-60)*float64(i)/float64(max(1, len(l.ticks)-1)) }
	placeY := func(v float64) float64 { return bottom - height*v/high }
	for tick := 0.0; tick < high; tick += gridStep(high) {
		s.line(left, placeY(tick), right, placeY(tick), "grid")
		s.text(left-10, placeY(tick)+4, "small", "end", fmt.Sprintf("%g ns", tick))
	}
	for i, tick := range l.ticks {
		s.text(placeX(i), bottom+18, "small", "middle", count(tick)+" tools")
	}
	s.line(left, placeY(l.gate), right, placeY(l.gate), "gate")
	s.text(right+6, placeY(l.gate)+4, "limit", "start", fmt.Sprintf("%g ns", l.gate))
	for i, series := range l.values {
		var points []string
		for k, v := range series {
			points = append(points, fmt.Sprintf("%.1f,%.1f", placeX(k), placeY(v)))
			s.dot(placeX(k), placeY(v), color(i))
		}
		fmt.Fprintf(&s.body, "<polyline points=\"%s\" class=\"%s line\"/>\n", strings.Join(points, " "), color(i))
	}
	return bottom + 36
}

// gridStep gives about five lines at round values.
func gridStep(high float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(high/2)))
	for high/step > 6 {
		step *= 2
	}
	return step
}
