package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// events reads the messages of a stream.
func events(t testing.TB, body io.Reader) func() (id, data string) {
	lines := bufio.NewReader(body)
	return func() (id, data string) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			switch line = strings.TrimSpace(line); {
			case strings.HasPrefix(line, "id: "):
				id = line[4:]
			case strings.HasPrefix(line, "data: "):
				data += line[6:]
			case line == "" && data != "":
				return id, data
			}
		}
	}
}

// A session belongs to the principal and the path it was begun with.
func TestSessionOfAnother(t *testing.T) {
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, echo("e"))})
	mine := as(t, s, gongu.Principal{Name: "mine"}).begin("{}")
	other := as(t, s, gongu.Principal{Name: "other"})
	other.session = mine.session
	if status, _ := other.post(ping); status != http.StatusNotFound {
		t.Errorf("another's session: %d", status)
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		resp := other.send(t.Context(), method, "")
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s on another's session: %d", method, resp.StatusCode)
		}
	}
	agent := *mine
	agent.url += "/a"
	if status, _ := agent.post(ping); status != http.StatusNotFound {
		t.Errorf("the session on another path: %d", status)
	}
	if status, _ := mine.post(ping); status != http.StatusOK {
		t.Errorf("my own: %d", status)
	}
}

// A question goes to the client within the call, and its answer comes back.
func TestElicitationInSession(t *testing.T) {
	asks := tool("up__ask", askingFrom("up", `{"type":"object","properties":{}}`))
	asks.Source = gongu.Source{Type: "mcp", Name: "up", Original: "ask"}
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, asks)})
	c := as(t, s, gongu.Principal{Name: "p"}).begin(`{"elicitation":{}}`)
	resp := c.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"up__ask","arguments":{"message":"Who?"}}}`)
	defer resp.Body.Close()
	next := events(t, resp.Body)
	_, asked := next()
	// Promise V5: an elicitation names the asking server.
	if !strings.Contains(asked, `"method":"elicitation/create"`) || !strings.Contains(asked, `"message":"up asks: Who?"`) {
		t.Fatalf("%s", asked)
	}
	if status, _ := c.post(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`); status != http.StatusAccepted {
		t.Errorf("%d", status)
	}
	if _, answer := next(); !strings.Contains(answer, `decline`) || !strings.Contains(answer, `"id":7`) {
		t.Errorf("%s", answer)
	}
}

// A client that loses its connection comes back for the rest of the call.
func TestResume(t *testing.T) {
	release := make(chan struct{})
	slow := tool("slow", func(ctx context.Context, _ json.RawMessage) gongu.Result {
		gongu.ContextOf(ctx).Progress(ctx, 1, 2, "half")
		<-release
		gongu.ContextOf(ctx).Progress(ctx, 2, 2, "")
		return says("late")
	})
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, slow)})
	c := as(t, s, gongu.Principal{Name: "p"}).begin(`{}`)
	ctx, cancel := context.WithCancel(t.Context())
	resp := c.send(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":1}}}`)
	id, _ := events(t, resp.Body)()
	cancel()
	_ = resp.Body.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", c.session)
	req.Header.Set("Last-Event-ID", id)
	again, err := c.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Body.Close()
	close(release)
	next := events(t, again.Body)
	if _, data := next(); !strings.Contains(data, `"progress":2`) {
		t.Errorf("%s", data)
	}
	if _, data := next(); !strings.Contains(data, "late") {
		t.Errorf("%s", data)
	}
	if _, err := io.ReadAll(again.Body); err != nil {
		t.Errorf("the stream of a request that is answered goes on: %v", err)
	}
}

// notifications/cancelled ends a call; a lost connection does not.
func TestCancel(t *testing.T) {
	started := make(chan struct{})
	hangs := tool("hangs", func(ctx context.Context, _ json.RawMessage) gongu.Result {
		close(started)
		<-ctx.Done()
		return gongu.Fail(ctx.Err())
	})
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, hangs)})
	c := as(t, s, gongu.Principal{Name: "p"}).begin(`{}`)
	var wait sync.WaitGroup
	wait.Go(func() {
		if _, body := c.post(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"hangs"}}`); !strings.Contains(body, "E_TOOL_CANCELLED") {
			t.Errorf("%s", body)
		}
	})
	<-started
	c2 := *c
	c2.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`)
	wait.Wait()
}

