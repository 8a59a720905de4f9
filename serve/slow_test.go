package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/auth"
	"github.com/gongu-ai/gongu/serve"
)

// watched is a server that knows which connections it has closed.
type watched struct {
	*httptest.Server
	ended sync.Map
}

func (w *watched) closed(client net.Addr) bool {
	_, ok := w.ended.Load(client.String())
	return ok
}

// slowServer stands behind a gate as gongu serve does, with short times.
func slowServer(t *testing.T, tools ...gongu.Tool) (*serve.Server, *watched) {
	t.Helper()
	const short = 200 * time.Millisecond
	b := newBackend(t, &gongu.ExecutorOptions{Limits: gongu.Limits{Output: 128 << 20}}, tools...)
	s := newServer(t, serve.Options{Backend: b})
	handler, err := auth.New(auth.Options{
		NoAuth: true, Addr: "127.0.0.1:1", Logger: quiet, Limits: auth.Limits{BodyTime: short, WriteTime: short},
	}, s.MCP())
	if err != nil {
		t.Fatal(err)
	}
	server := &watched{Server: httptest.NewUnstartedServer(nil)}
	server.Config = auth.NewServer(handler, &auth.ServerOptions{ReadHeaderTime: short, Logger: quiet})
	server.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			server.ended.Store(conn.RemoteAddr().String(), true)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return s, server
}

// wireRequest is one over the wire, of one era or the other.
func wireRequest(modern bool, session, tool string) string {
	headers, meta := "Mcp-Session-Id: "+session+"\r\n", ""
	if modern {
		headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " + tool + "\r\n"
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info"}`
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}` + meta + `}}`
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s", headers, len(body), body)
}

func dialSlow(t *testing.T, server *httptest.Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second)) // does not hang
	return conn
}

// A client that reads a large answer never, or a large stream, is cut off at
// its time. It holds nobody up meanwhile, and nothing afterwards.
func TestSlowReaderIsCutOff(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 16<<20) // more than sockets hold
	big := tool("big", func(context.Context, json.RawMessage) gongu.Result { return says(huge) })
	chatty := tool("chatty", func(ctx context.Context, _ json.RawMessage) gongu.Result {
		for range 16 {
			gongu.ContextOf(ctx).Log(ctx, slog.LevelInfo, huge[:1<<20])
		}
		return says("done")
	})
	s, server := slowServer(t, big, chatty, echo("e"))
	for _, modern := range []bool{false, true} {
		for _, name := range []string{"big", "chatty"} {
			other := &client{t: t, url: server.URL + "/mcp", http: server.Client()}
			other.begin("{}")
			slow, before := dialSlow(t, server.Server), s.Counters().Requests
			if _, err := io.WriteString(slow, wireRequest(modern, other.session, name)); err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { return s.Counters().Requests > before })
			if _, body := other.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"e","arguments":{}}}`); !strings.Contains(body, `"result"`) {
				t.Errorf("modern %t, %s: another call: %.200s", modern, name, body)
			}
			waitFor(t, func() bool { return s.Counters().Running == 0 && server.closed(slow.LocalAddr()) })
			got, err := io.Copy(io.Discard, slow)
			if err == nil && got > 15<<20 {
				t.Errorf("modern %t, %s: all %d bytes came although nobody read them in time", modern, name, got)
			}
		}
	}
}

// A client that sends slowly, be it headers or a body, is cut off at its time
// and takes no place among the requests that run.
func TestSlowSenderIsCutOff(t *testing.T) {
	t.Parallel()
	s, server := slowServer(t, echo("e"))
	whole := wireRequest(true, "", "e")
	head, _, _ := strings.Cut(whole, "\r\n\r\n")
	for name, part := range map[string]string{
		"headers": whole[:40], "no body": head + "\r\n\r\n", "half a body": whole[:len(whole)-10],
		"chunks": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"jso\r\n",
	} {
		slow := dialSlow(t, server.Server)
		if _, err := io.WriteString(slow, part); err != nil {
			t.Fatal(err)
		}
		if n := s.Counters().Running; n != 0 {
			t.Errorf("%s: %d requests run", name, n)
		}
		waitFor(t, func() bool { return server.closed(slow.LocalAddr()) })
		if answer, err := http.ReadResponse(bufio.NewReader(slow), nil); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode < 400 {
				t.Errorf("%s: answered with %s", name, answer.Status)
			}
		}
	}
	if n := s.Counters().Requests; n != 0 {
		t.Errorf("%d requests were counted", n)
	}
	conn := dialSlow(t, server.Server)
	if _, err := io.WriteString(conn, whole); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("the next request: %s", answer.Status)
	}
}
