package schema

import "slices"

// number checks a number literal. One of more than 18 significant digits is
// left to the full validator.
func (n *fastNode) number(w *walk, lit []byte) bool {
	if n.limits == nil && n.allows(typeNumber) {
		return true
	}
	if !n.allows(typeNumber) && n.types&typeInteger == 0 {
		return false
	}
	d, small := parseDecimal(lit)
	if !small || extremeNumber(lit) {
		w.undecided = true
		return false
	}
	if !n.allows(typeNumber) && !d.isInteger() {
		return false
	}
	if n.limits == nil {
		return true
	}
	if n.limits.enum != nil && !n.limits.enum.hasNumber(d) {
		return false
	}
	for _, bound := range n.limits.numbers {
		holds, known := bound.holds(d)
		if !known {
			w.undecided = true
		}
		if !holds {
			return false
		}
	}
	return true
}

func (e *fastEnum) hasNumber(d decimal) bool { return slices.Contains(e.nums, d) }

// holds compares a value with one limit; known is false when the numbers do not
// fit a decimal.
func (b *fastBound) holds(d decimal) (holds, known bool) {
	order := d.compare(b.value)
	switch b.keyword {
	case "minimum":
		return order >= 0, true
	case "maximum":
		return order <= 0, true
	case "exclusiveMinimum":
		return order > 0, true
	case "exclusiveMaximum":
		return order < 0, true
	}
	return d.multipleOf(b.value)
}
