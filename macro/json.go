package macro

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// member is a field of a JSON object. Its key is kept as it was written, too.
type member struct {
	key    string
	rawKey []byte
	value  raw
}

// raw is one sound JSON value.
type raw []byte

func (j raw) kind() jsontext.Kind { return jsontext.Value(bytes.TrimSpace(j)).Kind() }

func (j raw) isNull() bool { return len(j) == 0 || j.kind() == 'n' }

// text is the value of a JSON string.
func (j raw) text() (string, bool) {
	if j.kind() != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(j))
	return string(text), err == nil
}

// members returns the fields of an object in their order. The bytes have been
// checked before, so an error only ends the list.
func (j raw) members() []member {
	var list []member
	dec := jsontext.NewDecoder(bytes.NewReader(j))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for dec.PeekKind() == '"' {
		rawKey, err := dec.ReadValue()
		if err != nil {
			return list
		}
		rawKey = bytes.Clone(rawKey)
		key, err := jsontext.AppendUnquote(nil, rawKey)
		if err != nil {
			return list
		}
		value, err := dec.ReadValue()
		if err != nil {
			return list
		}
		list = append(list, member{string(key), rawKey, raw(bytes.Clone(value))})
	}
	return list
}

// items returns the items of an array.
func (j raw) items() []raw {
	var list []raw
	dec := jsontext.NewDecoder(bytes.NewReader(j))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for kind := dec.PeekKind(); kind != ']' && kind != 0; kind = dec.PeekKind() {
		value, err := dec.ReadValue()
		if err != nil {
			return list
		}
		list = append(list, raw(bytes.Clone(value)))
	}
	return list
}
