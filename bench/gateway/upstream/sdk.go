package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkEndpoint is the same server as anybody would write it: with the Go SDK,
// which checks the arguments against the schema and encodes each answer.
type sdkEndpoint struct {
	mu       sync.Mutex
	handlers map[string]http.Handler // by the path below /mcp
}

func newSDKEndpoint() *sdkEndpoint { return &sdkEndpoint{handlers: map[string]http.Handler{}} }

func (e *sdkEndpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/mcp"), "/")
	count := defaultTools
	if path != "" {
		n, err := strconv.Atoi(path)
		if err != nil || n < 1 || n > maxTools {
			http.NotFound(w, r)
			return
		}
		count = n
	}
	e.handler(path, count).ServeHTTP(w, r)
}

func (e *sdkEndpoint) handler(path string, count int) http.Handler {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.handlers[path] == nil {
		server := newSDKServer(count)
		// Only the mode without sessions has both eras on one address.
		e.handlers[path] = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
			&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	}
	return e.handlers[path]
}

func newSDKServer(count int) *mcp.Server {
	type echo struct {
		Text string `json:"text" jsonschema:"Any text."`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "upstream", Version: "1.0.0"}, nil)
	closed := false
	mcp.AddTool(server, &mcp.Tool{
		Name: "echo", Description: "Gives the text back as it came.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed},
	}, func(_ context.Context, _ *mcp.CallToolRequest, in echo) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
	for i := 1; i < count; i++ {
		var tool mcp.Tool
		if err := json.Unmarshal(fmt.Appendf(nil, otherTool, i), &tool); err != nil {
			panic(err) // the text above is ours
		}
		server.AddTool(&tool, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
		})
	}
	return server
}
