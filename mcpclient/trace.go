package mcpclient

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/gongu-ai/gongu/internal/trace"
)

// setTrace tells a server over HTTP which trace a request belongs to: that of
// its caller, not that of whoever connected first.
func setTrace(ctx context.Context, header http.Header) {
	parent := trace.Parent(ctx)
	if parent == "" {
		return
	}
	header["Traceparent"] = []string{parent}
	if state := trace.State(ctx); state != "" {
		header["Tracestate"] = []string{state}
	}
}

// inTrace tells a server on pipes the same, in the _meta of a call, which has
// none of its own yet.
func (c *Client) inTrace(ctx context.Context, params json.RawMessage) json.RawMessage {
	parent := trace.Parent(ctx)
	if parent == "" || c.config.Command == "" || len(params) < 2 {
		return params
	}
	meta := []member{{"traceparent", quote(parent)}}
	if state := trace.State(ctx); state != "" {
		meta = append(meta, member{"tracestate", quote(state)})
	}
	traced := append(json.RawMessage(`{"_meta":`), object(meta)...)
	return append(append(traced, ','), params[1:]...)
}
