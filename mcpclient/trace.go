package mcpclient

import (
	"context"
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

// traceMeta is what a server on pipes is told of the same, in the _meta of a call.
func (c *Client) traceMeta(ctx context.Context) []member {
	if c.config.Command == "" {
		return nil
	}
	parent := trace.Parent(ctx)
	if parent == "" {
		return nil
	}
	meta := []member{{"traceparent", quote(parent)}}
	if state := trace.State(ctx); state != "" {
		meta = append(meta, member{"tracestate", quote(state)})
	}
	return meta
}
