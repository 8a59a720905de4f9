package cad

import "math"

// OutlinePoints is the outline of an entity as a painter would flatten it.
func OutlinePoints(e Entity) []Point {
	v := view{scale: 1000}
	var points []Point
	for _, p := range v.flatten(e.outline(), 0) {
		points = append(points, Point{p.X / v.scale, -p.Y / v.scale})
	}
	return points
}

// InkOutside is how far the strokes of a scene reach out of its frame, in units
// of the scene, at a scale where no stroke is widened to be seen.
func InkOutside(s *Scene) float64 {
	frame := s.frame()
	v := view{scale: 1000, left: frame.Min[0], top: frame.Max[1]}
	w, h := frame.size()
	worst := math.Inf(-1)
	p := &painter{view: v}
	for _, e := range s.order {
		if e.Style.Stroke == nil {
			continue
		}
		path := e.outline()
		for _, area := range p.strokes(v.flatten(path, 0), path, e.Style.Stroke) {
			for _, corner := range area {
				worst = max(worst, -corner.X/v.scale, -corner.Y/v.scale, corner.X/v.scale-w, corner.Y/v.scale-h)
			}
		}
	}
	return worst
}
