package serve_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
)

const ableTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// mapStore is a store of pending calls that can fail.
type mapStore struct {
	mu    sync.Mutex
	calls map[string]serve.PendingCall
	fail  error
}

func (m *mapStore) Put(_ context.Context, call serve.PendingCall) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail == nil {
		m.calls[call.ID] = call
	}
	return m.fail
}

func (m *mapStore) Get(_ context.Context, id string) (serve.PendingCall, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	call, ok := m.calls[id]
	return call, ok, m.fail
}

func (m *mapStore) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.calls, id)
	return m.fail
}

func (m *mapStore) all() []serve.PendingCall {
	m.mu.Lock()
	defer m.mu.Unlock()
	var calls []serve.PendingCall
	for _, call := range m.calls {
		calls = append(calls, call)
	}
	return calls
}

// A task is one record in the store, with its result when it has ended. A
// server that begins later with the same store answers with it, and only to the
// principal whose task it is.
func TestPendingTaskIsStored(t *testing.T) {
	hold, _, release := holding()
	store := &mapStore{calls: map[string]serve.PendingCall{}}
	opts := serve.Options{
		Backend: newBackend(t, nil, hold), TaskAfter: -1,
		Pending: store, Key: bytes.Repeat([]byte("k"), 32),
	}
	s := newServer(t, opts)
	_, body := as(t, s, gongu.Principal{Name: "p"}).modern("tools/call", `"name":"hold","arguments":{"a":1}`, ableTasks)
	id := taskPattern.FindStringSubmatch(body)
	if id == nil {
		t.Fatalf("%s", body)
	}
	calls := store.all()
	if len(calls) != 1 {
		t.Fatalf("%d calls are stored, want 1", len(calls))
	}
	call := calls[0]
	if call.ID != id[1] || call.Principal != "p" || call.Tool != "hold" || string(call.Args) != `{"a":1}` ||
		string(call.Capabilities) != ableTasks || call.Created.IsZero() || call.Result != nil {
		t.Errorf("stored %+v", call)
	}
	close(release)
	waitFor(t, func() bool { return store.all()[0].Result != nil })

	later := newServer(t, opts)
	ask := `"taskId":"` + id[1] + `"`
	if _, body := as(t, later, gongu.Principal{Name: "p"}).modern("tasks/get", ask, ableTasks); !strings.Contains(body, `"status":"completed"`) || !strings.Contains(body, "held") {
		t.Errorf("after a restart: %s", body)
	}
	if _, body := as(t, later, gongu.Principal{Name: "q"}).modern("tasks/get", ask, ableTasks); !strings.Contains(body, "-32602") {
		t.Errorf("another's task: %s", body)
	}
}

// A suspended call is a record until its client comes back.
func TestPendingWaitIsStored(t *testing.T) {
	asks := tool("ask", asking(`{"type":"object","properties":{}}`))
	store := &mapStore{calls: map[string]serve.PendingCall{}}
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, asks), Pending: store})
	c := as(t, s, gongu.Principal{Name: "p"})
	_, body := c.modern("tools/call", `"name":"ask"`, `{"elicitation":{}}`)
	state := statePattern.FindStringSubmatch(body)
	if state == nil {
		t.Fatalf("%s", body)
	}
	if calls := store.all(); len(calls) != 1 || calls[0].Tool != "ask" || calls[0].Expires.IsZero() {
		t.Errorf("stored %+v", calls)
	}
	answer := `"name":"ask","requestState":"` + state[1] + `","inputResponses":{"elicitation-1":{"action":"accept"}}`
	if _, body := c.modern("tools/call", answer, `{"elicitation":{}}`); !strings.Contains(body, "accept") {
		t.Errorf("%s", body)
	}
	if calls := store.all(); len(calls) != 0 {
		t.Errorf("still stored: %+v", calls)
	}
}

// A call that cannot be stored does not wait: its client would come back in
// vain. A task that cannot be stored is a call that its client waits for.
func TestPendingStoreFails(t *testing.T) {
	asks := tool("ask", asking(`{"type":"object","properties":{}}`))
	store := &mapStore{calls: map[string]serve.PendingCall{}, fail: errors.New("disk full")}
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, asks, echo("e")), TaskAfter: -1, Pending: store})
	c := as(t, s, gongu.Principal{Name: "p"})
	if status, body := c.modern("tools/call", `"name":"ask"`, `{"elicitation":{}}`); status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", status, body)
	}
	if _, body := c.modern("tools/call", `"name":"e"`, ableTasks); !strings.Contains(body, `"content"`) {
		t.Errorf("%s", body)
	}
	if counted := s.Counters(); counted.Waiting != 0 || counted.Tasks != 0 {
		t.Errorf("%+v", counted)
	}
}

func TestLimitWaitingEach(t *testing.T) {
	asks := tool("ask", asking(`{"type":"object","properties":{}}`))
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, asks), Limits: serve.Limits{WaitingEach: 1}})
	for _, call := range []struct {
		who  string
		want int
	}{{"p", http.StatusOK}, {"p", http.StatusServiceUnavailable}, {"q", http.StatusOK}} {
		if status, body := as(t, s, gongu.Principal{Name: call.who}).modern("tools/call", `"name":"ask"`, `{"elicitation":{}}`); status != call.want {
			t.Errorf("%s: %d %s, want %d", call.who, status, body, call.want)
		}
	}
}

// An ended task is forgotten after its time, in the table and in the store.
func TestTaskExpires(t *testing.T) {
	store := &mapStore{calls: map[string]serve.PendingCall{}}
	hold, _, release := holding()
	s := newServer(t, serve.Options{
		Backend: newBackend(t, nil, hold), TaskAfter: -1, Pending: store,
		Limits: serve.Limits{TaskTTL: time.Millisecond},
	})
	c := as(t, s, gongu.Principal{Name: "p"})
	_, body := c.modern("tools/call", `"name":"hold"`, ableTasks)
	id := taskPattern.FindStringSubmatch(body)
	if id == nil {
		t.Fatalf("%s", body)
	}
	time.Sleep(5 * time.Millisecond)
	ask := `"taskId":"` + id[1] + `"`
	if _, body := c.modern("tasks/get", ask, ableTasks); !strings.Contains(body, `"working"`) {
		t.Errorf("a task that works: %s", body)
	}
	close(release)
	waitFor(t, func() bool {
		_, body := c.modern("tasks/get", ask, ableTasks)
		return strings.Contains(body, "-32602")
	})
	if s.Counters().Tasks != 0 || len(store.all()) != 0 {
		t.Errorf("%d tasks, %d stored", s.Counters().Tasks, len(store.all()))
	}
}
