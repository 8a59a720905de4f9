package cad

import "math"

// Bounds is the smallest upright box around something.
type Bounds struct {
	Min [2]float64 `json:"min"`
	Max [2]float64 `json:"max"`
}

func emptyBounds() Bounds {
	return Bounds{Min: [2]float64{math.Inf(1), math.Inf(1)}, Max: [2]float64{math.Inf(-1), math.Inf(-1)}}
}

func (b *Bounds) add(p Point) {
	b.Min[0], b.Min[1] = min(b.Min[0], p.X), min(b.Min[1], p.Y)
	b.Max[0], b.Max[1] = max(b.Max[0], p.X), max(b.Max[1], p.Y)
}

func (b *Bounds) join(other Bounds) {
	b.add(Point{other.Min[0], other.Min[1]})
	b.add(Point{other.Max[0], other.Max[1]})
}

func (b Bounds) grown(by float64) Bounds {
	return Bounds{Min: [2]float64{b.Min[0] - by, b.Min[1] - by}, Max: [2]float64{b.Max[0] + by, b.Max[1] + by}}
}

func (b Bounds) centre() Point {
	// Halves first: the sum of two large numbers may lose what halves keep.
	return Point{b.Min[0]/2 + b.Max[0]/2, b.Min[1]/2 + b.Max[1]/2}
}

func (b Bounds) size() (width, height float64) { return b.Max[0] - b.Min[0], b.Max[1] - b.Min[1] }

// outline is the path of an entity: either corners, or a part of an ellipse.
type outline struct {
	corners []Point
	closed  bool
	curve   *curve
}

// curve is a part of an ellipse: its centre, its half axes before they are
// turned, and the angles on the circle that it was made of. Scaling a circle
// along the axes and then turning it always ends in this form.
type curve struct {
	centre       Point
	rx, ry, turn float64
	start, sweep float64
}

// whole reports whether the curve comes back to its beginning.
func (c *curve) whole() bool { return c.sweep >= 2*math.Pi }

// at is the point of the curve at an angle of the circle.
func (c *curve) at(angle float64) Point {
	sin, cos := math.Sincos(angle)
	return c.centre.plus(Point{c.rx * cos, c.ry * sin}.turned(c.turn))
}

// bounds are exact: the ends, and the places where the curve runs upright or
// level, as far as they are on it.
func (c *curve) bounds() Bounds {
	box := emptyBounds()
	if !c.whole() {
		box.add(c.at(c.start))
		box.add(c.at(c.start + c.sweep))
	}
	sin, cos := math.Sincos(c.turn)
	for _, angle := range []float64{math.Atan2(-c.ry*sin, c.rx*cos), math.Atan2(c.ry*cos, c.rx*sin)} {
		for _, extreme := range []float64{angle, angle + math.Pi} {
			if c.holds(extreme) {
				box.add(c.at(extreme))
			}
		}
	}
	return box
}

// holds reports whether an angle is on the curve.
func (c *curve) holds(angle float64) bool {
	past := math.Mod(angle-c.start, 2*math.Pi)
	if past < 0 {
		past += 2 * math.Pi
	}
	return c.whole() || past <= c.sweep
}

func (p Point) plus(q Point) Point    { return Point{p.X + q.X, p.Y + q.Y} }
func (p Point) minus(q Point) Point   { return Point{p.X - q.X, p.Y - q.Y} }
func (p Point) times(f float64) Point { return Point{p.X * f, p.Y * f} }
func (p Point) length() float64       { return math.Hypot(p.X, p.Y) }
func (p Point) cross(q Point) float64 { return p.X*q.Y - p.Y*q.X }
func (p Point) dot(q Point) float64   { return p.X*q.X + p.Y*q.Y }
func (p Point) left() Point           { return Point{-p.Y, p.X} }

func (p Point) turned(angle float64) Point {
	if angle == 0 {
		return p // keeps the digits of what was never turned
	}
	sin, cos := math.Sincos(angle)
	return Point{p.X*cos - p.Y*sin, p.X*sin + p.Y*cos}
}

func (l Line) outline() outline {
	corners := make([]Point, 0, len(l.Points)/2)
	for i := 0; i+1 < len(l.Points); i += 2 {
		corners = append(corners, Point{l.Points[i], l.Points[i+1]})
	}
	// A line that ends where it began has no ends to cap, but a corner.
	closed := len(corners) > 3 && corners[0] == corners[len(corners)-1]
	if closed {
		corners = corners[:len(corners)-1]
	}
	return outline{corners: corners, closed: closed}
}

func (r Rect) outline() outline {
	right, top := r.X+r.Width, r.Y+r.Height
	return outline{corners: []Point{{r.X, r.Y}, {right, r.Y}, {right, top}, {r.X, top}}, closed: true}
}

func (c Circle) outline() outline {
	return outline{curve: &curve{centre: Point{c.X, c.Y}, rx: c.Radius, ry: c.Radius, sweep: 2 * math.Pi}, closed: true}
}

func (a Arc) outline() outline {
	c := &curve{centre: Point{a.CX, a.CY}, rx: a.Radius, ry: a.Radius, start: math.Mod(a.StartAngle, 2*math.Pi), sweep: a.sweep()}
	return outline{curve: c, closed: c.whole()}
}

// placed is the outline after the transform.
func (o outline) placed(t Transform, centre Point) outline {
	if o.curve != nil {
		c := *o.curve
		c.centre = t.apply(c.centre, centre)
		c.rx, c.ry, c.turn = c.rx*t.Scale[0], c.ry*t.Scale[1], t.Rotate
		return outline{curve: &c, closed: o.closed}
	}
	corners := make([]Point, len(o.corners))
	for i, corner := range o.corners {
		corners[i] = t.apply(corner, centre)
	}
	return outline{corners: corners, closed: o.closed}
}

func (o outline) bounds() Bounds {
	if o.curve != nil {
		return o.curve.bounds()
	}
	box := emptyBounds()
	for _, corner := range o.corners {
		box.add(corner)
	}
	return box
}
