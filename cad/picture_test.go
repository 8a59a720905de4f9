package cad_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gongu-ai/gongu/cad"
)

// elements reads a whole SVG document, and so proves that it is one.
func elements(t testing.TB, raw []byte) []xml.StartElement {
	t.Helper()
	var found []xml.StartElement
	dec := xml.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, raw)
		}
		if start, ok := token.(xml.StartElement); ok {
			found = append(found, start.Copy())
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestSVG(t *testing.T) {
	s := cad.NewScene("room")
	red := cad.Color{1, 0, 0, 0.5}
	style := func(stroke *cad.Stroke, fill *cad.Fill) *cad.Style { return &cad.Style{Stroke: stroke, Fill: fill} }
	for _, e := range []struct {
		name  string
		shape cad.Shape
		style *cad.Style
	}{
		{"rect", cad.Rect{X: 1, Y: 2, Width: 10, Height: 20}, nil},
		{"circle", cad.Circle{X: 5, Y: 5, Radius: 3}, style(nil, &cad.Fill{Color: red})},
		{"arc", cad.Arc{Radius: 10, EndAngle: math.Pi / 2}, style(&cad.Stroke{Width: 2, Cap: cad.CapRound, Join: cad.JoinBevel, Dash: []float64{4, 2}, Color: red}, nil)},
		{"large", cad.Arc{Radius: 10, EndAngle: 3 * math.Pi / 2}, nil},
		{"line", cad.Line{Points: []float64{0, 0, 5, 7}}, nil},
	} {
		if _, _, err := s.Draw(e.name, e.shape, e.style); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Scale("circle", 2, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Rotate("circle", math.Pi/6); err != nil {
		t.Fatal(err)
	}
	want := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-11.496213 -23.70332 24.199533 35.199533" width="200" height="290.910845">
  <title>room</title>
  <polygon points="1,-2 11,-2 11,-22 1,-22" fill="none" stroke="#000000" stroke-width="1" data-name="rect"/>
  <ellipse cx="5" cy="-5" rx="6" ry="3" transform="rotate(-30 5 -5)" fill="#ff0000" fill-opacity="0.5" data-name="circle"/>
  <path d="M 10 0 A 10 10 0 0 0 0 -10" fill="none" stroke="#ff0000" stroke-opacity="0.5" stroke-width="2" stroke-dasharray="4 2" stroke-linecap="round" stroke-linejoin="bevel" data-name="arc"/>
  <path d="M 10 0 A 10 10 0 1 0 0 10" fill="none" stroke="#000000" stroke-width="1" data-name="large"/>
  <polyline points="0,0 5,-7" fill="none" stroke="#000000" stroke-width="1" data-name="line"/>
</svg>
`
	got := s.SVG(200)
	elements(t, got)
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A name cannot get out of its attribute, whatever it is.
func TestPropertySVGEscapesNames(t *testing.T) {
	hostile := []string{`"/><script>alert(1)</script>`, `]]>`, `&amp;`, `<!--`, `' onload='x`, "한글 이름", "a\u2028b", "\ufffe", "𝄞"}
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String()).Draw(rt, "name")
		s := cad.NewScene(name)
		if _, _, err := s.Draw(name, cad.Circle{Radius: 1}, nil); err != nil {
			return // a name that no entity can have
		}
		found := elements(t, s.SVG(0))
		if len(found) != 3 || found[2].Name.Local != "circle" {
			rt.Fatalf("elements %v", found)
		}
		if got := attribute(found[2], "data-name"); got != name && !strings.ContainsRune(got, '\ufffd') {
			rt.Errorf("name %q came out as %q", name, got)
		}
	})
}

func TestSVGOfNothing(t *testing.T) {
	if found := elements(t, cad.NewScene("").SVG(0)); len(found) != 1 || attribute(found[0], "viewBox") != "0 -100 100 100" {
		t.Errorf("%v", found)
	}
}

