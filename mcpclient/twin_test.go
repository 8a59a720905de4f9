package mcpclient_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// eras counts the calls of tools by the revision that their header names.
type eras struct {
	mu      sync.Mutex
	calls   map[string]int
	only    string // refuses requests of any other
	refused int
	next    http.Handler
}

func (e *eras) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	version := r.Header.Get("Mcp-Protocol-Version")
	if e.only != "" && version != e.only {
		e.mu.Lock()
		e.refused++
		e.mu.Unlock()
		http.Error(w, "unknown revision", http.StatusBadRequest)
		return
	}
	// A session of the older era names the method in the body alone.
	if r.Method == http.MethodPost && (r.Header.Get("Mcp-Method") == "tools/call" || version == "2025-11-25" && r.ContentLength > 80 && r.ContentLength < 130) {
		e.mu.Lock()
		e.calls[version]++
		e.mu.Unlock()
	}
	e.next.ServeHTTP(w, r)
}

func (e *eras) take() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	taken := e.calls
	e.calls = map[string]int{}
	return taken
}

// TestOlderClients: a client of the older era that declares nothing is served
// in its own era, where the server has both; all others, and all where it has
// not, in the newer one.
func TestOlderClients(t *testing.T) {
	type step struct {
		name string
		call *relay.Call
		want string
	}
	for only, steps := range map[string][]step{
		"": {
			{"modern", &relay.Call{Modern: true, Capabilities: json.RawMessage(`{}`)}, "2026-07-28"},
			{"older", &relay.Call{Capabilities: json.RawMessage(` { } `)}, "2025-11-25"},
			{"older without any", &relay.Call{}, "2025-11-25"},
			{"older that can be asked", &relay.Call{Capabilities: json.RawMessage(`{"elicitation":{}}`)}, "2026-07-28"},
			{"no client of MCP", nil, "2026-07-28"},
		},
		"2026-07-28": {
			{"a server without the older era", &relay.Call{}, "2026-07-28"},
			{"it is not asked again at once", &relay.Call{}, "2026-07-28"},
		},
	} {
		server := sdkServer()
		counted := &eras{only: only, calls: map[string]int{}, next: mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
			&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})}
		web := serveHTTP(t, counted)
		c := client(t, mcpclient.Config{Name: "web", URL: web.URL}, nil)
		for _, step := range steps {
			ctx := t.Context()
			if step.call != nil {
				ctx = relay.With(ctx, step.call)
			}
			counted.take()
			wantOutput(t, invoke(t, ctx, c, "hello", `{}`), `"hello"`)
			if got := counted.take(); got[step.want] != 1 || len(got) != 1 {
				t.Errorf("%s: %v", step.name, got)
			}
		}
		if refused := counted.refused; only != "" && refused != 1 {
			t.Errorf("the older era was tried %d times", refused)
		}
	}
}
