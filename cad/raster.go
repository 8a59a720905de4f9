package cad

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"golang.org/x/image/vector"
)

const (
	// DefaultWidth is the width of a picture when none is given.
	DefaultWidth = 1024
	// MaxWidth is the largest side of a picture, in pixels.
	MaxWidth = 8192
)

// Image paints the scene on white. The picture shows everything that there is;
// width is in pixels, and 0 is [DefaultWidth]. A picture that would be higher
// than [MaxWidth] is made narrower.
func (s *Scene) Image(width int) *image.RGBA {
	if width <= 0 {
		width = DefaultWidth
	}
	v := newView(s.frame(), width)
	canvas := image.NewRGBA(image.Rect(0, 0, v.width, v.height))
	draw.Draw(canvas, canvas.Bounds(), image.White, image.Point{}, draw.Src)
	painter := painter{canvas: canvas, view: v}
	for _, e := range s.order {
		painter.paint(e)
	}
	return canvas
}

// PNG is [Scene.Image] as a file.
func (s *Scene) PNG(width int) ([]byte, error) {
	var buf bytes.Buffer
	if err := png.Encode(&buf, s.Image(width)); err != nil {
		return nil, fmt.Errorf("encode the picture: %w", err)
	}
	return buf.Bytes(), nil
}

// painter paints entities, the later above the earlier.
type painter struct {
	canvas *image.RGBA
	view   view
	raster vector.Rasterizer
}

func (p *painter) paint(e *Entity) {
	path := e.outline()
	half := 0.0
	if e.Style.Stroke != nil {
		half = p.half(e.Style.Stroke)
	}
	pixels := p.view.flatten(path, half)
	if fill := e.Style.Fill; fill != nil && len(pixels) > 2 {
		// The direction does not matter for a single area, nor does it for
		// the parts of one that crosses itself.
		p.areas(polygons{pixels}, fill.Color)
	}
	if stroke := e.Style.Stroke; stroke != nil {
		p.areas(p.strokes(pixels, path, stroke), stroke.Color)
	}
}

// half returns half of the width of a stroke. A line thinner than a pixel would
// be invisible, so one pixel is the least.
func (p *painter) half(stroke *Stroke) float64 { return max(stroke.Width*p.view.scale, 1) / 2 }

func (p *painter) strokes(pixels []Point, path outline, stroke *Stroke) polygons {
	pen := pen{half: p.half(stroke), cap: stroke.Cap, join: stroke.Join, smooth: path.curve != nil}
	if len(stroke.Dash) == 0 {
		pen.stroke(pixels, path.closed)
		return pen.out
	}
	pattern := make([]float64, 0, 2*len(stroke.Dash))
	for range 1 + len(stroke.Dash)%2 { // an odd pattern is one with itself
		for _, length := range stroke.Dash {
			pattern = append(pattern, length*p.view.scale)
		}
	}
	for _, part := range dashed(pixels, path.closed, pattern) {
		pen.stroke(part, false)
	}
	return pen.out
}

// The rasterizer rounds to fixed point below a width, and the errors of many
// areas on top of each other add up to a shade that is seen.
const (
	manyAreas     = 64
	floatingWidth = 513
)

// areas paints polygons as one area. It works on the part of the picture that
// they cover: with many small entities the whole would be cleared for each.
func (p *painter) areas(areas polygons, c Color) {
	box := emptyBounds()
	for _, area := range areas {
		for _, corner := range area {
			box.add(corner)
		}
	}
	if len(areas) == 0 {
		return
	}
	part := image.Rect(
		int(math.Floor(box.Min[0])), int(math.Floor(box.Min[1])),
		int(math.Ceil(box.Max[0]))+1, int(math.Ceil(box.Max[1]))+1,
	).Intersect(p.canvas.Bounds())
	if part.Empty() {
		return
	}
	width := part.Dx()
	if len(areas) > manyAreas {
		width = max(width, floatingWidth)
	}
	p.raster.Reset(width, part.Dy())
	at := func(q Point) (x, y float32) {
		return float32(q.X - float64(part.Min.X)), float32(q.Y - float64(part.Min.Y))
	}
	for _, area := range areas {
		p.raster.MoveTo(at(area[0]))
		for _, corner := range area[1:] {
			p.raster.LineTo(at(corner))
		}
		p.raster.ClosePath()
	}
	p.raster.Draw(p.canvas, part, image.NewUniform(c.nrgba()), image.Point{})
}

func (c Color) nrgba() color.NRGBA {
	part := func(v float64) uint8 { return uint8(math.Round(v * 255)) }
	return color.NRGBA{part(c[0]), part(c[1]), part(c[2]), part(c[3])}
}