// Pixels at known places. The scene is 100 by 100 with a rim of 3: at a width
// of 1060 a unit is 10 pixels, and (x, y) is pixel (30+10x, 1030-10y).
func TestPixels(t *testing.T) {
	solid := func(r, g, b float64) *cad.Fill { return &cad.Fill{Color: cad.Color{r, g, b, 1}} }
	stroke := func(edit func(*cad.Stroke)) *cad.Stroke {
		s := cad.DefaultStroke()
		s.Width = 4
		edit(&s)
		return &s
	}
	frame := func(s *cad.Scene) {
		if _, _, err := s.Draw("frame", cad.Rect{Width: 100, Height: 100}, &cad.Style{}); err != nil {
			t.Fatal(err)
		}
	}
	corner := cad.Line{Points: []float64{20, 20, 50, 50, 80, 20}} // upward, a right angle
	end := cad.Line{Points: []float64{20, 50, 80, 50}}
	white, black := "ffffff", "000000"
	for name, tc := range map[string]struct {
		shape cad.Shape
		style cad.Style
		want  map[[2]float64]string
	}{
		"filled rect": {cad.Rect{X: 20, Y: 20, Width: 30, Height: 10}, cad.Style{Fill: solid(1, 0, 0)}, map[[2]float64]string{
			{21, 21}: "ff0000", {49, 29}: "ff0000", {51, 25}: white, {35, 31}: white, {35, 19}: white,
		}},
		"half see-through": {cad.Rect{X: 20, Y: 20, Width: 30, Height: 10}, cad.Style{Fill: &cad.Fill{Color: cad.Color{0, 0, 1, 0.5}}}, map[[2]float64]string{{30, 25}: "7f7fff"}},
		"circle": {cad.Circle{X: 50, Y: 50, Radius: 20}, cad.Style{Fill: solid(0, 1, 0), Stroke: stroke(func(*cad.Stroke) {})}, map[[2]float64]string{
			{50, 50}: "00ff00", {50, 67}: "00ff00", {50, 70}: black, {70, 50}: black, {50, 73}: white, {66, 66}: white,
		}},
		"arc goes counter-clockwise": {cad.Arc{CX: 50, CY: 50, Radius: 20, EndAngle: math.Pi}, cad.Style{Stroke: stroke(func(*cad.Stroke) {})}, map[[2]float64]string{
			{50, 70}: black, {50, 30}: white, {50, 50}: white,
		}},
		"miter": {corner, cad.Style{Stroke: stroke(func(*cad.Stroke) {})}, map[[2]float64]string{{50, 52.5}: black, {50, 53.2}: white}},
		"bevel": {corner, cad.Style{Stroke: stroke(func(s *cad.Stroke) { s.Join = cad.JoinBevel })}, map[[2]float64]string{{50, 51.2}: black, {50, 51.7}: white}},
		"round": {corner, cad.Style{Stroke: stroke(func(s *cad.Stroke) { s.Join = cad.JoinRound })}, map[[2]float64]string{{50, 51.8}: black, {50, 52.3}: white}},
		"butt":  {end, cad.Style{Stroke: stroke(func(*cad.Stroke) {})}, map[[2]float64]string{{79.8, 50}: black, {80.3, 50}: white, {50, 51.8}: black, {50, 52.3}: white}},
		"square cap": {end, cad.Style{Stroke: stroke(func(s *cad.Stroke) { s.Cap = cad.CapSquare })}, map[[2]float64]string{
			{81.8, 51.8}: black, {82.3, 50}: white, {18.2, 48.2}: black,
		}},
		"round cap": {end, cad.Style{Stroke: stroke(func(s *cad.Stroke) { s.Cap = cad.CapRound })}, map[[2]float64]string{
			{81.8, 50}: black, {81.8, 51.8}: white, {18.2, 50}: black,
		}},
		"dash": {end, cad.Style{Stroke: stroke(func(s *cad.Stroke) { s.Dash = []float64{10, 5} })}, map[[2]float64]string{
			{25, 50}: black, {32, 50}: white, {40, 50}: black, {47, 50}: white,
		}},
		"odd dash": {end, cad.Style{Stroke: stroke(func(s *cad.Stroke) { s.Dash = []float64{10} })}, map[[2]float64]string{
			{25, 50}: black, {35, 50}: white, {45, 50}: black,
		}},
		"closed line has a corner": {cad.Line{Points: []float64{20, 20, 80, 20, 80, 80, 20, 20}}, cad.Style{Stroke: stroke(func(*cad.Stroke) {})}, map[[2]float64]string{
			{81.8, 18.2}: black, {17, 18.8}: black, {50, 50}: black,
		}},
		"hairline": {end, cad.Style{Stroke: stroke(func(s *cad.Stroke) { s.Width = 0.001 })}, map[[2]float64]string{{50, 51}: white}},
	} {
		t.Run(name, func(t *testing.T) {
			s := cad.NewScene("")
			frame(s)
			if _, _, err := s.Draw("e", tc.shape, &tc.style); err != nil {
				t.Fatal(err)
			}
			img := s.Image(1060)
			if b := img.Bounds(); b.Dx() != 1060 || b.Dy() != 1060 {
				t.Fatalf("size %v", b)
			}
			for at, want := range tc.want {
				c := img.RGBAAt(int(30+10*at[0]), int(1030-10*at[1]))
				if got := fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B); got != want {
					t.Errorf("at %v: %s, want %s", at, got, want)
				}
			}
		})
	}
}

