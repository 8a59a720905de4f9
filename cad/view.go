package cad

import "math"

// margin is the empty rim of a picture, as a part of its longer side.
const margin = 0.03

// emptySide is the size of the picture of nothing.
const emptySide = 100

// miterLimit is how long a mitred corner may be, in widths of the stroke,
// before it is cut off. It is the default of SVG.
const miterLimit = 4

// frame is the part of the scene that a picture shows: everything that is
// painted, strokes included, and a rim.
func (s *Scene) frame() Bounds {
	box := emptyBounds()
	for _, e := range s.order {
		box.join(e.ink())
	}
	width, height := box.size()
	switch {
	case len(s.order) == 0:
		return Bounds{Max: [2]float64{emptySide, emptySide}}
	case width == 0 && height == 0:
		return box.grown(1) // a point without a stroke
	}
	return box.grown(margin * max(width, height))
}

// ink is the box around what is painted of an entity.
func (e *Entity) ink() Bounds {
	path := e.outline()
	box := path.bounds()
	if e.Style.Stroke == nil {
		return box
	}
	return box.grown(e.Style.Stroke.Width / 2 * path.reach(e.Style.Stroke))
}

// reach is how far a stroke gets from its path, in halves of its width.
func (o outline) reach(stroke *Stroke) float64 {
	reach := 1.0
	if stroke.Cap == CapSquare {
		reach = math.Sqrt2
	}
	if stroke.Join != JoinMiter || o.curve != nil {
		return reach
	}
	n := len(o.corners)
	for i, corner := range o.corners {
		if !o.closed && (i == 0 || i == n-1) {
			continue
		}
		in, ok := corner.minus(o.corners[(i+n-1)%n]).unit()
		out, too := o.corners[(i+1)%n].minus(corner).unit()
		if !ok || !too {
			return miterLimit // equal points: the corner is further on
		}
		if long := miter(in, out); long <= miterLimit {
			reach = max(reach, long)
		}
	}
	return reach
}

// miter is the length of a mitred corner, in widths of the stroke.
func miter(in, out Point) float64 {
	return 1 / math.Sqrt(max((1+in.dot(out))/2, 1e-12))
}

// unit is the direction of a vector; ok is false for one that has none.
func (p Point) unit() (Point, bool) {
	length := p.length()
	if length == 0 {
		return Point{}, false
	}
	return Point{p.X / length, p.Y / length}, true
}

// view places the scene on the pixels of a picture.
type view struct {
	scale         float64 // pixels for each unit of the scene
	left, top     float64
	width, height int
}

func newView(frame Bounds, width int) view {
	w, h := frame.size()
	width = min(max(width, 1), MaxWidth)
	scale := float64(width) / max(w, h*float64(width)/MaxWidth)
	return view{
		scale: scale, left: frame.Min[0], top: frame.Max[1],
		width:  min(max(int(math.Ceil(w*scale-1e-6)), 1), MaxWidth),
		height: min(max(int(math.Ceil(h*scale-1e-6)), 1), MaxWidth),
	}
}

func (v view) pixel(p Point) Point {
	return Point{(p.X - v.left) * v.scale, (v.top - p.Y) * v.scale}
}

// flatten is the outline as corners on pixels. Half is that of the stroke's
// width, whose outer edge must look round as well.
func (v view) flatten(o outline, half float64) []Point {
	if o.curve == nil {
		pixels := make([]Point, len(o.corners))
		for i, corner := range o.corners {
			pixels[i] = v.pixel(corner)
		}
		return pixels
	}
	c := o.curve
	n := max(int(math.Ceil(c.sweep/step(max(c.rx, c.ry)*v.scale+half))), 2)
	count := n + 1
	if c.whole() {
		count = n // the last is the first
	}
	pixels := make([]Point, count)
	for i := range pixels {
		pixels[i] = v.pixel(c.at(c.start + c.sweep*float64(i)/float64(n)))
	}
	return pixels
}

// flatness is how far, in pixels, a chord may be from its arc.
const flatness = 0.05

// step is the angle of a chord for a radius in pixels.
func step(radius float64) float64 {
	if radius <= 4*flatness {
		return math.Pi / 4
	}
	return 2 * math.Acos(1-flatness/radius)
}
