package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sdkServer is a server of the official SDK with a few tools.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	add := func(name string, run func(ctx context.Context, req *mcp.CallToolRequest) (string, error)) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				text, err := run(ctx, req)
				if err != nil {
					return nil, err
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
			})
	}
	add("hello", func(context.Context, *mcp.CallToolRequest) (string, error) { return "hello", nil })
	add("more", func(context.Context, *mcp.CallToolRequest) (string, error) {
		s.AddTool(&mcp.Tool{Name: "late", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
		return "added", nil
	})
	add("hang", func(ctx context.Context, _ *mcp.CallToolRequest) (string, error) {
		// The SDK's stateless server does not cancel it when the client leaves.
		select {
		case <-ctx.Done():
		case <-time.After(3 * time.Second):
		}
		return "", errors.New("nobody waits any more")
	})
	return s
}

// serveHTTP serves until the test ends; open streams are cut.
func serveHTTP(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// TestErasOverHTTP: both eras, changes that are told, and a hanging call that
// is given up.
func TestErasOverHTTP(t *testing.T) {
	for name, tc := range map[string]struct {
		stateless bool
		version   string
	}{"legacy": {false, "2025-11-25"}, "modern": {true, "2026-07-28"}} {
		t.Run(name, func(t *testing.T) {
			server := sdkServer()
			web := serveHTTP(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
				&mcp.StreamableHTTPOptions{Stateless: tc.stateless}))
			heard := make(chan *mcpclient.Listing, 4)
			c := client(t, mcpclient.Config{Name: "web", URL: web.URL, Timeouts: mcpclient.Timeouts{Call: time.Second}},
				&mcpclient.Options{OnChange: func(l *mcpclient.Listing) { heard <- l }})
			info, err := c.Info(t.Context())
			if err != nil || info.ProtocolVersion != tc.version || info.Name != "sdk" {
				t.Fatalf("%+v, %v", info, err)
			}
			wantOutput(t, invoke(t, t.Context(), c, "hello", `{}`), `"hello"`)
			wantCode(t, invoke(t, t.Context(), c, "hang", `{}`), gongu.CodeTimeout)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { wantOutput(t, invoke(t, t.Context(), c, "hello", `{}`), `"hello"`) })
			}
			all.Wait()
			await(t, func() bool { // the stream of changes may still be on its way
				invoke(t, t.Context(), c, "more", `{}`)
				select {
				case l := <-heard:
					return len(l.Tools) == 4
				case <-time.After(500 * time.Millisecond):
					return false
				}
			})
			c.Close()
		})
	}
}

// TestSessionLost: a legacy server that was restarted does not know the session
// any more; the call is made in a new one.
func TestSessionLost(t *testing.T) {
	var current atomic.Pointer[mcp.StreamableHTTPHandler]
	restart := func() {
		server := sdkServer()
		t.Cleanup(func() {
			for session := range server.Sessions() {
				_ = session.Close()
			}
		})
		current.Store(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	}
	restart()
	web := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.Load().ServeHTTP(w, r) }))
	c := client(t, mcpclient.Config{Name: "web", URL: web.URL, ProtocolVersion: "2025-11-25"}, nil)
	wantOutput(t, invoke(t, t.Context(), c, "hello", `{}`), `"hello"`)
	restart()
	wantOutput(t, invoke(t, t.Context(), c, "hello", `{}`), `"hello"`)
	if s := c.Status(); s.Connections != 2 {
		t.Errorf("%+v", s)
	}
	c.Close()
}

// liar is a modern HTTP server that answers calls as a test wants.
func liar(t *testing.T, call func(w http.ResponseWriter, r *http.Request, id json.RawMessage)) *httptest.Server {
	t.Helper()
	return serveHTTP(t, lies(call))
}

// lies is the handler of a liar.
func lies(call func(w http.ResponseWriter, r *http.Request, id json.RawMessage)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		raw, _ := io.ReadAll(r.Body)
		if json.Unmarshal(raw, &m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "server/discover":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}`, m.ID)
		case "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}}`, m.ID)
		default:
			call(w, r, m.ID)
		}
	})
}

