package schema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxPaths bounds the ways through the applicators that look at one and the
// same value ($ref, allOf, anyOf, ...). Each way is work for every value, and
// twenty-five doubled references make thirty million of them.
const maxPaths = 10_000

const (
	textCycle = "refers back to itself without going into a property or item, so a check would never end"
	textPaths = "combines its references in more than 10000 ways: merge some of the anyOf, oneOf, allOf branches"
)

// sameValue lists the subschemas that are applied to the same value.
func sameValue(s *jsonschema.Schema) []*jsonschema.Schema {
	if s.Ref != nil && s.DraftVersion < 2019 {
		return []*jsonschema.Schema{s.Ref} // its neighbours are ignored
	}
	list := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else}
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	list = append(list, s.AllOf...)
	list = append(list, s.AnyOf...)
	list = append(list, s.OneOf...)
	for _, sub := range s.DependentSchemas {
		list = append(list, sub)
	}
	for _, dependency := range s.Dependencies {
		if sub, ok := dependency.(*jsonschema.Schema); ok {
			list = append(list, sub)
		}
	}
	return slices.DeleteFunc(list, func(sub *jsonschema.Schema) bool { return sub == nil })
}

// partValues lists the subschemas that are applied to parts of the value.
func partValues(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema}
	list = append(list, s.PrefixItems...)
	for _, sub := range s.Properties {
		list = append(list, sub)
	}
	for _, sub := range s.PatternProperties {
		list = append(list, sub)
	}
	for _, either := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
		switch either := either.(type) {
		case *jsonschema.Schema:
			list = append(list, either)
		case []*jsonschema.Schema:
			list = append(list, either...)
		}
	}
	return slices.DeleteFunc(list, func(sub *jsonschema.Schema) bool { return sub == nil })
}

// reachable returns every compiled schema that a check can come to.
func reachable(roots []*jsonschema.Schema) []*jsonschema.Schema {
	seen := map[*jsonschema.Schema]bool{}
	var list []*jsonschema.Schema
	todo := roots
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		list = append(list, s)
		todo = append(todo, sameValue(s)...)
		todo = append(todo, partValues(s)...)
	}
	return list
}

// pathCounter counts the ways through a graph of same-value applicators, with
// memory, and finds its cycles. N is a node of either the compiled graph or the
// raw document.
type pathCounter[N comparable] struct {
	next  func(N) []N
	count map[N]int
}

// inProgress marks a node whose subtree is being counted.
const inProgress = -1

// paths returns the number of ways from a node, or what is wrong.
func (p *pathCounter[N]) paths(n N) (int, *Problem) {
	switch count, seen := p.count[n]; {
	case seen && count == inProgress:
		return 0, problem(textCycle)
	case seen:
		return count, nil
	}
	p.count[n] = inProgress
	total := 1
	for _, sub := range p.next(n) {
		count, err := p.paths(sub)
		if err != nil {
			return 0, err
		}
		if total += count; total > maxPaths {
			return 0, problem(textPaths)
		}
	}
	p.count[n] = total
	return total, nil
}
