package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/gongu-ai/gongu/internal/rawjson"
)

// message is one JSON-RPC message, scanned and not decoded. Its parts are slices
// of the bytes it was read from.
type message struct {
	id     json.RawMessage // nil for a notification
	method string
	params json.RawMessage
	result json.RawMessage // of a response
	error  json.RawMessage
}

func (m *message) isRequest() bool      { return m.method != "" && m.id != nil }
func (m *message) isNotification() bool { return m.method != "" && m.id == nil }
func (m *message) isResponse() bool     { return m.method == "" }

var (
	errNotJSON   = errors.New("the message is not valid JSON")
	errTooDeep   = errors.New("the message is nested too deeply")
	errNotObject = errors.New("the message is not a JSON object")
	errTwice     = errors.New("a member of the message is given twice")
	errVersion   = errors.New(`the message lacks "jsonrpc":"2.0"`)
	errBadID     = errors.New("the id must be a string or an integer")
	errNeither   = errors.New("the message is neither a request nor a response")
)

// wellFormed checks the syntax of a whole message. The check of the tool's
// arguments finds repeated names and invalid UTF-8.
func wellFormed(raw []byte, depth int) error { return problemOf(rawjson.Valid(raw, depth)) }

func problemOf(err error) error {
	switch {
	case errors.Is(err, rawjson.ErrDepth):
		return errTooDeep
	case errors.Is(err, rawjson.ErrSyntax):
		return errNotJSON
	}
	return err
}

// scan reads the envelope of a well-formed message.
func scan(raw []byte) (message, error) {
	var e envelope
	err := rawjson.Members(raw, e.take)
	return e.message(err)
}

// scanChecked is scan for a message whose syntax was not checked.
func scanChecked(raw []byte, depth int) (message, error) {
	var e envelope
	err := rawjson.CheckedMembers(raw, depth, e.take)
	if errors.Is(err, rawjson.ErrSyntax) || errors.Is(err, rawjson.ErrDepth) {
		return message{}, problemOf(err)
	}
	return e.message(err)
}

// envelope collects the members of a message.
type envelope struct {
	m              message
	seen           int
	version, twice bool
}

func (e *envelope) take(name, value json.RawMessage) error {
	bit := 0
	switch string(rawjson.Name(name)) {
	case "jsonrpc":
		bit, e.version = 1, string(value) == `"2.0"`
	case "id":
		bit, e.m.id = 2, value
	case "method":
		bit, e.m.method = 4, text(value)
	case "params":
		bit, e.m.params = 8, value
	case "result":
		bit, e.m.result = 16, value
	case "error":
		bit, e.m.error = 32, value
	}
	e.twice = e.twice || e.seen&bit != 0
	e.seen |= bit
	return nil
}

func (e *envelope) message(err error) (message, error) {
	m := e.m
	id, bad := m.id, m.id != nil && !validID(m.id)
	if bad {
		m.id = nil // an invalid id is never sent back
	}
	switch {
	case errors.Is(err, rawjson.ErrKind):
		return m, errNotObject
	case err != nil:
		return m, problemOf(err)
	case e.twice:
		return m, errTwice
	case !e.version:
		return m, errVersion
	case bad:
		if m.method == "" && string(id) == "null" && (m.result != nil || m.error != nil) {
			return m, nil // a response to a message without id
		}
		return m, errBadID
	case m.method == "" && (m.id == nil || m.result == nil && m.error == nil):
		return m, errNeither
	}
	return m, nil
}

// validID reports whether an id is a string or an integer, as MCP requires.
func validID(id json.RawMessage) bool {
	if len(id) == 0 || len(id) > 256 {
		return false
	}
	if id[0] == '"' {
		return utf8.Valid(id) // it is sent back
	}
	_, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil
}

// members calls fn for each member of a well-formed object. Values are slices
// of raw.
func members(raw []byte, fn func(name string, value json.RawMessage) error) error {
	err := rawjson.Members(raw, func(name, value json.RawMessage) error { return fn(rawjson.Text(name), value) })
	if errors.Is(err, rawjson.ErrKind) {
		return errNotObject
	}
	return problemOf(err)
}

// edited returns a well-formed object with the values that edit returns; nil
// removes a member.
func edited(object json.RawMessage, edit func(name string, value json.RawMessage) json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	err := members(object, func(name string, value json.RawMessage) error {
		if value = edit(name, value); value == nil {
			return nil
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(quote(out, name), ':'), value...)
		return nil
	})
	if err != nil {
		return object
	}
	return append(out, '}')
}

// replaced returns an object with another value for one of its members.
func replaced(object json.RawMessage, field string, with []byte) json.RawMessage {
	return edited(object, func(name string, value json.RawMessage) json.RawMessage {
		if name == field {
			return with
		}
		return value
	})
}

// without returns an object without one of its members.
func without(object json.RawMessage, field string) json.RawMessage {
	return replaced(object, field, nil)
}

// elements splits a well-formed array.
func elements(raw []byte) ([]json.RawMessage, error) { return elementsUpTo(raw, len(raw)) }

// errEnough ends the splitting of an array.
var errEnough = errors.New("enough")

// elementsUpTo splits a well-formed array. It stops at one element more than
// allowed, so that a long array takes no memory.
func elementsUpTo(raw []byte, most int) ([]json.RawMessage, error) {
	var out []json.RawMessage
	err := rawjson.Elements(raw, func(value json.RawMessage) error {
		out = append(out, value)
		if len(out) > most {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return out, err
}

// text returns the text of a JSON string, "" for anything else.
func text(raw []byte) string { return rawjson.Text(raw) }

// member returns the value of one name of an object, or nil.
func member(raw []byte, name string) json.RawMessage { return rawjson.Member(raw, name) }

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func quote(out []byte, s string) []byte { return rawjson.AppendText(out, s) }

// marshal encodes a value of this package, which cannot fail.
func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
