package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// maxIssues is where the collection ends. Nobody reads the thousandth.
const maxIssues = 1000

// finding is an issue with what is needed to put it in order.
type finding struct {
	tokens  []string // where, in the arguments
	message lang.Message
	missing bool
	rank    int    // place in the list of required names
	source  string // location of the keyword's schema
	// mismatch holds the wanted types when the value had the wrong one, and
	// values what enum or const wanted; both help to choose among branches.
	mismatch string
	values   []any
}

// describer turns the validator's error tree into issues.
type describer struct {
	value any
	types map[string]string
}

// describe returns the issues in a fixed order, although the validator walks
// its maps in a random one.
func describe(invalid *jsonschema.ValidationError, value any, types map[string]string) []Issue {
	d := &describer{value: value, types: types}
	found := d.collect(invalid)
	slices.SortStableFunc(found, compareFindings)
	issues := make([]Issue, 0, min(len(found), maxIssues))
	seen := map[string]bool{}
	for _, f := range found {
		issue := Issue{Path: pathOf(value, f.tokens), Message: f.message}
		text := issue.Path + "\x00" + f.message.In(lang.English)
		if seen[text] || len(issues) >= maxIssues {
			continue
		}
		seen[text] = true
		issues = append(issues, issue)
	}
	if len(issues) == 0 {
		issues = append(issues, Issue{Path: argumentsName, Message: lang.IssueInvalid.With()})
	}
	return issues
}

// compareFindings puts missing properties first, by object and then in the
// order of the required list, and the rest by place.
func compareFindings(a, b finding) int {
	if a.missing != b.missing {
		if a.missing {
			return -1
		}
		return 1
	}
	if a.missing {
		return cmp.Or(
			compareTokens(a.tokens[:len(a.tokens)-1], b.tokens[:len(b.tokens)-1]),
			strings.Compare(a.source, b.source),
			cmp.Compare(a.rank, b.rank),
			compareTokens(a.tokens, b.tokens))
	}
	return cmp.Or(
		compareTokens(a.tokens, b.tokens),
		strings.Compare(a.source, b.source),
		strings.Compare(a.message.In(lang.English), b.message.In(lang.English)))
}

// collect returns the findings of an error and of what caused it.
func (d *describer) collect(e *jsonschema.ValidationError) []finding {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return d.chooseForm(e)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return d.chooseForm(e)
		}
		return d.one(e, lang.IssueManyForms.With(k.Subschemas[0]+1, k.Subschemas[1]+1))
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var found []finding
		for _, cause := range e.Causes {
			found = append(found, d.collect(cause)...)
		}
		return found
	case *kind.Required:
		return d.missing(e, k.Missing, lang.IssueMissing.With())
	case *kind.DependentRequired:
		return d.missing(e, k.Missing, lang.IssueDependent.With(k.Prop))
	case *kind.Dependency:
		return d.missing(e, k.Missing, lang.IssueDependent.With(k.Prop))
	case *kind.AdditionalProperties:
		var found []finding
		for _, name := range k.Properties {
			found = append(found, d.at(e, name, lang.IssueUnexpected.With()))
		}
		return found
	case *kind.AdditionalItems:
		list, _ := lookup(d.value, e.InstanceLocation).([]any)
		return d.one(e, lang.IssueMaxItems.With(len(list)-k.Count))
	case *kind.PropertyNames:
		return d.propertyName(e, k.Property)
	case *kind.Type:
		return d.wrongType(e, k)
	case *kind.Enum:
		return d.wanted(e, k.Want, lang.IssueEnum.With(jsonList(k.Want)))
	case *kind.Const:
		return d.wanted(e, []any{k.Want}, lang.IssueConst.With(string(jsonx.Text(k.Want))))
	case *kind.FalseSchema:
		return d.one(e, d.forbidden(e.InstanceLocation))
	}
	return d.one(e, limitMessage(e.ErrorKind))
}

// one returns a finding at the place of the error itself.
func (d *describer) one(e *jsonschema.ValidationError, message lang.Message) []finding {
	return []finding{{tokens: e.InstanceLocation, message: message, source: e.SchemaURL}}
}

// at returns a finding at a property of the object that the error is about.
func (d *describer) at(e *jsonschema.ValidationError, name string, message lang.Message) finding {
	return finding{
		tokens:  append(slices.Clone(e.InstanceLocation), name),
		message: message,
		source:  e.SchemaURL,
	}
}

func (d *describer) missing(e *jsonschema.ValidationError, names []string, message lang.Message) []finding {
	found := make([]finding, 0, len(names))
	for i, name := range names {
		f := d.at(e, name, message)
		f.missing, f.rank = true, i
		found = append(found, f)
	}
	return found
}

func (d *describer) wanted(e *jsonschema.ValidationError, values []any, message lang.Message) []finding {
	found := d.one(e, message)
	found[0].values = values
	return found
}

// wrongType names the types in the schema's order, and a whole number as the
// integer that it is.
func (d *describer) wrongType(e *jsonschema.ValidationError, k *kind.Type) []finding {
	want, ok := d.types[e.SchemaURL]
	if !ok {
		want = strings.Join(k.Want, "|")
	}
	found := d.one(e, lang.IssueType.With(want, d.typeAt(e.InstanceLocation, k.Got)))
	found[0].mismatch = want
	return found
}

// typeAt refines the type number by looking at the value.
func (d *describer) typeAt(tokens []string, got string) string {
	if number, ok := lookup(d.value, tokens).(json.Number); ok && isWhole(number.String()) {
		return "integer"
	}
	return got
}

// isWhole reports whether a number literal has an integer value.
func isWhole(lit string) bool {
	if d, small := parseDecimal(lit); small {
		return d.isInteger()
	}
	value, ok := rational(lit)
	return ok && value.IsInt()
}

// forbidden words the schema false by the place where it stood.
func (d *describer) forbidden(tokens []string) lang.Message {
	if len(tokens) == 0 {
		return lang.IssueForbidden.With()
	}
	if _, ok := lookup(d.value, tokens[:len(tokens)-1]).([]any); ok {
		return lang.IssueExtraItem.With()
	}
	return lang.IssueUnexpected.With()
}

// propertyName reports a name that propertyNames refuses, with the first
// reason.
func (d *describer) propertyName(e *jsonschema.ValidationError, name string) []finding {
	inner := &describer{value: name, types: d.types}
	reason := lang.IssueInvalid.With()
	var found []finding
	for _, cause := range e.Causes {
		found = append(found, inner.collect(cause)...)
	}
	if len(found) > 0 {
		slices.SortStableFunc(found, compareFindings)
		reason = found[0].message
	}
	return []finding{d.at(e, name, lang.IssueName.With(reason))}
}
