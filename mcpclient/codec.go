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
	// origin is the id of the client's request on whose stream the message
	// came, or 0.
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
	if err := rawjson.Valid(raw, maxNested); err != nil {
		return nil, fmt.Errorf("is %w", err)
	}
	var out []jsonrpc.Message
	err := rawjson.Elements(raw, func(element json.RawMessage) error {
		if len(out) == maxBatch {
			return fmt.Errorf("is a batch of more than %d messages", maxBatch)
		}
		msg, err := decodeMessage(element, origin)
		out = append(out, msg)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// maxBatch is the most messages in a batch.
const maxBatch = 1000

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
		return numberID(n), nil // an id of this client
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

// ourID returns the id of a request of this client, or 0. The client numbers its
// requests from 1.
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
	members := []member{{"jsonrpc", json.RawMessage(`"2.0"`)}}
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		if msg.ID.IsValid() {
			members = append(members, member{"id", appendID(nil, msg.ID, nil)})
		}
		members = append(members, member{"method", quote(msg.Method)})
		if len(msg.Params) > 0 {
			members = append(members, member{"params", msg.Params})
		}
	case *jsonrpc.Response:
		in, _ := msg.Extra.(*inbound)
		members = append(members, member{"id", appendID(nil, msg.ID, in)})
		if msg.Error == nil {
			members = append(members, member{"result", msg.Result})
			break
		}
		remote, ok := errors.AsType[*jsonrpc.Error](msg.Error)
		if !ok {
			remote = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: msg.Error.Error()}
		}
		raw, err := json.Marshal(remote)
		if err != nil {
			return nil, err
		}
		members = append(members, member{"error", raw})
	default:
		return nil, fmt.Errorf("cannot send a %T", msg)
	}
	return onOneLine(object(members))
}

// onOneLine removes line breaks between tokens, which would end the message on a
// pipe; strings contain none.
func onOneLine(message []byte) ([]byte, error) {
	if !bytes.ContainsAny(message, "\r\n") {
		return message, nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, message); err != nil {
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
