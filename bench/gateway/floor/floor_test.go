package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Small requests with large answers, from many clients: nothing is lost.
func TestProxyCopiesBytes(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Path", r.URL.Path)
		answer := bytes.Repeat(body, 50)
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer)
	}))
	defer upstream.Close()
	handler, err := newProxy(upstream.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(handler)
	defer proxy.Close()
	body := bytes.Repeat([]byte("0123456789"), 20)
	want := bytes.Repeat(body, 50)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 500 {
				resp, err := http.Post(proxy.URL+"/mcp/10", "application/json", bytes.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err != nil || !bytes.Equal(got, want) || resp.Header.Get("X-Path") != "/mcp/10" {
					t.Errorf("got %d bytes of %d at %s: %v", len(got), len(want), resp.Header.Get("X-Path"), err)
					return
				}
			}
		})
	}
	group.Wait()
}

// The end of a request may come after the beginning of its answer.
func TestProxyIsFullDuplex(t *testing.T) {
	received := make(chan int64, 1)
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := errors.Join(control.EnableFullDuplex(), control.Flush()); err != nil {
			t.Error(err)
		}
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			t.Error(err)
		}
		received <- n
	}))
	defer upstream.Close()
	handler, err := newProxy(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(handler)
	defer proxy.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	body, rest := io.Pipe()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, proxy.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 2000
	go func() { _, _ = rest.Write(make([]byte, 1000)) }()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := rest.Write(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	_ = rest.Close()
	if n := <-received; n != 2000 {
		t.Errorf("the upstream got %d bytes of 2000", n)
	}
}

func TestBridgeCallsTheUpstream(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "up", Version: "1"}, nil)
	type args struct {
		Text string `json:"text"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in args) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
	upstream := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	defer upstream.Close()
	defer upstream.CloseClientConnections()
	handler, err := newBridge(t.Context(), upstream.URL+"/mcp")
	if err != nil {
		t.Fatal(err)
	}
	bridge := httptest.NewServer(handler)
	defer bridge.Close()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		meta := ""
		if version == "2026-07-28" {
			meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},`
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, bridge.URL+"/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+meta+`"name":"echo","arguments":{"text":"hello"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "echo",
		} {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(raw), `"text":"hello"`) {
			t.Errorf("%s: HTTP %d: %s, %v", version, resp.StatusCode, raw, err)
		}
	}
}
