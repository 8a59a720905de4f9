package edit

import "slices"

// budget bounds the work of one edit beyond what is linear, and notices that
// its context has ended.
type budget struct {
	done  <-chan struct{}
	steps int
}

// most is how many line comparisons an edit may make beside its linear passes.
const most = 4_000_000

// spend takes so many steps and is false when there are none left.
func (b *budget) spend(n int) bool {
	b.steps -= n
	return b.steps >= 0
}

func (b *budget) stopped() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// prefixes tells for each place of a text how many keys of a pattern follow
// there (the Z algorithm). At most len(pattern) is counted. It calls visit for
// each place, in order, and is linear whatever the keys are.
func prefixes(b *budget, pattern, text []uint64, visit func(at, length int)) {
	m := len(pattern)
	own := make([]int32, m)
	if m > 0 {
		own[0] = int32(m)
	}
	for i, left, right := 1, 0, 0; i < m; i++ {
		n := 0
		if i < right {
			n = min(right-i, int(own[i-left]))
		}
		for i+n < m && pattern[n] == pattern[i+n] {
			n++
		}
		own[i] = int32(n)
		if i+n > right {
			left, right = i, i+n
		}
	}
	for i, left, right := 0, 0, 0; i < len(text); i++ {
		if i&0xffff == 0 && b.stopped() {
			return
		}
		n := 0
		if i < right {
			n = min(right-i, int(own[i-left]))
		}
		for n < m && i+n < len(text) && pattern[n] == text[i+n] {
			n++
		}
		if i+n > right {
			left, right = i, i+n
		}
		visit(i, n)
	}
}

// occurrences returns the places where a text has the whole pattern, overlapping
// ones included.
func occurrences(b *budget, pattern, text []uint64) []int {
	var found []int
	if len(pattern) == 0 || len(pattern) > len(text) {
		return nil
	}
	prefixes(b, pattern, text, func(at, length int) {
		if length == len(pattern) {
			found = append(found, at)
		}
	})
	return found
}

// oneMissing calls found for the places where a text has the pattern with exactly one key
// more inside it. It gives the place and how many keys of the pattern stand
// before the first of them that may be the additional one, and how many before
// the last.
func oneMissing(b *budget, pattern, text []uint64, found func(at, first, last int)) {
	m := len(pattern)
	if m < 2 || m+1 > len(text) {
		return
	}
	before := make([]int32, len(text))
	prefixes(b, pattern, text, func(at, length int) { before[at] = int32(length) })
	after := make([]int32, len(text))
	prefixes(b, reversed(pattern), reversed(text), func(at, length int) {
		after[len(text)-1-at] = int32(length)
	})
	for i := 0; i+m < len(text); i++ {
		head, tail := int(before[i]), int(after[i+m])
		// The additional key is inside: at least one key on both sides.
		first, last := max(m-tail, 1), min(head, m-1)
		if head > 0 && tail > 0 && first <= last {
			found(i, first, last)
		}
	}
}

func reversed(keys []uint64) []uint64 {
	out := slices.Clone(keys)
	slices.Reverse(out)
	return out
}
