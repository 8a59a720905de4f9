package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/serve"
)

// counted is an upstream that records subscriptions and their ends.
type counted struct {
	upstream
	mu   sync.Mutex
	asks []string
}

func (u *counted) For(context.Context, string, access.Kind) []serve.Upstream {
	return []serve.Upstream{u}
}

func (u *counted) Request(ctx context.Context, method string, params json.RawMessage, opts *mcpclient.RequestOptions) (json.RawMessage, error) {
	if name, ok := strings.CutPrefix(method, "resources/"); ok && strings.HasSuffix(name, "subscribe") {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		u.mu.Lock()
		u.asks = append(u.asks, name)
		u.mu.Unlock()
	}
	return u.upstream.Request(ctx, method, params, opts)
}

func (u *counted) wait(t *testing.T, want ...string) {
	t.Helper()
	waitFor(t, func() bool {
		u.mu.Lock()
		defer u.mu.Unlock()
		return slices.Equal(u.asks, want)
	})
}

// A session subscribes once to a resource, and the upstream learns when the
// session unsubscribes or ends, and when a listen stream ends.
func TestK12SubscriptionsEndUpstream(t *testing.T) {
	const on, off = "subscribe", "unsubscribe"
	ask := func(method string) string {
		return `{"jsonrpc":"2.0","id":2,"method":"resources/` + method + `","params":{"uri":"test://watched-resource"}}`
	}
	start := func() (*counted, *serve.Server, *client) {
		up := &counted{}
		s := newServer(t, serve.Options{Backend: newBackend(t, nil), Upstreams: up})
		return up, s, as(t, s, gongu.Principal{Name: "p"})
	}
	t.Run("unsubscribe", func(t *testing.T) {
		up, _, c := start()
		c.begin(`{}`)
		for _, method := range []string{on, on, off, off} {
			if status, body := c.post(ask(method)); status != http.StatusOK || !strings.Contains(body, `"result":{}`) {
				t.Errorf("%s: %d %s", method, status, body)
			}
		}
		up.wait(t, on, off)
	})
	t.Run("session", func(t *testing.T) {
		up, _, c := start()
		c.begin(`{}`).post(ask(on))
		_ = c.send(t.Context(), http.MethodDelete, "").Body.Close()
		up.wait(t, on, off)
	})
	t.Run("drain", func(t *testing.T) {
		up, s, c := start()
		c.begin(`{}`).post(ask(on))
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		up.wait(t, on, off)
	})
	t.Run("stream", func(t *testing.T) {
		up, _, c := start()
		ctx, cancel := context.WithCancel(t.Context())
		listen := c.send(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["test://watched-resource","test://watched-resource"]},`+transcriptMeta+`{}}}}`)
		up.wait(t, on)
		cancel()
		_ = listen.Body.Close()
		up.wait(t, on, off)
	})
}

// fullUpstream follows as many resources as it can.
type fullUpstream struct{ counted }

func (u *fullUpstream) For(context.Context, string, access.Kind) []serve.Upstream {
	return []serve.Upstream{u}
}

func (u *fullUpstream) Request(ctx context.Context, method string, params json.RawMessage, opts *mcpclient.RequestOptions) (json.RawMessage, error) {
	if method == "resources/subscribe" {
		return nil, &mcpclient.Error{Server: "fixture", Reason: mcpclient.ReasonBusy, Err: mcpclient.ErrManyWatched}
	}
	return u.upstream.Request(ctx, method, params, opts)
}

// K12: a subscription beyond the limit was answered with an empty success, and a
// listen stream took any number.
func TestK12TooManySubscriptions(t *testing.T) {
	s := newServer(t, serve.Options{Backend: newBackend(t, nil), Upstreams: &counted{}})
	session := as(t, s, gongu.Principal{Name: "p"}).begin(`{}`)
	subscribe := func(c *client, n int) string {
		_, body := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://%d"}}`, n))
		return body
	}
	const most = 1000
	for n := range most {
		if body := subscribe(session, n); !strings.Contains(body, `"result":{}`) {
			t.Fatalf("%d: %s", n, body)
		}
	}
	if body := subscribe(session, most); !strings.Contains(body, "at most 1000 resources") {
		t.Errorf("one more: %s", body)
	}
	if body := subscribe(session, 0); !strings.Contains(body, `"result":{}`) {
		t.Errorf("one of them again: %s", body)
	}
	uris := make([]string, most+1)
	for i := range uris {
		uris[i] = fmt.Sprintf("test://%d", i)
	}
	raw, err := json.Marshal(uris)
	if err != nil {
		t.Fatal(err)
	}
	status, body := as(t, s, gongu.Principal{Name: "p"}).modern("subscriptions/listen", `"notifications":{"resourceSubscriptions":`+string(raw)+`}`, `{}`)
	if status != http.StatusBadRequest || !strings.Contains(body, "at most 1000 resources") {
		t.Errorf("listen: %d %.300s", status, body)
	}
	busy := newServer(t, serve.Options{Backend: newBackend(t, nil), Upstreams: &fullUpstream{}})
	if body := subscribe(as(t, busy, gongu.Principal{Name: "p"}).begin(`{}`), 1); !strings.Contains(body, "at most 1000 resources") {
		t.Errorf("an upstream that is full: %s", body)
	}
}
