package edit

import "slices"

// change is a stretch of lines that one text has and another has not:
// a[fromA:toA] gave way to b[fromB:toB].
type change struct {
	fromA, toA, fromB, toB int
}

// largestTable bounds the table of the exact comparison; longer stretches are
// first cut at lines that both sides have once.
const largestTable = 1 << 20

// diff compares two sequences of keys and gives what changed, in order.
func diff(a, b []uint64) []change {
	d := &differ{a: a, b: b}
	d.compare(0, len(a), 0, len(b))
	return d.slide()
}

type differ struct {
	a, b    []uint64
	changes []change
}

func (d *differ) add(c change) {
	if c.fromA == c.toA && c.fromB == c.toB {
		return
	}
	if n := len(d.changes); n > 0 && d.changes[n-1].toA == c.fromA && d.changes[n-1].toB == c.fromB {
		d.changes[n-1].toA, d.changes[n-1].toB = c.toA, c.toB
		return
	}
	d.changes = append(d.changes, c)
}

func (d *differ) compare(fromA, toA, fromB, toB int) {
	for fromA < toA && fromB < toB && d.a[fromA] == d.b[fromB] {
		fromA++
		fromB++
	}
	for fromA < toA && fromB < toB && d.a[toA-1] == d.b[toB-1] {
		toA--
		toB--
	}
	switch {
	case fromA == toA || fromB == toB:
		d.add(change{fromA, toA, fromB, toB})
	case (toA-fromA+1)*(toB-fromB+1) <= largestTable:
		d.exact(fromA, toA, fromB, toB)
	default:
		d.anchored(fromA, toA, fromB, toB)
	}
}

// exact finds the longest common subsequence with a table.
func (d *differ) exact(fromA, toA, fromB, toB int) {
	n, m := toA-fromA, toB-fromB
	width := m + 1
	table := make([]int32, (n+1)*width)
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if d.a[fromA+i] == d.b[fromB+j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < n && j < m {
		switch {
		case d.a[fromA+i] == d.b[fromB+j]:
			i++
			j++
		case table[(i+1)*width+j] >= table[i*width+j+1]:
			d.add(change{fromA + i, fromA + i + 1, fromB + j, fromB + j})
			i++
		default:
			d.add(change{fromA + i, fromA + i, fromB + j, fromB + j + 1})
			j++
		}
	}
	d.add(change{fromA + i, toA, fromB + j, toB})
}

// anchored cuts at the lines that occur once on both sides and whose order is
// the same; what has none is one change.
func (d *differ) anchored(fromA, toA, fromB, toB int) {
	type seen struct{ inA, inB, atA, atB int }
	lines := make(map[uint64]*seen, toA-fromA)
	for i := fromA; i < toA; i++ {
		if lines[d.a[i]] == nil {
			lines[d.a[i]] = &seen{}
		}
		lines[d.a[i]].inA++
		lines[d.a[i]].atA = i
	}
	for j := fromB; j < toB; j++ {
		if s := lines[d.b[j]]; s != nil {
			s.inB++
			s.atB = j
		}
	}
	// The order is taken greedily: a line that would step back is not an anchor.
	atA, atB := fromA, fromB
	for i := fromA; i < toA; i++ {
		s := lines[d.a[i]]
		if s.inA != 1 || s.inB != 1 || s.atB < atB {
			continue
		}
		if (i-atA+1)*(s.atB-atB+1) <= largestTable {
			d.compare(atA, i, atB, s.atB)
		} else {
			d.add(change{atA, i, atB, s.atB})
		}
		atA, atB = i+1, s.atB+1
	}
	if (toA-atA+1)*(toB-atB+1) <= largestTable {
		d.compare(atA, toA, atB, toB)
		return
	}
	d.add(change{atA, toA, atB, toB})
}

// slide moves pure insertions and deletions as far down as they go: of several
// ways to say the same, the one that a reader of patches expects.
func (d *differ) slide() []change {
	for k := len(d.changes) - 1; k >= 0; k-- {
		c := &d.changes[k]
		endA, endB := len(d.a), len(d.b)
		if k+1 < len(d.changes) {
			endA, endB = d.changes[k+1].fromA, d.changes[k+1].fromB
		}
		for c.fromA == c.toA && c.toB < endB && c.toA < endA && d.b[c.fromB] == d.b[c.toB] {
			*c = change{c.fromA + 1, c.toA + 1, c.fromB + 1, c.toB + 1}
		}
		for c.fromB == c.toB && c.toA < endA && c.toB < endB && d.a[c.fromA] == d.a[c.toA] {
			*c = change{c.fromA + 1, c.toA + 1, c.fromB + 1, c.toB + 1}
		}
	}
	return d.changes
}

// slideUp moves pure insertions and deletions as far up as they go. It leaves
// the changes as they are and is false when none moves.
func slideUp(changes []change, a, b []uint64) ([]change, bool) {
	up := slices.Clone(changes)
	for k := range up {
		c := &up[k]
		startA, startB := 0, 0
		if k > 0 {
			startA, startB = up[k-1].toA, up[k-1].toB
		}
		for c.fromA == c.toA && c.fromB > startB && c.fromA > startA && b[c.fromB-1] == b[c.toB-1] {
			*c = change{c.fromA - 1, c.toA - 1, c.fromB - 1, c.toB - 1}
		}
		for c.fromB == c.toB && c.fromA > startA && c.fromB > startB && a[c.fromA-1] == a[c.toA-1] {
			*c = change{c.fromA - 1, c.toA - 1, c.fromB - 1, c.toB - 1}
		}
	}
	return up, !slices.Equal(up, changes)
}

// diffBack compares from the end: of equal lines it keeps the last.
func diffBack(a, b []uint64) []change {
	d := &differ{a: reversed(a), b: reversed(b)}
	d.compare(0, len(a), 0, len(b))
	back := make([]change, len(d.changes))
	for i, c := range d.changes {
		back[len(back)-1-i] = change{len(a) - c.toA, len(a) - c.fromA, len(b) - c.toB, len(b) - c.fromB}
	}
	return back
}
