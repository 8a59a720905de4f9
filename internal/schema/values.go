package schema

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// limits returns the rarer constraints of the node that is being built.
func (t *builder) limits() *fastLimits {
	if t.node.limits == nil {
		t.node.limits = &fastLimits{maxLength: -1, maxItems: -1, maxProps: -1}
	}
	return t.node.limits
}

// types reads a type name or a list of them.
func (s *scan) types(t *builder, i int) (int, *Problem) {
	switch s.b[i] {
	case '"':
		end, escaped := rawjson.StringEnd(s.b, i)
		set, err := oneType(s.text(i, end, escaped))
		t.node.types = set
		s.objectRoot = s.objectRoot || t.depth == 1 && set == typeObject
		return end, err
	case '[':
	default:
		return i, problem("must be a type name or an array of them, not " + kindName(s.b[i]))
	}
	if s.isEmpty(i) {
		return i, problem("must name at least one type")
	}
	return s.elements(i, func(value int) (int, *Problem) {
		if s.b[value] != '"' {
			return value, problem("must be a type name, not " + kindName(s.b[value]))
		}
		end, escaped := rawjson.StringEnd(s.b, value)
		set, err := oneType(s.text(value, end, escaped))
		if err == nil && t.node.types&set != 0 {
			err = problem("names the same type twice")
		}
		t.node.types |= set
		return end, err
	})
}

// oneType returns the type of a name. Its error suggests the right name for those
// of other languages.
func oneType(name string) (typeSet, *Problem) {
	if set, ok := typesByName[name]; ok {
		return set, nil
	}
	if meant, ok := foreignType(name); ok {
		return 0, problem(fmt.Sprintf("%q is not a type of JSON Schema: did you mean %q?", name, meant))
	}
	return 0, problem(fmt.Sprintf("%.80q is not a type of JSON Schema: use string, number, integer, boolean, object, array or null", name))
}

// count reads a limit that is a whole number.
func (s *scan) count(t *builder, key string, i int) (int, *Problem) {
	end := rawjson.Skip(s.b, i)
	lit := s.source[i:end]
	d, small := parseDecimal(lit)
	if (s.b[i] != '-' && (s.b[i] < '0' || s.b[i] > '9')) || !small || d.mant < 0 || !d.isInteger() || d.digits+d.exp > maxDigits {
		return i, problem("must be a whole number that is not negative")
	}
	n := d.mant * pow10(d.exp)
	if n > math.MaxInt32 {
		n = math.MaxInt32 // no input is that long; a 32-bit int must hold it
	}
	l, value := t.limits(), int(n)
	switch key {
	case "minLength":
		l.minLength = value
	case "maxLength":
		l.maxLength = value
	case "minItems":
		l.minItems = value
	case "maxItems":
		l.maxItems = value
	case "minProperties":
		l.minProps = value
	case "maxProperties":
		l.maxProps = value
	default:
		s.slow = true // minContains, maxContains
	}
	return end, nil
}

// number reads a limit on numbers.
func (s *scan) number(t *builder, key string, i int) (int, *Problem) {
	if s.b[i] == 't' || s.b[i] == 'f' {
		return i, problem("must be a number; the form with true and false is of draft-04: put the limit itself here")
	}
	if s.b[i] != '-' && (s.b[i] < '0' || s.b[i] > '9') {
		return i, problem("must be a number, not " + kindName(s.b[i]))
	}
	end := numberEnd(s.b, i)
	lit := s.source[i:end]
	if extremeNumber(lit) {
		return i, problem("is a number too extreme to compute with")
	}
	value, small := parseDecimal(lit)
	if !small {
		s.slow = true
	}
	if key == "multipleOf" {
		if value, ok := new(big.Rat).SetString(lit); !ok || value.Sign() <= 0 {
			return i, problem("must be greater than 0")
		}
	}
	if !s.slow {
		l := t.limits()
		l.numbers = append(l.numbers, fastBound{keyword: key, value: value})
	}
	return end, nil
}

// enum reads a list of values.
func (s *scan) enum(t *builder, i int) (int, *Problem) {
	if s.b[i] != '[' {
		return i, problem("must be an array of values, not " + kindName(s.b[i]))
	}
	if t.enums++; t.enums > 1 {
		s.slow = true
	}
	if s.isEmpty(i) {
		s.slow = true
		if s.dialect == dialect07 {
			return i, problem("must have at least one value")
		}
	}
	e := &fastEnum{}
	i, err := s.elements(i, func(value int) (int, *Problem) { return s.enumValue(e, value) })
	if err != nil {
		return i, err
	}
	if s.dialect == dialect07 && e.repeats() {
		return i, problem("lists the same value twice")
	}
	e.finish()
	if !s.slow {
		t.limits().enum = e
	}
	return i, nil
}

