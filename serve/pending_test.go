package serve_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/internal/pgtest"
	"github.com/gongu-ai/gongu/serve"
	"github.com/gongu-ai/gongu/state"
)

const ableTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// onStores runs a test on a new store of each engine. open opens it for another
// host, whose lease is short.
func onStores(t *testing.T, f func(t *testing.T, open func() *state.Store)) {
	t.Helper()
	for engine, url := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "state.db") },
		"postgres": func(t *testing.T) string { return pgtest.URL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			url := url(t)
			f(t, func() *state.Store { return openStore(t, url) })
		})
	}
}

func openStore(t testing.TB, url string) *state.Store {
	t.Helper()
	store, err := state.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// failing is a store that cannot record calls.
type failing struct {
	serve.PendingStore
	err error
}

func (f *failing) AddCall(ctx context.Context, c *state.Call, life time.Duration, most state.CallLimits) error {
	return f.err
}

func get(t *testing.T, store *state.Store, id string) *state.Call {
	t.Helper()
	c, err := store.GetCall(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// P9: a task is one record, with its result when it has ended. A host that
// begins later on the same store answers with it, and only to the principal
// whose task it is.
func TestPendingTaskIsStored(t *testing.T) {
	onStores(t, func(t *testing.T, open func() *state.Store) {
		hold, _, release := holding()
		opts := serve.Options{Backend: newBackend(t, nil, hold), TaskAfter: -1, Pending: open()}
		s := newServer(t, opts)
		_, body := as(t, s, gongu.Principal{Name: "p"}).modern("tools/call", `"name":"hold","arguments":{"a":1}`, ableTasks)
		id := taskPattern.FindStringSubmatch(body)
		if id == nil {
			t.Fatalf("%s", body)
		}
		other := open()
		call := get(t, other, id[1])
		if call.Principal != "p" || call.Tool != "hold" || string(call.Args) != `{"a":1}` || call.Kind != state.KindTask ||
			string(call.Capabilities) != ableTasks || call.Created.IsZero() || call.State != state.CallStarted {
			t.Errorf("stored %+v", call)
		}
		opts.Pending = other
		later := newServer(t, opts)
		ask := `"taskId":"` + id[1] + `"`
		p, q := as(t, later, gongu.Principal{Name: "p"}), as(t, later, gongu.Principal{Name: "q"})
		if _, body := p.modern("tasks/get", ask, ableTasks); !strings.Contains(body, `"status":"working"`) {
			t.Errorf("at another host: %s", body)
		}
		close(release)
		waitFor(t, func() bool { return get(t, other, id[1]).State == state.CallDone })
		if _, body := p.modern("tasks/get", ask, ableTasks); !strings.Contains(body, `"status":"completed"`) || !strings.Contains(body, "held") {
			t.Errorf("at another host: %s", body)
		}
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			if _, body := q.modern(method, ask, ableTasks); !strings.Contains(body, "-32602") {
				t.Errorf("another's task: %s", body)
			}
		}
	})
}

// A call that cannot be stored does not wait: its client would come back in
// vain. A task that cannot be stored is a call that its client waits for.
func TestPendingStoreFails(t *testing.T) {
	asks := tool("ask", asking(`{"type":"object","properties":{}}`))
	store := &failing{openStore(t, filepath.Join(t.TempDir(), "state.db")), errors.New("disk full")}
	guard := suspending("guarded")
	s := newServer(t, serve.Options{
		Backend:   newBackend(t, &gongu.ExecutorOptions{Guards: []gongu.Guard{guard.guard}}, asks, echo("e"), echo("guarded")),
		TaskAfter: -1, Pending: store,
	})
	c := as(t, s, gongu.Principal{Name: "p"})
	for _, name := range []string{"ask", "guarded"} {
		if status, body := c.modern("tools/call", `"name":"`+name+`"`, `{"elicitation":{}}`); status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", name, status, body)
		}
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

// An ended task is forgotten after its time.
func TestTaskExpires(t *testing.T) {
	store := openStore(t, filepath.Join(t.TempDir(), "state.db"))
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
	if _, err := store.GetCall(t.Context(), id[1]); s.Counters().Tasks != 0 || !errors.Is(err, state.ErrNotFound) {
		t.Errorf("%d tasks, %v", s.Counters().Tasks, err)
	}
}
