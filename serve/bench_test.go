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
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/serve"
)

const benchArgs = `{"text":"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"}`

type benchIn struct {
	Text string `json:"text"`
}

func benchServer(b *testing.B) *serve.Server {
	own := gongu.Func("echo", "Echoes.", func(_ context.Context, in benchIn) (string, error) { return in.Text, nil })
	raw := json.RawMessage(`{"content":[{"type":"text","text":"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"}]}`)
	up := own
	up.Name = "up"
	up.Invoke = func(ctx context.Context, _ gongu.Call) gongu.Result {
		content := raw[11 : len(raw)-1]
		relay.Of(ctx).Keep(raw, nil, content, nil)
		return gongu.Result{Status: gongu.StatusOK, Content: content}
	}
	return newServer(b, serve.Options{Backend: newBackend(b, nil, own, up)})
}

// drive posts the same body again and again over one connection.
func drive(b *testing.B, url string, client *http.Client, header http.Header, body string) {
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		req.Header = header
		resp, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil || n < 100 || resp.StatusCode != http.StatusOK {
			b.Fatal(n, err, resp.StatusCode)
		}
	}
}

// BenchmarkPlainHTTP is the floor: decode, echo, encode.
func BenchmarkPlainHTTP(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     json.RawMessage
			Params struct{ Arguments benchIn }
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": in.ID, "result": map[string]any{
			"content": []any{map[string]any{"type": "text", "text": in.Params.Arguments.Text}}}})
	}))
	defer server.Close()
	drive(b, server.URL+"/mcp", server.Client(), http.Header{"Content-Type": {"application/json"}}, legacyCall("echo"))
}

func legacyCall(name string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + benchArgs + `}}`
}

func benchLegacy(b *testing.B, name string) {
	c := as(b, benchServer(b), gongu.Principal{Name: "p"}).begin("{}")
	drive(b, c.url, c.http, http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Session-Id": {c.session}, "Mcp-Protocol-Version": {"2025-11-25"},
	}, legacyCall(name))
}

// BenchmarkCallHTTP is a call of 100 bytes within a session.
func BenchmarkCallHTTP(b *testing.B) { benchLegacy(b, "echo") }

// BenchmarkPassHTTP is the same through the gateway's own path.
func BenchmarkPassHTTP(b *testing.B) { benchLegacy(b, "up") }

// BenchmarkCallModernHTTP is the same in the modern era.
func BenchmarkCallModernHTTP(b *testing.B) {
	c := as(b, benchServer(b), gongu.Principal{Name: "p"})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + benchArgs + `,` + transcriptMeta + `{}}}}`
	drive(b, c.url, c.http, http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"},
	}, body)
}

// bare answers without a network, to see what is ours.
func BenchmarkCallHandler(b *testing.B) {
	s := benchServer(b)
	ctx := gongu.WithPrincipal(context.Background(), &gongu.Principal{Name: "p"})
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + benchArgs + `,` + transcriptMeta + `{}}}}`
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"}}
		w := httptest.NewRecorder()
		s.MCP().ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
