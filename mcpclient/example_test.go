package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inProcess is a server for the examples; a Config with Command or URL reaches
// one outside.
func inProcess() func(context.Context) (mcp.Transport, error) {
	type input struct {
		Name string `json:"name"`
	}
	return func(ctx context.Context) (mcp.Transport, error) {
		server := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1"}, nil)
		mcp.AddTool(server, &mcp.Tool{Name: "greet", Description: "Greets somebody."},
			func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "안녕, " + in.Name}}}, nil, nil
			})
		ours, theirs := mcp.NewInMemoryTransports()
		_, err := server.Connect(ctx, theirs, nil)
		return ours, err
	}
}

// The tools of a server become tools of a registry. The server is connected at
// the first use, here the list.
func Example() {
	client, err := mcpclient.New(mcpclient.Config{Name: "greeter"}, &mcpclient.Options{Dial: inProcess()})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	listing, err := client.Tools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	registry := gongu.NewRegistry(nil)
	for _, d := range listing.Tools {
		if err := registry.Add(d.Tool); err != nil {
			log.Fatal(err)
		}
	}
	exec := gongu.NewExecutor(registry, &gongu.ExecutorOptions{Catalog: gongu.Everything(registry)})
	result := exec.Call(ctx, gongu.Call{Name: "greeter__greet", Args: json.RawMessage(`{"name":"gongu"}`)})
	fmt.Println(result.Status, string(result.Output))
	// Output: ok "안녕, gongu"
}

// Any method passes through as raw JSON.
func ExampleClient_Request() {
	client, err := mcpclient.New(mcpclient.Config{Name: "greeter"}, &mcpclient.Options{Dial: inProcess()})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	result, err := client.Request(context.Background(), "tools/call", json.RawMessage(`{"name":"greet","arguments":{"name":"you"}}`), nil)
	if err != nil {
		log.Fatal(err)
	}
	var read struct {
		Content []struct{ Text string } `json:"content"`
	}
	if err := json.Unmarshal(result, &read); err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Content[0].Text)
	// Output: 안녕, you
}

// A group loads its servers side by side; what is missing is marked.
func ExampleGroup() {
	group, err := mcpclient.NewGroup(&mcpclient.Options{Logger: quiet})
	if err != nil {
		log.Fatal(err)
	}
	defer group.Close()
	if err := group.Add(mcpclient.Config{Name: "gone", Command: "/no/such/program"}); err != nil {
		log.Fatal(err)
	}
	for _, load := range group.Tools(context.Background()) {
		fmt.Println(load.Name, load.Err != nil)
	}
	for _, status := range group.Status() {
		fmt.Println(status.Name, status.State, status.Reason)
	}
	// Output:
	// gone true
	// gone failed config
}

// Files of other programs are read as they are.
func ExampleParseConfigFile() {
	configs, report, err := mcpclient.ParseConfigFile([]byte(`{
		"mcpServers": {
			"github": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
			"old": {"command": "x", "disabled": true}
		}
	}`), "en")
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range configs {
		fmt.Println(c.Name, c.URL, c.Headers["Authorization"])
	}
	fmt.Println(report[0])
	// Output:
	// github https://example.com/mcp Bearer ${env:TOKEN}
	// server "old" is switched off there and is left out
}
