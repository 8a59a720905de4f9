package schema

import "github.com/gongu-ai/gongu/internal/rawjson"

// rootNames returns the names that the root of a schema requires and knows, in
// the schema's order. It reads the source again: only failures need it.
func rootNames(source string) (required, allowed []string) {
	b := []byte(source)
	root, _ := parseDocument(b, rawjson.Space(b, 0))
	if list := root.member("required"); list != nil {
		for _, item := range list.values {
			if item.kind == '"' {
				required = append(required, item.text)
			}
		}
	}
	if properties := root.member("properties"); properties != nil {
		allowed = properties.names
	}
	return required, allowed
}
