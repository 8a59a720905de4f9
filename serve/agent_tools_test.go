package serve_test

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/agent"
	"github.com/gongu-ai/gongu/host"
	"github.com/gongu-ai/gongu/internal/event"
	"github.com/gongu-ai/gongu/serve"
)

const lateBundle = `apiVersion: gongu/v1
kind: Model
metadata: { name: m }
spec: { provider: openai, model: x }
---
apiVersion: gongu/v1
kind: Extension
metadata: { name: late }
spec: { entry: "builtin:late" }
---
apiVersion: gongu/v1
kind: Agent
metadata: { name: busy }
spec: { modelConfig: { modelRef: Model/m }, extensions: [Extension/late] }
---
apiVersion: gongu/v1
kind: Agent
metadata: { name: calm }
spec: { modelConfig: { modelRef: Model/m } }
`

// A tool that an agent's extension registers at run time is news for those who
// listen on that agent's path, in both eras, and for nobody else. Registering
// the same again is none.
func TestListChangedOfAnAgent(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gongu.yaml"), []byte(lateBundle), 0o644); err != nil {
		t.Fatal(err)
	}
	apis := make(chan *agent.API, 10)
	late := agent.ExtensionFunc(func(_ context.Context, api *agent.API, _ json.RawMessage) error {
		apis <- api
		return api.RegisterTool(readOnly(echo("late__early")))
	})
	h, err := host.Open(t.Context(), dir, &host.Options{
		StateRoot: t.TempDir(), Logger: slog.New(slog.DiscardHandler), Extensions: map[string]agent.Extension{"late": late},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	up := &upstream{}
	s := newServer(t, serve.Options{Backend: h, Mode: serve.ModeDirect, Upstreams: up, Events: up.events.Subscribe})
	// The server hears both the host and the upstream, in one order.
	go func() {
		for e := range h.Events(t.Context()) {
			up.events.Publish(e)
		}
	}()
	published, stop := iter.Pull(h.Events(t.Context()))
	defer stop()
	forwarded, stopForwarded := iter.Pull(up.events.Subscribe(t.Context()))
	defer stopForwarded()
	on := func(path string) *client {
		c := as(t, s, gongu.Principal{Name: "p"})
		c.url += path
		return c
	}
	busy := on("/busy")
	if got := busy.names(); !slices.Equal(got, []string{"late__early"}) {
		t.Fatalf("%q", got)
	}
	api := <-apis
	listen := func(c *client) func() (string, string) {
		resp := c.send(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"promptsListChanged":true},`+transcriptMeta+`{}}}}`)
		t.Cleanup(func() { _ = resp.Body.Close() })
		next := events(t, resp.Body)
		if _, data := next(); !strings.Contains(data, "acknowledged") {
			t.Fatal(data)
		}
		return next
	}
	session := on("/busy").begin("{}")
	stream := session.send(t.Context(), http.MethodGet, "")
	t.Cleanup(func() { _ = stream.Body.Close() })
	heard := map[string]func() (string, string){"a session": events(t, stream.Body), "a subscription": listen(busy)}
	calm := listen(on("/calm"))
	for _, tool := range []gongu.Tool{echo("late__early"), echo("late__made")} {
		// The first is there already and says the same.
		if err := api.RegisterTool(readOnly(tool)); err != nil {
			t.Fatal(err)
		}
	}
	if e, _ := forwarded(); e.Kind != event.Tools || e.Agent != "busy" {
		t.Fatalf("%+v", e)
	}
	// All hear of the prompts, so that what comes before is all there was.
	up.tell("notifications/prompts/list_changed", nil)
	for who, next := range heard {
		for _, want := range []string{"tools", "prompts"} {
			if _, data := next(); !strings.Contains(data, "notifications/"+want+"/list_changed") {
				t.Errorf("%s hears %s, not of %s", who, data, want)
			}
		}
	}
	if _, data := calm(); !strings.Contains(data, "notifications/prompts/list_changed") {
		t.Errorf("another agent hears %s", data)
	}
	if got := busy.names(); !slices.Equal(got, []string{"late__early", "late__made"}) {
		t.Errorf("%q", got)
	}
	// There was one change: what comes after it is the reload.
	h.Reload(t.Context())
	for _, want := range []event.Kind{event.Tools, event.Reload} {
		if e, _ := published(); e.Kind != want {
			t.Errorf("event %+v, want %s", e, want)
		}
	}
}
