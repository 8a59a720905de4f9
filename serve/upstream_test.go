package serve_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/serve"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lacking says that it has prompts and does not know the method.
type lacking struct{ upstream }

func (l *lacking) For(context.Context, string, access.Kind) []serve.Upstream {
	return []serve.Upstream{l}
}

func (l *lacking) Request(context.Context, string, json.RawMessage, *mcpclient.RequestOptions) (json.RawMessage, error) {
	return nil, &mcpclient.Error{Server: "lacking", Reason: mcpclient.ReasonRemote, Sent: true, Err: &jsonrpc.Error{Code: -32601, Message: "method not found"}}
}

// Gemini E07: a server that does not know prompts/list has none, and that is no
// error of the client's.
func TestGeminiE07_PromptsUnknownToAServer(t *testing.T) {
	s := newServer(t, serve.Options{Backend: newBackend(t, nil), Upstreams: &lacking{}})
	_, body := as(t, s, gongu.Principal{Name: "p"}).begin(`{}`).post(`{"jsonrpc":"2.0","id":7,"method":"prompts/list"}`)
	if !strings.Contains(body, `"prompts":[]`) {
		t.Error(body)
	}
}