// TestMaliciousHTTP: answers that are none end in the documented error, and the
// next call works.
func TestMaliciousHTTP(t *testing.T) {
	for _, tc := range []struct {
		name, code, text string
		answer           func(w http.ResponseWriter, r *http.Request, id json.RawMessage)
	}{
		{"garbage", gongu.CodeTool, "not MCP", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { fmt.Fprint(w, "{]") }},
		{"wrong id", gongu.CodeTool, "another request", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":99,"result":{}}`)
		}},
		{"html", gongu.CodeTool, "text/html", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<p>hello</p>")
		}},
		{"64 MB", gongu.CodeOutputTooLarge, "more than 16777216 bytes", func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, strings.Repeat("x", 64<<20))
		}},
		{"64 MB event", gongu.CodeOutputTooLarge, "more than 16777216 bytes", func(w http.ResponseWriter, _ *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", strings.Repeat("x", 64<<20))
		}},
		{"cut off", gongu.CodeOutcomeUnknown, "ended without an answer", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ": hello\n\n")
		}},
		{"never ends", gongu.CodeTimeout, "no answer within", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				fmt.Fprint(w, ": still there\n\n")
				if f, ok := w.(http.Flusher); ok {
					f.Flush()
				}
				time.Sleep(10 * time.Millisecond)
			}
		}},
		{"no headers", gongu.CodeTimeout, "no answer within", func(_ http.ResponseWriter, r *http.Request, _ json.RawMessage) { <-r.Context().Done() }},
		{"hangs up", gongu.CodeOutcomeUnknown, "EOF", func(http.ResponseWriter, *http.Request, json.RawMessage) { panic(http.ErrAbortHandler) }},
		{"500", gongu.CodeOutcomeUnknown, "HTTP 500", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { w.WriteHeader(500) }},
		{"503", gongu.CodeUnavailable, "HTTP 503", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { w.WriteHeader(503) }},
		{"401", gongu.CodeUnavailable, "nobody is here to authorize", func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { w.WriteHeader(401) }},
		{"redirect", gongu.CodeOutcomeUnknown, "redirects to http://example.com", func(w http.ResponseWriter, r *http.Request, _ json.RawMessage) {
			http.Redirect(w, r, "http://example.com/steal", http.StatusTemporaryRedirect)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var good atomic.Bool
			web := liar(t, func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
				if good.Load() {
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"fine"}]}}`, id)
					return
				}
				tc.answer(w, r, id)
			})
			timeout := testTimeout
			if tc.code == gongu.CodeTimeout {
				timeout = time.Second
			}
			c := client(t, mcpclient.Config{Name: "web", URL: web.URL, Timeouts: mcpclient.Timeouts{Call: timeout}}, nil)
			r := invoke(t, t.Context(), c, "x", `{}`)
			wantCode(t, r, tc.code)
			if r.Error != nil && !strings.Contains(r.Error.Message, tc.text) {
				t.Errorf("%q has no %q", r.Error.Message, tc.text)
			}
			good.Store(true)
			wantOutput(t, invoke(t, t.Context(), c, "x", `{}`), `"fine"`)
			c.Close()
		})
	}
}

// TestNoServer: nobody listens. The error does not tell the address, which may
// hold a secret.
func TestNoServer(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	url := web.URL
	web.Close()
	for _, transport := range []mcpclient.Transport{mcpclient.HTTP, mcpclient.SSE} {
		c := client(t, mcpclient.Config{Name: "web", URL: url + "/?key=hidden", Transport: transport}, nil)
		_, err := c.Tools(t.Context())
		if own, ok := errors.AsType[*mcpclient.Error](err); !ok || own.Reason != mcpclient.ReasonConnect || own.Sent || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", transport, err)
		}
	}
}

// TestHeaders: configured headers are sent, with secrets filled in.
func TestHeaders(t *testing.T) {
	t.Setenv("GONGU_TEST_TOKEN", "tok")
	var got atomic.Value
	web := liar(t, func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
		got.Store(r.Header.Clone())
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
	})
	c := client(t, mcpclient.Config{Name: "web", URL: web.URL, Headers: map[string]string{"authorization": "Bearer ${env:GONGU_TEST_TOKEN}"}}, nil)
	if r := invoke(t, t.Context(), c, "x", `{}`); r.Failed() {
		t.Fatal(r.Error)
	}
	h, _ := got.Load().(http.Header)
	if h.Get("Authorization") != "Bearer tok" || h.Get("Mcp-Method") != "tools/call" || h.Get("Mcp-Name") != "x" || h.Get("Mcp-Protocol-Version") != "2026-07-28" {
		t.Errorf("%v", h)
	}
	c.Close()
}
