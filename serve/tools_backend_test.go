package serve_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
)

// Go tools over MCP, for a client that starts the program.
func ExampleTools() {
	registry := gongu.NewRegistry(nil)
	registry.Add(gongu.Func("greet", "Greets a person.", func(ctx context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return "Hello, " + in.Name + "!", nil
	}))
	server, err := serve.New(serve.Options{Backend: serve.Tools(registry)})
	if err == nil {
		err = server.ServeStdio(context.Background(), strings.NewReader(greetAda), os.Stdout) // os.Stdin in a program
	}
	fmt.Println(err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"logging":{},"tools":{"listChanged":true}},"serverInfo":{"name":"gongu","version":"dev"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}}
	// <nil>
}

// greetAda is what a client sends that calls the tool.
const greetAda = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}
`

// A registry has no agents, and what is neither read-only nor allowed is not
// offered.
func TestToolsBackend(t *testing.T) {
	registry := gongu.NewRegistry(nil)
	backend := serve.Tools(registry)
	tool := gongu.Func("write", "Writes.", func(context.Context, struct{}) (string, error) { return "", nil })
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	err := backend.Step(t.Context(), "", func(_ context.Context, x *gongu.Executor) error {
		if !x.Catalog().Has("write") {
			t.Error("a tool that was added later is missing")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	err = backend.Step(t.Context(), "somebody", func(context.Context, *gongu.Executor) error {
		t.Error("a step of an agent that is not there")
		return nil
	})
	if err == nil {
		t.Error("an agent that is not there was accepted")
	}
	server := newServer(t, serve.Options{Backend: backend})
	var out strings.Builder
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	limited := &gongu.Principal{Name: "p", Allow: []gongu.Rule{{Name: "other"}}}
	if err := server.ServeStdio(gongu.WithPrincipal(t.Context(), limited), in, &out); err != nil {
		t.Error(err)
	}
	if strings.Contains(out.String(), `"write"`) {
		t.Errorf("a tool that the principal is not allowed is offered: %s", out.String())
	}
}
