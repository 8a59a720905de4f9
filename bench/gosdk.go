package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newGoSDK is the official MCP SDK with client and server in this process.
func newGoSDK(ctx context.Context) (contestant, error) {
	implementation := &mcp.Implementation{Name: "bench", Version: "1"}
	server := mcp.NewServer(implementation, nil)
	tool := &mcp.Tool{Name: toolName, Description: toolDescription, InputSchema: json.RawMessage(noteSchema)}
	mcp.AddTool(server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in note) (*mcp.CallToolResult, note, error) {
		out, err := echo(ctx, in)
		return nil, out, err
	})
	clientSide, serverSide := mcp.NewInMemoryTransports()
	serving, err := server.Connect(ctx, serverSide, nil)
	if err != nil {
		return contestant{}, err
	}
	session, err := mcp.NewClient(implementation, nil).Connect(ctx, clientSide, nil)
	if err != nil {
		return contestant{}, errors.Join(err, serving.Close())
	}
	prepare := func(args []byte) caller {
		return func(ctx context.Context) (answer, error) {
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: toolName, Arguments: json.RawMessage(args)})
			if err != nil {
				return answer{}, err
			}
			if result.IsError {
				return answer{}, errRefused
			}
			if len(result.Content) == 0 {
				return answer{}, errors.New("no content")
			}
			text, ok := result.Content[0].(*mcp.TextContent)
			if !ok {
				return answer{}, errors.New("the content is not text")
			}
			return answer{text: text.Text}, nil
		}
	}
	stop := func() {
		// What a session says when it ends is of no use to a measurement.
		_ = session.Close()
		_ = serving.Wait()
	}
	return contestant{
		name: "MCP go-sdk", refuses: true, prepare: prepare, close: stop,
		note: "client to server in memory, schema checked both ways; includes the JSON-RPC of both sides",
	}, nil
}
