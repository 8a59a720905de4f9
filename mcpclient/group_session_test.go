package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/mcpclient"
)

// eraServer speaks the eras that it is told to, and remembers what it heard.
type eraServer struct {
	sessions, stateless, modern bool
	tools                       string      // its list, an array
	forget                      atomic.Bool // the session, at the next request

	mu    sync.Mutex
	heard []string
}

func (e *eraServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var msg struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&msg) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	e.mu.Lock()
	e.heard = append(e.heard, msg.Method+" "+string(msg.Params))
	e.mu.Unlock()
	if msg.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if e.forget.CompareAndSwap(true, false) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer := `"result":{"content":[{"type":"text","text":"done"}],"resultType":"complete"}`
	switch {
	case msg.Method == "server/discover" && e.modern:
		answer = `"result":{"supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}`
	case msg.Method == "initialize" && (e.sessions || e.stateless):
		if e.sessions {
			w.Header().Set("Mcp-Session-Id", "s")
		}
		answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{},"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
	case msg.Method == "server/discover", msg.Method == "initialize":
		answer = `"error":{"code":-32601,"message":"no such method"}`
	case msg.Method == "tools/list":
		answer = `"result":{"tools":` + e.tools + `}`
	case msg.Method == "logging/setLevel":
		answer = `"result":{}`
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, msg.ID, answer)
}

func (e *eraServer) said(method string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for _, one := range e.heard {
		if params, ok := strings.CutPrefix(one, method+" "); ok {
			out = append(out, params)
		}
	}
	return out
}

// inGroup is a group with this server, under the name x.
func (e *eraServer) inGroup(t *testing.T, config mcpclient.Config) *mcpclient.Group {
	t.Helper()
	server := httptest.NewServer(e)
	g, err := mcpclient.NewGroup(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.Close()
		server.Close()
	})
	config.Name, config.URL = "x", server.URL
	if err := g.Add(config); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestSessionCapabilities: what can be passed on, in one form.
func TestSessionCapabilities(t *testing.T) {
	for _, tc := range []struct {
		caller   string
		sampling bool
		want     string
	}{
		{``, true, `{}`},
		{`[]`, true, `{}`},
		{`{"roots":{"listChanged":true}}`, true, `{}`},
		{`{"elicitation":{}}`, true, `{"elicitation":{}}`},
		{`{"sampling":{"tools":{},"x":1},"elicitation":{"url":{},"form":{"y":2}}}`, true, `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}}}`},
		{`{"sampling":{},"elicitation":{"url":true}}`, false, `{"elicitation":{}}`},
		{`{"elicitation":null,"sampling":"yes"}`, true, `{}`},
	} {
		if got := mcpclient.SessionCapabilities(json.RawMessage(tc.caller), tc.sampling); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.caller, got, tc.want)
		}
	}
}

// TestForSession: a caller with a session is passed on as one, with its own
// capabilities and never ours, where the server can ask back in that era.
func TestForSession(t *testing.T) {
	for _, tc := range []struct {
		name   string
		server *eraServer
		modern bool
	}{
		{"sessions only", &eraServer{sessions: true}, false},
		{"both", &eraServer{sessions: true, modern: true}, false},
		{"both, but it cannot ask back", &eraServer{stateless: true, modern: true}, true},
		{"stateless only", &eraServer{stateless: true}, false},
		{"modern only", &eraServer{modern: true}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := tc.server.inGroup(t, mcpclient.Config{})
			c, err := g.ForSession("kim", "x", `{"sampling":{}}`)
			if err != nil {
				t.Fatal(err)
			}
			info, err := c.Info(t.Context())
			if err != nil || info.Modern != tc.modern {
				t.Fatalf("modern %t, want %t: %v", info.Modern, tc.modern, err)
			}
			for _, params := range tc.server.said("initialize") {
				if !strings.Contains(params, `"capabilities":{"sampling":{}}`) {
					t.Errorf("declared with %s", params)
				}
			}
			if plain, err := g.For("kim", "x"); err != nil || plain == c {
				t.Errorf("a caller without a session has the same client: %v", err)
			}
		})
	}
}

