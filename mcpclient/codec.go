package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/gongu-ai/gongu/internal/rawjson"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The messages of a connection are the SDK's; their bytes are read and written
// here. The SDK's own codec needs 32 KiB for every value it looks at, and reads
// member names in any case.

// inbound is what a connection knows about a message beyond its content.
type inbound struct {
	// rawID is a request's id as it came: an id may be any number.
	rawID json.RawMessage
	// origin is the id of our own request on whose stream the message came, or
	// 0.
	origin int64
}

// outbound is what a connection needs beside the message.
type outbound struct {
	version string // of the protocol, in the modern era
	name    string // of the tool, prompt or resource
	params  map[string]string
}

var errNoMessage = errors.New("is no JSON-RPC message")

// decodeMessages reads one message, or the batch that 2025-03-26 allowed.
func decodeMessages(raw []byte, origin int64) ([]jsonrpc.Message, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '[' {
		msg, err := decodeMessage(raw, origin)
		if err != nil {
			return nil, err
		}
		return []jsonrpc.Message{msg}, nil
	}
	elements, err := elementsOf(raw)
	if err != nil {
		return nil, err
	}
	var out []jsonrpc.Message
	for _, element := range elements {
		msg, err := decodeMessage(element, origin)
		if err != nil {
			return nil, err
		}
		out = append(out, msg)
	}
	return out, nil
}

// envelope collects the members of a message; of two with the same name the
// last one counts.
type envelope struct {
	version, id, method, params, result, failure json.RawMessage
}

func (e *envelope) take(name, value json.RawMessage) error {
	switch string(rawjson.Name(name)) {
	case "jsonrpc":
		e.version = value
	case "id":
		e.id = value
	case "method":
		e.method = value
	case "params":
		e.params = value
	case "result":
		e.result = value
	case "error":
		e.failure = value
	}
	return nil
}

func decodeMessage(raw []byte, origin int64) (jsonrpc.Message, error) {
	var e envelope
	if err := notObject(rawjson.CheckedMembers(raw, maxNested, e.take)); err != nil {
		return nil, fmt.Errorf("%w: %v", errNoMessage, err)
	}
	if textOf(e.version) != "2.0" {
		return nil, fmt.Errorf("%w: it does not say \"jsonrpc\":\"2.0\"", errNoMessage)
	}
	id, err := idOf(e.id)
	if err != nil {
		return nil, err
	}
	about := &inbound{e.id, origin}
	switch {
	case e.method != nil:
		return &jsonrpc.Request{ID: id, Method: textOf(e.method), Params: e.params, Extra: about}, nil
	case !isNull(e.failure): // some write both, one of them null
		remote := &jsonrpc.Error{}
		if json.Unmarshal(e.failure, remote) != nil {
			remote = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: string(cut(e.failure, 300))}
		}
		return &jsonrpc.Response{ID: id, Error: remote, Extra: about}, nil
	case e.result != nil:
		return &jsonrpc.Response{ID: id, Result: e.result, Extra: about}, nil
	}
	return nil, fmt.Errorf("%w: it has neither method, result nor error", errNoMessage)
}

func idOf(raw json.RawMessage) (jsonrpc.ID, error) {
	if isNull(raw) {
		return jsonrpc.ID{}, nil
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && n > 0 && n < 1<<53 {
		return numberID(n), nil // one of ours
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return jsonrpc.ID{}, fmt.Errorf("%w: its id is broken", errNoMessage)
	}
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		return jsonrpc.ID{}, fmt.Errorf("%w: its id is neither a number nor a text", errNoMessage)
	}
	return id, nil
}

// ourID is the number of one of our own requests, or 0: we give numbers from 1
// and nobody else's count.
func ourID(id jsonrpc.ID) int64 {
	n, ok := id.Raw().(int64)
	if !ok {
		return 0
	}
	return n
}

func numberID(n int64) jsonrpc.ID {
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil {
		return jsonrpc.ID{} // a float64 is always accepted
	}
	return id
}

// encodeMessage writes a message on one line.
func encodeMessage(msg jsonrpc.Message) ([]byte, error) {
	const begin = `{"jsonrpc":"2.0"`
	var out []byte
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		out = append(make([]byte, 0, len(begin)+len(msg.Method)+len(msg.Params)+64), begin...)
		if msg.ID.IsValid() {
			out = append(out, `,"id":`...)
			out = appendID(out, msg.ID, nil)
		}
		out = append(out, `,"method":`...)
		out = appendString(out, msg.Method)
		if len(msg.Params) > 0 {
			out = append(out, `,"params":`...)
			return closeWith(out, msg.Params)
		}
		return append(out, '}'), nil
	case *jsonrpc.Response:
		out = append(out, begin...)
		in, _ := msg.Extra.(*inbound)
		out = append(out, `,"id":`...)
		out = appendID(out, msg.ID, in)
		if msg.Error != nil {
			remote, ok := errors.AsType[*jsonrpc.Error](msg.Error)
			if !ok {
				remote = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: msg.Error.Error()}
			}
			raw, err := json.Marshal(remote)
			if err != nil {
				return nil, err
			}
			out = append(out, `,"error":`...)
			return closeWith(out, raw)
		}
		out = append(out, `,"result":`...)
		return closeWith(out, msg.Result)
	}
	return nil, fmt.Errorf("cannot send a %T", msg)
}

// closeWith adds the payload.
func closeWith(out []byte, payload json.RawMessage) ([]byte, error) {
	payload, err := onOneLine(payload)
	if err != nil {
		return nil, err
	}
	return append(append(out, payload...), '}'), nil
}

// onOneLine takes line breaks between tokens out, which would end the message
// on a pipe; inside texts there are none.
func onOneLine(payload json.RawMessage) (json.RawMessage, error) {
	if bytes.IndexByte(payload, '\n') < 0 && bytes.IndexByte(payload, '\r') < 0 {
		return payload, nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, payload); err != nil {
		return nil, fmt.Errorf("the payload is not JSON: %w", err)
	}
	return compact.Bytes(), nil
}

func appendID(out []byte, id jsonrpc.ID, in *inbound) []byte {
	if in != nil && len(in.rawID) > 0 {
		return append(out, in.rawID...)
	}
	switch value := id.Raw().(type) {
	case int64:
		return strconv.AppendInt(out, value, 10)
	case string:
		return appendString(out, value)
	}
	return append(out, "null"...)
}

func cut(raw []byte, limit int) []byte {
	if len(raw) > limit {
		return raw[:limit]
	}
	return raw
}
