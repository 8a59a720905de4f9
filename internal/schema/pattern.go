package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxPatternSize bounds the program of one regular expression, and
	// maxPatternTotal that of a schema: ((a{100}){100}){10} is eighteen bytes
	// and a hundred thousand instructions.
	maxPatternSize  = 10_000
	maxPatternTotal = 50_000
)

// pattern is a compiled regular expression. One that RE2 cannot run (look
// around, back references) is kept for its text only and matches everything.
type pattern struct {
	text string
	re   *regexp.Regexp
	size int
}

var _ jsonschema.Regexp = (*pattern)(nil)

// MatchString is what the full validator calls.
func (p *pattern) MatchString(s string) bool { return p.re == nil || p.re.MatchString(s) }

// String returns the expression as the schema's author wrote it.
func (p *pattern) String() string { return p.text }

// dropped reports whether the expression is not checked.
func (p *pattern) dropped() bool { return p.re == nil }

// cost estimates the work of matching n bytes, in units of the budget.
func (p *pattern) cost(n int) int {
	if p.re == nil {
		return 0
	}
	return (n + 1) * (p.size + 1) / 64
}

// compilePattern turns an ECMA 262 expression into one that runs in linear
// time. An error means that the expression is wrong in ECMA as well.
func compilePattern(text string) (*pattern, error) {
	translated, supported := translatePattern(text)
	tree, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		// RE2 refuses more than 1000 repetitions, ECMA does not.
		known, ok := errors.AsType[*syntax.Error](err)
		if ok && known.Code == syntax.ErrInvalidRepeatSize && countsOrdered(known.Expr) {
			return &pattern{text: text}, nil
		}
		return nil, fmt.Errorf("%q is not a regular expression: %w", text, err)
	}
	if !supported {
		return &pattern{text: text}, nil
	}
	size := patternSize(tree)
	if size > maxPatternSize {
		return nil, fmt.Errorf("regular expression %.80q is too large once its repetitions are written out (limit %d)", text, maxPatternSize)
	}
	re, err := regexp.Compile(translated)
	if err != nil {
		return nil, fmt.Errorf("%q is not a regular expression: %w", text, err)
	}
	return &pattern{text: text, re: re, size: size}, nil
}

// countsOrdered tells {5,3}, which is wrong everywhere, from {1,5000}.
func countsOrdered(repeat string) bool {
	var low, high int
	if n, _ := fmt.Sscanf(repeat, "{%d,%d}", &low, &high); n == 2 {
		return low <= high
	}
	return true
}

// patternSize estimates the instructions of the compiled program. It saturates
// so that nested repetitions cannot overflow.
func patternSize(re *syntax.Regexp) int {
	const most = 1 << 30
	size := 1
	if re.Op == syntax.OpLiteral {
		size = len(re.Rune)
	}
	for _, sub := range re.Sub {
		size = min(size+patternSize(sub), most)
	}
	if re.Op == syntax.OpRepeat {
		times := max(re.Min, re.Max, 1)
		size = min(size*times, most)
	}
	return size
}

// patternEngine gives the full validator our expressions.
func patternEngine(text string) (jsonschema.Regexp, error) {
	return compilePattern(text)
}
