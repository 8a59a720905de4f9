package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu/mcpclient"
)

// watchServer is a modern server that tells of resources on its streams. Each
// stream says at once that all resources it was asked for have changed.
func watchServer(t *testing.T, subscribe bool) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var msg struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Notifications struct{ ResourceSubscriptions []string }
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&msg); err != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if msg.Method != "subscriptions/listen" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"resources":{"subscribe":%t}},"ttlMs":0,"cacheScope":"private"}}`, msg.ID, subscribe)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, uri := range msg.Params.Notifications.ResourceSubscriptions {
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":%q}}\n\n", uri)
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// TestWatchModern: who subscribes to a resource hears of it from a server whose
// era has no such request, and also of those that were subscribed to before,
// until the subscription ends.
func TestWatchModern(t *testing.T) {
	heard := make(chan string, 10)
	c, err := mcpclient.New(mcpclient.Config{Name: "x", URL: watchServer(t, true)}, &mcpclient.Options{
		OnNotification: func(_, method string, params json.RawMessage) { heard <- method + string(params) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, want := range [][]string{{"test://a"}, {"test://a", "test://b"}} {
		uri := want[len(want)-1]
		if _, err := c.Request(t.Context(), "resources/subscribe", json.RawMessage(`{"uri":"`+uri+`"}`), nil); err != nil {
			t.Fatal(err)
		}
		for _, uri := range want {
			select {
			case said := <-heard:
				if said != `notifications/resources/updated{"uri":"`+uri+`"}` {
					t.Errorf("heard %s", said)
				}
			case <-time.After(30 * time.Second):
				t.Fatalf("nothing was heard of %s", uri)
			}
		}
	}
	if _, err := c.Request(t.Context(), "resources/unsubscribe", json.RawMessage(`{"uri":"test://a"}`), nil); err != nil {
		t.Fatal(err)
	}
	if said := <-heard; said != `notifications/resources/updated{"uri":"test://b"}` {
		t.Errorf("heard %s of what is left", said)
	}
	if _, err := c.Request(t.Context(), "resources/subscribe", json.RawMessage(`{}`), nil); err == nil {
		t.Error("nothing was subscribed to")
	}
}

// TestWatchRefused: a server that tells of no resources is not asked to.
func TestWatchRefused(t *testing.T) {
	c, err := mcpclient.New(mcpclient.Config{Name: "x", URL: watchServer(t, false)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Request(t.Context(), "resources/subscribe", json.RawMessage(`{"uri":"test://a"}`), nil)
	if err == nil || !strings.Contains(err.Error(), "tells of no resources") {
		t.Errorf("%v", err)
	}
}

// TestWatchAgain: a session that is lost takes no subscription with it.
func TestWatchAgain(t *testing.T) {
	server := &eraServer{sessions: true}
	c := server.inGroup(t, mcpclient.Config{}).Client("x")
	if _, err := c.Request(t.Context(), "resources/subscribe", json.RawMessage(`{"uri":"test://a"}`), nil); err != nil {
		t.Fatal(err)
	}
	server.forget.Store(true)
	if _, err := c.Request(t.Context(), "tools/call", json.RawMessage(`{"name":"a"}`), nil); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); len(server.said("resources/subscribe")) < 2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the new session did not subscribe")
		}
	}
}
