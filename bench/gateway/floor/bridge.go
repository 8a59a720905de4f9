package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bridge is the gateway that anybody would write first: for each tool of the
// upstream a tool of its own that calls it, all with the SDK and its defaults.
type bridge struct {
	upstream string
	mu       sync.Mutex
	handlers map[string]http.Handler // by the path below /mcp
}

func newBridge(ctx context.Context, upstream string) (http.Handler, error) {
	b := &bridge{upstream: upstream, handlers: map[string]http.Handler{}}
	if _, err := b.handler(ctx, ""); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/mcp")
	if _, err := strconv.Atoi(strings.TrimPrefix(path, "/")); path != "" && err != nil {
		http.NotFound(w, r)
		return
	}
	handler, err := b.handler(r.Context(), path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	handler.ServeHTTP(w, r)
}

// handler connects to the upstream at its first use.
func (b *bridge) handler(ctx context.Context, path string) (http.Handler, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h := b.handlers[path]; h != nil {
		return h, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "bridge", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: b.upstream + path, HTTPClient: &http.Client{Transport: newTransport()},
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", b.upstream+path, err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "bridge", Version: "1.0.0"}, nil)
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list the tools: %w", err)
		}
		server.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return session.CallTool(ctx, &mcp.CallToolParams{Name: req.Params.Name, Arguments: req.Params.Arguments})
		})
	}
	// Only the mode without sessions has both eras on one address.
	b.handlers[path] = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return b.handlers[path], nil
}
