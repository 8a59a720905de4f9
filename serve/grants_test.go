package serve_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/serve"
)

// limitedTo is a principal that may use all tools by name, and nothing else.
func limitedTo(change func(*gongu.Principal)) gongu.Principal {
	p := gongu.Principal{Name: "kim", Allow: []gongu.Rule{{Name: "*"}}}
	if change != nil {
		change(&p)
	}
	return p
}

// K10: a tool reaches the model of a limited principal's client only if the
// principal has sampling, whatever the server allows others, by a request, by a
// result that asks, and in the capabilities of a session.
func TestK10SamplingOfPrincipals(t *testing.T) {
	seen := tool("seen", func(ctx context.Context, _ json.RawMessage) gongu.Result {
		declared, _ := relay.SessionCapabilities(ctx)
		return says(declared)
	})
	asks := tool("asks", func(ctx context.Context, args json.RawMessage) gongu.Result { return sampling(ctx, args) })
	for _, allowed := range []bool{false, true} {
		s := newServer(t, serve.Options{Backend: newBackend(t, nil, append(nativeTools(), seen, asks)...), Sampling: true, Limits: serve.Limits{Wait: time.Second}})
		who := limitedTo(func(p *gongu.Principal) { p.Sampling = allowed })
		const can = `{"sampling":{}}`
		_, body := as(t, s, who).modern("tools/call", `"name":"test_input_required_result_sampling","arguments":{}`, can)
		if strings.Contains(body, "capital of France") != allowed {
			t.Errorf("allowed %t: a result asks: %s", allowed, body)
		}
		_, body = as(t, s, who).modern("tools/call", `"name":"asks","arguments":{"prompt":"hi"}`, can)
		if strings.Contains(body, "sampling/createMessage") != allowed {
			t.Errorf("allowed %t: a tool asks: %s", allowed, body)
		}
		_, body = as(t, s, who).begin(can).post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"seen","arguments":{}}}`)
		if strings.Contains(body, "sampling") != allowed {
			t.Errorf("allowed %t: a session has %s", allowed, body)
		}
		if allowed {
			continue // the question would wait for an answer
		}
		_, body = as(t, s, who).begin(can).post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks","arguments":{"prompt":"hi"}}}`)
		if strings.Contains(body, "sampling/createMessage") || !strings.Contains(body, `"isError":true`) {
			t.Errorf("a tool asks in a session: %s", body)
		}
	}
}

// K10: log messages of a tool reach a limited principal that has the logs of
// the tool's source.
func TestK10LogsOfPrincipals(t *testing.T) {
	for name, tc := range map[string]struct {
		logs []gongu.Rule
		want bool
	}{
		"none":    {nil, false},
		"its own": {[]gongu.Rule{{Source: "*/fixture"}}, true},
		"another": {[]gongu.Rule{{Source: "*/other"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			logs := tool("fixture__logs", func(ctx context.Context, _ json.RawMessage) gongu.Result { return logging(ctx) })
			logs.Source = gongu.Source{Type: "mcp", Name: "fixture"}
			s := newServer(t, serve.Options{Backend: newBackend(t, nil, logs)})
			c := as(t, s, limitedTo(func(p *gongu.Principal) { p.Logs = tc.logs }))
			status, body := c.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			if status != http.StatusOK || strings.Contains(body, `"logging"`) != (tc.logs != nil) {
				t.Errorf("%d %s", status, body)
			}
			_, body = c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture__logs","arguments":{}}}`)
			if strings.Contains(body, "Tool processing data") != tc.want || !strings.Contains(body, "logged") {
				t.Errorf("%s", body)
			}
		})
	}
}

// K10: who may not read a kind gets no notice of its changes, and a stream
// names only the resources that it is for.
func TestK10NoticesOfPrincipals(t *testing.T) {
	up := &upstream{}
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, plainTools()...), Upstreams: up, Events: up.events.Subscribe})
	for name, tc := range map[string]struct {
		change func(*gongu.Principal)
		want   []string
	}{
		"none":      {nil, nil},
		"resources": {func(p *gongu.Principal) { p.Resources = []gongu.Rule{{Name: "test://a"}} }, []string{"resources/list_changed"}},
		"prompts":   {func(p *gongu.Principal) { p.Prompts = []gongu.Rule{{}} }, []string{"prompts/list_changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := as(t, s, limitedTo(tc.change)).begin(`{}`)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			resp := c.send(ctx, http.MethodGet, "")
			defer resp.Body.Close()
			up.tell("notifications/prompts/list_changed", nil)
			up.tell("notifications/resources/list_changed", nil)
			up.tell("notifications/tools/list_changed", nil) // not passed on: the registry tells
			body := readFor(resp, 300*time.Millisecond)
			for _, method := range []string{"resources/list_changed", "prompts/list_changed"} {
				wanted := len(tc.want) > 0 && tc.want[0] == method
				if strings.Contains(body, method) != wanted {
					t.Errorf("%s, wanted %t: %q", method, wanted, body)
				}
			}
		})
	}
	c := as(t, s, limitedTo(func(p *gongu.Principal) { p.Resources = []gongu.Rule{{Name: "test://a"}} }))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp := c.send(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["test://a","test://b"]},`+transcriptMeta+`{}}}}`)
	defer resp.Body.Close()
	if body := readFor(resp, 200*time.Millisecond); !strings.Contains(body, "test://a") || strings.Contains(body, "test://b") {
		t.Errorf("%q", body)
	}
}

// readFor reads what a stream sends in this time.
func readFor(resp *http.Response, d time.Duration) string {
	stop := time.AfterFunc(d, func() { _ = resp.Body.Close() }) // ends the read
	defer stop.Stop()
	var out strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf)
		out.Write(buf[:n])
		if err != nil {
			return out.String()
		}
	}
}

// K10: a session ends with the credentials of its principal, unless they are
// renewed.
func TestK10SessionsExpire(t *testing.T) {
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, plainTools()...)})
	who := &gongu.Principal{Name: "kim", Expires: time.Now().Add(300 * time.Millisecond)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.MCP().ServeHTTP(w, r.WithContext(gongu.WithPrincipal(r.Context(), who)))
	}))
	t.Cleanup(server.Close)
	open := func() *client { return (&client{t: t, url: server.URL + "/mcp", http: server.Client()}).begin(`{}`) }
	left, renewed := open(), open()
	who = &gongu.Principal{Name: "kim", Expires: time.Now().Add(time.Hour)}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if status, body := renewed.post(ping); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	time.Sleep(500 * time.Millisecond)
	if status, _ := left.post(ping); status != http.StatusNotFound {
		t.Errorf("the session goes on: %d", status)
	}
	if status, body := renewed.post(ping); status != http.StatusOK {
		t.Errorf("a renewed session has ended: %d %s", status, body)
	}
}

// K10: a listen stream ends with the credentials of its principal.
func TestK10ListenExpires(t *testing.T) {
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, plainTools()...)})
	c := as(t, s, gongu.Principal{Name: "kim", Expires: time.Now().Add(200 * time.Millisecond)})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	resp := c.send(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+transcriptMeta+`{}}}}`)
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Errorf("the stream goes on: %v", err)
	}
}
