package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/bench/gateway/wire"
)

func TestAnswers(t *testing.T) {
	s := newServer(3)
	for _, c := range []struct{ name, era, msg, want string }{
		{"echo", wire.Legacy, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a\n\"b\""}}}`,
			`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a\n\"b\""}]}}`},
		{"members in another order", wire.Legacy, `{"params":{"arguments":{"text":"a"},"name":"echo"},"method":"tools/call","id":"x","jsonrpc":"2.0"}`,
			`{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"a"}]}}`},
		{"modern", wire.Modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",` + serverMeta + `,"content":[{"type":"text","text":"a"}]}}`},
		{"revision", wire.Legacy, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":` + serverInfo + `}}`},
		{"unknown revision", wire.Legacy, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999"}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":` + serverInfo + `}}`},
		{"notification", wire.Legacy, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		{"unknown method", wire.Legacy, `{"jsonrpc":"2.0","id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}`},
	} {
		got := string(s.answer(nil, []byte(c.msg), c.era))
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	for _, msg := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{"text":"a"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":5}}}`,
	} {
		got := s.answer(nil, []byte(msg), wire.Legacy)
		if !json.Valid(got) || wire.Get(got, "error", "code") == nil {
			t.Errorf("%s is answered with %s", msg, got)
		}
	}
}

func TestList(t *testing.T) {
	for _, era := range []string{wire.Legacy, wire.Modern} {
		var got struct {
			Result struct {
				Tools []struct {
					Name        string
					InputSchema map[string]any
				}
				ResultType string
				TTLMs      int
			}
		}
		raw := newServer(1000).answer(nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), era)
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		tools := got.Result.Tools
		if len(tools) != 1000 || tools[0].Name != "echo" || tools[999].Name != "tool_00999" || tools[5].InputSchema["type"] != "object" {
			t.Errorf("%s: the list has %d tools", era, len(tools))
		}
		if modern := era == wire.Modern; (got.Result.ResultType == "complete") != modern || (got.Result.TTLMs > 0) != modern {
			t.Errorf("%s: the list is of the other era", era)
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	in := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + long + `"}}}` + "\n"
	var out bytes.Buffer
	if err := serveLines(strings.NewReader(in), &out, newServer(1)); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[1], long) {
		t.Errorf("got %d lines", len(lines))
	}
}

func TestEndpoint(t *testing.T) {
	server := httptest.NewServer(newEndpoint())
	defer server.Close()
	post := func(path, era, body string) (*http.Response, []byte) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(wire.HeaderVersion, era)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, raw
	}
	resp, _ := post("/mcp", wire.Legacy, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	if resp.Header.Get(wire.HeaderSession) == "" {
		t.Error("there is no session")
	}
	if resp, _ := post("/mcp", wire.Legacy, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); resp.StatusCode != http.StatusAccepted {
		t.Errorf("a notification gets %d", resp.StatusCode)
	}
	_, raw := post("/mcp/25", wire.Modern, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
	if n := bytes.Count(raw, []byte(`"name":"tool_`)); n != 24 || wire.Get(raw, "result", "resultType") == nil {
		t.Errorf("the list has %d tools: %.100s", n, raw)
	}
	for _, path := range []string{"/", "/mcp/x", "/mcp/0", "/mcp/1000000"} {
		if resp, _ := post(path, wire.Legacy, `{}`); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s gets %d", path, resp.StatusCode)
		}
	}
}

// The server of the SDK has the same tools, in both eras.
func TestSDKEndpoint(t *testing.T) {
	server := httptest.NewServer(newSDKEndpoint())
	defer server.Close()
	for _, era := range []string{wire.Legacy, wire.Modern} {
		meta := ""
		if era == wire.Modern {
			meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + era + `","io.modelcontextprotocol/clientCapabilities":{}},`
		}
		for method, params := range map[string]string{"tools/call": `"name":"echo","arguments":{"text":"hello"}`, "tools/list": `"x":1`} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/mcp/25",
				strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+meta+params+`}}`))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{
				"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				wire.HeaderVersion: era, wire.HeaderMethod: method, wire.HeaderName: "echo",
			} {
				req.Header.Set(name, value)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(raw), `"hello"`) && strings.Count(string(raw), `"name":"tool_`) != 24 {
				t.Errorf("%s %s: HTTP %d: %.300s, %v", era, method, resp.StatusCode, raw, err)
			}
		}
	}
}
