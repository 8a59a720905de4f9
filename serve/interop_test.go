package serve_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestSDKClient lets the official client use us, over HTTP and over pipes.
func TestSDKClient(t *testing.T) {
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, echo("e"), tool("ask", asking(`{"type":"object","properties":{}}`)))})
	server := httptest.NewServer(local(s.MCP()))
	defer server.Close()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- s.ServeStdio(context.Background(), inR, outW)
		_ = outW.Close()
	}()
	for name, transport := range map[string]mcp.Transport{
		"http":  &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp", HTTPClient: server.Client()},
		"stdio": &mcp.IOTransport{Reader: outR, Writer: inW},
	} {
		client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "decline"}, nil
			},
		})
		session, err := client.Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 2 {
			t.Errorf("%s: %v %v", name, tools, err)
		}
		for _, call := range []string{"e", "ask"} {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: call, Arguments: map[string]any{}})
			if err != nil || result.IsError {
				t.Errorf("%s %s: %+v %v", name, call, result, err)
			}
		}
		if err := session.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// In the modern era a client that closes its stream cancels the request.
func TestModernCancel(t *testing.T) {
	for name, capabilities := range map[string]string{"plain": `{}`, "may wait": `{"elicitation":{}}`} {
		started, ended := make(chan struct{}), make(chan struct{})
		hangs := tool("hangs", func(ctx context.Context, _ json.RawMessage) gongu.Result {
			close(started)
			<-ctx.Done()
			close(ended)
			return gongu.Fail(ctx.Err())
		})
		s := newServer(t, serve.Options{Backend: newBackend(t, nil, hangs)})
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(gongu.WithPrincipal(r.Context(), &gongu.Principal{Name: "p"}))
			go func() {
				<-started
				cancel() // as net/http does when the connection is gone
			}()
			s.MCP().ServeHTTP(w, r.WithContext(ctx))
		})
		newLocal(t, handler).modern("tools/call", `"name":"hangs"`, capabilities)
		<-ended
		waitFor(t, func() bool { return s.Counters().Running == 0 })
		t.Log(name)
	}
}
