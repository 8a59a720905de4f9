package cad

import (
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// Entity is one named thing of a scene.
type Entity struct {
	Name      string
	Shape     Shape
	Style     Style
	Transform Transform
}

// Type is the kind of shape, such as circle.
func (e Entity) Type() string { return e.Shape.Type() }

// Bounds is the box around the entity as its transform leaves it, without the
// width of its stroke.
func (e Entity) Bounds() Bounds { return e.outline().bounds() }

func (e Entity) outline() outline {
	return e.Shape.outline().placed(e.Transform, e.Shape.centre())
}

// Transform is where an entity was moved, and how it was turned and scaled
// around its own centre: scaled first, then turned, then moved.
type Transform struct {
	Translate [2]float64 `json:"translate"`
	// Rotate is in radians, counter-clockwise.
	Rotate float64    `json:"rotate"`
	Scale  [2]float64 `json:"scale"`
}

func unmoved() Transform { return Transform{Scale: [2]float64{1, 1}} }

func (t Transform) apply(p, centre Point) Point {
	moved := Point{t.Translate[0], t.Translate[1]}
	if t.Rotate == 0 && t.Scale == [2]float64{1, 1} {
		return p.plus(moved) // exactly, not by way of the centre
	}
	d := p.minus(centre)
	return Point{d.X * t.Scale[0], d.Y * t.Scale[1]}.turned(t.Rotate).plus(centre).plus(moved)
}

// Style is how an entity is painted; nil means not at all.
type Style struct {
	Stroke *Stroke `json:"stroke"`
	Fill   *Fill   `json:"fill"`
}

// Color is red, green, blue and alpha, each from 0 to 1.
type Color [4]float64

// Stroke is how the outline is drawn. Its width is in units of the scene and
// does not grow with the entity's scale.
type Stroke struct {
	Color Color   `json:"color"`
	Width float64 `json:"width"`
	// Dash is lengths of strokes and gaps in turn; empty is a solid line.
	Dash []float64 `json:"dash,omitempty"`
	Cap  string    `json:"cap"`
	Join string    `json:"join"`
}

// Fill is how the inside is painted.
type Fill struct {
	Color Color `json:"color"`
}

// The ends and the corners of a stroke.
const (
	CapButt   = "Butt"
	CapRound  = "Round"
	CapSquare = "Square"
	JoinMiter = "Miter"
	JoinRound = "Round"
	JoinBevel = "Bevel"
)

func caps() []string  { return []string{CapButt, CapRound, CapSquare} }
func joins() []string { return []string{JoinMiter, JoinRound, JoinBevel} }

// DefaultStroke is a black solid line of width 1.
func DefaultStroke() Stroke {
	return Stroke{Color: Color{0, 0, 0, 1}, Width: 1, Cap: CapButt, Join: JoinMiter}
}

// DefaultStyle is the style of an entity that is drawn without one: the default
// stroke and no fill.
func DefaultStyle() Style { return Style{Stroke: new(DefaultStroke())} }

// maxDash bounds a dash pattern.
const maxDash = 16

func (s Stroke) normal() (Stroke, []Warning, error) {
	var fix sizes
	s.Width = fix.positive("stroke.width", s.Width)
	if s.Cap == "" {
		s.Cap = CapButt
	}
	if s.Join == "" {
		s.Join = JoinMiter
	}
	switch {
	case !slices.Contains(caps(), s.Cap):
		return s, nil, invalid(lang.CADOneOf, "stroke.cap", s.Cap, caps())
	case !slices.Contains(joins(), s.Join):
		return s, nil, invalid(lang.CADOneOf, "stroke.join", s.Join, joins())
	}
	if err := checkNumbers("stroke.width", s.Width); err != nil {
		return s, nil, err
	}
	if err := s.Color.check("stroke.color"); err != nil {
		return s, nil, err
	}
	s.Dash = slices.Clone(s.Dash)
	return s, fix.warnings, checkDash(s.Dash)
}

func checkDash(dash []float64) error {
	if len(dash) == 0 {
		return nil
	}
	if err := checkNumbers("stroke.dash", dash...); err != nil {
		return err
	}
	if len(dash) > maxDash || slices.Min(dash) < 0 || slices.Max(dash) == 0 {
		return invalid(lang.CADDash, maxDash)
	}
	return nil
}

func (c Color) check(name string) error {
	for _, part := range c {
		if !(part >= 0 && part <= 1) { // also when it is not a number
			return invalid(lang.CADColor, name, part)
		}
	}
	return nil
}

func (s Style) normal() (Style, []Warning, error) {
	var warnings []Warning
	if s.Stroke != nil {
		stroke, fixed, err := s.Stroke.normal()
		if err != nil {
			return s, nil, err
		}
		s.Stroke, warnings = &stroke, fixed
	}
	if s.Fill != nil {
		if err := s.Fill.Color.check("fill.color"); err != nil {
			return s, nil, err
		}
		s.Fill = new(*s.Fill)
	}
	return s, warnings, nil
}

// clone gives a holder nothing that it could change the scene through.
func (e Entity) clone() Entity {
	if line, ok := e.Shape.(Line); ok {
		e.Shape = Line{Points: slices.Clone(line.Points)}
	}
	e.Style = e.Style.clone()
	return e
}

func (s Style) clone() Style {
	if s.Stroke != nil {
		stroke := *s.Stroke
		stroke.Dash = slices.Clone(stroke.Dash)
		s.Stroke = &stroke
	}
	if s.Fill != nil {
		s.Fill = new(*s.Fill)
	}
	return s
}