// Changes of tools reach sessions by their stream and others by a subscription.
func TestListChanged(t *testing.T) {
	b := newBackend(t, nil, echo("a"))
	up := &upstream{}
	s := newServer(t, serve.Options{Backend: b, Upstreams: up, Events: up.events.Subscribe})
	legacy := as(t, s, gongu.Principal{Name: "p"}).begin(`{}`)
	legacy.post(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://watched-resource"}}`)
	stream := legacy.send(t.Context(), http.MethodGet, "")
	defer stream.Body.Close()
	modern := as(t, s, gongu.Principal{Name: "q"})
	listen := modern.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://watched-resource"]},`+transcriptMeta+`{}}}}`)
	defer listen.Body.Close()
	nextLegacy, nextModern := events(t, stream.Body), events(t, listen.Body)
	if _, data := nextModern(); !strings.Contains(data, "notifications/subscriptions/acknowledged") || !strings.Contains(data, `"io.modelcontextprotocol/subscriptionId":"sub"`) {
		t.Fatalf("%s", data)
	}
	if n := s.Counters().Streams; n != 2 {
		t.Errorf("%d streams", n)
	}
	if err := b.registry.Add(echo("b")); err != nil {
		t.Fatal(err)
	}
	for name, next := range map[string]func() (string, string){"legacy": nextLegacy, "modern": nextModern} {
		if _, data := next(); !strings.Contains(data, "notifications/tools/list_changed") || strings.Contains(data, "subscriptionId") != (name == "modern") {
			t.Errorf("%s: %s", name, data)
		}
	}
	up.tell("notifications/prompts/list_changed", nil)
	up.tell("notifications/resources/updated", json.RawMessage(`{"uri":"test://other"}`))
	// K10: another server has a resource of the same URI.
	up.tellAs("McpServer/other", "notifications/resources/updated", json.RawMessage(`{"uri":"test://watched-resource","_from":"other"}`))
	up.tell("notifications/resources/updated", json.RawMessage(`{"uri":"test://watched-resource"}`))
	if _, data := nextModern(); !strings.Contains(data, "test://watched-resource") || strings.Contains(data, "_from") {
		t.Errorf("what was not asked for: %s", data)
	}
	if _, data := nextLegacy(); !strings.Contains(data, "prompts/list_changed") {
		t.Errorf("%s", data)
	}
	if _, data := nextLegacy(); !strings.Contains(data, "test://watched-resource") || strings.Contains(data, "_from") {
		t.Errorf("%s", data)
	}
}

// The transport of 2024-11-05 is there only when it is asked for.
func TestLegacySSE(t *testing.T) {
	b := newBackend(t, nil, echo("e"))
	off := newServer(t, serve.Options{Backend: b})
	resp := newLocal(t, off.SSE()).send(t.Context(), http.MethodGet, "")
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("%d", resp.StatusCode)
	}
	s := newServer(t, serve.Options{Backend: b, LegacySSE: true})
	c := newLocal(t, local(s.SSE()))
	base := strings.TrimSuffix(c.url, "/mcp")
	c.url = base + "/sse"
	stream := c.send(t.Context(), http.MethodGet, "")
	defer stream.Body.Close()
	next := events(t, stream.Body)
	_, endpoint := next()
	c.url = base + endpoint
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"e","arguments":{"a":1}}}`,
	} {
		if status, answer := c.post(body); status != http.StatusAccepted {
			t.Fatalf("%d %s", status, answer)
		}
		if _, data := next(); !strings.Contains(data, `"result"`) {
			t.Errorf("%s", data)
		}
	}
	other := newLocal(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.SSE().ServeHTTP(w, r.WithContext(gongu.WithPrincipal(r.Context(), &gongu.Principal{Name: "other"})))
	}))
	other.url = strings.TrimSuffix(other.url, "/mcp") + endpoint
	if status, _ := other.post(ping); status != http.StatusNotFound {
		t.Errorf("another's session: %d", status)
	}
}

// waitFor waits until something holds; the deadline only means that it hangs.
func waitFor(t testing.TB, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not happen")
		}
	}
}
