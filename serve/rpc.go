package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/gongu-ai/gongu/internal/lang"
)

// The codes of JSON-RPC and MCP.
const (
	codeParse      = -32700
	codeInvalid    = -32600
	codeNoMethod   = -32601
	codeParams     = -32602
	codeInternal   = -32603
	codeServer     = -32000
	codeResource   = -32002 // unknown resource, before 2026-07-28
	codeHeader     = -32020
	codeCapability = -32021
	codeRevision   = -32022
)

// rpcError is an error response.
type rpcError struct {
	code    int
	message string
	data    json.RawMessage
	status  int // of HTTP, in the modern era; 0 is 200
}

func failf(code int, format string, args ...any) *rpcError {
	return &rpcError{code: code, message: fmt.Sprintf(format, args...)}
}

func (s *Server) fail(code int, text lang.Text, args ...any) *rpcError {
	return &rpcError{code: code, message: text.In(s.lang, args...)}
}

func (e *rpcError) with(status int) *rpcError {
	e.status = status
	return e
}

func (e *rpcError) withData(v any) *rpcError {
	e.data = marshal(v)
	return e
}

// httpStatus returns the status of a modern response. Sessions answer with 200,
// because their clients do not read the body of other statuses.
func (e *rpcError) httpStatus() int {
	if e.status == 0 {
		return http.StatusOK
	}
	return e.status
}

func (e *rpcError) json(out []byte) []byte {
	out = append(out, `{"code":`...)
	out = strconv.AppendInt(out, int64(e.code), 10)
	out = append(out, `,"message":`...)
	out = quote(out, e.message)
	if e.data != nil {
		out = append(append(out, `,"data":`...), e.data...)
	}
	return append(out, '}')
}

// rpcErrorOf reads what json wrote.
func rpcErrorOf(raw json.RawMessage) *rpcError {
	code, err := strconv.Atoi(string(member(raw, "code")))
	if err != nil {
		code = codeInternal
	}
	return &rpcError{code: code, message: text(member(raw, "message")), data: member(raw, "data")}
}

// appendAnswer appends the response to a request.
func appendAnswer(out []byte, id, result json.RawMessage, err *rpcError) []byte {
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		out = append(out, "null"...)
	} else {
		out = append(out, id...)
	}
	if err != nil {
		return append(err.json(append(out, `,"error":`...)), '}')
	}
	out = append(append(out, `,"result":`...), result...)
	return append(out, '}')
}

// notification encodes a notification.
func notification(method string, params json.RawMessage) []byte {
	out := append(make([]byte, 0, 64+len(method)+len(params)), `{"jsonrpc":"2.0","method":`...)
	out = quote(out, method)
	if params != nil {
		out = append(append(out, `,"params":`...), params...)
	}
	return append(out, '}')
}

// question encodes a request to the client.
func question(id int64, method string, params json.RawMessage) []byte {
	out := append(make([]byte, 0, 64+len(method)+len(params)), `{"jsonrpc":"2.0","id":`...)
	out = strconv.AppendInt(out, id, 10)
	out = append(quote(append(out, `,"method":`...), method), `,"params":`...)
	if isNull(params) {
		params = json.RawMessage(`{}`)
	}
	return append(append(out, params...), '}')
}
