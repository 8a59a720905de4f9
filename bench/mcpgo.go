package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// newMCPGo is mark3labs/mcp-go with client and server in this process.
func newMCPGo(ctx context.Context) (contestant, error) {
	serving := server.NewMCPServer("bench", "1", server.WithInputSchemaValidation())
	tool := mcp.NewToolWithRawSchema(toolName, toolDescription, json.RawMessage(noteSchema))
	serving.AddTool(tool, mcp.NewStructuredToolHandler(func(ctx context.Context, _ mcp.CallToolRequest, in note) (note, error) {
		return echo(ctx, in)
	}))
	session, err := client.NewInProcessClient(serving)
	if err != nil {
		return contestant{}, err
	}
	if err := session.Start(ctx); err != nil {
		return contestant{}, err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1"}
	if _, err := session.Initialize(ctx, hello); err != nil {
		return contestant{}, errors.Join(err, session.Close())
	}
	prepare := func(args []byte) caller {
		return func(ctx context.Context) (answer, error) {
			var request mcp.CallToolRequest
			request.Params.Name, request.Params.Arguments = toolName, json.RawMessage(args)
			result, err := session.CallTool(ctx, request)
			if err != nil {
				return answer{}, err
			}
			if result.IsError {
				return answer{}, errRefused
			}
			if len(result.Content) == 0 {
				return answer{}, errors.New("no content")
			}
			text, ok := mcp.AsTextContent(result.Content[0])
			if !ok {
				return answer{}, errors.New("the content is not text")
			}
			return answer{text: text.Text}, nil
		}
	}
	return contestant{
		name: "mcp-go", refuses: true, prepare: prepare, close: func() { _ = session.Close() },
		note: "client to server in process, schema validation on; includes the JSON-RPC of both sides",
	}, nil
}