// constant reads const, which is an enum of one.
func (s *scan) constant(t *builder, i int) (int, *Problem) {
	if t.enums++; t.enums > 1 {
		s.slow = true
	}
	e := &fastEnum{}
	end, err := s.enumValue(e, i)
	if err == nil && !s.slow {
		t.limits().enum = e
	}
	return end, err
}

// enumValue takes one value into the set.
func (s *scan) enumValue(e *fastEnum, i int) (int, *Problem) {
	switch c := s.b[i]; c {
	case '"':
		end, escaped := rawjson.StringEnd(s.b, i)
		e.texts = append(e.texts, s.text(i, end, escaped))
		return end, nil
	case 't', 'f':
		e.repeated = e.repeated || (c == 't' && e.yes) || (c == 'f' && e.no)
		e.yes, e.no = e.yes || c == 't', e.no || c == 'f'
		return rawjson.Skip(s.b, i), nil
	case 'n':
		e.repeated = e.repeated || e.null
		e.null = true
		return rawjson.Skip(s.b, i), nil
	case '{', '[':
		s.slow = true
		end := rawjson.Skip(s.b, i)
		if hasExtreme(s.b, i, end) {
			return i, problem("has a number too extreme to compute with")
		}
		return end, nil
	}
	end := numberEnd(s.b, i)
	lit := s.source[i:end]
	if extremeNumber(lit) {
		return i, problem("is a number too extreme to compute with")
	}
	d, small := parseDecimal(lit)
	if !small || len(e.nums) >= maxFastNumbers {
		s.slow = true
	}
	if small {
		e.nums = append(e.nums, d)
	}
	return end, nil
}

// maxFastNumbers bounds the numbers of an enum, which are compared one by one.
const maxFastNumbers = 64

// hasExtreme looks for an extreme number in a part of the document.
func hasExtreme(b []byte, i, end int) bool {
	for i < end {
		switch c := b[i]; {
		case c == '"':
			i, _ = rawjson.StringEnd(b, i)
		case c == '-' || (c >= '0' && c <= '9'):
			stop := numberEnd(b, i)
			if extremeNumber(b[i:stop]) {
				return true
			}
			i = stop
		default:
			i++
		}
	}
	return false
}

// repeats reports whether draft-07 would refuse the enum. Numbers beyond a
// decimal, objects and arrays are left to the compiler.
func (e *fastEnum) repeats() bool {
	texts := slices.Clone(e.texts)
	slices.Sort(texts)
	if len(slices.Compact(texts)) != len(e.texts) || e.repeated {
		return true
	}
	seen := make(map[decimal]bool, len(e.nums))
	for _, n := range e.nums {
		if seen[n] {
			return true
		}
		seen[n] = true
	}
	return false
}

// finish makes a map when there are many texts.
func (e *fastEnum) finish() {
	if len(e.texts) <= manyNames {
		return
	}
	e.lookup = make(map[string]struct{}, len(e.texts))
	for _, text := range e.texts {
		e.lookup[text] = struct{}{}
	}
}

// pattern reads a regular expression.
func (s *scan) pattern(t *builder, i int) (int, *Problem) {
	if s.b[i] != '"' {
		return i, problem("must be a string, not " + kindName(s.b[i]))
	}
	end, escaped := rawjson.StringEnd(s.b, i)
	p, err := s.regexp(s.text(i, end, escaped))
	if err != nil {
		return i, err
	}
	if !s.slow {
		t.limits().pattern = p
	}
	return end, nil
}

// regexp compiles an expression and warns when it will not be checked.
func (s *scan) regexp(text string) (*pattern, *Problem) {
	p, err := compilePattern(text)
	if err != nil {
		return nil, problem(err.Error())
	}
	if p.dropped() {
		s.warnings = append(s.warnings, fmt.Sprintf("pattern %.200q is not checked: it uses look-around, a back reference or more than 1000 repetitions, which have no linear-time form", text))
	}
	if s.patterns += p.size; s.patterns > maxPatternTotal {
		return nil, problem("has regular expressions that are too large together")
	}
	return p, nil
}
