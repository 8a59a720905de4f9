package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/explore"
	"github.com/gongu-ai/gongu/internal/relay"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/toolrequest"
)

func readOnly(t gongu.Tool) gongu.Tool {
	t.Annotations.ReadOnly = new(true)
	return t
}

func echo(name string) gongu.Tool {
	return tool(name, func(_ context.Context, args json.RawMessage) gongu.Result { return says(string(args)) })
}

// Promise V1: /mcp serves everything, /mcp/<agent> the agent's catalog, and
// each list or call is one step.
func TestV1OneStep(t *testing.T) {
	b := newBackend(t, nil, echo("one"), echo("two"))
	b.agent = func(string) (*gongu.Catalog, error) { return gongu.Everything(b.registry).Restrict("two"), nil }
	s := newServer(t, serve.Options{Backend: b, Agents: func() []string { return []string{"a"} }})
	c := as(t, s, gongu.Principal{Name: "p"})
	if got := c.names(); !slices.Equal(got, []string{"one", "two"}) || b.steps != 1 {
		t.Errorf("%q in %d steps", got, b.steps)
	}
	c.url += "/a"
	if got := c.names(); !slices.Equal(got, []string{"two"}) || b.steps != 2 {
		t.Errorf("%q in %d steps", got, b.steps)
	}
	if _, body := c.modern("tools/call", `"name":"one"`, "{}"); !strings.Contains(body, `"code":-32602`) || b.steps != 3 {
		t.Errorf("%s in %d steps", body, b.steps)
	}
	if _, body := c.modern("tools/call", `"name":"two"`, "{}"); !strings.Contains(body, `"text":"{}"`) || b.steps != 4 {
		t.Errorf("%s in %d steps", body, b.steps)
	}
	c.url = strings.TrimSuffix(c.url, "/a") + "/b"
	if status, _ := c.modern("tools/list", "", "{}"); status != http.StatusNotFound {
		t.Errorf("an agent that is not there: %d", status)
	}
}

// Promise V4: search mode shows exactly the tools to find and call others
// with; auto is direct until the budget is full.
func TestV4Modes(t *testing.T) {
	tools := explore.Tools(&explore.Options{Requests: toolrequest.NewMemory(), Macros: func(json.RawMessage, *gongu.Catalog) error { return nil }})
	b := newBackend(t, nil, append(tools, readOnly(echo("mine")), echo("hidden"))...).offering(t)
	search := []string{"list_domains", "list_tools", "get_tool_schema", "search_tools", "call_tool", "request_tool", "list_tool_requests", "register_tool"}
	for _, tc := range []struct {
		mode   string
		budget int
		want   []string
	}{
		{serve.ModeSearch, 0, search},
		{serve.ModeAuto, 1, search},
		{serve.ModeAuto, 100_000, append(slices.Clone(search), "mine")},
		{serve.ModeDirect, 1, append(slices.Clone(search), "mine")},
		{serve.ModeCode, 0, slices.DeleteFunc(slices.Clone(search), func(n string) bool { return n == "call_tool" })},
	} {
		c := as(t, newServer(t, serve.Options{Backend: b, Mode: tc.mode, Budget: tc.budget}), gongu.Principal{Name: "p"})
		if got := c.names(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q", tc.mode, got)
		}
		if tc.mode != serve.ModeSearch {
			continue
		}
		_, body := c.modern("tools/call", `"name":"call_tool","arguments":{"name":"mine","arguments":{"x":1}}`, "{}")
		if !strings.Contains(body, `{\"x\":1}`) {
			t.Errorf("call_tool: %s", body)
		}
		// V6 holds inside of call_tool, too.
		if _, body = c.modern("tools/call", `"name":"call_tool","arguments":{"name":"hidden"}`, "{}"); !strings.Contains(body, "E_TOOL_NOT_IN_CATALOG") {
			t.Errorf("call_tool reached what is not offered: %s", body)
		}
	}
}

