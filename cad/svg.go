package cad

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SVG writes the scene as an SVG document that shows everything there is.
// Width is in pixels; 0 leaves the size to the viewer.
func (s *Scene) SVG(width int) []byte {
	frame := s.frame()
	w, h := frame.size()
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s %s %s %s"`,
		num(frame.Min[0]), num(-frame.Max[1]), num(w), num(h))
	if width > 0 {
		fmt.Fprintf(&b, ` width="%d" height="%s"`, width, num(float64(width)*h/w))
	}
	b.WriteString(">\n")
	if s.name != "" {
		b.WriteString("  <title>" + escaped(s.name) + "</title>\n")
	}
	for _, e := range s.order {
		e.svg(&b)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// svg writes one element. The transform is in the numbers and not in an
// attribute, where it would scale the stroke as well; Y is turned downward.
func (e *Entity) svg(b *bytes.Buffer) {
	path := e.outline()
	b.WriteString("  ")
	switch {
	case path.curve != nil && path.curve.whole():
		path.curve.svgEllipse(b)
	case path.curve != nil:
		path.curve.svgArc(b)
	case path.closed:
		b.WriteString(`<polygon points="` + svgPoints(path.corners) + `"`)
	default:
		b.WriteString(`<polyline points="` + svgPoints(path.corners) + `"`)
	}
	b.WriteString(e.Style.svg())
	b.WriteString(` data-name="` + escaped(e.Name) + "\"/>\n")
}

func (c *curve) svgEllipse(b *bytes.Buffer) {
	x, y := num(c.centre.X), num(-c.centre.Y)
	if c.rx == c.ry {
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s"`, x, y, num(c.rx))
		return
	}
	fmt.Fprintf(b, `<ellipse cx="%s" cy="%s" rx="%s" ry="%s"`, x, y, num(c.rx), num(c.ry))
	if c.turn != 0 {
		fmt.Fprintf(b, ` transform="rotate(%s %s %s)"`, num(-degrees(c.turn)), x, y)
	}
}

func (c *curve) svgArc(b *bytes.Buffer) {
	from, to := c.at(c.start), c.at(c.start+c.sweep)
	large := 0
	if c.sweep > math.Pi {
		large = 1
	}
	// The sweep flag is 0: what turns counter-clockwise with Y upward still
	// does on the screen, and SVG counts the other way.
	fmt.Fprintf(b, `<path d="M %s %s A %s %s %s %d 0 %s %s"`,
		num(from.X), num(-from.Y), num(c.rx), num(c.ry), num(-degrees(c.turn)), large, num(to.X), num(-to.Y))
}

func svgPoints(corners []Point) string {
	words := make([]string, len(corners))
	for i, corner := range corners {
		words[i] = num(corner.X) + "," + num(-corner.Y)
	}
	return strings.Join(words, " ")
}

func (s Style) svg() string {
	var b strings.Builder
	if s.Fill == nil {
		b.WriteString(` fill="none"`)
	} else {
		b.WriteString(s.Fill.Color.svg("fill"))
	}
	stroke := s.Stroke
	if stroke == nil {
		return b.String() // no stroke is what SVG does
	}
	b.WriteString(stroke.Color.svg("stroke"))
	fmt.Fprintf(&b, ` stroke-width="%s"`, num(stroke.Width))
	if len(stroke.Dash) > 0 {
		words := make([]string, len(stroke.Dash))
		for i, length := range stroke.Dash {
			words[i] = num(length)
		}
		fmt.Fprintf(&b, ` stroke-dasharray="%s"`, strings.Join(words, " "))
	}
	if stroke.Cap != CapButt {
		fmt.Fprintf(&b, ` stroke-linecap="%s"`, strings.ToLower(stroke.Cap))
	}
	if stroke.Join != JoinMiter {
		fmt.Fprintf(&b, ` stroke-linejoin="%s"`, strings.ToLower(stroke.Join))
	}
	return b.String()
}

func (c Color) svg(attribute string) string {
	rgb := c.nrgba()
	text := fmt.Sprintf(` %s="#%02x%02x%02x"`, attribute, rgb.R, rgb.G, rgb.B)
	if c[3] < 1 {
		text += fmt.Sprintf(` %s-opacity="%s"`, attribute, num(c[3]))
	}
	return text
}

func degrees(radians float64) float64 { return radians * 180 / math.Pi }

// num writes a number to a millionth, which is finer than any size in a scene.
func num(v float64) string {
	rounded := math.Round(v*1e6) / 1e6
	if rounded == 0 {
		return "0" // also for -0
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// escaped is a text as XML has it. What XML cannot hold is replaced.
func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}