// The file holds the picture, pixel for pixel.
func TestPNG(t *testing.T) {
	s := cad.NewScene("")
	mustDraw(t, s, "a", cad.Circle{Radius: 5})
	raw, err := s.PNG(60)
	if err != nil {
		t.Fatal(err)
	}
	read, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	want := s.Image(60)
	if read.Bounds() != want.Bounds() {
		t.Fatalf("size %v, want %v", read.Bounds(), want.Bounds())
	}
	for i := range 60 * want.Bounds().Dy() {
		x, y := i%60, i/60
		if r, g, b, a := read.At(x, y).RGBA(); !sameColor(want.At(x, y), r, g, b, a) {
			t.Fatalf("pixel %d,%d differs", x, y)
		}
	}
}

func sameColor(c color.Color, r, g, b, a uint32) bool {
	cr, cg, cb, ca := c.RGBA()
	return cr == r && cg == g && cb == b && ca == a
}

// A line thinner than a pixel is still seen.
func TestHairlineIsSeen(t *testing.T) {
	s := cad.NewScene("")
	mustDraw(t, s, "a", cad.Line{Points: []float64{0, 0, 1e6, 5e5}})
	img := s.Image(400)
	darkest := uint8(255)
	for i := 0; i < len(img.Pix); i += 4 {
		darkest = min(darkest, img.Pix[i])
	}
	if darkest > 128 {
		t.Errorf("the darkest pixel is %d", darkest)
	}
}

