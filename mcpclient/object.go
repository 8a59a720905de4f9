package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// member is one name and value of a JSON object, the value as it came.
type member struct {
	name  string
	value json.RawMessage
}

// maxNested is how deep a message may nest.
const maxNested = 10_000

// membersOf splits an object into its members, and checks the syntax of all of
// it. It accepts duplicate names and invalid UTF-8, because it only passes them
// on. The values are slices of raw.
func membersOf(raw []byte) ([]member, error) {
	var members []member
	err := rawjson.CheckedMembers(raw, maxNested, func(name, value json.RawMessage) error {
		members = append(members, member{rawjson.Text(name), value})
		return nil
	})
	return members, notObject(err)
}

func notObject(err error) error {
	if errors.Is(err, rawjson.ErrKind) {
		return errors.New("is not a JSON object")
	}
	if err != nil {
		return fmt.Errorf("is %w", err)
	}
	return nil
}

// elementsOf splits an array into its elements, and checks the syntax of all of
// it.
func elementsOf(raw []byte) ([]json.RawMessage, error) {
	if err := rawjson.Valid(raw, maxNested); err != nil {
		return nil, fmt.Errorf("is %w", err)
	}
	var elements []json.RawMessage
	err := rawjson.Elements(raw, func(value json.RawMessage) error {
		elements = append(elements, value)
		return nil
	})
	if err != nil {
		return nil, errors.New("is not a JSON array")
	}
	return elements, nil
}

// get returns the value of the last member of this name.
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

// object encodes members as an object.
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

func appendString(out []byte, text string) []byte { return rawjson.AppendText(out, text) }

func quote(text string) json.RawMessage { return appendString(nil, text) }

// textOf returns the text of a JSON string, or "" for anything else.
func textOf(raw json.RawMessage) string { return rawjson.Text(raw) }

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }
