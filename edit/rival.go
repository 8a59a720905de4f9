package edit

// settleLoose takes matches under a tolerance for words. Another place that has
// as much of old verbatim, and so much more, may be meant.
func (s *search) settleLoose(found []match, more int) Outcome {
	if len(found) == 1 {
		own, whole, other := s.rivals(&found[0])
		if other >= own+more && other*2 >= whole {
			return s.ambiguous([]splice{s.region(&found[0])})
		}
	}
	return s.settle(found)
}

// rivals weighs what a match has of old verbatim, all of old, and the most that
// another place has.
func (s *search) rivals(m *match) (own, whole, other int) {
	for k, at := range m.at {
		w := weight(m.old.fullLine(k))
		whole += w
		if at >= 0 && m.old.keys[k] == s.x.tokens[at] {
			own += w
		}
	}
	s.elsewhere(m, func(v support) { other = max(other, v.weight) })
	return own, whole, other
}

// elsewhere visits the other places that have something of old.
func (s *search) elsewhere(m *match, visit func(support)) {
	supports := s.supports(m.old)
	first, last := m.at[0], m.at[len(m.at)-1]
	for start, v := range supports {
		if start+len(m.old.keys) <= first || start > last {
			// When the file has one line more than old, the lines after it are
			// counted for the next start.
			next := supports[start+1]
			visit(support{v.weight + next.weight, v.lines + next.lines})
		}
	}
}

// rivalled reports whether a match with a gap may be the wrong place: another
// one has nearly as much of old, or lacks only a line or two of it.
func (s *search) rivalled(m *match) bool {
	own, lines := 0, 0
	for k := range m.at {
		if w := weight(m.old.fullLine(k)); w > 0 {
			own += w
			lines++
		}
	}
	found := false
	s.elsewhere(m, func(v support) {
		found = found || v.weight*5 >= own*4 || v.weight*2 >= own && v.lines+2 >= lines
	})
	return found
}

// support is how much of old stands verbatim where it would if old began at a
// given line.
type support struct {
	weight, lines int
}

// occurrence is where the file has a line of old.
type occurrence struct {
	// old are the positions of the line in old, count is how often the file has
	// it, and at are the first of these places.
	old   []int
	count int
	at    []int32
}

// mostSeen bounds the places that are kept of one line, and mostVotes the work
// for all: lines that are everywhere tell nothing.
const (
	mostSeen  = 1 << 12
	mostVotes = 1 << 18
)

// lineOccurrences finds the lines of old in the file, in one pass.
func (s *search) lineOccurrences(old *block) map[uint64]*occurrence {
	if seen, ok := s.seen[old]; ok {
		return seen
	}
	seen := make(map[uint64]*occurrence, len(old.keys))
	// A bit for each key: most lines of the file are none of old.
	var filter [1 << 10]uint64
	for k, key := range old.keys {
		if seen[key] == nil {
			seen[key] = &occurrence{}
			filter[key>>6&1023] |= 1 << (key & 63)
		}
		seen[key].old = append(seen[key].old, k)
	}
	for i, key := range s.x.tokens {
		if filter[key>>6&1023]&(1<<(key&63)) == 0 {
			continue
		}
		if g := seen[key]; g != nil {
			if g.count++; g.count <= mostSeen {
				g.at = append(g.at, int32(i))
			}
		}
	}
	if s.seen == nil {
		s.seen = map[*block]map[uint64]*occurrence{}
	}
	s.seen[old] = seen
	return seen
}

// absent counts the lines of old that the file does not have, and tells whether
// it has one with words.
func (s *search) absent(old *block) (n int, words bool) {
	seen := s.lineOccurrences(old)
	for k, key := range old.keys {
		if seen[key].count == 0 {
			n++
		} else if !words {
			words = weight(old.fullLine(k)) >= 3
		}
	}
	return n, words
}

// supports returns for each line of the file how much of old supports that old
// begins there. Lines that occur too often do not count.
func (s *search) supports(old *block) map[int]support {
	supports := make(map[int]support)
	left := mostVotes
	for _, g := range s.lineOccurrences(old) {
		if g.count > mostSeen || g.count*len(g.old) > left {
			continue
		}
		left -= g.count * len(g.old)
		w := weight(old.fullLine(g.old[0]))
		if w == 0 {
			continue
		}
		for _, at := range g.at {
			for _, k := range g.old {
				v := supports[int(at)-k]
				supports[int(at)-k] = support{v.weight + w, v.lines + 1}
			}
		}
	}
	return supports
}
