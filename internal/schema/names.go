package schema

import "github.com/gongu-ai/gongu/internal/rawjson"

// rootNames returns the names that the root of a schema requires and knows, in
// the schema's order. It reads the source again: only failures need it.
func rootNames(source string) (required, allowed []string) {
	b := []byte(source)
	i := rawjson.Space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return nil, nil
	}
	i, more := memberNext(b, i+1)
	for more {
		end, value, _ := keyEnd(b, i)
		switch name := string(unquote(b[i:end])); {
		case name == "required" && b[value] == '[':
			required = stringItems(b, value)
		case name == "properties" && b[value] == '{':
			allowed = memberNames(b, value)
		}
		i, more = memberNext(b, rawjson.Skip(b, value))
	}
	return required, allowed
}

// stringItems returns the strings of the array that starts at i.
func stringItems(b []byte, i int) []string {
	var list []string
	i, more := memberNext(b, i+1)
	for more {
		end := rawjson.Skip(b, i)
		if b[i] == '"' {
			list = append(list, string(unquote(b[i:end])))
		}
		i, more = memberNext(b, end)
	}
	return list
}

// memberNames returns the names of the object that starts at i.
func memberNames(b []byte, i int) []string {
	var list []string
	i, more := memberNext(b, i+1)
	for more {
		end, value, _ := keyEnd(b, i)
		list = append(list, string(unquote(b[i:end])))
		i, more = memberNext(b, rawjson.Skip(b, value))
	}
	return list
}

// ObjectRoot reports whether the root of the schema says "type": "object",
// which every model provider demands of parameters.
func (c *Checker) ObjectRoot() bool { return c.objectRoot }

// saysObject reads a schema that has been inspected.
func saysObject(b []byte) bool {
	i := rawjson.Space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	i, more := memberNext(b, i+1)
	for more {
		end, value, _ := keyEnd(b, i)
		next := rawjson.Skip(b, value)
		if string(unquote(b[i:end])) == "type" {
			return b[value] == '"' && string(unquote(b[value:next])) == "object"
		}
		i, more = memberNext(b, next)
	}
	return false
}
