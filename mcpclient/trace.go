package mcpclient

import (
	"context"
	"net/http"

	"github.com/gongu-ai/gongu/internal/trace"
)

// setTrace sets the trace headers of a request over HTTP: those of its caller,
// not those of the caller that connected first.
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

// traceMeta returns the same for the _meta of a call to a server on pipes.
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
