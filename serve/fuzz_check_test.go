package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The fuzz targets hold the server against a second reading of JSON-RPC, which
// is slow and simple and shares nothing with the server's own.

// reading is how a message reads.
type reading int

const (
	broken  reading = iota // no JSON
	unclear                // JSON that may be read in more than one way, or nothing of JSON-RPC
	asks                   // a request
	tells                  // a notification
	answers                // a response
)

// fuzzDepth is the nesting that the server takes by default.
const fuzzDepth = 128

// read says what a message is, its id as canonical text, and its members.
func read(raw []byte) (reading, string, map[string]json.RawMessage) {
	if !json.Valid(raw) {
		return broken, "", nil
	}
	if !jsontext.Value(raw).IsValid() || depth(raw) > fuzzDepth {
		return unclear, "", nil // names given twice, broken runes
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || string(members["jsonrpc"]) != `"2.0"` {
		return unclear, "", nil
	}
	id, hasID := idOf(members["id"])
	var method string
	hasMethod := json.Unmarshal(members["method"], &method) == nil && method != ""
	switch {
	case hasMethod && hasID:
		return asks, id, members
	case hasMethod && members["id"] == nil:
		return tells, "", members
	case members["method"] == nil && hasID && (members["result"] != nil) != (members["error"] != nil):
		return answers, id, members
	}
	return unclear, "", nil
}

// idOf is an id as text that is the same for equal ids.
func idOf(raw json.RawMessage) (string, bool) {
	var text string
	if len(raw) > 0 && raw[0] == '"' && len(raw) <= 256 && json.Unmarshal(raw, &text) == nil {
		return strconv.Quote(text), true
	}
	number, err := strconv.ParseInt(string(raw), 10, 64)
	return strconv.FormatInt(number, 10), err == nil
}

func depth(raw []byte) int {
	dec := json.NewDecoder(bytes.NewReader(raw))
	deep, deepest := 0, 0
	for {
		token, err := dec.Token()
		if err != nil {
			return deepest
		}
		if d, ok := token.(json.Delim); ok {
			if d == '{' || d == '[' {
				deep++
			} else {
				deep--
			}
			deepest = max(deepest, deep)
		}
	}
}

// said counts what the server sent, by id; "null" is the id of answers to what
// had none.
type said struct {
	answers map[string]int
	codes   map[string]int // the last code of an error, by id
}

func newSaid() *said { return &said{map[string]int{}, map[string]int{}} }

// take reads one message of the server and says what is wrong with it.
func (s *said) take(raw []byte) error {
	if !utf8.Valid(raw) {
		return fmt.Errorf("not UTF-8: %q", raw)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return fmt.Errorf("not a JSON object: %q: %w", raw, err)
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return fmt.Errorf("not JSON-RPC 2.0: %s", raw)
	}
	if members["method"] != nil {
		var method string
		if json.Unmarshal(members["method"], &method) != nil || method == "" || members["result"] != nil || members["error"] != nil {
			return fmt.Errorf("a request that is none: %s", raw)
		}
		return nil
	}
	if (members["result"] != nil) == (members["error"] != nil) || members["id"] == nil {
		return fmt.Errorf("a response that is none: %s", raw)
	}
	id, ok := idOf(members["id"])
	if !ok && string(members["id"]) != "null" {
		return fmt.Errorf("the id of no request: %s", raw)
	}
	if !ok {
		id = "null"
	}
	s.answers[id]++
	if members["error"] == nil {
		if !bytes.HasPrefix(members["result"], []byte("{")) {
			return fmt.Errorf("a result that is no object: %s", raw)
		}
		return nil
	}
	var e struct {
		Code    *int
		Message *string
	}
	if json.Unmarshal(members["error"], &e) != nil || e.Code == nil || e.Message == nil {
		return fmt.Errorf("an error that is none: %s", raw)
	}
	s.codes[id] = *e.Code
	return nil
}

// takeAll reads a message, or a batch of them.
func (s *said) takeAll(raw []byte) error {
	var batch []json.RawMessage
	if json.Unmarshal(raw, &batch) != nil {
		batch = []json.RawMessage{raw}
	}
	for _, one := range batch {
		if err := s.take(one); err != nil {
			return err
		}
	}
	return nil
}

// takeEvents reads an event stream.
func (s *said) takeEvents(body string) error {
	for event := range strings.SplitSeq(body, "\n\n") {
		data, named := "", false
		for line := range strings.Lines(event) {
			line = strings.TrimSuffix(line, "\n")
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "data":
				data += value
			case "event":
				named = true
			case "id", "retry", "":
			default:
				return fmt.Errorf("a line that belongs to no event: %q", line)
			}
		}
		if data == "" || named {
			continue
		}
		if err := s.take([]byte(data)); err != nil {
			return err
		}
	}
	return nil
}