// Promise V5: the effective catalog is token ∩ path, else 403.
func TestV5TokenAndPath(t *testing.T) {
	b := newBackend(t, nil, echo("one"), echo("two"))
	s := newServer(t, serve.Options{Backend: b})
	narrow := as(t, s, gongu.Principal{Name: "n", Allow: []gongu.Rule{{Name: "two"}}})
	if got := narrow.names(); !slices.Equal(got, []string{"two"}) {
		t.Errorf("%q", got)
	}
	if _, body := narrow.modern("tools/call", `"name":"one"`, "{}"); !strings.Contains(body, `"code":-32602`) || strings.Contains(body, "Did you mean: one") {
		t.Errorf("%s", body)
	}
	other := as(t, s, gongu.Principal{Name: "o", Agents: []string{"a"}})
	if status, _ := other.modern("tools/list", "", "{}"); status != http.StatusForbidden {
		t.Errorf("a path that the token does not have: %d", status)
	}
	nobody := newLocal(t, s.MCP())
	if status, _ := nobody.modern("tools/list", "", "{}"); status != http.StatusUnauthorized {
		t.Errorf("a request of nobody: %d", status)
	}
}

// Promise V5: names are at most 48 characters, with a way back that also
// works for a client that never listed.
func TestV5Names(t *testing.T) {
	long := strings.Repeat("x", 60)
	b := newBackend(t, nil, echo(long), echo("short"))
	opts := serve.Options{Backend: b}
	names := as(t, newServer(t, opts), gongu.Principal{Name: "p"}).names()
	if len(names[0]) != 48 || names[1] != "short" {
		t.Fatalf("%q", names)
	}
	c := as(t, newServer(t, opts), gongu.Principal{Name: "p"})
	if _, body := c.modern("tools/call", `"name":"`+names[0]+`","arguments":{"a":1}`, "{}"); !strings.Contains(body, `{\"a\":1}`) {
		t.Errorf("%s", body)
	}
}

