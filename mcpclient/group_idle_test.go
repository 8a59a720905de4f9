package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// clock is a time that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// idleGroup is a group with one server with sessions, which counts those that
// are open, and answers tools/call when it is let.
type idleGroup struct {
	*Group
	clock *clock
	open  atomic.Int32
	// unsubscribed counts the requests to end a subscription.
	unsubscribed atomic.Int32
	called       chan struct{}
	answer       chan struct{}
}

func newIdleGroup(t *testing.T) *idleGroup {
	t.Helper()
	g := &idleGroup{clock: &clock{now: time.Unix(1, 0)}, called: make(chan struct{}, 100), answer: make(chan struct{})}
	web := httptest.NewServer(http.HandlerFunc(g.serve))
	group, err := NewGroup(&Options{Clock: g.clock.read, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	g.Group = group
	if err := g.Add(Config{Name: "x", URL: web.URL, ProtocolVersion: newestLegacy}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.Close()
		web.Close()
		if n := g.open.Load(); n != 0 {
			t.Errorf("%d sessions are still open", n)
		}
	})
	return g
}

func (g *idleGroup) serve(w http.ResponseWriter, r *http.Request) {
	var msg struct {
		ID     json.RawMessage
		Method string
	}
	switch {
	case r.Method == http.MethodDelete:
		g.open.Add(-1)
		return
	case r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&msg) != nil:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case msg.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	result := `{}`
	switch msg.Method {
	case "initialize":
		w.Header().Set("Mcp-Session-Id", fmt.Sprint(g.open.Add(1)))
		result = `{"protocolVersion":"2025-11-25","capabilities":{"resources":{"subscribe":true}},"serverInfo":{"name":"x","version":"1"}}`
	case askUnsubscribe:
		g.unsubscribed.Add(1)
	case "tools/call":
		g.called <- struct{}{}
		<-g.answer
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, msg.ID, result)
}

// ping makes a principal use the server.
func (g *idleGroup) ping(t *testing.T, principal string) *Client {
	t.Helper()
	c, err := g.For(principal, "x")
	if err == nil {
		_, err = c.Request(t.Context(), "ping", nil, nil)
	}
	if err != nil {
		t.Fatalf("%s: %v", principal, err)
	}
	return c
}

// wantOpen waits for a number of sessions at the server, and holds the books of
// the group against it.
func (g *idleGroup) wantOpen(t *testing.T, want int) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); int(g.open.Load()) != want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d sessions are open, want %d", g.open.Load(), want)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.onDemand) != want || len(g.clients) != want+1 || len(g.links) != want+1 { // and the owner's, which nobody used
		t.Errorf("%d on demand, %d clients, %d links; want %d of principals", len(g.onDemand), len(g.clients), len(g.links), want)
	}
}

// TestK12IdleClientsEnd: a client of a principal that nobody uses for five
// minutes ends with its session, and is there again at the next use.
func TestK12IdleClientsEnd(t *testing.T) {
	g := newIdleGroup(t)
	kim := g.ping(t, "kim")
	g.clock.advance(idleTime - time.Second)
	g.ping(t, "lee")
	g.expire()
	g.wantOpen(t, 2)
	g.clock.advance(2 * time.Second)
	g.expire()
	g.wantOpen(t, 1) // lee's
	// Whoever still has the client can use it.
	if _, err := kim.Request(t.Context(), "ping", nil, nil); err != nil {
		t.Error(err)
	}
	g.wantOpen(t, 2)
	if again, err := g.For("kim", "x"); err != nil || again != kim {
		t.Errorf("another client for the same principal: %v", err)
	}
	g.clock.advance(idleTime)
	g.expire()
	g.wantOpen(t, 0)
	if g.timer != nil {
		t.Error("the group looks for idle clients although there are none")
	}
	g.ping(t, "kim")
	if g.timer == nil {
		t.Error("nobody looks for idle clients")
	}
}

// TestK12OwnerStays: the client of the group's own principal never ends.
func TestK12OwnerStays(t *testing.T) {
	g := newIdleGroup(t)
	own := g.Client("x")
	if _, err := own.Request(t.Context(), "ping", nil, nil); err != nil {
		t.Fatal(err)
	}
	g.clock.advance(10 * idleTime)
	g.expire()
	g.ping(t, "kim")
	if g.open.Load() != 2 || g.Client("x") != own {
		t.Errorf("%d sessions are open", g.open.Load())
	}
}

// TestK12ManyClients: of more than 64 clients the least recently used one ends.
func TestK12ManyClients(t *testing.T) {
	g := newIdleGroup(t)
	for i := range maxOnDemand {
		g.ping(t, fmt.Sprint("p", i))
		g.clock.advance(time.Second)
	}
	g.wantOpen(t, maxOnDemand)
	g.ping(t, "p0")
	g.clock.advance(time.Second)
	for i := range 3 {
		g.ping(t, fmt.Sprint("q", i))
		g.clock.advance(time.Second)
	}
	g.wantOpen(t, maxOnDemand)
	for principal, want := range map[string]bool{"p0": true, "p1": false, "p2": false, "p3": false, "p4": true, "q2": true} {
		if _, found := g.clients[groupKey{principal: principal, name: "x"}]; found != want {
			t.Errorf("%s is kept: %t", principal, found)
		}
	}
}

