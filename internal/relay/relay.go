// Package relay lets a call of MCP pass through an executor without losing
// what the executor's own types do not carry: the exact bytes of an upstream's
// result, the capabilities of the client, and the answers it gives to a tool
// that asks for input.
//
// A server puts a [Call] into the context of a call; the handler of an
// upstream's tool finds it with [Of]. Catalog, arguments, guards and limits are
// the executor's as ever: only what comes out of them unchanged is passed on.
package relay

import (
	"context"
	"encoding/json"
	"sync"
)

// Call is one call on its way from a client of MCP to a tool.
type Call struct {
	// Tool is the one that the client called; "" is any. What that tool calls
	// in turn is not on its way to the client.
	Tool string
	// Direct says that the result of the tool goes to the client as it is.
	Direct bool
	// Capabilities are what the client declared, a JSON object.
	Capabilities json.RawMessage
	// Modern says that the client takes a result that asks for input, and
	// comes again with the answers.
	Modern bool
	// Responses are the client's inputResponses, a JSON object or nothing.
	Responses json.RawMessage
	// LogLevel is the lowest level of messages that the client wants.
	LogLevel string
	// State is the requestState that the tool gave before, or "".
	State string
	// Roots asks the client for its roots; nil means that it has none.
	Roots func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)

	mu                    sync.Mutex
	result                json.RawMessage
	output, content, meta json.RawMessage
	refusal               *Refusal
}

// Refusal is an error of the protocol that an upstream answered with.
type Refusal struct {
	Code    int
	Message string
	Data    json.RawMessage
}

type key struct{}

// With attaches a call to a context.
func With(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, key{}, c)
}

// Of returns the call of a context, or nil.
func Of(ctx context.Context) *Call {
	c, _ := ctx.Value(key{}).(*Call)
	return c
}

// To returns the call if it is one to this tool, and else nil.
func (c *Call) To(tool string) *Call {
	if c == nil || c.Tool != "" && c.Tool != tool {
		return nil
	}
	return c
}

// Keep remembers a result as the upstream gave it, and the parts of it that
// the handler answers with. A second result replaces the first: a tool that
// calls tools passes none of them on as its own.
func (c *Call) Keep(result, output, content, meta json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result, c.output, c.content, c.meta = result, output, content, meta
}

// Passed returns the upstream's result if these parts, which came out of the
// executor, are the very bytes that the handler put in. A part that a
// middleware or a limit replaced is another slice, even where the text is the
// same.
func (c *Call) Passed(output, content, meta json.RawMessage) (json.RawMessage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.result == nil || !same(c.content, content) || !same(c.meta, meta) {
		return nil, false
	}
	// An executor puts null where a handler gives no output.
	if !same(c.output, output) && !(len(c.output) == 0 && string(output) == "null") {
		return nil, false
	}
	return c.result, true
}

// Refuse remembers that the upstream answered with an error of the protocol
// and not with a result.
func (c *Call) Refuse(r Refusal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusal = &r
}

// Refused returns the error of the protocol that the upstream answered with,
// or nil.
func (c *Call) Refused() *Refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refusal
}

func same(a, b json.RawMessage) bool {
	if len(a) != len(b) {
		return false
	}
	return len(a) == 0 || &a[0] == &b[0]
}
