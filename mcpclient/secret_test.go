package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/gongu-ai/gongu/mcpclient"
)

// K13: a server that gives away what it was sent does so in vain: its errors,
// its log messages and what net/http quotes of it are redacted, before anything
// is cut.
func TestK13ServerSecrets(t *testing.T) {
	const secret = "c4nary-of-the-header"
	t.Setenv("GONGU_TEST_HEADER", secret)
	leak := ""
	web := httptest.NewServer(lies(func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
		given := r.Header.Get("X-Key")
		switch leak {
		case "error":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q,"data":{"key":%q}}}`, id, given, given)
		case "status":
			http.Error(w, strings.Repeat("x", 190)+given, http.StatusInternalServerError)
		case "log":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"error\",\"data\":%q}}\n\n", given)
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[]}}\n\n", id)
		case "malformed":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintf(conn, "%s\r\n\r\n", given)
			_ = conn.Close() // the client has read it
		}
	}))
	t.Cleanup(web.Close)
	c := client(t, mcpclient.Config{Name: "web", URL: web.URL, Headers: map[string]string{"X-Key": "${env:GONGU_TEST_HEADER}"}}, nil)
	list(t, c)
	for _, leak = range []string{"error", "status", "log", "malformed"} {
		logged := ""
		opts := &mcpclient.RequestOptions{Handlers: mcpclient.Handlers{Log: func(_ context.Context, params json.RawMessage) { logged += string(params) }}}
		_, err := c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"x","arguments":{}}`), opts)
		text := fmt.Sprint(err) + logged
		if remote, ok := errors.AsType[*jsonrpc.Error](err); ok {
			text += remote.Message + string(remote.Data)
		} else if leak == "error" {
			t.Errorf("the code of the error is lost: %v", err)
		}
		if strings.Contains(text, secret[:4]) || !strings.Contains(text, "[secret ") {
			t.Errorf("%s: %s", leak, text)
		}
	}
}
