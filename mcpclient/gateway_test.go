package mcpclient_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu/mcpclient"
)

// TestGatewayRequest: a caller's progress token comes back to it and to nobody
// else, its _meta and capabilities reach the server, and in the old era the
// members of the new one do not.
func TestGatewayRequest(t *testing.T) {
	params := json.RawMessage("{\n \"name\":\"progress\",\n \"arguments\":{},\"_meta\":{\"x\":1,\"progressToken\":\"abc\",\"io.modelcontextprotocol/clientInfo\":{\"name\":\"down\"}}}")
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			journal := filepath.Join(t.TempDir(), "journal")
			c := start(t, fixture{Era: era, Journal: journal})
			var tokens []string
			opts := &mcpclient.RequestOptions{Capabilities: json.RawMessage(`{"sampling":{"tools":{}}}`)}
			opts.Progress = func(_ context.Context, params json.RawMessage) { tokens = append(tokens, string(params)) }
			if _, err := c.Request(t.Context(), "tools/call", params, opts); err != nil {
				t.Fatal(err)
			}
			if len(tokens) != 3 || !strings.Contains(tokens[0], `"progressToken":"abc"`) {
				t.Errorf("%q", tokens)
			}
			sent := read(t, journal)
			sent = sent[strings.LastIndex(sent, `"tools/call"`):]
			if !strings.Contains(sent, `"x":1`) || strings.Contains(sent, `"abc"`) {
				t.Errorf("%s", sent)
			}
			modern := strings.Contains(sent, `"io.modelcontextprotocol/clientCapabilities":{"sampling":{"tools":{}}}`) &&
				strings.Contains(sent, `"io.modelcontextprotocol/clientInfo":{"name":"down"}`) &&
				strings.Contains(sent, `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`)
			if modern != (era == "modern") || era == "legacy" && strings.Contains(sent, "io.modelcontextprotocol/") {
				t.Errorf("%s", sent)
			}
		})
	}
}