// A circle with a stroke so broad that it closes is a disc, pixel for pixel
// but for rounding.
func TestBroadCurvesAreSmooth(t *testing.T) {
	picture := func(shape cad.Shape, style cad.Style) []uint8 {
		s := cad.NewScene("")
		if _, _, err := s.Draw("frame", cad.Rect{X: -110, Y: -110, Width: 220, Height: 220}, &cad.Style{}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Draw("e", shape, &style); err != nil {
			t.Fatal(err)
		}
		return s.Image(700).Pix
	}
	black := cad.Color{0, 0, 0, 1}
	for _, tc := range []struct{ radius, width float64 }{{50, 99.9}, {10, 100}} { // the second is broader than it is round
		ring := picture(cad.Circle{Radius: tc.radius}, cad.Style{Stroke: &cad.Stroke{Width: tc.width, Color: black}})
		disc := picture(cad.Circle{Radius: tc.radius + tc.width/2}, cad.Style{Fill: &cad.Fill{Color: black}})
		for i := range ring {
			x, y := i/4%700, i/4/700
			if d := int(ring[i]) - int(disc[i]); (d > 40 || d < -40) && math.Hypot(float64(x)-350, float64(y)-350) > 3 { // but for the hole in the middle
				t.Fatalf("%+v: pixel %d,%d: %d, and of a disc %d", tc, x, y, ring[i], disc[i])
			}
		}
	}
}

// Odd scenes make pictures too, of a size that fits into memory.
func TestImageOfOddScenes(t *testing.T) {
	fine := cad.DefaultStroke()
	fine.Dash, fine.Width = []float64{0.001, 0.001}, 0.001
	dots := cad.Stroke{Width: 2, Dash: []float64{0, 5}, Cap: cad.CapRound, Join: cad.JoinMiter}
	for name, tc := range map[string]struct {
		shape cad.Shape
		style *cad.Style
	}{
		"nothing painted": {cad.Circle{Radius: 1}, &cad.Style{}},
		"point":           {cad.Line{Points: []float64{1, 1, 1, 1}}, &cad.Style{}},
		"dot":             {cad.Line{Points: []float64{1, 1, 1, 1}}, nil},
		"upright":         {cad.Line{Points: []float64{0, 0, 0, 1e8}}, nil},
		"level":           {cad.Line{Points: []float64{0, 0, 1e8, 0}}, nil},
		"back and forth":  {cad.Line{Points: []float64{0, 0, 5, 0, 0, 0}}, nil},
		"fine dashes":     {cad.Line{Points: []float64{0, 0, 1e9, 0}}, &cad.Style{Stroke: &fine}},
		"dots":            {cad.Rect{Width: 50, Height: 50}, &cad.Style{Stroke: &dots}},
		"empty arc":       {cad.Arc{Radius: 5}, nil},
		"huge circle":     {cad.Circle{Radius: 1e9}, nil},
		"tiny circle":     {cad.Circle{X: 1e8, Radius: 0.001}, nil},
		"same points":     {cad.Line{Points: []float64{0, 0, 0, 0, 9, 9, 9, 9, 18, 0, 0, 0}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := cad.NewScene("")
			if _, _, err := s.Draw("e", tc.shape, tc.style); err != nil {
				t.Fatal(err)
			}
			elements(t, s.SVG(100))
			if b := s.Image(100).Bounds(); b.Dx() < 1 || b.Dy() < 1 || b.Dx() > cad.MaxWidth || b.Dy() > cad.MaxWidth {
				t.Errorf("size %v", b)
			}
		})
	}
	if b := cad.NewScene("").Image(0).Bounds(); b.Dx() != cad.DefaultWidth {
		t.Errorf("the picture of nothing is %v", b)
	}
}

// 10,000 entities are drawn, described, saved and painted: each in a fraction
// of a second here, and in no case in a time that looks like a hang.
func TestTenThousandEntities(t *testing.T) {
	s := cad.NewScene("")
	const limit = 30 * time.Second
	took := func(what string, do func()) {
		began := time.Now()
		do()
		passed := time.Since(began)
		t.Logf("%s: %v", what, passed.Round(10*time.Microsecond))
		if passed > limit {
			t.Errorf("%s took %v, more than %v", what, passed, limit)
		}
	}
	took("draw", func() {
		for i := range 10_000 {
			x, y := float64(i%100)*10, float64(i/100)*10
			mustDraw(t, s, fmt.Sprint("e", i), []cad.Shape{
				cad.Rect{X: x, Y: y, Width: 8, Height: 6}, cad.Circle{X: x, Y: y, Radius: 4},
				cad.Arc{CX: x, CY: y, Radius: 4, EndAngle: 3}, cad.Line{Points: []float64{x, y, x + 5, y + 5, x + 8, y}},
			}[i%4])
		}
	})
	took("change", func() {
		for i := range 10_000 {
			if _, err := s.Rotate(fmt.Sprint("e", i), 0.1); err != nil {
				t.Fatal(err)
			}
		}
	})
	took("bounds", func() { s.Bounds() })
	var raw []byte
	took("encode", func() { raw, _ = s.Encode() })
	took("decode", func() {
		if again, err := cad.Decode(raw); err != nil || again.Len() != 10_000 {
			t.Fatal(err)
		}
	})
	t.Logf("file: %d KB", len(raw)/1000)
	took("svg", func() { elements(t, s.SVG(0)) })
	took("picture", func() { s.Image(1000) })
}
