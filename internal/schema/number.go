package schema

import (
	"cmp"
	"math/big"
	"strconv"
)

// Numbers are compared exactly: 2^53 and 2^53+1 are different values, and 1.0
// and 1e0 are the same one. Nearly all of them fit a decimal; the others take
// the slow way through big.Rat.

const (
	// maxExponent and maxNumberLength are the limits beyond which a number is
	// taken for an attack. 1e1000000 is nine bytes of input and megabytes of work.
	maxExponent     = 4096
	maxNumberLength = 4096
	// maxDigits is the most significant digits an int64 always holds.
	maxDigits = 18
)

// decimal is mant*10^exp, with no trailing zero in mant; zero is {0, 0}. Equal
// values therefore are equal structs.
type decimal struct {
	mant   int64
	exp    int
	digits int
}

// isInteger reports whether the value is whole.
func (d decimal) isInteger() bool { return d.exp >= 0 }

// extremeNumber reports whether exact work on the literal would cost too much.
func extremeNumber[T string | []byte](lit T) bool {
	if len(lit) > maxNumberLength {
		return true
	}
	for i := 0; i < len(lit); i++ {
		if lit[i] == 'e' || lit[i] == 'E' {
			exp := parseExponent(lit, i+1)
			return exp > maxExponent || exp < -maxExponent
		}
	}
	return false
}

// parseExponent reads the digits after the e; it saturates far beyond
// maxExponent instead of overflowing.
func parseExponent[T string | []byte](lit T, i int) int {
	negative := false
	if i < len(lit) && (lit[i] == '-' || lit[i] == '+') {
		negative = lit[i] == '-'
		i++
	}
	exp := 0
	for ; i < len(lit); i++ {
		if exp < 1_000_000 {
			exp = exp*10 + int(lit[i]-'0')
		}
	}
	if negative {
		return -exp
	}
	return exp
}

// parseDecimal reads a JSON number literal; ok is false when it has more than
// maxDigits significant digits.
func parseDecimal[T string | []byte](lit T) (d decimal, ok bool) {
	i, negative := 0, false
	if len(lit) > 0 && lit[0] == '-' {
		negative = true
		i++
	}
	zeros, fraction, inFraction := 0, 0, false
	for ; i < len(lit); i++ {
		c := lit[i]
		if c == '.' {
			inFraction = true
			continue
		}
		if c == 'e' || c == 'E' {
			d.exp = parseExponent(lit, i+1)
			break
		}
		if inFraction {
			fraction++
		}
		if c == '0' {
			zeros++ // only counts once a digit that matters follows
			continue
		}
		if d.digits > 0 {
			d.digits += zeros
		}
		d.digits++
		if d.digits > maxDigits {
			return decimal{}, false
		}
		if d.mant != 0 {
			d.mant *= pow10(zeros)
		}
		d.mant = d.mant*10 + int64(c-'0')
		zeros = 0
	}
	if d.mant == 0 {
		return decimal{}, true
	}
	d.exp += zeros - fraction
	if negative {
		d.mant = -d.mant
	}
	return d, true
}

// pow10 returns 10^n for 0 <= n <= maxDigits.
func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// compare returns -1, 0 or +1. It is exact: two values of the same magnitude
// have mantissas that fit once they are brought to the same exponent.
func (d decimal) compare(o decimal) int {
	sign := cmp.Compare(d.mant, 0)
	if other := cmp.Compare(o.mant, 0); sign != other || sign == 0 {
		return cmp.Compare(sign, other)
	}
	if m, n := d.digits+d.exp, o.digits+o.exp; m != n {
		return cmp.Compare(m, n) * sign
	}
	a, b := d.mant, o.mant
	if d.exp > o.exp {
		a *= pow10(d.exp - o.exp)
	} else {
		b *= pow10(o.exp - d.exp)
	}
	return cmp.Compare(a, b)
}

// multipleOf reports whether d is a whole multiple of step; known is false when
// the common exponent does not fit.
func (d decimal) multipleOf(step decimal) (yes, known bool) {
	if d.mant == 0 {
		return true, true
	}
	low := min(d.exp, step.exp)
	if d.digits+d.exp-low > maxDigits || step.digits+step.exp-low > maxDigits {
		return false, false
	}
	return (d.mant*pow10(d.exp-low))%(step.mant*pow10(step.exp-low)) == 0, true
}

// rational returns the exact value; ok is false for an extreme literal.
func rational(lit string) (*big.Rat, bool) {
	if extremeNumber(lit) {
		return nil, false
	}
	return new(big.Rat).SetString(lit)
}

// canonicalNumber appends a spelling that is the same for equal values,
// without any arithmetic on the digits: sign, digits, exponent.
func canonicalNumber(out []byte, lit string) []byte {
	digits := make([]byte, 0, len(lit))
	exp, inFraction, negative := 0, false, false
	for i := 0; i < len(lit); i++ {
		switch c := lit[i]; {
		case c == '-':
			negative = true
		case c == '.':
			inFraction = true
		case c == 'e' || c == 'E':
			exp += parseExponent(lit, i+1)
			i = len(lit)
		default:
			if inFraction {
				exp--
			}
			if c != '0' || len(digits) > 0 {
				digits = append(digits, c)
			}
		}
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exp++
	}
	if len(digits) == 0 {
		return append(out, '0')
	}
	if negative {
		out = append(out, '-')
	}
	out = append(out, digits...)
	return strconv.AppendInt(append(out, 'e'), int64(exp), 10)
}
