package schema

import (
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/gongu-ai/gongu/internal/jsonx"
	"github.com/gongu-ai/gongu/internal/lang"
)

// limitMessage words the keywords that compare the value with a bound.
func limitMessage(k jsonschema.ErrorKind) lang.Message {
	switch k := k.(type) {
	case *kind.MinLength:
		return lang.IssueMinLength.With(k.Want)
	case *kind.MaxLength:
		return lang.IssueMaxLength.With(k.Want)
	case *kind.Pattern:
		return lang.IssuePattern.With(k.Want)
	case *kind.Minimum:
		return lang.IssueMinimum.With(numberText(k.Want))
	case *kind.Maximum:
		return lang.IssueMaximum.With(numberText(k.Want))
	case *kind.ExclusiveMinimum:
		return lang.IssueAbove.With(numberText(k.Want))
	case *kind.ExclusiveMaximum:
		return lang.IssueBelow.With(numberText(k.Want))
	case *kind.MultipleOf:
		return lang.IssueMultiple.With(numberText(k.Want))
	case *kind.MinItems:
		return lang.IssueMinItems.With(k.Want)
	case *kind.MaxItems:
		return lang.IssueMaxItems.With(k.Want)
	case *kind.UniqueItems:
		return lang.IssueUnique.With(k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return lang.IssueContains.With()
	case *kind.MinContains:
		return lang.IssueMinContains.With(k.Want)
	case *kind.MaxContains:
		return lang.IssueMaxContains.With(k.Want)
	case *kind.MinProperties:
		return lang.IssueMinProps.With(k.Want)
	case *kind.MaxProperties:
		return lang.IssueMaxProps.With(k.Want)
	case *kind.Not:
		return lang.IssueNot.With()
	}
	return lang.IssueInvalid.With()
}

// numberText writes a limit as a person would.
func numberText(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	if digits, exact := n.FloatPrec(); exact && digits < 100 {
		return n.FloatString(digits)
	}
	f, _ := n.Float64()
	return big.NewFloat(f).Text('g', -1)
}

// maxListed is how many values of an enum a message shows.
const maxListed = 100

// jsonList writes values as JSON, separated by commas.
func jsonList(values []any) string {
	texts := make([]string, 0, min(len(values), maxListed+1))
	for i, v := range values {
		if i == maxListed {
			texts = append(texts, "...")
			break
		}
		texts = append(texts, string(jsonx.Text(v)))
	}
	return strings.Join(texts, ", ")
}
