package edit

import (
	"bytes"
	"slices"

	"github.com/gongu-ai/gongu/internal/lang"
)

// missingLine matches old with one line of the file left out. Everything else
// must be the same: an omission goes with no other loose tolerance.
func (s *search) missingLine() (Outcome, bool) {
	if s.edit.ReplaceAll {
		return Outcome{}, false
	}
	for _, r := range s.readings {
		if missing, _ := s.absent(r.old); missing > 0 || len(r.old.full) < 2 {
			continue
		}
		var found []match
		oneMissing(&s.budget, r.old.keys, s.x.tokens, func(at, first, last int) {
			for skip := first; skip <= last; skip++ {
				if !s.spend(len(r.old.keys)) {
					return
				}
				m := match{tier: FuzzyLines, old: r.old, new: r.new, at: consecutive(at, len(r.old.keys))}
				for k := skip; k < len(m.at); k++ {
					m.at[k]++
				}
				if s.sameLines(&m) {
					found = append(found, m)
				}
			}
		})
		if s.steps < 0 {
			return Outcome{}, false
		}
		if len(found) > 0 {
			return s.settleGaps(found), true
		}
	}
	return Outcome{}, false
}

// sameLines checks that lines with the same hash are the same except for spaces at
// their ends, and that there is enough of them to be sure.
func (s *search) sameLines(m *match) bool {
	words := 0
	for k, at := range m.at {
		if at < 0 {
			continue
		}
		if !sameLine(m.old.fullLine(k), s.x.line(at)) {
			return false
		}
		words += weight(m.old.fullLine(k))
	}
	return words >= 8
}

func sameLine(a, b []byte) bool { return bytes.Equal(trimEnd(a), trimEnd(b)) }

// settleGaps takes matches that may be the same place with the gap in different
// positions: they must agree on what is written.
func (s *search) settleGaps(found []match) Outcome {
	var spots []splice
	var reason lang.Message
	for i := range found {
		m := &found[i]
		if s.isApplied(m) || s.appliedAcrossGap(m) || s.appliedBeside(m) {
			return s.applied([]splice{s.region(m)})
		}
		if s.rivalled(m) {
			return s.ambiguous([]splice{s.region(m)})
		}
		spot, why := s.replay(m)
		if !why.IsZero() {
			reason = why
			continue
		}
		// The same bytes may be written from different beginnings.
		spot = narrowed(s.content, spot)
		known := slices.ContainsFunc(spots, func(o splice) bool {
			return o.start == spot.start && o.end == spot.end && bytes.Equal(o.text, spot.text)
		})
		if !known {
			spots = append(spots, spot)
		}
	}
	switch {
	case len(spots) == 0:
		return s.conflict(reason, s.region(&found[0]))
	case len(spots) > 1 || !reason.IsZero():
		places := s.regions(found)
		slices.SortFunc(places, func(a, b splice) int { return a.start - b.start })
		places = slices.CompactFunc(places, func(a, b splice) bool { return a.start == b.start })
		return s.ambiguous(places)
	}
	spot := s.region(&found[0])
	full, _ := s.replay(&found[0])
	if full.end >= spot.end {
		return s.decide(found[0].tier, []splice{full}, false)
	}
	return s.decide(found[0].tier, spots, false)
}

// appliedAcrossGap reports whether the gaps of a match hold what new adds.
func (s *search) appliedAcrossGap(m *match) bool {
	first, last := m.at[0], m.at[len(m.at)-1]
	if parts, ok := partsOf(m.new); ok && addsLines(m.old, m.new) {
		for _, w := range s.windows(reading{m.new, m.new}, parts) {
			if w.at[0] <= first && w.at[len(w.at)-1] >= last {
				return true
			}
		}
		return false
	}
	if last-first != len(m.at) || !addsLines(m.old, m.new) {
		return false
	}
	// One line is not mentioned.
	for k := 1; k < len(m.at); k++ {
		if m.at[k] == m.at[k-1]+2 {
			return added(m.old, m.new)[s.x.tokens[m.at[k]-1]] > 0
		}
	}
	return false
}

