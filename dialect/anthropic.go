package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gongu-ai/gongu/internal/lang"
)

// anthropicTarget is all of JSON Schema, apart from the root.
var anthropicTarget = target{
	property: matches(`^[A-Za-z0-9_.-]{1,64}$`),
}

// anthropic changes a schema only where the API would refuse the request: a
// composition at the root, and names of parameters outside its pattern.
func (w *declaring) anthropic(original []byte) (json.RawMessage, error) {
	root, err := parse(original)
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	l := &lowering{declaring: w, doc: document{root: root}, target: &anthropicTarget}
	schema := l.withoutComposition(root)
	schema = l.withAcceptedNames(schema)
	if l.refused != nil {
		return nil, l.refused
	}
	if schema == root {
		return original, nil
	}
	if lost := danglingReference(&document{root: schema}, &l.doc, schema); lost != "" {
		return nil, fmt.Errorf("parameters: %q refers into a part of the root that the provider refuses", lost)
	}
	return schema.append(nil), nil
}

// withoutComposition merges allOf, anyOf and oneOf of the root into it.
func (l *lowering) withoutComposition(root *node) *node {
	if !slices.ContainsFunc([]string{"allOf", "anyOf", "oneOf"}, root.has) {
		return root
	}
	at := location{root: true, trail: &trail{target: root}}
	schema, _ := l.flatten(root, at)
	if unionKeyword(schema) != "" {
		schema, _ = l.mergeBranches(schema, at)
	}
	return schema.without("anyOf", "oneOf").set("type", newString("object"))
}

// withAcceptedNames leaves parameters out whose name would be refused. They
// are not renamed: the tool would not know them.
func (l *lowering) withAcceptedNames(root *node) *node {
	properties := root.get("properties")
	if !properties.isObject() {
		return root
	}
	required := root.get("required").strings()
	var refused []string
	for _, m := range properties.members {
		if l.target.property(m.name) {
			continue
		}
		refused = append(refused, m.name)
		l.lose("/properties/"+escapePointer(m.name), "properties", lang.LossPropertyName)
		if slices.Contains(required, m.name) {
			l.refuse(m.name)
		}
	}
	if len(refused) == 0 {
		return root
	}
	return root.without().set("properties", properties.without(refused...))
}

// danglingReference finds a reference that had a target before and has none
// any more.
func danglingReference(after, before *document, n *node) string {
	for _, m := range n.members {
		if slices.Contains(referenceKeywords, m.name) && m.value.isString() && strings.Contains(m.value.text, "#") {
			if after.resolve(m.value.text) == nil && before.resolve(m.value.text) != nil {
				return m.value.text
			}
		}
		if ref := danglingReference(after, before, m.value); ref != "" {
			return ref
		}
	}
	for _, item := range n.items {
		if ref := danglingReference(after, before, item); ref != "" {
			return ref
		}
	}
	return ""
}
