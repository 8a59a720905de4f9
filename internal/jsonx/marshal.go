package jsonx

import (
	"bytes"
	"encoding/json"
)

// Marshal writes a value as JSON and leaves <, > and & as they are: models and
// people read it, never a browser.
func Marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Text is Marshal for what always has a JSON form: texts, numbers, lists
// of them, and what came from JSON. Anything else is written as null.
func Text(v any) []byte {
	out, err := Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return out
}
