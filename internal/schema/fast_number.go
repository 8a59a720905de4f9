package schema

import "math/big"

// number checks a number literal.
func (n *fastNode) number(w *walk, lit []byte) bool {
	if n.limits == nil && n.allows(typeNumber) {
		return true
	}
	if !n.allows(typeNumber) && n.types&typeInteger == 0 {
		return false
	}
	if extremeNumber(lit) {
		w.undecided = true
		return false
	}
	d, small := parseDecimal(lit)
	if !small {
		return n.bigNumber(lit)
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
	for k := range n.limits.numbers {
		if !n.limits.numbers[k].holds(d, lit) {
			return false
		}
	}
	return true
}

func (e *fastEnum) hasNumber(d decimal) bool {
	for _, n := range e.nums {
		if n == d {
			return true
		}
	}
	return false
}

// holds compares a value with one limit.
func (b *fastBound) holds(d decimal, lit []byte) bool {
	if !b.small {
		return b.holdsRational(string(lit))
	}
	if b.keyword == "multipleOf" {
		yes, known := d.multipleOf(b.value)
		if !known {
			return b.holdsRational(string(lit))
		}
		return yes
	}
	return b.inOrder(d.compare(b.value))
}

// inOrder reads the result of comparing the value with the limit.
func (b *fastBound) inOrder(order int) bool {
	switch b.keyword {
	case "minimum":
		return order >= 0
	case "maximum":
		return order <= 0
	case "exclusiveMinimum":
		return order > 0
	case "exclusiveMaximum":
		return order < 0
	}
	return false
}

// holdsRational is the rare exact way.
func (b *fastBound) holdsRational(lit string) bool {
	value, ok := rational(lit)
	limit, known := rational(b.literal)
	if !ok || !known {
		return false // the full validator decides
	}
	if b.keyword == "multipleOf" {
		return new(big.Rat).Quo(value, limit).IsInt()
	}
	return b.inOrder(value.Cmp(limit))
}

// bigNumber checks a number of more than 18 significant digits. No enum of the
// fast path holds one.
func (n *fastNode) bigNumber(lit []byte) bool {
	value, ok := rational(string(lit))
	if !ok || (!n.allows(typeNumber) && !value.IsInt()) {
		return false
	}
	if n.limits == nil {
		return true
	}
	if n.limits.enum != nil {
		return false
	}
	for k := range n.limits.numbers {
		if !n.limits.numbers[k].holdsRational(string(lit)) {
			return false
		}
	}
	return true
}
