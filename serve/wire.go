package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// message is one JSON-RPC message, scanned and not decoded. Its parts lie in
// the bytes it was read from.
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

// wellFormed checks the syntax of a whole message, whoever reads its parts
// later. Repeated names and broken runes inside arguments are the matter of the
// tool's own check, which says more about them.
func wellFormed(raw []byte, depth int) error {
	if tooDeep(raw, depth) {
		return errTooDeep
	}
	if !jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return errNotJSON
	}
	return nil
}

// tooDeep counts brackets outside of strings, before anything recursive sees
// them.
func tooDeep(raw []byte, most int) bool {
	if bytes.Count(raw, []byte{'{'})+bytes.Count(raw, []byte{'['}) <= most {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// scan reads the envelope of a well-formed message.
func scan(raw []byte) (message, error) {
	var m message
	var version bool
	seen := 0
	err := members(raw, func(name string, value json.RawMessage) error {
		bit := 0
		switch name {
		case "jsonrpc":
			bit, version = 1, string(value) == `"2.0"`
		case "id":
			bit, m.id = 2, value
		case "method":
			bit, m.method = 4, text(value)
		case "params":
			bit, m.params = 8, value
		case "result":
			bit, m.result = 16, value
		case "error":
			bit, m.error = 32, value
		}
		if seen&bit != 0 {
			return errTwice
		}
		seen |= bit
		return nil
	})
	id, bad := m.id, m.id != nil && !validID(m.id)
	if bad {
		m.id = nil // whatever else is wrong: nothing is sent back that is no id
	}
	switch {
	case err != nil:
		return m, err
	case !version:
		return m, errVersion
	case bad:
		if m.method == "" && string(id) == "null" && (m.result != nil || m.error != nil) {
			return m, nil // a response to something that had no id
		}
		return m, errBadID
	case m.method == "" && (m.id == nil || m.result == nil && m.error == nil):
		return m, errNeither
	}
	return m, nil
}

// validID takes strings and integers, as MCP does.
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
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '{' {
		return errNotObject
	}
	i = space(raw, i+1)
	for i < len(raw) && raw[i] != '}' {
		end := skip(raw, i)
		name := raw[i:end]
		i = space(raw, end)
		if i >= len(raw) || raw[i] != ':' {
			return errNotJSON
		}
		i = space(raw, i+1)
		end = skip(raw, i)
		if err := fn(text(name), raw[i:end:end]); err != nil {
			return err
		}
		i = space(raw, end)
		if i < len(raw) && raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
	return nil
}

// elements splits a well-formed array.
func elements(raw []byte) ([]json.RawMessage, error) { return elementsUpTo(raw, len(raw)) }

// elementsUpTo splits a well-formed array, and returns one element more than
// allowed where there are too many: their number costs no memory.
func elementsUpTo(raw []byte, most int) ([]json.RawMessage, error) {
	i := space(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return nil, errors.New("not a JSON array")
	}
	var out []json.RawMessage
	i = space(raw, i+1)
	for i < len(raw) && raw[i] != ']' && len(out) <= most {
		end := skip(raw, i)
		out = append(out, raw[i:end:end])
		i = space(raw, end)
		if i < len(raw) && raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
	return out, nil
}

func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r') {
		i++
	}
	return i
}

// skip finds the end of the value that begins at i. It always moves on.
func skip(raw []byte, i int) int {
	if i >= len(raw) {
		return i
	}
	switch raw[i] {
	case '"':
		return skipString(raw, i)
	case '{', '[':
		depth := 0
		for ; i < len(raw); i++ {
			switch raw[i] {
			case '"':
				i = skipString(raw, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return len(raw)
	}
	start := i
	for i < len(raw) && !bytes.ContainsRune([]byte(",}] \n\t\r:"), rune(raw[i])) {
		i++
	}
	return max(i, min(start+1, len(raw)))
}

func skipString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// text is the text of a JSON string, "" for anything else. Without escapes it
// is read off the bytes.
func text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	out, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return ""
	}
	return string(out)
}

// member is the value of one name of an object, or nil.
func member(raw []byte, name string) json.RawMessage {
	var found json.RawMessage
	if len(raw) == 0 {
		return nil
	}
	_ = members(raw, func(n string, value json.RawMessage) error { // not an object: nothing found
		if n == name {
			found = value
		}
		return nil
	})
	return found
}

func isObject(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '{' }

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func quote(out []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(out, s)
	if err != nil {
		return quoted // not UTF-8: the replacement character stands in
	}
	return quoted
}

// marshal encodes what this package made itself.
func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
