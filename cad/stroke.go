package cad

import (
	"math"
	"slices"
)

// polygons are areas to paint as one. All of them turn the same way, so that
// where they overlap the painter sees them as one area.
type polygons [][]Point

func (p *polygons) add(corners ...Point) {
	area := 0.0
	for i, corner := range corners {
		area += corner.cross(corners[(i+1)%len(corners)])
	}
	if area < 0 {
		slices.Reverse(corners)
	}
	if area != 0 {
		*p = append(*p, corners)
	}
}

// pen draws lines of a width. Lengths are pixels.
type pen struct {
	out       polygons
	half      float64 // of the width
	cap, join string
	// smooth paths are curves: their corners are not meant to be seen.
	smooth bool
}

// stroke draws along a path.
func (p *pen) stroke(path []Point, closed bool) {
	path = distinct(path, closed)
	n := len(path)
	switch {
	case n == 0:
		return
	case n == 1:
		p.dot(path[0])
		return
	case n == 2:
		closed = false
	}
	segments := n - 1
	if closed {
		segments = n
	}
	// A side is where the edge of the stroke is, as seen from a point of the
	// path; nil where the segments on both sides have each their own.
	sides := make([]*Point, n)
	for i := range n {
		if closed || i > 0 && i < n-1 {
			a, b, c := path[(i+n-1)%n], path[i], path[(i+1)%n]
			if sides[i] = p.bend(a, b, c); sides[i] == nil {
				p.corner(a, b, c)
			}
		}
	}
	for i := range segments {
		j := (i + 1) % n
		p.segment(path[i], path[j], sides[i], sides[j])
	}
	if !closed {
		p.end(path[1], path[0])
		p.end(path[n-2], path[n-1])
	}
}

// distinct leaves out points that are where the one before them is.
func distinct(path []Point, closed bool) []Point {
	const same = 1e-9
	var kept []Point
	for _, point := range path {
		if len(kept) == 0 || point.minus(kept[len(kept)-1]).length() > same {
			kept = append(kept, point)
		}
	}
	for closed && len(kept) > 1 && kept[0].minus(kept[len(kept)-1]).length() <= same {
		kept = kept[:len(kept)-1]
	}
	return kept
}

func (p *pen) segment(a, b Point, atA, atB *Point) {
	along, _ := b.minus(a).unit()
	side := along.left().times(p.half)
	if atA == nil {
		atA = &side
	}
	if atB == nil {
		atB = &side
	}
	p.out.add(a.plus(*atA), a.minus(*atA), b.minus(*atB), b.plus(*atB))
}

// bend is the side that two segments of a curve share, so that they neither
// overlap nor leave a gap: both would be seen along the edge of a broad curve.
// It is nil where the curve is too narrow for that.
func (p *pen) bend(a, b, c Point) *Point {
	if !p.smooth {
		return nil
	}
	in, _ := b.minus(a).unit()
	out, _ := c.minus(b).unit()
	cos := in.dot(out)
	if cos < 0.5 {
		return nil
	}
	inward := p.half * math.Sqrt((1-cos)/(1+cos)) // what the inner edge loses
	if shorter := min(b.minus(a).length(), c.minus(b).length()); inward > shorter/2 {
		return nil
	}
	return new(in.plus(out).left().times(p.half / (1 + cos)))
}

// corner fills the wedge that two segments leave open at b.
func (p *pen) corner(a, b, c Point) {
	in, _ := b.minus(a).unit()
	out, _ := c.minus(b).unit()
	bend := in.cross(out)
	if math.Abs(bend) < 1e-9 && in.dot(out) > 0 {
		return
	}
	outside := -p.half // the wedge is on the side that the path bends away from
	if bend < 0 {
		outside = p.half
	}
	from, to := in.left().times(outside), out.left().times(outside)
	switch {
	case p.join == JoinRound:
		p.fan(b, from, math.Atan2(from.cross(to), from.dot(to)))
	case p.join == JoinMiter && miter(in, out) <= miterLimit:
		middle, ok := from.plus(to).unit()
		if !ok {
			return
		}
		p.out.add(b, b.plus(from), b.plus(middle.times(p.half*miter(in, out))), b.plus(to))
	default:
		p.out.add(b, b.plus(from), b.plus(to))
	}
}

// end puts a cap on b, coming from a.
func (p *pen) end(a, b Point) {
	along, _ := b.minus(a).unit()
	side := along.left().times(p.half)
	switch p.cap {
	case CapRound:
		p.fan(b, side, -math.Pi)
	case CapSquare:
		ahead := b.plus(along.times(p.half))
		p.out.add(b.plus(side), b.minus(side), ahead.minus(side), ahead.plus(side))
	}
}

// dot is a path of no length: a cap on each side makes it seen.
func (p *pen) dot(at Point) {
	switch p.cap {
	case CapRound:
		p.fan(at, Point{p.half, 0}, 2*math.Pi)
	case CapSquare:
		h := p.half
		p.out.add(at.plus(Point{-h, -h}), at.plus(Point{h, -h}), at.plus(Point{h, h}), at.plus(Point{-h, h}))
	}
}

// fan is the part of a disc that a radius covers when it turns.
func (p *pen) fan(centre, radius Point, angle float64) {
	n := max(int(math.Ceil(math.Abs(angle)/step(p.half))), 2)
	corners := make([]Point, 0, n+2)
	if math.Abs(angle) < 2*math.Pi {
		corners = append(corners, centre)
	}
	for i := range n + 1 {
		corners = append(corners, centre.plus(radius.turned(angle*float64(i)/float64(n))))
	}
	p.out.add(corners...)
}

// maxDashes bounds the work on one path. A pattern finer than that cannot be
// distinguished from a solid line.
const maxDashes = 20_000

// dashed cuts a path into the parts that a pattern leaves of it.
func dashed(path []Point, closed bool, pattern []float64) [][]Point {
	if closed {
		path = append(path[:len(path):len(path)], path[0])
	}
	whole, period := 0.0, 0.0
	for i := 1; i < len(path); i++ {
		whole += path[i].minus(path[i-1]).length()
	}
	for _, length := range pattern {
		period += length
	}
	if !(whole/period*float64(len(pattern)) < maxDashes) {
		return [][]Point{path}
	}
	var parts [][]Point
	var part []Point
	index, left := 0, pattern[0]
	if len(path) > 0 {
		part = []Point{path[0]}
	}
	for i := 1; i < len(path); i++ {
		from, to := path[i-1], path[i]
		length, gone := to.minus(from).length(), 0.0
		for length-gone > left {
			gone += left
			at := from.plus(to.minus(from).times(gone / length))
			if index%2 == 0 {
				parts = append(parts, append(part, at))
			}
			part = []Point{at}
			index++
			left = pattern[index%len(pattern)]
		}
		left -= length - gone
		part = append(part, to)
	}
	if index%2 == 0 && len(part) > 1 {
		parts = append(parts, part)
	}
	return parts
}
