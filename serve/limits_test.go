package serve_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gongu-ai/gongu"
	"github.com/gongu-ai/gongu/serve"
)

// holding is a tool that runs until it is let go.
func holding() (gongu.Tool, chan struct{}, chan struct{}) {
	started, release := make(chan struct{}, 16), make(chan struct{})
	return tool("hold", func(ctx context.Context, _ json.RawMessage) gongu.Result {
		started <- struct{}{}
		<-release
		return says("held")
	}), started, release
}

func TestLimitBody(t *testing.T) {
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, echo("e")), Limits: serve.Limits{Body: 1000, Depth: 10}})
	c := as(t, s, gongu.Principal{Name: "p"})
	if status, _ := c.post(`{"jsonrpc":"2.0","id":1,"method":"ping","x":"` + strings.Repeat("x", 1000) + `"}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d", status)
	}
	if status, body := c.post(`{"jsonrpc":"2.0","id":1,"method":"ping","x":` + strings.Repeat("[", 10) + strings.Repeat("]", 10) + `}`); status != http.StatusBadRequest || !strings.Contains(body, "-32700") {
		t.Errorf("a deep body: %d %s", status, body)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, strings.NewReader(strings.Repeat(" ", 2000)))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = -1
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body of unknown length: %d", resp.StatusCode)
	}
}

func TestLimitRunning(t *testing.T) {
	for name, limits := range map[string]serve.Limits{"each": {RunningEach: 1}, "all": {Running: 1}} {
		hold, started, release := holding()
		s := newServer(t, serve.Options{Backend: newBackend(t, nil, hold, echo("e")), Limits: limits})
		c := as(t, s, gongu.Principal{Name: "p"})
		var wait sync.WaitGroup
		wait.Go(func() { c.modern("tools/call", `"name":"hold"`, "{}") })
		<-started
		if status, _ := c.modern("tools/call", `"name":"e"`, "{}"); status != http.StatusTooManyRequests {
			t.Errorf("%s: %d", name, status)
		}
		want := http.StatusOK
		if name == "all" {
			want = http.StatusTooManyRequests
		}
		if status, _ := as(t, s, gongu.Principal{Name: "q"}).modern("tools/call", `"name":"e"`, "{}"); status != want {
			t.Errorf("%s, another principal: %d", name, status)
		}
		close(release)
		wait.Wait()
		if n := s.Counters(); n.Refused == 0 || n.Running != 0 {
			t.Errorf("%+v", n)
		}
	}
}

func TestLimitSessions(t *testing.T) {
	b := newBackend(t, nil, echo("e"))
	s := newServer(t, serve.Options{Backend: b, Limits: serve.Limits{SessionsEach: 1, SessionIdle: 50 * time.Millisecond}})
	first := as(t, s, gongu.Principal{Name: "p"}).begin("{}")
	initialize := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`
	if status, _ := as(t, s, gongu.Principal{Name: "p"}).post(initialize); status != http.StatusServiceUnavailable {
		t.Errorf("a second session: %d", status)
	}
	as(t, s, gongu.Principal{Name: "q"}).begin("{}")
	// An idle session ends, and makes room.
	waitFor(t, func() bool {
		status, _ := as(t, s, gongu.Principal{Name: "p"}).post(initialize)
		return status == http.StatusOK
	})
	if status, _ := first.post(ping); status != http.StatusNotFound {
		t.Errorf("a session that was idle for long: %d", status)
	}
}

func TestLimitStreams(t *testing.T) {
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, echo("e")), Limits: serve.Limits{StreamsEach: 1}})
	c := as(t, s, gongu.Principal{Name: "p"}).begin("{}")
	first := c.send(t.Context(), http.MethodGet, "")
	defer first.Body.Close()
	second := c.send(t.Context(), http.MethodGet, "")
	_ = second.Body.Close()
	if first.StatusCode != http.StatusOK || second.StatusCode != http.StatusTooManyRequests {
		t.Errorf("%d, %d", first.StatusCode, second.StatusCode)
	}
}

func TestLimitTasks(t *testing.T) {
	hold, _, release := holding()
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, hold), TaskAfter: -1, Limits: serve.Limits{TasksEach: 1, TaskTTL: time.Minute}})
	const able = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	c := as(t, s, gongu.Principal{Name: "p"})
	_, body := c.modern("tools/call", `"name":"hold"`, able)
	id := taskPattern.FindStringSubmatch(body)
	if id == nil {
		t.Fatalf("%s", body)
	}
	// A task is its principal's alone.
	if _, body := as(t, s, gongu.Principal{Name: "q"}).modern("tasks/get", `"taskId":"`+id[1]+`"`, able); !strings.Contains(body, "-32602") {
		t.Errorf("another's task: %s", body)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		if _, body := c.modern("tools/call", `"name":"hold"`, able); !strings.Contains(body, `"text":"held"`) {
			t.Errorf("without room for a task the client waits: %s", body)
		}
	})
	waitFor(t, func() bool { return s.Counters().Running == 1 })
	close(release)
	wait.Wait()
}

// A suspended call is its principal's alone.
func TestStateOfAnother(t *testing.T) {
	asks := tool("ask", asking(`{"type":"object","properties":{}}`))
	s := newServer(t, serve.Options{Backend: newBackend(t, nil, asks), Limits: serve.Limits{Waiting: 1}})
	c := as(t, s, gongu.Principal{Name: "p"})
	_, body := c.modern("tools/call", `"name":"ask"`, `{"elicitation":{}}`)
	state := statePattern.FindStringSubmatch(body)
	if state == nil {
		t.Fatalf("%s", body)
	}
	if status, body := c.modern("tools/call", `"name":"ask"`, `{"elicitation":{}}`); status != http.StatusServiceUnavailable {
		t.Errorf("a second one that waits: %d %s", status, body)
	}
	answer := `"name":"ask","requestState":"` + state[1] + `","inputResponses":{"elicitation-1":{"action":"accept"}}`
	if _, body := as(t, s, gongu.Principal{Name: "q"}).modern("tools/call", answer, `{"elicitation":{}}`); !strings.Contains(body, "-32602") {
		t.Errorf("another's call: %s", body)
	}
	if _, body := c.modern("tools/call", answer, `{"elicitation":{}}`); !strings.Contains(body, "accept") {
		t.Errorf("%s", body)
	}
}

// Drain refuses new requests and lets running ones finish.
func TestDrain(t *testing.T) {
	hold, started, release := holding()
	s, err := serve.New(serve.Options{Backend: newBackend(t, nil, hold), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	c := as(t, s, gongu.Principal{Name: "p"})
	var wait sync.WaitGroup
	wait.Go(func() {
		if _, body := c.modern("tools/call", `"name":"hold"`, "{}"); !strings.Contains(body, "held") {
			t.Errorf("%s", body)
		}
	})
	<-started
	drained := make(chan error, 1)
	go func() { drained <- s.Drain(context.Background()) }()
	waitFor(t, func() bool {
		status, _ := c.modern("tools/list", "", "{}")
		return status == http.StatusServiceUnavailable
	})
	select {
	case err := <-drained:
		t.Fatalf("drained while a call runs: %v", err)
	default:
	}
	close(release)
	wait.Wait()
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	b := newBackend(t, nil)
	for name, opts := range map[string]serve.Options{
		"no backend": {}, "mode": {Backend: b, Mode: "x"}, "name": {Backend: b, MaxName: 5},
	} {
		if _, err := serve.New(opts); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
