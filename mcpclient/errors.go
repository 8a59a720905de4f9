package mcpclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/lang"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Reason is why a request failed, in one word for programs.
type Reason string

// The reasons.
const (
	// ReasonConfig: a secret is missing, or the program does not exist.
	ReasonConfig Reason = "config"
	// ReasonConnect: no connection could be made.
	ReasonConnect Reason = "connect"
	// ReasonAuth: the server requires an authorization that is missing.
	ReasonAuth Reason = "auth"
	// ReasonResting: it failed several times, and requests are rejected for a
	// while.
	ReasonResting Reason = "resting"
	// ReasonBusy: too many requests wait already.
	ReasonBusy Reason = "busy"
	// ReasonTimeout: it did not answer in time.
	ReasonTimeout Reason = "timeout"
	// ReasonCancelled: the caller cancelled the request.
	ReasonCancelled Reason = "cancelled"
	// ReasonBroken: the connection ended before the answer came.
	ReasonBroken Reason = "broken"
	// ReasonProtocol: it sent something that is not valid MCP.
	ReasonProtocol Reason = "protocol"
	// ReasonTooLarge: the answer is larger than allowed.
	ReasonTooLarge Reason = "too-large"
	// ReasonRemote: the server answered with an error.
	ReasonRemote Reason = "remote"
	// ReasonClosed: the client was closed.
	ReasonClosed Reason = "closed"
)

// Error is the failure of a request.
type Error struct {
	Server string
	Reason Reason
	// Sent says that the server may have received the request, and so may have
	// executed it.
	Sent bool
	Err  error
}

// Error names the server and the cause.
func (e *Error) Error() string {
	return fmt.Sprintf("mcp server %s: %v", e.Server, e.Err)
}

// Unwrap is the cause: of a ReasonRemote a *jsonrpc.Error.
func (e *Error) Unwrap() error { return e.Err }

// fault is an Error without the name of the server.
type fault struct {
	reason Reason
	sent   bool
	err    error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// faultOf converts any error of the layers below.
func faultOf(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	if remote, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return &fault{reason: ReasonRemote, sent: true, err: remote}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{reason: ReasonTimeout, sent: true, err: err}
	case errors.Is(err, context.Canceled):
		return &fault{reason: ReasonCancelled, sent: true, err: err}
	}
	return &fault{reason: ReasonBroken, sent: true, err: err}
}

func faultf(reason Reason, sent bool, format string, args ...any) *fault {
	return &fault{reason: reason, sent: sent, err: fmt.Errorf(format, args...)}
}

// toolError converts the error for a model: a code it can act on, and what
// happened.
func (e *Error) toolError(l lang.Lang, repeatable bool) *gongu.Error {
	text := func(code string, t lang.Text, args ...any) *gongu.Error {
		return &gongu.Error{Code: code, Message: t.In(l, args...)}
	}
	switch e.Reason {
	case ReasonTimeout:
		if !e.Sent && !errors.Is(e.Err, context.DeadlineExceeded) {
			return text(gongu.CodeUnavailable, lang.McpUnavailable, e.Server, e.Err)
		}
		return text(gongu.CodeTimeout, lang.McpTimeout, e.Server, e.Err)
	case ReasonCancelled:
		return text(gongu.CodeCancelled, lang.McpCancelled, e.Server)
	case ReasonTooLarge:
		return text(gongu.CodeOutputTooLarge, lang.McpTooLarge, e.Server, e.Err)
	case ReasonRemote, ReasonProtocol:
		if remote, ok := errors.AsType[*jsonrpc.Error](e.Err); ok {
			return text(gongu.CodeTool, lang.McpRemote, e.Server, remote.Message, remote.Code)
		}
		return text(gongu.CodeTool, lang.McpProtocol, e.Server, e.Err)
	case ReasonBusy:
		return text(gongu.CodeUnavailable, lang.McpBusy, e.Server)
	case ReasonResting:
		return text(gongu.CodeUnavailable, lang.McpResting, e.Server, e.Err)
	case ReasonAuth:
		return text(gongu.CodeUnavailable, lang.McpAuth, e.Server, e.Err)
	}
	if e.Sent && !repeatable {
		return text(gongu.CodeOutcomeUnknown, lang.McpOutcomeUnknown, e.Server, e.Err)
	}
	return text(gongu.CodeUnavailable, lang.McpUnavailable, e.Server, e.Err)
}
