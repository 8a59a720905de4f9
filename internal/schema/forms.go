package schema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gongu-ai/gongu/internal/lang"
)

// chooseForm words the failure of anyOf or oneOf. A list of everything that is
// wrong with every branch would not help, so it looks for the branch that the
// caller meant: the only one of the right type, or the only one whose
// discriminating constant fits.
func (d *describer) chooseForm(e *jsonschema.ValidationError) []finding {
	forms := make([][]finding, 0, len(e.Causes))
	for _, cause := range e.Causes {
		forms = append(forms, d.collect(cause))
	}
	here := e.InstanceLocation
	if merged, ok := d.mergeTypes(e, forms); ok {
		return merged
	}
	if merged, ok := d.mergeValues(e, forms); ok {
		return merged
	}
	fitting := slices.DeleteFunc(slices.Clone(forms), func(form []finding) bool {
		return len(form) == 0 || slices.ContainsFunc(form, func(f finding) bool {
			return f.mismatch != "" && len(f.tokens) == len(here)
		})
	})
	if len(fitting) > 1 {
		fitting = slices.DeleteFunc(fitting, func(form []finding) bool {
			return slices.ContainsFunc(form, func(f finding) bool {
				return f.values != nil && len(f.tokens) <= len(here)+1
			})
		})
	}
	if len(fitting) > 0 && alike(fitting) {
		return fitting[0]
	}
	return d.one(e, lang.IssueNoForm.With(len(e.Causes)))
}

// alike reports whether all forms complain about the same things, which is so
// for one form, and for branches that repeat each other.
func alike(forms [][]finding) bool {
	for _, form := range forms[1:] {
		same := slices.EqualFunc(form, forms[0], func(a, b finding) bool {
			return slices.Equal(a.tokens, b.tokens) && a.message.In(lang.English) == b.message.In(lang.English)
		})
		if !same {
			return false
		}
	}
	return true
}

// mergeTypes handles the case that every branch wants another type.
func (d *describer) mergeTypes(e *jsonschema.ValidationError, forms [][]finding) ([]finding, bool) {
	var names []string
	for _, form := range forms {
		if len(form) != 1 || form[0].mismatch == "" || len(form[0].tokens) != len(e.InstanceLocation) {
			return nil, false
		}
		for name := range strings.SplitSeq(form[0].mismatch, "|") {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, false
	}
	want := strings.Join(names, "|")
	found := d.one(e, lang.IssueType.With(want, d.typeAt(e.InstanceLocation, typeOfValue(lookup(d.value, e.InstanceLocation)))))
	found[0].mismatch = want
	return found, true
}

// mergeValues handles the case that every branch wants other constants.
func (d *describer) mergeValues(e *jsonschema.ValidationError, forms [][]finding) ([]finding, bool) {
	var values []any
	for _, form := range forms {
		if len(form) != 1 || form[0].values == nil || len(form[0].tokens) != len(e.InstanceLocation) {
			return nil, false
		}
		values = append(values, form[0].values...)
	}
	if len(values) == 0 {
		return nil, false
	}
	return d.wanted(e, values, lang.IssueEnum.With(jsonList(values))), true
}

// typeOfValue names the JSON type of a decoded value.
func typeOfValue(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}