// Promise V5: one page by default, and pages that fit together when asked for.
func TestV5Pages(t *testing.T) {
	b := newBackend(t, nil, echo("a"), echo("b"), echo("c"))
	c := as(t, newServer(t, serve.Options{Backend: b, Page: 2}), gongu.Principal{Name: "p"})
	_, body := c.modern("tools/list", "", "{}")
	var page struct {
		Result struct {
			Tools      []struct{ Name string }
			NextCursor string
		}
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil || len(page.Result.Tools) != 2 {
		t.Fatalf("%s", body)
	}
	_, body = c.modern("tools/list", `"cursor":"`+page.Result.NextCursor+`"`, "{}")
	if !strings.Contains(body, `"name":"c"`) || strings.Contains(body, `"name":"a"`) || strings.Contains(body, "nextCursor") {
		t.Errorf("%s", body)
	}
	if err := b.registry.Add(echo("d")); err != nil {
		t.Fatal(err)
	}
	if status, _ := c.modern("tools/list", `"cursor":"`+page.Result.NextCursor+`"`, "{}"); status != http.StatusBadRequest {
		t.Errorf("the cursor of a list that is gone: %d", status)
	}
}

// Promise V6: only read-only tools are offered unless named, and the log says
// so once.
func TestV6ReadOnly(t *testing.T) {
	b := newBackend(t, nil, readOnly(echo("look")), echo("touch"), echo("other"))
	var log bytes.Buffer
	var err error
	if b.access, err = access.New(access.Options{Offer: access.ReadOnlyAnd([]string{"tou*"}), Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, serve.Options{Backend: b})
	c := as(t, s, gongu.Principal{Name: "p"})
	if got := c.names(); !slices.Equal(got, []string{"look", "touch"}) {
		t.Errorf("%q", got)
	}
	if _, body := c.modern("tools/call", `"name":"other"`, "{}"); !strings.Contains(body, `"code":-32602`) {
		t.Errorf("%s", body)
	}
	if n := strings.Count(log.String(), "--offer"); n != 1 || !strings.Contains(log.String(), "other") {
		t.Errorf("the log says it %d times:\n%s", n, log.String())
	}
}

// TestV8Gateway proves that an upstream's result passes byte for byte, by bytes
// and by counter, and that a middleware or a cap takes it off that path.
func TestV8Gateway(t *testing.T) {
	result := `{ "zeta":1, "content":[{"type":"future","x":[1,2]}], "_meta":{"k":"v"}, "alpha" : "é" }`
	big := `{"content":[{"type":"text","text":"` + strings.Repeat("y", 12<<20) + `"}]}`
	relayed := func(name, raw string) gongu.Tool {
		return tool(name, func(ctx context.Context, _ json.RawMessage) gongu.Result {
			var parts struct {
				Content json.RawMessage `json:"content"`
				Meta    json.RawMessage `json:"_meta"`
			}
			if err := json.Unmarshal([]byte(raw), &parts); err != nil {
				return gongu.Fail(err)
			}
			relay.Of(ctx).Keep(json.RawMessage(raw), nil, parts.Content, parts.Meta)
			return gongu.Result{Status: gongu.StatusOK, Content: parts.Content, Meta: parts.Meta}
		})
	}
	b := newBackend(t, nil, relayed("up", result), relayed("big", big), echo("own"))
	s := newServer(t, serve.Options{Backend: b})
	legacy := as(t, s, gongu.Principal{Name: "p"}).begin("{}")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up"}}`
	if _, body := legacy.post(call); body != `{"jsonrpc":"2.0","id":1,"result":`+result+`}` {
		t.Errorf("%s", body)
	}
	_, body := as(t, s, gongu.Principal{Name: "p"}).modern("tools/call", `"name":"up"`, "{}")
	if want := `"result":{"resultType":"complete",` + result[1:] + `}`; !strings.HasSuffix(body, want) {
		t.Errorf("%s", body)
	}
	if n := s.Counters(); n.Passed != 2 || n.Encoded != 0 {
		t.Errorf("%+v", n)
	}
	if _, body := legacy.post(strings.Replace(call, "up", "big", 1)); len(body) > 64<<10 || !strings.Contains(body, `"truncated":true`) {
		t.Errorf("12 MiB: %d bytes", len(body))
	}
	if n := s.Counters(); n.Passed != 2 || n.Encoded != 1 {
		t.Errorf("%+v", n)
	}
	remove := b.executor.Use(0, func(next gongu.Invoke) gongu.Invoke {
		return func(ctx context.Context, call gongu.Call) gongu.Result {
			r := next(ctx, call)
			r.Content = json.RawMessage(`[{"type":"text","text":"redacted"}]`)
			return r
		}
	})
	if _, body := legacy.post(call); !strings.Contains(body, "redacted") || strings.Contains(body, "future") {
		t.Errorf("a middleware's change is lost: %s", body)
	}
	remove()
	b.registry.Remove("up")
	if _, body := legacy.post(call); !strings.Contains(body, "-32602") {
		t.Errorf("a tool that is gone was called: %s", body)
	}
}

// Lists are encoded once for each content, whoever asks.
func TestListCache(t *testing.T) {
	b := newBackend(t, nil, echo("a"))
	s := newServer(t, serve.Options{Backend: b})
	for _, who := range []string{"p", "q", "p"} {
		as(t, s, gongu.Principal{Name: who}).names()
	}
	if n := s.Counters(); n.ListBuilds != 1 || n.ListHits != 2 {
		t.Errorf("%+v", n)
	}
	if err := b.registry.Add(echo("b")); err != nil {
		t.Fatal(err)
	}
	if got := as(t, s, gongu.Principal{Name: "p"}).names(); len(got) != 2 {
		t.Errorf("%q", got)
	}
}