// TestK12ClientsInUse: a client with a call under way does not end. While all 64
// are in use the next one waits, within bounds, and gets its turn.
func TestK12ClientsInUse(t *testing.T) {
	g := newIdleGroup(t)
	g.busyWait = 100 * time.Millisecond
	var calls sync.WaitGroup
	call := func(ctx context.Context, principal string) error {
		c, err := g.For(principal, "x")
		if err != nil {
			return err
		}
		_, err = c.Request(ctx, "tools/call", json.RawMessage(`{"name":"t"}`), nil)
		return err
	}
	for i := range maxOnDemand {
		calls.Go(func() {
			if err := call(context.Background(), fmt.Sprint("p", i)); err != nil {
				t.Errorf("p%d: %v", i, err)
			}
		})
		<-g.called
	}
	g.clock.advance(2 * idleTime)
	g.expire()
	g.wantOpen(t, maxOnDemand)
	busy, ok := errors.AsType[*Error](call(t.Context(), "more"))
	if !ok || busy.Reason != ReasonBusy || busy.Sent {
		t.Errorf("one more: %v", busy)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if left, ok := errors.AsType[*Error](call(ended, "more")); !ok || left.Reason != ReasonCancelled {
		t.Errorf("one that leaves: %v", left)
	}
	calls.Go(func() { // a second call of one that is in use
		if err := call(context.Background(), "p0"); err != nil {
			t.Errorf("p0 again: %v", err)
		}
	})
	<-g.called
	g.mu.Lock()
	g.busyWait = time.Minute
	g.mu.Unlock()
	calls.Go(func() {
		if err := call(context.Background(), "patient"); err != nil {
			t.Errorf("one that waits: %v", err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	if n := g.open.Load(); n > maxOnDemand {
		t.Errorf("%d sessions", n)
	}
	close(g.answer)
	<-g.called
	calls.Wait()
	g.wantOpen(t, maxOnDemand)
}

// TestK12Subscribers: who subscribed to a resource waits for news, and is not
// idle.
func TestK12Subscribers(t *testing.T) {
	g := newIdleGroup(t)
	c := g.ping(t, "kim")
	if _, err := c.Request(t.Context(), askSubscribe, json.RawMessage(`{"uri":"a://b"}`), nil); err != nil {
		t.Fatal(err)
	}
	g.clock.advance(2 * idleTime)
	g.expire()
	g.wantOpen(t, 1)
}

// TestK12SubscribersEnd: a client is idle again after the last of its
// subscribers has unsubscribed, which is when the server is told.
func TestK12SubscribersEnd(t *testing.T) {
	g := newIdleGroup(t)
	c := g.ping(t, "kim")
	ask := func(method string) {
		t.Helper()
		if _, err := c.Request(t.Context(), method, json.RawMessage(`{"uri":"a://b"}`), nil); err != nil {
			t.Fatal(err)
		}
	}
	idle := func() {
		g.clock.advance(2 * idleTime)
		g.expire()
	}
	ask(askSubscribe)
	ask(askSubscribe)
	ask(askUnsubscribe)
	idle()
	g.wantOpen(t, 1)
	if n := g.unsubscribed.Load(); n != 0 {
		t.Errorf("the server was told %d times while somebody is subscribed", n)
	}
	ask(askUnsubscribe)
	idle()
	g.wantOpen(t, 0)
	if n := g.unsubscribed.Load(); n != 1 {
		t.Errorf("the server was told %d times, want once", n)
	}
}

// TestSubscriptionsOfOneClient: the subscriptions of a client end with it, and
// those of others on the same link stay.
func TestSubscriptionsOfOneClient(t *testing.T) {
	var w watched
	a, b := &Client{}, &Client{}
	for _, held := range []struct {
		c   *Client
		uri string
	}{{a, "x"}, {a, "y"}, {b, "y"}} {
		w.add(held.c, held.uri)
	}
	_, changed := w.list()
	w.removeAll(a)
	select {
	case <-changed:
	default:
		t.Error("nothing tells of the change")
	}
	uris, _ := w.list()
	if len(uris) != 1 || uris[0] != "y" || w.has(a) || !w.has(b) {
		t.Errorf("%q are left, %t, %t", uris, w.has(a), w.has(b))
	}
	if left := w.remove(a, "y"); !left || !w.has(b) {
		t.Error("a client ended the subscription of another")
	}
	if left := w.remove(b, "y"); left || w.has(b) {
		t.Error("the last subscription did not end")
	}
}

// TestClosedClientStaysClosed: a client that was removed does not come back.
func TestClosedClientStaysClosed(t *testing.T) {
	g := newIdleGroup(t)
	c := g.ping(t, "kim")
	g.Remove("x")
	_, err := c.Request(t.Context(), "ping", nil, nil)
	if own, ok := errors.AsType[*Error](err); !ok || own.Reason != ReasonClosed || g.open.Load() != 0 {
		t.Errorf("%v, %d sessions", err, g.open.Load())
	}
}
