package serve_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
)

// client speaks to a server as one principal.
type client struct {
	t       testing.TB
	url     string
	http    *http.Client
	session string
}

// as serves everything to requests of one principal.
func as(t testing.TB, s *serve.Server, who gongu.Principal) *client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.MCP().ServeHTTP(w, r.WithContext(gongu.WithPrincipal(r.Context(), &who)))
	}))
	t.Cleanup(server.Close)
	return &client{t: t, url: server.URL + "/mcp", http: server.Client()}
}

// begin opens a session.
func (c *client) begin(capabilities string) *client {
	c.t.Helper()
	status, _ := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":{"name":"t","version":"1"}}}`)
	if status != http.StatusOK || c.session == "" {
		c.t.Fatalf("initialize: %d", status)
	}
	return c
}

func (c *client) send(ctx context.Context, method, body string) *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	modernHeaders(req, body)
	resp, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return resp
}

func (c *client) post(body string) (int, string) {
	c.t.Helper()
	resp := c.send(context.Background(), http.MethodPost, body)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// modern sends one request of the modern era.
func (c *client) modern(method, params, capabilities string) (int, string) {
	c.t.Helper()
	if params != "" {
		params += ","
	}
	return c.post(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + transcriptMeta + capabilities + `}}}`)
}

// names are the tools of a list.
func (c *client) names() []string {
	c.t.Helper()
	status, body := c.modern("tools/list", "", "{}")
	var out struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil || status != http.StatusOK {
		c.t.Fatalf("%d %s %v", status, body, err)
	}
	var names []string
	for _, tool := range out.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// newLocal is a client of any handler, without a principal.
func newLocal(t testing.TB, h http.Handler) *client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &client{t: t, url: server.URL + "/mcp", http: server.Client()}
}
