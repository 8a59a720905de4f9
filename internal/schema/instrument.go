package schema

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// instrument checks the compiled graph and wraps each schema in a meteredSchema.
func instrument(c *jsonschema.Compiler, root *jsonschema.Schema, docs map[string]any) (*program, error) {
	all := reachable(append(dynamicTargets(c, docs), root))
	counter := pathCounter[*jsonschema.Schema]{next: sameValue, count: map[*jsonschema.Schema]int{}}
	for _, s := range all {
		if _, err := counter.paths(s); err != nil {
			_, pointer, _ := strings.Cut(s.Location, "#")
			return nil, err.below(splitPointer(pointer)...)
		}
	}
	p := &program{root: root, meter: &meter{}, types: map[string]string{}}
	p.meter.spare = &jsonschema.ValidationError{ErrorKind: &kind.Group{}}
	allCosts := make([]costs, len(all)) // read before the first meteredSchema hides a keyword
	for i, s := range all {
		allCosts[i] = newCosts(s)
		if text, ok := typeNames(s, docs); ok {
			p.types[s.Location] = text
		}
		if s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil {
			p.meter.unevaluated = true
		}
		relax(s)
	}
	for i, s := range all {
		p.meter.install(s, allCosts[i])
	}
	return p, nil
}

// relax removes what is not asserted: formats, and regular
// expressions that do not run. Properties that such an expression may have
// meant are let through.
func relax(s *jsonschema.Schema) {
	s.Format = nil
	for re := range s.PatternProperties {
		if p, ok := re.(*pattern); ok && p.dropped() {
			yes := true
			free := *s // for the fields that the validator keeps to itself
			clearKeywords(&free)
			free.Bool = &yes
			s.PatternProperties[re] = &free
		}
	}
}

// install moves the keywords of a schema into a meteredSchema.
func (m *meter) install(s *jsonschema.Schema, c costs) {
	inner := *s
	g := &meteredSchema{meter: m, inner: &inner, costs: c}
	inner.UniqueItems = false // the meteredSchema does it
	clearKeywords(s)
	s.Extensions = []jsonschema.SchemaExt{g}
}

// clearKeywords leaves the identity of a schema (location, draft, anchors) and
// removes all that it asserts.
func clearKeywords(s *jsonschema.Schema) {
	s.Bool, s.Ref, s.RecursiveRef, s.DynamicRef = nil, nil, nil, nil
	s.Types, s.Enum, s.Const, s.Not = nil, nil, nil, nil
	s.AllOf, s.AnyOf, s.OneOf = nil, nil, nil
	s.If, s.Then, s.Else, s.Format = nil, nil, nil, nil
	s.MaxProperties, s.MinProperties, s.Required = nil, nil, nil
	s.PropertyNames, s.Properties, s.PatternProperties = nil, nil, nil
	s.AdditionalProperties, s.Dependencies = nil, nil
	s.DependentRequired, s.DependentSchemas, s.UnevaluatedProperties = nil, nil, nil
	s.MinItems, s.MaxItems, s.UniqueItems = nil, nil, false
	s.Contains, s.MinContains, s.MaxContains = nil, nil, nil
	s.Items, s.AdditionalItems, s.PrefixItems = nil, nil, nil
	s.Items2020, s.UnevaluatedItems = nil, nil
	s.MinLength, s.MaxLength, s.Pattern = nil, nil, nil
	s.ContentEncoding, s.ContentMediaType, s.ContentSchema = nil, nil, nil
	s.Maximum, s.Minimum, s.ExclusiveMaximum, s.ExclusiveMinimum = nil, nil, nil, nil
	s.MultipleOf, s.Extensions = nil, nil
}

// dynamicTargets finds the schemas that only a $dynamicRef can reach at run
// time: the compiler keeps them in private fields, but knows them by location.
func dynamicTargets(c *jsonschema.Compiler, docs map[string]any) []*jsonschema.Schema {
	var found []*jsonschema.Schema
	for base, doc := range docs {
		eachObject(doc, "", func(pointer string, object map[string]any) {
			if _, ok := object["$dynamicAnchor"].(string); !ok {
				return
			}
			if s, err := c.Compile(base + "#" + encodeFragment(pointer)); err == nil {
				found = append(found, s)
			}
		})
	}
	return found
}

// eachObject calls f for every object in a JSON document.
func eachObject(v any, pointer string, f func(pointer string, object map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(pointer, v)
		for name, sub := range v {
			eachObject(sub, pointer+"/"+escapePointer(name), f)
		}
	case []any:
		for i, sub := range v {
			eachObject(sub, pointer+"/"+strconv.Itoa(i), f)
		}
	}
}

// typeNames spells a type list in the schema's own order; the compiler keeps
// only a set.
func typeNames(s *jsonschema.Schema, docs map[string]any) (string, bool) {
	if s.Types == nil || len(s.Types.ToStrings()) < 2 {
		return "", false
	}
	base, fragment, _ := strings.Cut(s.Location, "#")
	object, ok := lookup(docs[base], splitPointer(fragment)).(map[string]any)
	if !ok {
		return "", false
	}
	list, ok := object["type"].([]any)
	if !ok {
		return "", false
	}
	names := make([]string, 0, len(list))
	for _, v := range list {
		if name, ok := v.(string); ok {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|"), true
}

// lookup follows a pointer into a document; nil when there is nothing.
func lookup(v any, tokens []string) any {
	for _, token := range tokens {
		switch container := v.(type) {
		case map[string]any:
			v = container[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(container) {
				return nil
			}
			v = container[i]
		default:
			return nil
		}
	}
	return v
}

// splitPointer returns the tokens of a pointer that was written as a fragment.
func splitPointer(fragment string) []string {
	if fragment == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(fragment, "/"), "/")
	for i, token := range tokens {
		if plain, err := url.PathUnescape(token); err == nil {
			token = plain
		}
		tokens[i] = unescapePointer(token)
	}
	return tokens
}

// encodeFragment writes a pointer as a fragment, slashes kept.
func encodeFragment(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		tokens[i] = url.PathEscape(token)
	}
	return strings.Join(tokens, "/")
}