// appliedBeside reports whether new is there already, at the place or beside
// its gap.
func (s *search) appliedBeside(m *match) bool {
	if blockWeight(m.new) < 8 || marks(m.old) > 0 {
		return false
	}
	first, last := m.at[0], m.at[len(m.at)-1]
	n := len(m.new.keys)
	from, to := max(0, first-n), min(len(s.x.tokens), last+1+n)
	return len(occurrences(&s.budget, m.new.keys, s.x.tokens[from:to])) > 0
}

// narrowed removes the parts of a splice that do not change.
func narrowed(content []byte, sp splice) splice {
	old := content[sp.start:sp.end]
	head := commonHead(old, sp.text)
	tail := commonTail(old[head:], sp.text[head:])
	return splice{sp.start + head, sp.end - tail, sp.text[head : len(sp.text)-tail]}
}

// commonHead returns the length of what two texts begin with.
func commonHead(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// commonTail returns the length of what two texts end with.
func commonTail(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// mostWindows bounds the places that old with marks is tried at.
const mostWindows = 64

// elisions matches old whose marks ("...") stand for lines left out. What is
// between the marks must be the same, in order, each part as near to the next
// as it can be.
func (s *search) elisions() (Outcome, bool) {
	if s.edit.ReplaceAll {
		return Outcome{}, false
	}
	for _, r := range s.readings {
		parts, ok := partsOf(r.old)
		if !ok || marks(r.new) != len(parts)-1 {
			continue
		}
		windows := s.windows(r, parts)
		if len(windows) == 0 {
			continue
		}
		return s.settleGaps(windows), true
	}
	return Outcome{}, false
}

// partsOf cuts old at its marks: from and to of each part among its lines that
// are not blank. Marks at the edges stand for nothing.
func partsOf(b *block) ([][2]int, bool) {
	var parts [][2]int
	from := 0
	for k := range b.full {
		if isMark(b.fullLine(k)) {
			parts = append(parts, [2]int{from, k})
			from = k + 1
		}
	}
	parts = append(parts, [2]int{from, len(b.full)})
	for _, p := range parts {
		if p[0] == p[1] {
			return nil, false
		}
	}
	return parts, len(parts) > 1
}

func marks(b *block) int {
	n := 0
	for k := range b.full {
		if isMark(b.fullLine(k)) {
			n++
		}
	}
	return n
}

// windows returns the places where the parts follow each other and none of which
// holds another.
func (s *search) windows(r reading, parts [][2]int) []match {
	places := make([][]int, len(parts))
	for i, p := range parts {
		places[i] = slices.DeleteFunc(occurrences(&s.budget, r.old.keys[p[0]:p[1]], s.x.tokens), func(at int) bool {
			for k := p[0]; k < p[1]; k++ {
				if !s.spend(1) || !sameLine(r.old.fullLine(k), s.x.line(at+k-p[0])) {
					return true
				}
			}
			return false
		})
		if s.steps < 0 {
			return nil
		}
		if len(places[i]) == 0 {
			return nil
		}
	}
	var found []match
	last := len(parts) - 1
	lastStart := -1
	for _, end := range places[last] {
		// Go backwards from the last part, and choose for each part the nearest
		// place before the next one.
		chain := make([]int, len(parts))
		chain[last] = end
		ok := true
		for i := last - 1; i >= 0 && ok; i-- {
			length := parts[i][1] - parts[i][0]
			j, _ := slices.BinarySearch(places[i], chain[i+1]-length+1)
			if ok = j > 0; ok {
				chain[i] = places[i][j-1]
			}
		}
		if !ok || chain[0] == lastStart {
			continue // a window that holds the one before it
		}
		lastStart = chain[0]
		m := match{tier: FuzzyLines, old: r.old, new: r.new, at: make([]int, len(r.old.full))}
		for k := range m.at {
			m.at[k] = -1
		}
		for i, p := range parts {
			copy(m.at[p[0]:p[1]], consecutive(chain[i], p[1]-p[0]))
		}
		if s.sameLines(&m) {
			found = append(found, m)
		}
		if len(found) > mostWindows {
			break
		}
	}
	return found
}
