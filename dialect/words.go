package dialect

import (
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// maxWords is the longest value, in bytes, that a description repeats.
const maxWords = 240

// sentences say a bound that a dialect cannot carry.
var sentences = map[string]lang.Text{
	"minLength":         lang.WordsMinLength,
	"maxLength":         lang.WordsMaxLength,
	"pattern":           lang.WordsPattern,
	"format":            lang.WordsFormat,
	"minimum":           lang.WordsMinimum,
	"maximum":           lang.WordsMaximum,
	"exclusiveMinimum":  lang.WordsExclusiveMinimum,
	"exclusiveMaximum":  lang.WordsExclusiveMaximum,
	"multipleOf":        lang.WordsMultipleOf,
	"minItems":          lang.WordsMinItems,
	"maxItems":          lang.WordsMaxItems,
	"uniqueItems":       lang.WordsUniqueItems,
	"minProperties":     lang.WordsMinProperties,
	"maxProperties":     lang.WordsMaxProperties,
	"enum":              lang.WordsEnum,
	"default":           lang.WordsDefault,
	"examples":          lang.WordsExamples,
	"not":               lang.WordsNot,
	"dependentRequired": lang.WordsDependentRequired,
}

// inWords says a keyword as a sentence, or nothing when it has none or would
// be too long to help.
func inWords(keyword string, value *node, l lang.Lang) string {
	sentence, ok := sentences[keyword]
	if !ok || size(value) > maxWords {
		return ""
	}
	switch {
	case value.isTrue():
		return sentence.In(l)
	case value.isFalse() || keyword == "uniqueItems":
		return ""
	case keyword == "enum" || keyword == "examples":
		return sentence.In(l, listed(value))
	case keyword == "pattern" || keyword == "format":
		return sentence.In(l, value.text)
	}
	return sentence.In(l, value.String())
}

// size is at most a little more than the length of the value as JSON, counted
// no further than needed.
func size(n *node) int {
	total := len(n.raw) + len(n.text) + 2
	for _, item := range n.items {
		if total += size(item); total > maxWords {
			return total
		}
	}
	for _, m := range n.members {
		if total += len(m.name) + size(m.value); total > maxWords {
			return total
		}
	}
	return total
}

func listed(values *node) string {
	var parts []string
	for _, value := range values.items {
		parts = append(parts, value.String())
	}
	return strings.Join(parts, ", ")
}

// alternatives says which properties go together, when that is all that the
// branches differ in.
func (l *lowering) alternatives(branches []*node) string {
	var groups []string
	length := 0
	for _, branch := range branches {
		names := branch.get("required").strings()
		if len(names) == 0 {
			return ""
		}
		group := strings.Join(names, " + ")
		if length += len(group); length > maxWords {
			return ""
		}
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	if len(groups) < 2 {
		return ""
	}
	return lang.WordsAlternatives.In(l.lang, strings.Join(groups, " | "))
}
