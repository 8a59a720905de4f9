package mcpclient

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// binding mirrors an argument into a header, as the annotation x-mcp-header of
// its schema asks for.
type binding struct {
	path   []string
	header string
}

const annotation = "x-mcp-header"

// bindingsOf reads the annotations of a schema. One at a place where it is not
// allowed makes the whole tool invalid.
func bindingsOf(schema json.RawMessage) ([]binding, error) {
	if !bytes.Contains(schema, []byte(annotation)) {
		return nil, nil
	}
	var found []binding
	if err := findBindings(schema, nil, true, &found); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, b := range found {
		lower := strings.ToLower(b.header)
		if seen[lower] {
			return nil, fmt.Errorf("%s: the header %q is used twice", annotation, b.header)
		}
		seen[lower] = true
	}
	return found, nil
}

// findBindings walks a schema. Annotations count only where a chain of
// properties leads.
func findBindings(schema json.RawMessage, path []string, reachable bool, found *[]binding) error {
	members, err := membersOf(schema)
	if err != nil {
		return nil // true and false are schemas, too
	}
	if header, annotated := get(members, annotation); annotated && len(path) > 0 {
		if err := checkBinding(members, header, path, reachable); err != nil {
			return err
		}
		*found = append(*found, binding{slices.Clone(path), textOf(header)})
	} else if annotated {
		return fmt.Errorf("%s stands outside of the properties", annotation)
	}
	for _, m := range members {
		if err := descend(m, path, reachable, found); err != nil {
			return err
		}
	}
	return nil
}

func descend(m member, path []string, reachable bool, found *[]binding) error {
	below := append(slices.Clip(path), m.name)
	switch m.name {
	case "const", "default", "enum", "examples", annotation:
		return nil // data, not schemas
	case "properties":
		return findInEach(m.value, path, reachable, found)
	case "$defs", "definitions", "patternProperties", "dependentSchemas":
		return findInEach(m.value, below, false, found)
	}
	if len(m.value) == 0 || m.value[0] != '[' {
		return findBindings(m.value, below, false, found)
	}
	elements, err := elementsOf(m.value)
	if err != nil {
		return nil
	}
	for i, element := range elements {
		if err := findBindings(element, append(slices.Clip(below), strconv.Itoa(i)), false, found); err != nil {
			return err
		}
	}
	return nil
}

// findInEach walks each schema of an object of schemas.
func findInEach(raw json.RawMessage, path []string, reachable bool, found *[]binding) error {
	schemas, err := membersOf(raw)
	if err != nil {
		return nil
	}
	for _, s := range schemas {
		if err := findBindings(s.value, append(slices.Clip(path), s.name), reachable, found); err != nil {
			return err
		}
	}
	return nil
}

func checkBinding(members []member, header json.RawMessage, path []string, reachable bool) error {
	where := strings.Join(path, ".")
	if !reachable {
		return fmt.Errorf("%s at %s: no chain of properties leads there", annotation, where)
	}
	kind, _ := get(members, "type")
	switch textOf(kind) {
	case "string", "integer", "boolean":
	default:
		return fmt.Errorf("%s at %s: the type must be string, integer or boolean", annotation, where)
	}
	if err := checkToken(textOf(header)); err != nil {
		return fmt.Errorf("%s at %s: %w", annotation, where, err)
	}
	return nil
}

// checkToken accepts what can be part of a header's name.
func checkToken(name string) error {
	if name == "" {
		return errors.New("the name of the header is empty or no text")
	}
	for _, r := range name {
		if r > '~' || r <= ' ' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return fmt.Errorf("%q cannot be the name of a header", name)
		}
	}
	return nil
}

// mirror returns the headers of a call.
func mirror(bindings []binding, params json.RawMessage) map[string]string {
	out := map[string]string{}
	for _, b := range bindings {
		value := rawjson.Member(params, "arguments")
		for _, name := range b.path {
			value = rawjson.Member(value, name)
		}
		if text, ok := scalar(value); ok {
			out[b.header] = headerValue(text)
		}
	}
	return out
}

// safeInteger is the largest number that every reader of JSON understands.
const safeInteger = 1<<53 - 1

// scalar returns a value as the text of a header. Null, and values without such
// a form, have none.
func scalar(raw json.RawMessage) (string, bool) {
	switch {
	case isNull(raw):
		return "", false
	case raw[0] == '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err == nil
	case string(raw) == "true" || string(raw) == "false":
		return string(raw), true
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || number != float64(int64(number)) || number > safeInteger || number < -safeInteger {
		return "", false
	}
	return strconv.FormatInt(int64(number), 10), true
}

const (
	base64Prefix = "=?base64?"
	base64Suffix = "?="
)

// headerValue writes a text so that a header can carry it.
func headerValue(text string) string {
	plain := text == strings.Trim(text, " \t") && !(strings.HasPrefix(text, base64Prefix) && strings.HasSuffix(text, base64Suffix))
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] >= ' ' && text[i] <= '~'
	}
	if plain {
		return text
	}
	return base64Prefix + base64.StdEncoding.EncodeToString([]byte(text)) + base64Suffix
}