// TestForSessionShares: callers that can do the same share a session, and only
// those; so do all principals of a shared server.
func TestForSessionShares(t *testing.T) {
	get := func(g *mcpclient.Group, principal, can string) *mcpclient.Client {
		c, err := g.ForSession(principal, "x", can)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	own := (&eraServer{sessions: true}).inGroup(t, mcpclient.Config{})
	kim := get(own, "kim", "{}")
	if get(own, "kim", "{}") != kim || get(own, "kim", `{"sampling":{}}`) == kim || get(own, "lee", "{}") == kim {
		t.Error("the wrong callers share a client")
	}
	if names := own.Names(); !slices.Equal(names, []string{"x"}) || len(own.Status()) != 1 {
		t.Errorf("the group has %q", names)
	}
	shared := (&eraServer{sessions: true}).inGroup(t, mcpclient.Config{Shared: true})
	if get(shared, "kim", "{}") != get(shared, "lee", "{}") {
		t.Error("two principals do not share a shared server")
	}
	if _, err := own.ForSession("kim", "y", "{}"); err == nil || !strings.Contains(err.Error(), "there are x") {
		t.Errorf("a server that is not there: %v", err)
	}
	own.Close()
	if _, err := own.ForSession("new", "x", "{}"); err == nil {
		t.Error("a closed group made a client")
	}
}

// TestLogLevel: a server with sessions is asked for what the most curious
// caller wants to hear, before the call and only when that is more than before.
func TestLogLevel(t *testing.T) {
	server := &eraServer{sessions: true}
	g := server.inGroup(t, mcpclient.Config{})
	c := g.Client("x")
	call := func(level string) {
		opts := &mcpclient.RequestOptions{}
		if level != "silent" {
			opts.Log, opts.LogLevel = func(context.Context, json.RawMessage) {}, level
		}
		if _, err := c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`), opts); err != nil {
			t.Fatal(err)
		}
	}
	for _, level := range []string{"silent", "warning", "error", "", "info", "debug", "info"} {
		call(level)
	}
	want := []string{`{"level":"warning"}`, `{"level":"info"}`, `{"level":"debug"}`}
	if got := server.said("logging/setLevel"); !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
	modern := &eraServer{modern: true}
	c = modern.inGroup(t, mcpclient.Config{}).Client("x")
	call("debug")
	if got := modern.said("tools/call"); len(got) != 1 || !strings.Contains(got[0], `logLevel":"debug"`) || len(modern.said("logging/setLevel")) > 0 {
		t.Errorf("a modern server was told %q", got)
	}
}

// TestOwnNames: under its own names a server keeps the legal ones, and gets
// others for the rest; none is left out. Promise H6, S8.
func TestOwnNames(t *testing.T) {
	server := &eraServer{sessions: true, tools: `[{"name":"plain","inputSchema":{"type":"object"}},{"name":"__odd","inputSchema":{"type":"object"}},{"name":"a/b","inputSchema":{"type":"object"}}]`}
	c := server.inGroup(t, mcpclient.Config{Prefix: new("")}).Client("x")
	listing, err := c.Tools(t.Context())
	if err != nil || len(listing.Problems) > 0 || len(listing.Tools) != 3 {
		t.Fatalf("%+v %v", listing, err)
	}
	for i, want := range []string{"plain", "odd_", "a_b_"} {
		tool := listing.Tools[i].Tool
		if !strings.HasPrefix(tool.Name, want) {
			t.Errorf("%s is called %s", tool.Source.Original, tool.Name)
		}
		if r := executor(t, c).Call(t.Context(), gongu.Call{Name: tool.Name}); r.Failed() {
			t.Errorf("%s: %v", tool.Name, r.Error)
		}
	}
	if calls := server.said("tools/call"); len(calls) != 3 || !strings.Contains(calls[1], `"name":"__odd"`) || !strings.Contains(calls[2], `"name":"a/b"`) {
		t.Errorf("the server was called with %q", calls)
	}
}
