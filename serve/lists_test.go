package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/access"
	"github.com/gongu-ai/gongu/mcpclient"
	"github.com/gongu-ai/gongu/serve"
)

// endlessLists is an upstream whose lists have no end: each page has a megabyte
// and another cursor.
type endlessLists struct {
	upstream
	bytes atomic.Int64
}

func (*endlessLists) Name() string { return "endless" }

func (e *endlessLists) Request(_ context.Context, method string, _ json.RawMessage, _ *mcpclient.RequestOptions) (json.RawMessage, error) {
	field := map[string]string{"prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}[method]
	n := e.bytes.Add(1 << 20)
	return fmt.Appendf(nil, `{%q:[{"name":"p%d","description":%q}],"nextCursor":"c%d"}`, field, n, strings.Repeat("x", 1<<20), n), nil
}

type both struct {
	flood *endlessLists
	sound *upstream
}

func (b *both) For(context.Context, string, access.Kind) []serve.Upstream {
	return []serve.Upstream{b.flood, b.sound}
}

// K12, attack 9: every list method ends at 32 MiB of an upstream, and the lists
// of the others are answered.
func TestK12Lists(t *testing.T) {
	for method, want := range map[string]string{
		"prompts/list": "test_simple_prompt", "resources/list": "test://static-text", "resources/templates/list": "test://template/{id}/data",
	} {
		upstreams := &both{&endlessLists{}, &upstream{}}
		s := newServer(t, serve.Options{Backend: newBackend(t, nil), Upstreams: upstreams})
		client := as(t, s, gongu.Principal{Name: "p"}).begin(`{}`)
		upstreams.flood.bytes.Store(0)
		_, body := client.post(`{"jsonrpc":"2.0","id":7,"method":"` + method + `"}`)
		if !strings.Contains(body, want) || strings.Contains(body, "xxxx") {
			t.Errorf("%s: %.300s", method, body)
		}
		if n := upstreams.flood.bytes.Load(); n != 32<<20 {
			t.Errorf("%s: %d MiB were read of the endless list", method, n>>20)
		}
	}
}

// K12: looking for a prompt or a resource in a list that has no end ends, too.
func TestK12LookUp(t *testing.T) {
	upstreams := &both{&endlessLists{}, &upstream{}}
	s := newServer(t, serve.Options{Backend: newBackend(t, nil), Upstreams: upstreams, Limits: serve.Limits{List: 4 << 20}})
	_, body := as(t, s, gongu.Principal{Name: "p"}).begin(`{}`).post(`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"test_simple_prompt"}}`)
	if !strings.Contains(body, `"messages"`) {
		t.Errorf("%.300s", body)
	}
	if n := upstreams.flood.bytes.Load(); n > 4<<20 {
		t.Errorf("%d MiB were read", n>>20)
	}
}

// heldLists gives three megabytes and then waits.
type heldLists struct {
	upstream
	waiting atomic.Int32
	open    chan struct{}
}

func (h *heldLists) For(context.Context, string, access.Kind) []serve.Upstream {
	return []serve.Upstream{h}
}

func (h *heldLists) Request(_ context.Context, _ string, params json.RawMessage, _ *mcpclient.RequestOptions) (json.RawMessage, error) {
	if strings.Contains(string(params), "cursor") {
		h.waiting.Add(1)
		<-h.open
		return json.RawMessage(`{"prompts":[]}`), nil
	}
	return fmt.Appendf(nil, `{"prompts":[{"name":"p","description":%q}],"nextCursor":"c"}`, strings.Repeat("x", 3<<20)), nil
}

// K12: large lists that many clients read at the same time take no more than two
// of them may; the next client is told to try again.
func TestK12ListsAtOnce(t *testing.T) {
	h := &heldLists{open: make(chan struct{})}
	s := newServer(t, serve.Options{Backend: newBackend(t, nil), Upstreams: h, Limits: serve.Limits{List: 4 << 20}})
	client := as(t, s, gongu.Principal{Name: "p"}).begin(`{}`)
	ask := `{"jsonrpc":"2.0","id":7,"method":"prompts/list"}`
	var first sync.WaitGroup
	for range 2 {
		first.Go(func() { client.post(ask) })
	}
	for h.waiting.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	if _, body := client.post(ask); !strings.Contains(body, "too many requests are running") {
		t.Errorf("the third: %.200s", body)
	}
	close(h.open)
	first.Wait()
	if _, body := client.post(ask); !strings.Contains(body, `"name":"p"`) {
		t.Errorf("afterwards: %.200s", body)
	}
}
