package cad

import (
	"math"
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The types of entities.
const (
	TypeLine   = "line"
	TypeCircle = "circle"
	TypeRect   = "rect"
	TypeArc    = "arc"
)

// minSize replaces a size of zero: an invisible entity could not be corrected.
const minSize = 0.001

// maxNumber bounds every number of a scene, so that sums and products of a few
// of them stay finite and keep their digits.
const maxNumber = 1e9

// Shape is the geometry of an entity before its transform: a [Line], [Circle], [Rect]
// or [Arc].
type Shape interface {
	// Type is the name of the kind of shape, such as circle.
	Type() string

	// normal returns the shape with sizes that can be drawn, and what was
	// changed for that.
	normal() (Shape, []Warning, error)
	// centre is what the entity turns and grows around.
	centre() Point
	// outline is the path of the shape in its own coordinates.
	outline() outline
	// points is how much the shape counts towards the limit of points.
	points() int
}

// Point is a place of the scene.
type Point struct{ X, Y float64 }

// Line is a line through two or more points.
type Line struct {
	// Points are x1, y1, x2, y2 and so on.
	Points []float64 `json:"points"`
}

// Circle is a circle around X, Y.
type Circle struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Radius float64 `json:"radius"`
}

// Rect is a rectangle with its lower left corner at X, Y.
type Rect struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Arc is a part of a circle, counter-clockwise from StartAngle to EndAngle, in
// radians. When they are a whole turn or more apart it is the whole circle.
type Arc struct {
	CX         float64 `json:"cx"`
	CY         float64 `json:"cy"`
	Radius     float64 `json:"radius"`
	StartAngle float64 `json:"start_angle"`
	EndAngle   float64 `json:"end_angle"`
}

var (
	_ Shape = Line{}
	_ Shape = Circle{}
	_ Shape = Rect{}
	_ Shape = Arc{}
)

// Type is line.
func (Line) Type() string { return TypeLine }

// Type is circle.
func (Circle) Type() string { return TypeCircle }

// Type is rect.
func (Rect) Type() string { return TypeRect }

// Type is arc.
func (Arc) Type() string { return TypeArc }

func (l Line) normal() (Shape, []Warning, error) {
	if len(l.Points) < 4 || len(l.Points)%2 != 0 {
		return nil, nil, invalid(lang.CADPoints, len(l.Points))
	}
	if err := checkNumbers("points", l.Points...); err != nil {
		return nil, nil, err
	}
	// The caller's own slice may change after the call.
	return Line{Points: slices.Clone(l.Points)}, nil, nil
}

func (c Circle) normal() (Shape, []Warning, error) {
	var fix sizes
	c.Radius = fix.positive("radius", c.Radius)
	return c, fix.warnings, checkNumbers("x, y, radius", c.X, c.Y, c.Radius)
}

func (r Rect) normal() (Shape, []Warning, error) {
	var fix sizes
	r.Width = fix.positive("width", r.Width)
	r.Height = fix.positive("height", r.Height)
	return r, fix.warnings, checkNumbers("x, y, width, height", r.X, r.Y, r.Width, r.Height)
}

func (a Arc) normal() (Shape, []Warning, error) {
	var fix sizes
	a.Radius = fix.positive("radius", a.Radius)
	if err := checkNumbers("cx, cy, radius, start_angle, end_angle", a.CX, a.CY, a.Radius, a.StartAngle, a.EndAngle); err != nil {
		return nil, nil, err
	}
	if a.sweep() == 0 {
		fix.warnings = append(fix.warnings, lang.CADEmptyArc.With())
	}
	return a, fix.warnings, nil
}

func (l Line) centre() Point {
	box := emptyBounds()
	for i := 0; i+1 < len(l.Points); i += 2 {
		box.add(Point{l.Points[i], l.Points[i+1]})
	}
	return box.centre()
}

func (c Circle) centre() Point { return Point{c.X, c.Y} }
func (r Rect) centre() Point   { return Point{r.X + r.Width/2, r.Y + r.Height/2} }
func (a Arc) centre() Point    { return Point{a.CX, a.CY} }

func (l Line) points() int { return len(l.Points) / 2 }
func (Circle) points() int { return 1 }
func (Rect) points() int   { return 1 }
func (Arc) points() int    { return 1 }

// sweep is how far the arc turns, from 0 to a whole turn.
func (a Arc) sweep() float64 {
	turn := a.EndAngle - a.StartAngle
	if math.Abs(turn) >= 2*math.Pi {
		return 2 * math.Pi
	}
	if turn < 0 {
		turn += 2 * math.Pi
	}
	return turn
}

// Warning says what a scene changed of what it was given.
type Warning = lang.Message

// sizes collects what had to be corrected.
type sizes struct{ warnings []Warning }

// positive is the size that can be drawn. What is not a number is left for
// checkNumbers to refuse.
func (s *sizes) positive(name string, value float64) float64 {
	if math.IsNaN(value) || value >= minSize {
		return value
	}
	fixed := max(math.Abs(value), minSize)
	s.warnings = append(s.warnings, lang.CADCorrected.With(name, value, fixed))
	return fixed
}

func checkNumbers(names string, values ...float64) error {
	for _, value := range values {
		if math.IsNaN(value) || math.Abs(value) > maxNumber {
			return invalid(lang.CADNumber, names, value, maxNumber)
		}
	}
	return nil
}
