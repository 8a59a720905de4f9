package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one name and value of a JSON object, the value as it came.
type member struct {
	name  string
	value json.RawMessage
}

// lenient reads what other programs write: who judges is not the messenger.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// membersOf takes an object apart, one level deep. The values lie in raw.
func membersOf(raw []byte) ([]member, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient...)
	token, err := dec.ReadToken()
	if err != nil {
		return nil, noEOF(err)
	}
	if token.Kind() != '{' {
		return nil, errors.New("is not a JSON object")
	}
	var members []member
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, noEOF(err)
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, noEOF(err)
		}
		end := int(dec.InputOffset())
		m.value = raw[end-len(value) : end : end]
		members = append(members, m)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, noEOF(err)
	}
	if len(bytes.TrimSpace(raw[dec.InputOffset():])) > 0 {
		return nil, errors.New("has text after the JSON object")
	}
	return members, nil
}

// elementsOf takes an array apart, one level deep.
func elementsOf(raw []byte) ([]json.RawMessage, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient...)
	token, err := dec.ReadToken()
	if err != nil {
		return nil, noEOF(err)
	}
	if token.Kind() != '[' {
		return nil, errors.New("is not a JSON array")
	}
	var elements []json.RawMessage
	for dec.PeekKind() != ']' {
		value, err := dec.ReadValue()
		if err != nil {
			return nil, noEOF(err)
		}
		end := int(dec.InputOffset())
		elements = append(elements, raw[end-len(value):end:end])
	}
	return elements, nil
}

// noEOF keeps the end of a text from looking like the end of a connection.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// get is the value of the last member of this name, as readers of JSON agree.
func get(members []member, name string) (json.RawMessage, bool) {
	for _, m := range slices.Backward(members) {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// set replaces the value of a member, or adds the member at the end.
func set(members []member, name string, value json.RawMessage) []member {
	out := without(members, name)
	if len(out) == len(members) {
		return append(out, member{name, value})
	}
	at := slices.IndexFunc(members, func(m member) bool { return m.name == name })
	return slices.Insert(out, at, member{name, value})
}

func without(members []member, name string) []member {
	return slices.DeleteFunc(slices.Clone(members), func(m member) bool { return m.name == name })
}

// object puts members together again.
func object(members []member) json.RawMessage {
	size := 2
	for _, m := range members {
		size += len(m.name) + len(m.value) + 4
	}
	out := append(make([]byte, 0, size), '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendString(out, m.name)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

func appendString(out []byte, text string) []byte {
	quoted, err := jsontext.AppendQuote(out, text)
	if err != nil {
		// Not UTF-8: AppendQuote has put the replacement character.
		return quoted
	}
	return quoted
}

func quote(text string) json.RawMessage { return appendString(nil, text) }

// textOf is a JSON string's text, or "" for anything else.
func textOf(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
