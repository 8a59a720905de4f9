package schema

import (
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// costs knows what a compiled schema costs beyond the one unit of each visit.
// A unit is roughly half a microsecond of the validator's time.
type costs struct {
	unique   bool
	repeated int // branches of anyOf that refer to the same schema as another
	required int // names that are looked up in each object
	values   int // JSON values in enum and const
	exact    bool
	integer  bool
	limits   bool // minLength or maxLength: the string is copied
	pattern  *pattern
	names    []*pattern // of patternProperties
}

// newCosts reads the costs from a compiled schema.
func newCosts(s *jsonschema.Schema) costs {
	c := costs{unique: s.UniqueItems, required: len(s.Required), repeated: repeatedBranches(s.AnyOf)}
	for _, names := range s.DependentRequired {
		c.required += 1 + len(names)
	}
	for _, dependency := range s.Dependencies {
		names, _ := dependency.([]string)
		c.required += 1 + len(names)
	}
	c.required += len(s.DependentSchemas)
	if s.Enum != nil {
		for _, v := range s.Enum.Values {
			c.values += countValues(v)
		}
	}
	if s.Const != nil {
		c.values += countValues(*s.Const)
	}
	c.exact = s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil || s.MultipleOf != nil
	if s.Types != nil {
		integer, number := false, false
		for _, name := range s.Types.ToStrings() {
			integer = integer || name == "integer"
			number = number || name == "number"
		}
		c.integer = integer && !number
	}
	c.limits = s.MinLength != nil || s.MaxLength != nil
	c.pattern, _ = s.Pattern.(*pattern)
	for re := range s.PatternProperties {
		if p, ok := re.(*pattern); ok {
			c.names = append(c.names, p)
		}
	}
	return c
}

// repeatedBranches counts the branches that refer to the same schema as an
// earlier one.
func repeatedBranches(branches []*jsonschema.Schema) int {
	seen := map[*jsonschema.Schema]bool{}
	repeated := 0
	for _, branch := range branches {
		if branch.Ref == nil {
			continue
		}
		if seen[branch.Ref] {
			repeated++
		}
		seen[branch.Ref] = true
	}
	return repeated
}

// countValues counts a JSON value and all values in it.
func countValues(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += countValues(item)
		}
	case map[string]any:
		for _, item := range v {
			n += countValues(item)
		}
	}
	return n
}

// of returns the extra work for a value.
func (c *costs) of(v any, m *meter) int {
	work := 0
	if m.unevaluated {
		work += lengthOf(v)
	}
	switch v := v.(type) {
	case map[string]any:
		return work + c.ofObject(v, m)
	case []any:
		if c.values > 0 || c.unique {
			stopAtExtreme(v, m)
		}
		return work + len(v)/4 + c.values
	case string:
		if c.limits {
			work += len(v) / 1024
		}
		if c.pattern != nil {
			work += c.pattern.cost(len(v))
		}
		return work + c.values/16
	case json.Number:
		return work + c.ofNumber(v, m)
	}
	return work + c.values/16
}

func (c *costs) ofObject(object map[string]any, m *meter) int {
	if c.values > 0 {
		stopAtExtreme(object, m)
	}
	work := len(object)/4 + c.required/2 + c.values
	for _, p := range c.names {
		for name := range object {
			work += 1 + p.cost(len(name))
		}
	}
	return work
}

func (c *costs) ofNumber(n json.Number, m *meter) int {
	if !c.exact && !c.integer && c.values == 0 {
		return 0
	}
	stopAtExtreme(n, m)
	return 3*c.values + len(n)/32 + (c.values+1)*exponentCost(n.String())
}

// exponentCost returns the length of the number once it is written out, in units.
func exponentCost(lit string) int {
	for i := 0; i < len(lit); i++ {
		if lit[i] == 'e' || lit[i] == 'E' {
			exp := parseExponent(lit, i+1)
			return max(exp, -exp) / 64
		}
	}
	return 0
}

// stopAtExtreme ends the check when exact work is due on a number that was
// made to be expensive. The validator itself would panic on some of them.
func stopAtExtreme(v any, m *meter) {
	switch v := v.(type) {
	case json.Number:
		if extremeNumber(v.String()) {
			panic(budgetExceeded{})
		}
	case []any:
		m.spend(len(v) / 16)
		for _, item := range v {
			stopAtExtreme(item, m)
		}
	case map[string]any:
		m.spend(len(v) / 16)
		for _, item := range v {
			stopAtExtreme(item, m)
		}
	}
}

func lengthOf(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}
