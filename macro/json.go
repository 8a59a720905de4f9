package macro

import (
	"bytes"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// member is a field of a JSON object. Its key is kept as it was written, too.
type member struct {
	key    string
	rawKey []byte
	value  raw
}

// raw is one valid JSON value.
type raw []byte

func (j raw) kind() jsontext.Kind { return jsontext.Value(bytes.TrimSpace(j)).Kind() }

func (j raw) isNull() bool { return len(j) == 0 || j.kind() == 'n' }

// text is the value of a JSON string.
func (j raw) text() (string, bool) {
	if j.kind() != '"' {
		return "", false
	}
	return rawjson.Text(bytes.TrimSpace(j)), true
}

// members returns the fields of an object in their order, and nothing for other
// values.
func (j raw) members() []member {
	var list []member
	_ = rawjson.Members(j, func(name, value json.RawMessage) error {
		list = append(list, member{rawjson.Text(name), name, raw(value)})
		return nil
	})
	return list
}

// items returns the items of an array, and nothing for other values.
func (j raw) items() []raw {
	var list []raw
	_ = rawjson.Elements(j, func(value json.RawMessage) error {
		list = append(list, raw(value))
		return nil
	})
	return list
}
